//! The loop: observe, decide, gate, act, observe.

mod claims;
mod closing;
mod pointing;
mod progress;
mod stranded;

use std::collections::BTreeSet;
use std::time::Duration;

use waymark_artifact::{DialogAnswer, DialogKindName, DialogOpens, KeyName, Name, OptionRule, Output, ReadPart, Risk};
use waymark_artifact::{TextMatch, TextRule, Typing};
use waymark_recording::{
    Deed, Did, Given, NoTarget, Purpose, Reading, TableReading, format_for, from_words, identifiers, same_screen,
    table_reading, target, type_of,
};
use waymark_run::Code;
use waymark_snapshot::{Fold, Ix, NodeId, Role, RoleClass, State, UiSnapshot, WindowKey, same, squash};
use waymark_surface::{Act, Ask, DialogKind, DriverError, Fact, Key, Observation, TypedText, TypingMode};

pub use self::closing::{Closing, Standing};
use self::stranded::stranded;
use crate::list::one_line;
use crate::{
    Acted, Call, Decision, Job, Listed, Model, ModelError, Named, Said, Selector, Source, Stage, Written, list, prompt,
};

/// How often in a row the same kind of refusal is told to the model before it is the end.
const TOLD: u32 = 2;
/// Characters of what is told of one turn: every later turn pays for it, and a page may name its things at any length.
const RESULT: usize = 300;

/// What came of a discovery.
#[derive(Clone, Debug)]
pub struct Exploration {
    /// What was done, in order. Also where it did not come to its end.
    pub deeds: Vec<Deed>,
    /// The most harm of what reached the application, whether it came to be recorded or not.
    pub sent: Risk,
    /// How it ended.
    pub ending: Ending,
    /// Turns that were taken.
    pub turns: u32,
    /// Calls that were made, of both roles.
    pub calls: u32,
    /// How often the selector was asked.
    pub selections: u32,
    /// What they cost as far as is known, in millionths of a US dollar.
    pub micros: u64,
    /// The screen on which the analyst's conditions were found to hold, where it came to that: it need not be the one that the
    /// last deed left.
    pub proof: Option<UiSnapshot>,
    /// What stood there where the model said that it had come to an end, done or not; `None` where it ended otherwise.
    pub closing: Option<Closing>,
}

/// How a discovery ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Ending {
    /// The model says that it is done, and the analyst's conditions hold.
    Done,
    /// The model says that it cannot be done.
    Blocked { why: String },
    /// The model gave no answer that could be used.
    Model(ModelError),
    /// A bound is reached.
    Spent { what: &'static str },
    /// What was done again and again, and brought nothing, in words.
    NoProgress { what: String },
    /// The policy is against it, and the model found no other way.
    Refused { code: Code, message: String },
    /// What was acted on could not be reached, again and again.
    Unreachable { why: String },
    /// Something may have been done that nobody can be sure of.
    EffectUnknown { why: String },
    /// The model says that it is done, and the conditions do not hold.
    Unproven { missing: String },
    /// Somebody ended it.
    Stopped,
    /// The application is gone.
    Surface(DriverError),
    /// It could not be written down.
    Unwritten { code: Code, message: String },
}

/// Does a job once. Without a selector, what stands there more than once has to be named by its number.
pub async fn explore<'a, 's, S: Stage>(
    stage: &'a mut S,
    model: &mut dyn Model,
    selector: Option<&'a mut (dyn Selector + 's)>,
    job: &'a Job,
) -> Exploration {
    let mut walk = Walk {
        stage,
        selector,
        job,
        deeds: Vec::new(),
        done: Vec::new(),
        outputs: BTreeSet::new(),
        tried: Vec::new(),
        waits: 0,
        fruitless: 0,
        proof: None,
        closing: None,
        ungranted: Vec::new(),
        sent: Risk::Safe,
        refusals: 0,
        misses: 0,
        misfits: 0,
        claims: 0,
        turns: 0,
        calls: 0,
        selections: 0,
        micros: 0,
    };
    let ending = match walk.go(model).await {
        Ok(never) => match never {},
        Err(ending) => ending,
    };
    let Walk { deeds, sent, turns, calls, selections, micros, proof, closing, .. } = walk;
    Exploration { deeds, sent, ending, turns, calls, selections, micros, proof, closing }
}

struct Walk<'a, 's, S> {
    stage: &'a mut S,
    selector: Option<&'a mut (dyn Selector + 's)>,
    job: &'a Job,
    deeds: Vec<Deed>,
    /// What was done, in words for the model.
    done: Vec<String>,
    outputs: BTreeSet<Name>,
    /// What was tried on which screen.
    tried: Vec<(Decision, UiSnapshot)>,
    /// How often in a row it was waited.
    waits: usize,
    /// Turns that came to nothing.
    fruitless: usize,
    /// The screen on which the conditions held.
    proof: Option<UiSnapshot>,
    /// What stood there as the model said in this turn that it had come to an end.
    closing: Option<Closing>,
    /// What was refused because nobody granted its risk, as it was asked and in words.
    ungranted: Vec<(Act, String)>,
    /// The most harm of what reached the application, recorded or not.
    sent: Risk,
    refusals: u32,
    misses: u32,
    misfits: u32,
    claims: u32,
    turns: u32,
    calls: u32,
    selections: u32,
    micros: u64,
}

/// What a turn came to, in words for the model.
struct Came {
    done: bool,
    result: String,
}

impl<S: Stage> Walk<'_, '_, S> {
    async fn go(&mut self, model: &mut dyn Model) -> Result<std::convert::Infallible, Ending> {
        let mut seen = self.open().await?;
        let mut last: Option<String> = None;
        loop {
            self.closing = None;
            self.bounds()?;
            self.turns += 1;
            let turn = self.turns;
            let listed = self.list(&seen);
            let holds = self.holding(&seen.snapshot);
            let (last_said, list) = (last.as_deref(), listed.text.as_str());
            let request = prompt::request(self.job, &self.veiled(), &holds, &self.done, last_said, &seen, list, turn);
            self.stage.tell(Said::Asked { turn, prompt: request.prompt.clone() });
            let left = self.left();
            let within = self.job.limits.call_time.min(left);
            let decided = {
                let asked = model.decide(&request, within);
                unless_stopped(asked, self.stage).await?
            };
            self.pay(decided.calls);
            let arguments = decided.reply.map_err(|error| self.unanswered(error, left))?;
            let (written, decision) = match Decision::read(&arguments) {
                Ok(read) => read,
                Err(why) => {
                    self.misfits += 1;
                    let why = self.plain(&why);
                    self.came(turn, false, &why);
                    if self.misfits > TOLD {
                        return Err(Ending::Model(ModelError::InvalidOutput { why }));
                    }
                    last = Some(format!("refused: {why}"));
                    self.came_to_nothing()?;
                    continue;
                }
            };
            self.stage.tell(Said::Decided { turn, written: written.clone() });
            self.repeated(&decision, &seen.snapshot)?;
            let before = matches!(decision, Decision::Wait).then(|| seen.snapshot.clone());
            let Came { done, result } = self.take(&decision, &written, &listed, &mut seen).await?;
            let result = self.plain(&result);
            self.came(turn, done, &result);
            if done {
                (self.refusals, self.misses, self.misfits) = (0, 0, 0);
                self.done.push(format!("{}. {result}", self.done.len() + 1));
                last = None;
            } else {
                last = Some(result);
                if before.is_none_or(|before| same_screen(&before, &seen.snapshot)) {
                    self.came_to_nothing()?;
                }
            }
            if let Some((code, message)) = self.stage.failure() {
                return Err(Ending::Unwritten { code, message });
            }
        }
    }

    fn came(&mut self, turn: u32, done: bool, result: &str) {
        self.stage.tell(Said::Came { turn, done, result: result.to_owned() });
    }

    /// What a model may see of a text: one line, with values as `{name}`. What a page writes in that form itself is no value.
    fn veiled(&self) -> impl Fn(&str) -> String + '_ {
        |text: &str| {
            let mut text = one_line(text);
            for named in &self.job.names {
                text = text.replace(&format!("{{{}}}", named.name), &format!("{{ {} }}", named.name));
            }
            self.stage.veil(&self.job.values.veiled(&text))
        }
    }

    /// What came of a turn, as it is told: a page names its own things, so the words may be the page's.
    fn plain(&self, text: &str) -> String {
        let text = self.stage.veil(&self.job.values.veiled(&one_line(text)));
        let cut: String = text.chars().take(RESULT).collect();
        if cut.len() < text.len() { format!("{cut}…") } else { cut }
    }

    /// The identifier that a screen shows of itself, where the application is known for that.
    fn screen_id(&self, screen: &UiSnapshot) -> Option<String> {
        identifiers(screen, &self.job.values).into_iter().next()
    }

    fn list(&self, seen: &Observation) -> Listed {
        list(&seen.snapshot, &self.veiled())
    }

    fn bounds(&self) -> Result<(), Ending> {
        if self.stage.is_stopped() {
            return Err(Ending::Stopped);
        }
        if self.turns >= self.job.limits.turns {
            return Err(Ending::Spent { what: "turns" });
        }
        self.purse()
    }

    /// What both roles spend together.
    fn purse(&self) -> Result<(), Ending> {
        let limits = &self.job.limits;
        let spent = [
            (self.calls >= limits.calls, "calls of the model"),
            (self.left().is_zero(), "time"),
            (limits.money_micros.is_some_and(|most| self.micros >= most), "money"),
        ];
        match spent.into_iter().find(|(spent, _)| *spent) {
            Some((_, what)) => Err(Ending::Spent { what }),
            None => Ok(()),
        }
    }

    fn left(&self) -> Duration {
        self.job.limits.time.saturating_sub(self.stage.elapsed())
    }

    fn pay(&mut self, calls: Vec<Call>) {
        let turn = self.turns;
        for call in calls {
            self.calls += 1;
            self.micros += call.price_micros.unwrap_or(0);
            self.stage.tell(Said::Called { turn, call });
        }
    }

    /// The end of a question without an answer, when `left` was what was left of the time as it was asked.
    fn unanswered(&self, error: ModelError, left: Duration) -> Ending {
        match error {
            // It was given no longer because the time for everything was over.
            ModelError::Timeout { .. } if left <= self.job.limits.call_time => Ending::Spent { what: "time" },
            error => Ending::Model(error),
        }
    }

    async fn open(&mut self) -> Result<Observation, Ending> {
        let before = self.look().await?;
        let location = self.job.start.clone();
        let act = Act::Open { window: WindowKey::main(), location: location.clone() };
        let ask = Ask::about(&before.snapshot, None, act, Risk::Safe, None);
        let risk = match self.stage.act(ask, None).await {
            Acted::Done { risk, .. } => risk,
            Acted::Refused { code, message, .. } => return Err(Ending::Refused { code, message }),
            Acted::Unknown { risk, why } => return Err(self.unsure(risk, &why).await),
            Acted::NotDelivered { why } => return Err(Ending::Unreachable { why }),
        };
        let after = self.look().await?;
        self.stage.picture("the start").await;
        let did = Did::Open { location };
        self.record(did, before.snapshot, &after, risk, String::new());
        Ok(after)
    }

    async fn look(&mut self) -> Result<Observation, Ending> {
        self.stage.look().await.map_err(Ending::Surface)
    }

    fn record(&mut self, did: Did, before: UiSnapshot, after: &Observation, risk: Risk, why: String) {
        let opened = after.facts.iter().find_map(|fact| match fact {
            Fact::WindowOpened(window) => {
                Some(if window.name.is_empty() { window.window.0.clone() } else { window.name.clone() })
            }
            _ => None,
        });
        let after = after.snapshot.clone();
        self.deeds.push(Deed { did, before, after, risk, hint: None, opened, dialogs: Vec::new(), why });
    }

    /// Carries out one decision.
    async fn take(
        &mut self,
        decision: &Decision,
        written: &Written,
        listed: &Listed,
        seen: &mut Observation,
    ) -> Result<Came, Ending> {
        let open = seen.dialog.is_some();
        match decision {
            Decision::Done => return self.claimed(seen).await,
            Decision::Blocked { why } => return Err(self.gave_up(why, seen).await),
            Decision::Answer { accept } => return self.answer(*accept, seen).await,
            _ if open => return self.miss("refused: a dialog is open; accept or dismiss it".into()),
            Decision::Wait => return self.waited(seen).await,
            _ => {}
        }
        let pointed = match decision {
            Decision::Click { element }
            | Decision::Type { element, .. }
            | Decision::Choose { element, .. }
            | Decision::SetChecked { element, .. }
            | Decision::Read { element, .. }
            | Decision::ReadTable { element, .. } => Some(element),
            Decision::PressKey { element, .. } | Decision::Scroll { element } => element.as_ref(),
            Decision::Wait | Decision::Answer { .. } | Decision::Done | Decision::Blocked { .. } => None,
        };
        let meant = match pointed {
            Some(pointed) => match self.pointed(pointed, decision, written, listed, &seen.snapshot).await? {
                Ok(meant) => Some(meant),
                Err(told) => return Ok(told),
            },
            None => None,
        };
        let (node, row) = (meant.map(|meant| meant.node), meant.and_then(|meant| meant.row));
        let screen = seen.snapshot.clone();
        let reads = matches!(decision, Decision::Read { .. } | Decision::ReadTable { .. });
        if let Some(node) = node.filter(|_| !matches!(decision, Decision::Scroll { .. })) {
            let purpose = match row.filter(|_| reads) {
                Some(row) => Purpose::ReadInRow { row },
                None if reads => Purpose::Read,
                None => Purpose::Act,
            };
            if let Some(why) = row.filter(|_| reads).and_then(|row| self.marks_nothing(&screen, row)) {
                return self.miss(format!("refused: {why}"));
            }
            if let Err(error) = target(&screen, node, &self.job.values, purpose, None) {
                return self.miss(format!("refused: {}", unrecordable(&error)));
            }
        }
        let words = node.map(|ix| thing(&screen, ix, &self.veiled())).unwrap_or_default();
        let (did, act, given, said) = match (decision, node) {
            (Decision::Read { output, .. }, Some(node)) => return self.read(node, row, output, seen),
            (Decision::ReadTable { output, columns, rows, .. }, Some(node)) => {
                return self.read_table(node, output, columns, *rows, seen);
            }
            // Pressed, it would look done, and the field would still be empty.
            (Decision::Click { .. }, Some(node)) if self.means_to_type(written, &screen, node) => {
                return self.miss(format!("refused: click puts nothing into {words}; type does"));
            }
            (Decision::Click { .. }, Some(node)) => {
                let act = Act::Click { node: id(&screen, node) };
                (Some(Did::Click { node }), act, None, format!("clicked {words}"))
            }
            (Decision::Type { text, .. }, Some(node)) => {
                let given = match self.given(text, false, &screen, node) {
                    Ok(given) => given,
                    Err(why) => return self.miss(format!("refused: {why}")),
                };
                let said = format!("typed {} into {words}", named(&given));
                let act = Act::Type {
                    node: id(&screen, node),
                    text: TypedText::Plain(String::new()),
                    mode: TypingMode::Insert,
                };
                let did = Did::Type { node, value: given.clone(), typing: Typing::Insert };
                (Some(did), act, Some(given), said)
            }
            (Decision::Choose { option, .. }, Some(node)) => {
                let option = self.of_options(option, &screen, node);
                let given = self.given(&option, true, &screen, node);
                let (given, rule) = match given.and_then(|given| Ok((self.option_rule(&given, &screen, node)?, given)))
                {
                    Ok((rule, given)) => (given, rule),
                    Err(why) => return self.miss(format!("refused: {why}")),
                };
                let said = format!("chose {} in {words}", named(&given));
                let act = Act::Choose { node: id(&screen, node), option: TypedText::Plain(String::new()), rule };
                (Some(Did::Choose { node, value: given.clone(), rule }), act, Some(given), said)
            }
            (Decision::SetChecked { checked, .. }, Some(node)) => {
                let act = Act::SetChecked { node: id(&screen, node), checked: *checked };
                let verb = if *checked { "checked" } else { "unchecked" };
                (Some(Did::SetChecked { node, checked: *checked }), act, None, format!("{verb} {words}"))
            }
            (Decision::PressKey { key, .. }, node) => {
                let act = Act::PressKey { node: node.map(|ix| id(&screen, ix)), key: Key(key.clone()) };
                (Some(Did::PressKey { node, key: KeyName(key.clone()) }), act, None, format!("pressed {key}"))
            }
            (Decision::Scroll { .. }, node) => {
                (None, Act::Scroll { node: node.map(|ix| id(&screen, ix)) }, None, "scrolled".to_owned())
            }
            _ => return self.miss("refused: it needs the number of an element".into()),
        };
        // A link says where it leads: what is denied is not even tried, for there is no way back from it.
        let leads = node
            .filter(|_| matches!(did, Some(Did::Click { .. })))
            .and_then(|ix| screen.node(ix).detail.location.as_deref());
        if let Some(rule) = leads.filter(|l| l.starts_with("http")).and_then(|location| self.stage.off_limits(location))
        {
            let message = "the page leads where this session may not go".to_owned();
            return self.refused(Code::PolicyBlocked, &rule, message);
        }
        let ask = Ask::about(&screen, node, act, Risk::Safe, self.screen_id(&screen));
        let asked = ask.act.clone();
        match self.stage.act(ask, given).await {
            Acted::Done { risk, hint } => {
                self.sent = self.sent.max(risk);
                self.ungranted.retain(|(refused, _)| *refused != asked);
                *seen = self.look().await?;
                let scope = node.map(|ix| screen.scope(screen.node(ix).scope));
                if let Some(message) = stranded(seen, scope) {
                    return Err(Ending::Refused { code: Code::PolicyBlocked, message });
                }
                let still = same_screen(&screen, &seen.snapshot) && seen.facts.is_empty() && seen.dialog.is_none();
                let Some(did) = did else {
                    let said = if still { "scrolled, and nothing new is listed" } else { "scrolled" };
                    return Ok(Came { done: !still, result: said.into() });
                };
                self.stage.picture(&said).await;
                let presses = matches!(did, Did::Click { .. } | Did::PressKey { .. });
                self.record(did, screen, seen, risk, written.reason.clone());
                if let Some(deed) = self.deeds.last_mut() {
                    deed.hint = hint;
                }
                let risk = if risk > Risk::Safe { format!(" ({})", risk.as_str()) } else { String::new() };
                let refused = seen.facts.iter().find_map(|fact| match fact {
                    Fact::RouteRefused { rule, .. } => {
                        Some(format!("; the page wanted to leave for where it may not go ({rule})"))
                    }
                    _ => None,
                });
                let still = if still && presses { "; nothing changed" } else { "" };
                Ok(Came { done: true, result: format!("{said}{risk}{}{still}", refused.unwrap_or_default()) })
            }
            Acted::Refused { code, rule, message } => {
                if code == Code::RiskApproval {
                    self.ungranted.push((asked, words));
                }
                self.refused(code, &rule, message)
            }
            Acted::NotDelivered { why } => {
                *seen = self.look().await?;
                self.miss(format!("not done: {why}"))
            }
            Acted::Unknown { risk, why } => Err(self.unsure(risk, &why).await),
        }
    }

    /// What the policy is against is told to the model, and is the end where it finds no other way.
    fn refused(&mut self, code: Code, rule: &str, message: String) -> Result<Came, Ending> {
        self.refusals += 1;
        if self.refusals > TOLD {
            return Err(Ending::Refused { code, message });
        }
        let result = format!("refused by policy ({rule}): {message}; find another way or answer blocked");
        Ok(Came { done: false, result })
    }

    /// The end where nobody knows whether something was done: that matters for what is more than safe alone.
    async fn unsure(&mut self, risk: Risk, why: &str) -> Ending {
        if risk > Risk::Safe {
            return Ending::EffectUnknown { why: self.plain(why) };
        }
        if self.stage.is_stopped() {
            return Ending::Stopped;
        }
        match self.look().await {
            Err(ending) => ending,
            Ok(_) => Ending::Unreachable { why: self.plain(why) },
        }
    }

    fn miss(&mut self, result: String) -> Result<Came, Ending> {
        self.misses += 1;
        if self.misses > TOLD {
            return Err(Ending::Unreachable { why: self.plain(&result) });
        }
        Ok(Came { done: false, result })
    }

    /// The value that a model means, and whether it may go there.
    fn given(&self, source: &Source, chooses: bool, screen: &UiSnapshot, node: Ix) -> Result<Given, String> {
        match source {
            // What equals a value of the caller is that value, and may go where that may.
            Source::Literal(text) => match self.job.values.named(text) {
                Some(name) => self.given(&Source::Named(name.to_string()), chooses, screen, node),
                None if self.job.values.shows_secret(text) => Err("what is secret is given by its name".to_owned()),
                None => Ok(Given::Literal(text.clone())),
            },
            Source::Named(name) => {
                let known = self.job.names.iter().find(|n| n.name.as_str() == name).ok_or_else(|| {
                    let names: Vec<&str> = self.job.names.iter().map(|n| n.name.as_str()).collect();
                    format!("there is no value `{name}`; there are: {}", names.join(", "))
                })?;
                let field = screen.node(node);
                // A list shows what is chosen already; a field that also offers choices shows what is typed. A credential
                // is no option.
                let chosen = chooses && field.role.class() == RoleClass::Choice && !known.credential;
                let hides = field.role == Role::TextBox && field.is(State::Protected) && !field.is(State::Multiline);
                if known.secret && !hides && !chosen && !may_show(known, screen, node) {
                    return Err(format!("`{name}` is secret, and this field shows what is typed into it"));
                }
                Ok(if known.credential {
                    Given::Credential(known.name.clone())
                } else {
                    Given::Parameter(known.name.clone())
                })
            }
        }
    }

    /// What a model copies from the list begins with the name of a value where the option begins with that value.
    fn of_options(&self, source: &Source, screen: &UiSnapshot, node: Ix) -> Source {
        let Source::Literal(text) = source else { return source.clone() };
        let veil = self.veiled();
        let listed = screen.node(node).detail.options.iter().any(|option| squash(&veil(&option.text)) == squash(text));
        let named = self.job.names.iter().find(|named| text.starts_with(&format!("{{{}}}", named.name)));
        named.filter(|_| listed).map_or_else(|| source.clone(), |named| Source::Named(named.name.to_string()))
    }

    /// How much of an option's text a value is: the whole, or what the one option begins with.
    fn option_rule(&self, given: &Given, screen: &UiSnapshot, node: Ix) -> Result<OptionRule, String> {
        let bound = self.job.values.bindings();
        let text = match given {
            Given::Literal(text) => Some(text),
            Given::Parameter(name) => bound.parameters.get(name),
            Given::Credential(_) => None,
        };
        let Some(text) = text else { return Ok(OptionRule::Equals) };
        let options: Vec<&str> = screen.node(node).detail.options.iter().map(|option| option.text.as_str()).collect();
        if !OptionRule::Equals.find(text, &options).is_empty() {
            return Ok(OptionRule::Equals);
        }
        match OptionRule::StartsWith.find(text, &options).as_slice() {
            [] => Ok(OptionRule::Equals),
            [_] => Ok(OptionRule::StartsWith),
            several => Err(format!("{} options begin with {}, and none is that alone", several.len(), named(given))),
        }
    }

    /// Why the row that a cell marks would not be known by it in another run: what stands there is a figure of this record,
    /// and neither the caller's nor the goal's.
    fn marks_nothing(&self, screen: &UiSnapshot, row: Ix) -> Option<String> {
        let text = squash(&screen.text_of(row));
        let veil = self.veiled();
        let known = |text: &str| text.chars().any(|c| c.is_ascii_digit());
        let whole = self.job.values.named(&text).is_some() || self.job.goal.contains(&text);
        (!whole && known(&text)).then(|| {
            let shown: String = veil(&text).chars().take(60).collect();
            format!(
                "\"{shown}\" is a figure of this record, which another run would not have; name the row by a word of it"
            )
        })
    }

    /// Whether a click gives a field a value as well: two things that do not go together.
    fn means_to_type(&self, written: &Written, screen: &UiSnapshot, node: Ix) -> bool {
        let given = written.value.as_deref().unwrap_or_default().trim().trim_matches(['{', '}']);
        let known = self.job.names.iter().any(|named| named.name.as_str() == given);
        known && screen.node(node).role.class() == RoleClass::TextEntry
    }

    async fn answer(&mut self, accept: bool, seen: &mut Observation) -> Result<Came, Ending> {
        let Some(dialog) = seen.dialog.clone() else {
            return self.miss("refused: no dialog is open".into());
        };
        // What cannot be written down is not answered either: a document without it would press on something else.
        let Some(text) = self.job.values.reference(&squash(&dialog.text)) else {
            return self
                .miss("refused: the dialog shows a value that must not be seen, so it cannot be recorded".into());
        };
        let declared = self.deeds.last().filter(|_| accept).map_or(Risk::Safe, |deed| deed.risk);
        let ask = Ask::answering(Some(&seen.snapshot), &dialog, accept, None, declared);
        let asked = ask.act.clone();
        match self.stage.act(ask, None).await {
            Acted::Done { risk, .. } => {
                let risk = if accept { risk.max(declared) } else { Risk::Safe };
                self.sent = self.sent.max(risk);
                self.ungranted.retain(|(refused, _)| *refused != asked);
                let answer = if accept { DialogAnswer::Accept } else { DialogAnswer::Dismiss };
                if let Some(deed) = self.deeds.last_mut() {
                    let text = TextMatch { text, rule: TextRule::Equals };
                    deed.dialogs.push(DialogOpens { kind: kind(dialog.kind), text, answer, risk });
                    deed.risk = deed.risk.max(risk);
                }
                *seen = self.look().await?;
                if let Some(deed) = self.deeds.last_mut() {
                    deed.after = seen.snapshot.clone();
                }
                Ok(Came { done: true, result: format!("{} the dialog", if accept { "accepted" } else { "dismissed" }) })
            }
            Acted::Refused { code, rule, message } => {
                if code == Code::RiskApproval {
                    self.ungranted.push((asked, "the dialog".to_owned()));
                }
                self.refused(code, &rule, message)
            }
            Acted::NotDelivered { why } => self.miss(format!("not done: {why}")),
            Acted::Unknown { risk, why } => Err(self.unsure(risk, &why).await),
        }
    }

    fn read(&mut self, node: Ix, row: Option<Ix>, output: &str, seen: &Observation) -> Result<Came, Ending> {
        let screen = &seen.snapshot;
        let name = match self.output_name(output) {
            Ok(name) => name,
            Err(why) => return self.miss(format!("refused: {why}")),
        };
        let it = screen.node(node);
        let (part, text) = match &it.value {
            Some(value) if it.role.is_control() => (ReadPart::Value, squash(value)),
            _ => (ReadPart::Text, squash(&screen.text_of(node))),
        };
        if it.is(State::Protected) {
            return self.miss("refused: a field for secrets is not read".into());
        }
        if text.is_empty() {
            return self.miss("refused: there is nothing to read there".into());
        }
        let declared = self.job.outputs.iter().find(|o| o.name == name);
        let (kind, format) = match declared {
            Some(output) => match format_for(&output.kind, std::slice::from_ref(&text)) {
                Some(format) => (output.kind.clone(), format),
                None => return self.miss(format!("refused: what stands there is not what `{name}` is declared to be")),
            },
            None => type_of(&[text]),
        };
        let output = Output {
            description: declared.map_or_else(|| capital(&name), |o| o.description.clone()),
            name: name.clone(),
            kind,
            format,
            optional: false,
            sensitive: declared.is_some_and(|o| o.sensitive),
        };
        self.reads(Did::Read { node, reading: Reading::One { output, part, row } }, &name, screen, "1 value")
    }

    fn read_table(
        &mut self,
        node: Ix,
        output: &str,
        columns: &[String],
        first: Option<u32>,
        seen: &Observation,
    ) -> Result<Came, Ending> {
        let screen = &seen.snapshot;
        if !screen.node(node).role.is_table() {
            return self.miss("refused: that is no table; give the number of one".into());
        }
        let name = match self.output_name(output) {
            Ok(name) => name,
            Err(why) => return self.miss(format!("refused: {why}")),
        };
        let declared = self.job.outputs.iter().find(|o| o.name == name).cloned();
        let asked = TableReading {
            description: declared.as_ref().map_or_else(|| capital(&name), |o| o.description.clone()),
            into: name.clone(),
            headers: columns.to_vec(),
            first,
            declared,
        };
        match table_reading(screen, node, &asked, &self.job.values) {
            Ok(reading) => self.reads(Did::Read { node, reading }, &name, screen, "rows"),
            Err(why) => self.miss(format!("refused: {why}")),
        }
    }

    fn output_name(&self, output: &str) -> Result<Name, String> {
        let name =
            from_words(output).and_then(|name| Name::new(&name).ok()).ok_or("`output` is a name in snake_case")?;
        if self.outputs.contains(&name) {
            return Err(format!("`{name}` was read already"));
        }
        Ok(name)
    }

    fn reads(&mut self, did: Did, name: &Name, screen: &UiSnapshot, what: &str) -> Result<Came, Ending> {
        let deed = Deed {
            did,
            before: screen.clone(),
            after: screen.clone(),
            risk: Risk::Safe,
            hint: None,
            opened: None,
            dialogs: Vec::new(),
            why: String::new(),
        };
        self.deeds.push(deed);
        self.outputs.insert(name.clone());
        Ok(Came { done: true, result: format!("read {what} into {name}") })
    }
}

/// Whether a secret may stand in this field although it shows it: the analyst's configuration names the field.
fn may_show(known: &Named, screen: &UiSnapshot, field: Ix) -> bool {
    let entry = screen.node(field).role.class() == RoleClass::TextEntry;
    let label = waymark_perception::label_of(screen, field).filter(|_| entry);
    label.is_some_and(|label| known.fields.iter().any(|name| same(&label, name, Fold::Folded)))
}

/// The answer of a model, unless somebody ends the run before.
async fn unless_stopped<T, S: Stage>(asked: impl Future<Output = T>, stage: &mut S) -> Result<T, Ending> {
    let stopped = stage.stopped();
    futures_util::pin_mut!(asked, stopped);
    match futures_util::future::select(stopped, asked).await {
        futures_util::future::Either::Left(((), _)) => Err(Ending::Stopped),
        futures_util::future::Either::Right((answer, _)) => Ok(answer),
    }
}

fn id(screen: &UiSnapshot, node: Ix) -> NodeId {
    screen.node(node).id.clone()
}

fn named(given: &Given) -> String {
    match given {
        Given::Parameter(name) | Given::Credential(name) => format!("{{{name}}}"),
        Given::Literal(text) => format!("\"{text}\""),
    }
}

fn kind(kind: DialogKind) -> DialogKindName {
    match kind {
        DialogKind::Alert => DialogKindName::Alert,
        DialogKind::Confirm => DialogKindName::Confirm,
        DialogKind::Prompt => DialogKindName::Prompt,
        DialogKind::Leave => DialogKindName::Leave,
    }
}

fn thing(screen: &UiSnapshot, node: Ix, veil: &dyn Fn(&str) -> String) -> String {
    let label = waymark_perception::label_of(screen, node).unwrap_or_default();
    let role = match screen.node(node).role {
        Role::TextBox => "field".to_owned(),
        ref role => role.to_string(),
    };
    if label.is_empty() { format!("the {role}") } else { format!("{role} \"{}\"", veil(&squash(&label))) }
}

fn unrecordable(error: &NoTarget) -> String {
    format!("it could not be found again: {error}")
}

fn capital(name: &Name) -> String {
    let words = name.as_str().replace('_', " ");
    let mut chars = words.chars();
    let first: String = chars.next().map(|c| c.to_uppercase().collect()).unwrap_or_default();
    format!("{first}{}.", chars.as_str())
}
