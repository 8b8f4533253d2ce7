//! What is known of the application, and the contract that goal and profile make together.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use semver::Version;
use waymark_artifact::{
    Application, CapabilityId, Condition, Credential, Guard, Limits, Name, Output, OutputColumn, Parameter, Place,
    Provenance, ProvenanceSource, ReadFormat, Template, TextMatch, TextRule, Type, Variable,
};
use waymark_discovery::{Bounds, Exploration, Fixed, Job, ModelName, Named};
use waymark_goal::{Absent, Condition as Wanted, Goal};
use waymark_policy::{Policy, Profile, RouteAsk};
use waymark_recording::{Answer, Contract, Deed, Did, Given, Shown, Sign, Values, Wish, identifiers, places};
use waymark_redact::Secret;
use waymark_run::Code;
use waymark_session::{CredentialSource, Texts};

use crate::configuration;
use crate::problems::Problems;

/// The application that the start address belongs to.
pub(crate) struct Ground {
    pub(crate) application: Name,
    profile: Profile,
    /// The address of the installation.
    base: String,
    /// The credentials that a model is offered by name.
    offered: Vec<Offered>,
}

/// A credential of the profile that has a value.
struct Offered {
    name: Name,
    source: CredentialSource,
    /// To know it wherever it shows; what is typed is read from the source at that moment.
    secret: Secret<String>,
    fields: Vec<String>,
}

/// `application.capability.v1.json`; `.0.0` is left out.
pub(crate) fn file_name(id: &CapabilityId, version: &Version) -> String {
    let short = if version.minor == 0 && version.patch == 0 && version.pre.is_empty() {
        version.major.to_string()
    } else {
        version.to_string()
    };
    format!("{id}.v{short}.json")
}

impl Ground {
    /// The application whose profile and allowlist cover the start address.
    pub(crate) fn find(goal: &Goal, policy: &Policy, config: &Path, problems: &mut Problems) -> Option<Self> {
        let profiles = configuration::profiles(config, problems)?;
        let start = goal.start();
        let covers = |profile: &&Profile| {
            let application = profile.application.as_str();
            policy.route(&RouteAsk { application, location: start, method: "GET", document: true }).allowed
        };
        let fitting: Vec<&Profile> = profiles.iter().filter(covers).collect();
        let asked = goal.capability().map(CapabilityId::application);
        let profile = match fitting.as_slice() {
            [] => {
                let message = "no allow entry of an application with a profile covers this address";
                let hint = "add it to allowlist.yaml, and a profile to profiles/";
                problems.add(Code::InvalidPolicy, "--url", "not_allowed", message, hint);
                return None;
            }
            [one] => *one,
            several => *several.iter().find(|p| asked == Some(p.application.as_str())).unwrap_or(&several[0]),
        };
        let path = profile.entry_point.path.as_str();
        let plain = start.split(['?', '#']).next().unwrap_or(start);
        let base = plain.strip_suffix(path).or_else(|| plain.rsplit_once('/').map(|(base, _)| base)).unwrap_or(plain);
        let application = profile.application.clone();
        Some(Ground { application, profile: profile.clone(), base: base.to_owned(), offered: Vec::new() })
    }

    /// The capability that signs on, where the application has one.
    pub(crate) fn sign_on(&self) -> Option<&CapabilityId> {
        self.profile.sign_on.as_ref()
    }

    /// Offers those credentials of the profile that have a value and that no value of the goal is called like. Says of the
    /// others why they are not offered.
    pub(crate) fn offer(&mut self, goal: &Goal) -> Vec<String> {
        let mut notes = Vec::new();
        for binding in &self.profile.credentials {
            if goal.data().iter().any(|key| key.name == binding.name) {
                continue;
            }
            let name = binding.name.clone();
            let resolved = match configuration::source_of(&binding.source) {
                Some(source) => source.resolve().map(|secret| (source, secret)).map_err(|error| error.to_string()),
                None => Err("its source is a key store, which this version does not open".to_owned()),
            };
            match resolved {
                Ok((source, secret)) => {
                    self.offered.push(Offered { name, source, secret, fields: binding.fields.clone() });
                }
                Err(why) => notes.push(format!("the credential `{name}` is not offered: {why}")),
            }
        }
        notes
    }

    /// Credentials whose values stand in the words of the goal.
    pub(crate) fn told_by(&self, goal: &Goal) -> Vec<Name> {
        let told = self.offered.iter().filter(|offered| goal.tells(offered.secret.expose()));
        told.map(|offered| offered.name.clone()).collect()
    }

    /// Where the offered credentials come from.
    pub(crate) fn credentials(&self) -> BTreeMap<Name, CredentialSource> {
        self.offered.iter().map(|offered| (offered.name.clone(), offered.source.clone())).collect()
    }

    /// The goal's data as parameters, in the forms in which the application writes them.
    pub(crate) fn parameters(&self, goal: &Goal) -> Vec<Parameter> {
        let mut parameters = goal.parameters();
        for parameter in &mut parameters {
            parameter.format = self.profile.written.of(&parameter.kind).cloned();
        }
        parameters
    }

    /// This run's values.
    fn values(&self, texts: &Texts) -> Values {
        let mut values = Values::new();
        values.screens(self.profile.screen_id.clone());
        for (name, text) in &texts.plain {
            values.parameter(name.clone(), text.clone());
        }
        for (name, text) in &texts.sensitive {
            values.sensitive(name.clone(), text.clone());
        }
        for (name, forms) in &texts.others {
            forms.iter().for_each(|form| values.also(name.clone(), form.clone()));
        }
        for (name, forms) in &texts.hidden {
            forms.iter().for_each(|form| values.also_sensitive(name.clone(), form.clone()));
        }
        for offered in &self.offered {
            values.credential(offered.name.clone(), offered.secret.clone());
        }
        values.variable(self.profile.entry_point.variable.clone(), self.base.clone());
        values
    }

    /// The address of the installation, under the name of its variable.
    pub(crate) fn variable(&self) -> (Name, String) {
        (self.profile.entry_point.variable.clone(), self.base.clone())
    }

    /// The job as the loop needs it.
    pub(crate) fn job(&self, goal: &Goal, texts: &Texts) -> Job {
        let limits = goal.limits();
        let seconds = |n: u32| std::time::Duration::from_secs(n.into());
        let wish = |condition: &Wanted| match condition {
            Wanted::Text(text) => {
                Fixed { words: format!("the screen shows \"{text}\""), wish: Wish::Text(text.clone()) }
            }
            Wanted::NotText(text) => {
                Fixed { words: format!("the screen does not show \"{text}\""), wish: Wish::NotText(text.clone()) }
            }
            Wanted::Url(part) => {
                Fixed { words: format!("the address contains \"{part}\""), wish: Wish::Url(part.clone()) }
            }
        };
        Job {
            goal: goal.task().to_owned(),
            start: goal.start().to_owned(),
            success: goal.conditions().iter().map(wish).collect(),
            names: goal
                .data()
                .iter()
                .map(|key| Named {
                    name: key.name.clone(),
                    about: key.description.clone(),
                    secret: key.sensitive,
                    credential: false,
                    fields: Vec::new(),
                })
                .chain(self.offered.iter().map(|offered| Named {
                    name: offered.name.clone(),
                    about: String::new(),
                    secret: true,
                    credential: true,
                    fields: offered.fields.clone(),
                }))
                .collect(),
            outputs: goal.outputs().iter().map(declared).collect(),
            values: self.values(texts),
            limits: Bounds {
                turns: limits.steps,
                calls: limits.model_calls,
                time: seconds(limits.seconds),
                call_time: seconds(limits.call_seconds),
                money_micros: Some(limits.usd.micros),
                ..Bounds::default()
            },
        }
    }

    /// The contract of what was recorded.
    ///
    /// # Errors
    /// In words: a condition of success cannot be said without this run's values.
    #[expect(clippy::too_many_arguments, reason = "a contract is made of all of these, once")]
    pub(crate) fn contract(
        &self,
        goal: &Goal,
        job: &Job,
        exploration: &Exploration,
        version: &Version,
        run: &str,
        at: &str,
        model: &ModelName,
        selector: Option<&ModelName>,
    ) -> Result<Contract, String> {
        let deeds = &exploration.deeds;
        // What the last deed left may have changed before the conditions were found to hold.
        let proof = exploration.proof.as_ref().ok_or("no screen was seen that proves it")?;
        let said = |fixed: &Fixed| match fixed.wish.shown(deeds, proof, &job.values) {
            Shown::Anew(condition) | Shown::Stood { condition, always: false, .. } => Ok(condition),
            Shown::Stood { place, .. } => {
                Err(format!("that {} proves nothing: it did so from the beginning, {place}", fixed.words))
            }
            Shown::No => Err(format!("{} no more", fixed.words)),
            Shown::Hidden => Err(format!("that {} cannot be said without a value that must not be seen", fixed.words)),
        };
        let success = job.success.iter().map(said).collect::<Result<Vec<Condition>, String>>()?;
        let entry = job.values.reference(&job.start).unwrap_or_else(|| Template::literal(&job.start));
        let variable = &self.profile.entry_point.variable;
        let answers = self.answers(goal, job, deeds)?;
        Ok(Contract {
            id: goal.capability_or_suggested(&self.application),
            version: version.clone(),
            title: goal.title(),
            description: goal.task().lines().map(str::trim).collect::<Vec<_>>().join(" ").trim().to_owned(),
            application: Application {
                name: self.profile.title.clone(),
                surface: "web".into(),
                entry,
                screen_id: self.profile.screen_id.clone(),
            },
            variables: vec![Variable {
                name: variable.clone(),
                description: format!("Where {} is installed, without a slash at the end.", self.profile.title),
                default: Some(self.profile.entry_point.default.clone().unwrap_or_else(|| self.base.clone())),
            }],
            parameters: self.parameters(goal),
            credentials: self.used(deeds),
            success,
            answers,
            recoveries: self.profile.recoveries.clone(),
            session_expired: self.profile.session_expired.clone(),
            limits: Limits::default(),
            provenance: Provenance {
                source: ProvenanceSource::Discovery,
                author: format!("{} {}", model.provider, model.model),
                created_at: at.to_owned(),
                run: Some(run.to_owned()),
                simulated: model.simulated || selector.is_some_and(|selector| selector.simulated),
                parent: None,
                note: selector.map_or_else(String::new, |selector| {
                    let simulated = if selector.simulated { " (simulated)" } else { "" };
                    format!("Elements were told apart by {} {}{simulated}.", selector.provider, selector.model)
                }),
            },
        })
    }

    /// The credentials that were typed: the document declares these and no others.
    fn used(&self, deeds: &[Deed]) -> Vec<Credential> {
        let typed = |name: &Name| {
            deeds.iter().any(|deed| matches!(&deed.did, Did::Type { value: Given::Credential(n), .. } if n == name))
        };
        let used = self.offered.iter().filter(|offered| typed(&offered.name));
        used.map(|offered| Credential {
            name: offered.name.clone(),
            description: format!("What the profile of {} calls `{}`.", self.profile.title, offered.name),
        })
        .collect()
    }

    /// The answers that the goal declares, then those that the application is known for.
    pub(crate) fn answers(&self, goal: &Goal, job: &Job, deeds: &[Deed]) -> Result<Vec<Answer>, String> {
        let (places, seen) = (&places(deeds, &job.values)[..], screens_of(deeds, &job.values));
        let mut out: Vec<Answer> = Vec::new();
        for outcome in goal.outcomes() {
            let plain = |sign: Sign, guard: Option<Guard>, description: String| Answer {
                code: outcome.code.clone(),
                description: if outcome.description.is_empty() { description } else { outcome.description.clone() },
                sign,
                guard,
                application_code: None,
                failure: false,
            };
            match &outcome.absent {
                Some(Absent::Row(name)) => {
                    let words = format!("There is no row with the value of `{name}`.");
                    out.push(plain(Sign::NoRow(name.clone()), Some(long_at_rest()), words));
                    continue;
                }
                Some(Absent::Option(name)) => {
                    let words = format!("The value of `{name}` is not among the options.");
                    out.push(plain(Sign::NoOption(name.clone()), Some(long_at_rest()), words));
                    continue;
                }
                None => {}
            }
            let text = job.values.reference(&outcome.shows).ok_or("an outcome shows a value that must not be seen")?;
            // As the application is known for it; of what it is not known for, a passing word is no answer.
            let known = self.profile.outcomes.iter().find(|known| known.shows == outcome.shows);
            let condition = known.and_then(|known| known.seen.clone()).unwrap_or_else(|| says(&text, places));
            let sign = match known {
                _ if outcome.after_risky => Sign::Refused(condition),
                Some(known) if known.negative => Sign::Nothing(condition),
                _ => Sign::Seen(condition),
            };
            let passing = known.is_none_or(|known| known.negative);
            out.push(Answer {
                application_code: known.and_then(|known| known.application_code.clone()),
                failure: !outcome.after_risky && known.is_some_and(|known| known.failure),
                ..plain(sign, passing.then(at_rest), format!("The application says \"{}\".", outcome.shows))
            });
        }
        // What is not there answers a question, and only the goal knows whether it was asked.
        for known in self.profile.outcomes.iter().filter(|known| !known.negative) {
            let same =
                |o: &waymark_goal::DeclaredOutcome| o.code == known.code || (o.shows == known.shows && !o.after_risky);
            let elsewhere = !known.screens.is_empty() && !known.screens.iter().any(|screen| seen.contains(screen));
            if elsewhere || goal.outcomes().iter().any(same) {
                continue;
            }
            out.push(Answer {
                code: known.code.clone(),
                description: known.description.clone(),
                sign: Sign::Seen(known.seen.clone().unwrap_or_else(|| says(&Template::literal(&known.shows), places))),
                guard: None,
                application_code: known.application_code.clone(),
                failure: known.failure,
            });
        }
        Ok(out)
    }
}

/// The identifiers of the screens that the job went through.
fn screens_of(deeds: &[Deed], values: &Values) -> BTreeSet<String> {
    let screens = deeds.iter().flat_map(|deed| [&deed.before, &deed.after]);
    screens.flat_map(|screen| identifiers(screen, values)).collect()
}

/// Believed of a screen that has stayed as it is for a moment.
fn at_rest() -> Guard {
    Guard { stable_for_ms: Some(300), ..Guard::default() }
}

/// Believed of a screen that has stayed as it is for a good moment: what is not there may still be put there by a script that
/// waits, which nothing shows.
fn long_at_rest() -> Guard {
    Guard { stable_for_ms: Some(1_500), ..Guard::default() }
}

/// That a text is visible, in whichever of the windows and frames that the job went through: an answer may come in another
/// one than what was asked for.
fn says(text: &Template, places: &[Place]) -> Condition {
    let in_place = |place: &Place| Condition::TextPresent {
        place: place.clone(),
        text: TextMatch { text: text.clone(), rule: TextRule::Contains },
    };
    match places {
        [] => in_place(&Place::default()),
        [one] => in_place(one),
        several => Condition::Any { of: several.iter().map(in_place).collect() },
    }
}

/// An output as the analyst wants it; types that were left open are taken from the screen.
fn declared(wanted: &waymark_goal::WantedOutput) -> Output {
    let kind = if wanted.columns.is_empty() {
        wanted.kind.clone().unwrap_or(Type::Text)
    } else {
        let columns = wanted.columns.iter().map(|column| OutputColumn {
            name: column.name.clone(),
            description: String::new(),
            kind: column.kind.clone().unwrap_or(Type::Text),
            format: ReadFormat::default(),
            optional: column.optional,
        });
        let key = wanted.columns.iter().filter(|column| column.key).map(|column| column.name.clone()).collect();
        Type::Table { columns: columns.collect(), key }
    };
    Output {
        name: wanted.name.clone(),
        description: wanted.description.clone(),
        kind,
        format: ReadFormat::default(),
        optional: false,
        sensitive: false,
    }
}
