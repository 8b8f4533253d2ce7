//! How much harm an action can do.

use std::collections::BTreeMap;

use serde::Deserialize;
use waymark_artifact::Risk;
use waymark_snapshot::Role;

use crate::address::{Address, Pattern};
use crate::allow::{check_names, patterns};
use crate::config::{Located, PolicyError, check_version, from_yaml, meaning};
use crate::control::{ActionWord, Control};
use crate::decide::{Assessment, Proposed};
use crate::lexicon::{Phrases, folded, words};

const FILE: &str = "risk_policy.yaml";

/// The entries of `risk_policy.yaml`, ready for asking.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RiskRules {
    actions: BTreeMap<ActionWord, Risk>,
    safe_keys: Vec<String>,
    lexicon: Vec<Entry>,
    rules: Vec<Rule>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    class: Risk,
    on_links: Risk,
    phrases: Phrases,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    name: String,
    application: String,
    locations: Vec<Pattern>,
    screens: Vec<String>,
    role: Role,
    names: Vec<String>,
    native: Option<String>,
    class: Risk,
}

impl RiskRules {
    pub(crate) fn load(text: &str) -> Result<Self, PolicyError> {
        let raw: RawRules = from_yaml(FILE, text)?;
        check_version(FILE, text, raw.version)?;
        raw.read().map_err(|error| error.in_text(text))
    }

    /// The highest of everything that speaks for a risk. A rule may take back what is assumed of a press (that
    /// submitting, a key, or a word of the risky class commits something), and nothing else.
    pub(crate) fn assess(&self, proposed: &Proposed<'_>) -> Assessment {
        let applying: Vec<&Rule> = self.rules.iter().filter(|rule| rule.applies(proposed)).collect();
        let pressed = matches!(proposed.action, ActionWord::Click | ActionWord::PressKey | ActionWord::AnswerDialog);
        let cleared = applying.iter().find(|rule| pressed && rule.class == Risk::Safe);

        let mut worst = match cleared {
            Some(rule) => Assessment { risk: Risk::Safe, rule: format!("rule:{}", rule.name) },
            None => Assessment { risk: Risk::Safe, rule: format!("action:{}", proposed.action) },
        };
        let mut raise = |risk: Risk, rule: String| {
            if risk > worst.risk {
                worst = Assessment { risk, rule };
            }
        };
        for rule in &applying {
            raise(rule.class, format!("rule:{}", rule.name));
        }
        if let Some((risk, word)) = self.word(proposed)
            && (cleared.is_none() || risk > Risk::Risky)
        {
            raise(risk, format!("lexicon:{word}"));
        }
        if cleared.is_none()
            && let Some(reason) = self.assumed(proposed)
        {
            raise(Risk::Risky, reason);
        }
        raise(
            self.actions.get(&proposed.action).copied().unwrap_or(Risk::Risky),
            format!("action:{}", proposed.action),
        );
        raise(proposed.declared, "declared".to_owned());
        worst
    }

    /// The worst word in the visible name of what is pressed.
    fn word(&self, proposed: &Proposed<'_>) -> Option<(Risk, String)> {
        let control = proposed.control?;
        let speaks = match proposed.action {
            ActionWord::Click | ActionWord::PressKey => true,
            ActionWord::SetChecked => *control.role == Role::Switch,
            // Only a yes carries out what the text of a dialog asks.
            ActionWord::AnswerDialog => proposed.submit_like,
            _ => false,
        };
        if !speaks {
            return None;
        }
        let commits = control.commits() || proposed.submit_like;
        let name = words(control.name);
        let hits = self.lexicon.iter().filter_map(|entry| {
            let class = match (commits, control.role) {
                (true, _) => entry.class,
                (false, Role::Link | Role::Tab | Role::TreeItem) => entry.on_links,
                (false, _) => Risk::Safe,
            };
            (class > Risk::Safe).then(|| entry.phrases.find(&name).map(|word| (class, word)))?
        });
        // The first of the worst: `max_by_key` alone would give the last.
        hits.fold(None, |worst: Option<(Risk, String)>, hit| match worst {
            Some(worst) if worst.0 >= hit.0 => Some(worst),
            _ => Some(hit),
        })
    }

    /// Why a press is taken for risky although no word says so.
    fn assumed(&self, proposed: &Proposed<'_>) -> Option<String> {
        if proposed.submit_like {
            return Some("submit_like".to_owned());
        }
        match (proposed.action, proposed.control) {
            (ActionWord::PressKey, _) => {
                let key = proposed.key.unwrap_or("unknown");
                (!self.safe_keys.iter().any(|safe| safe == key)).then(|| format!("key:{key}"))
            }
            (ActionWord::Click | ActionWord::AnswerDialog, None) => Some("unknown_control".to_owned()),
            (ActionWord::Click, Some(control)) if unnamed_button(&control) => Some("unnamed".to_owned()),
            _ => None,
        }
    }
}

/// A button that shows no word says nothing about what it does.
fn unnamed_button(control: &Control<'_>) -> bool {
    let button = matches!(control.role, Role::Button | Role::MenuItem) || control.native.starts_with("button:");
    button && folded(control.name).is_empty()
}

impl Rule {
    fn applies(&self, proposed: &Proposed<'_>) -> bool {
        let Some(control) = proposed.control else { return false };
        self.application == proposed.application
            && self.role == *control.role
            && self.names.contains(&folded(control.name))
            && self.native.as_deref().is_none_or(|native| native == control.native)
            && self.on_screen(proposed)
    }

    fn on_screen(&self, proposed: &Proposed<'_>) -> bool {
        if self.locations.is_empty() && self.screens.is_empty() {
            return true;
        }
        let by_id = proposed.screen.is_some_and(|screen| self.screens.iter().any(|id| id == screen));
        by_id || Address::parse(proposed.location).is_ok_and(|here| self.locations.iter().any(|p| p.matches(&here)))
    }
}

impl RawRules {
    fn read(&self) -> Result<RiskRules, PolicyError> {
        if let Some(missing) = ActionWord::ALL.iter().find(|action| !self.actions.contains_key(action)) {
            return Err(meaning(FILE, None, "actions", format!("`{missing}` has no class"), "list all ten actions"));
        }
        check_names(FILE, self.rules.iter().map(|rule| &rule.name))?;
        Ok(RiskRules {
            actions: self.actions.clone(),
            safe_keys: self.safe_keys.clone(),
            lexicon: self.lexicon.iter().map(RawEntry::read).collect::<Result<_, _>>()?,
            rules: self.rules.iter().map(RawRule::read).collect::<Result<_, _>>()?,
        })
    }
}

impl RawRule {
    fn read(&self) -> Result<Rule, PolicyError> {
        let name = &self.name.value;
        let refuse =
            |message: &str, hint: &str| Err(meaning(FILE, self.name.place, format!("rule `{name}`"), message, hint));
        let names: Vec<String> = self.control.names.iter().map(|name| folded(name)).collect();
        if names.is_empty() || names.iter().any(String::is_empty) {
            return refuse("a control without name", "list the visible names the rule is for");
        }
        let role = Role::from_word(&self.control.role);
        if matches!(role, Role::Other(_)) {
            return refuse("the role is not known", "use a role word such as `button`");
        }
        let locations = patterns(FILE, name, &self.screen.locations)?;
        let scoped = !locations.is_empty() || !self.screen.ids.is_empty();
        if self.class == Risk::Safe && (!scoped || locations.iter().any(Pattern::reaches_any_depth)) {
            return refuse(
                "the class `safe` needs a screen",
                "name screen ids, or locations without `**`; only raising rules may hold everywhere",
            );
        }
        Ok(Rule {
            name: name.clone(),
            application: self.application.clone(),
            locations,
            screens: self.screen.ids.clone(),
            role,
            names,
            native: self.control.native.clone(),
            class: self.class,
        })
    }
}

impl RawEntry {
    fn read(&self) -> Result<Entry, PolicyError> {
        let place = self.words.first().and_then(|word| word.place);
        let refuse = |message: &str, hint: &str| Err(meaning(FILE, place, "lexicon", message, hint));
        let words: Vec<String> = self.words.iter().map(|word| word.value.clone()).collect();
        let Some(phrases) = Phrases::new(&words).filter(|_| !words.is_empty()) else {
            return refuse("an entry holds no word", "list the words that are found in visible names");
        };
        if self.class == Risk::Safe || self.on_links > self.class {
            return refuse(
                "a word cannot make an action safe, nor a link worse than a button",
                "use `risky` or `irreversible`, and for `on_links` at most the same",
            );
        }
        Ok(Entry { class: self.class, on_links: self.on_links, phrases })
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRules {
    version: u32,
    actions: BTreeMap<ActionWord, Risk>,
    safe_keys: Vec<String>,
    lexicon: Vec<RawEntry>,
    rules: Vec<RawRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawEntry {
    class: Risk,
    #[serde(default)]
    on_links: Risk,
    words: Vec<Located<String>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawRule {
    name: Located<String>,
    application: String,
    #[serde(default)]
    screen: RawScreen,
    control: RawControl,
    class: Risk,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawScreen {
    #[serde(default)]
    locations: Vec<Located<String>>,
    #[serde(default)]
    ids: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawControl {
    role: String,
    names: Vec<String>,
    #[serde(default)]
    native: Option<String>,
}
