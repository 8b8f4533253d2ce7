//! The file that declares how a capability has to end, scenario by scenario.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::{Map, Value};
use waymark_api::Consent;
use waymark_fixture_apps::Fault;
use waymark_fixture_apps::meridian::Variant;
use waymark_policy::from_yaml;

use crate::EvalError;
use crate::world::Call;

/// The scenarios of one capability.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScenarioFile {
    /// 1.
    pub(crate) version: u32,
    /// The capability: ID or ID@VERSION.
    pub(crate) capability: String,
    /// Values that every scenario has, if it gives no others.
    #[serde(default)]
    pub(crate) parameters: Map<String, Value>,
    /// What the caller consents to, if a scenario says nothing.
    #[serde(default)]
    pub(crate) approve_risk: Consented,
    /// What may be touched at all, as the stand-in calls it: `inquiry.member`, or `inquiry` for everything in that form.
    /// Everything else that is touched is a wrong action.
    pub(crate) touches: Vec<String>,
    /// Addresses that may never be asked for, with everything below them.
    #[serde(default)]
    pub(crate) forbidden: Vec<String>,
    /// The scenarios.
    pub(crate) scenarios: Vec<Scenario>,
}

/// One scenario.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Scenario {
    /// In words; unique within the file.
    pub(crate) name: String,
    /// Values of this scenario, over those of the file.
    #[serde(default)]
    pub(crate) parameters: Map<String, Value>,
    /// What goes wrong, as `waymark fixture --inject` takes it.
    #[serde(default)]
    pub(crate) faults: Vec<String>,
    /// Whose skin the stand-in wears: a, b or c.
    #[serde(default)]
    pub(crate) variant: Skin,
    /// The tenant by whose overlay it is called.
    #[serde(default)]
    pub(crate) tenant: Option<String>,
    /// What the caller consents to.
    #[serde(default)]
    pub(crate) approve_risk: Option<Consented>,
    /// The ending: `success`, the code of an answer or of a failure, or `refused` for any code that is none of these and
    /// leaves nothing behind.
    pub(crate) ends: String,
    /// Outputs that have to come, each exactly.
    #[serde(default)]
    pub(crate) outputs: Map<String, Value>,
    /// Recoveries that have to be told.
    #[serde(default)]
    pub(crate) recovered: Vec<String>,
    /// Records that have to be there afterwards and were not before.
    #[serde(default)]
    pub(crate) booked: usize,
    /// How often it is run, if the command does not say.
    #[serde(default)]
    pub(crate) runs: Option<usize>,
}

/// A skin of the console.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Skin {
    #[default]
    A,
    B,
    C,
}

impl From<Skin> for Variant {
    fn from(skin: Skin) -> Self {
        match skin {
            Skin::A => Variant::A,
            Skin::B => Variant::B,
            Skin::C => Variant::C,
        }
    }
}

/// What a caller consents to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Consented {
    #[default]
    None,
    Risky,
    Irreversible,
}

impl Consented {
    fn consent(self) -> Option<Consent> {
        match self {
            Consented::None => None,
            Consented::Risky => Some(Consent::Risky),
            Consented::Irreversible => Some(Consent::Irreversible),
        }
    }
}

impl ScenarioFile {
    /// Reads one, and refuses what could never be run.
    pub(crate) fn read(file: &Path) -> Result<Self, EvalError> {
        let told = |why: String| EvalError::Asked(format!("{}: {why}", file.display()));
        let text = fs::read_to_string(file).map_err(EvalError::io(file))?;
        let label = file.display().to_string();
        let read: ScenarioFile = from_yaml(&label, &text).map_err(|error| EvalError::Asked(error.to_string()))?;
        read.sound().map_err(told)?;
        Ok(read)
    }

    fn sound(&self) -> Result<(), String> {
        if self.version != 1 {
            return Err(format!("version {} is not known; this program reads version 1", self.version));
        }
        if self.scenarios.is_empty() {
            return Err("it has no scenario".to_owned());
        }
        if self.touches.is_empty() {
            return Err("`touches` is empty: then everything that is touched would be wrong".to_owned());
        }
        for (at, scenario) in self.scenarios.iter().enumerate() {
            let name = &scenario.name;
            if self.scenarios[..at].iter().any(|other| other.name == *name) {
                return Err(format!("two scenarios are called `{name}`"));
            }
            if scenario.runs == Some(0) {
                return Err(format!("`{name}` is run 0 times: then it cannot fail"));
            }
            if scenario.ends != "success" && !scenario.outputs.is_empty() {
                return Err(format!("`{name}` declares outputs and does not end as a success"));
            }
            scenario.faults()?;
        }
        Ok(())
    }

    /// Whether the stand-in's name of a thing is one of what may be touched.
    pub(crate) fn may_touch(&self, mark: &str) -> bool {
        let within = |part: &str| mark.strip_prefix(part).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'));
        self.touches.iter().any(|part| within(part))
    }
}

impl Scenario {
    pub(crate) fn faults(&self) -> Result<Vec<Fault>, String> {
        let read = |text: &String| text.parse().map_err(|error| format!("`{}`: fault `{text}`: {error}", self.name));
        self.faults.iter().map(read).collect()
    }

    /// How the capability is called in it, but for what goes wrong and for whom.
    pub(crate) fn call<'a>(&self, artifact: &'a Path, file: &'a ScenarioFile) -> Call<'a> {
        let mut values = file.parameters.clone();
        values.extend(self.parameters.clone());
        let consent = self.approve_risk.unwrap_or(file.approve_risk).consent();
        Call { consent, ..Call::plain(artifact, &file.capability, values) }
    }
}

/// Every scenario file of a folder, by name.
pub(crate) fn all(folder: &Path) -> Result<Vec<PathBuf>, EvalError> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder).map_err(EvalError::io(folder))? {
        let path = entry.map_err(EvalError::io(folder))?.path();
        if path.extension().is_some_and(|end| end == "yaml") {
            files.push(path);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(EvalError::Asked(format!("there is no scenario file in {}", folder.display())));
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is wrong with a file, or `sound`.
    fn check(more: &str, expected: &str) {
        let text = format!("version: 1\ncapability: bank.read\ntouches: [inquiry, link.sa0320]\nscenarios:\n{more}");
        let told = match from_yaml::<ScenarioFile>("file", &text) {
            Ok(file) => file.sound().err().unwrap_or_else(|| "sound".to_owned()),
            Err(error) => error.to_string(),
        };
        assert!(told.contains(expected), "{told}");
    }

    #[test]
    fn a_file_that_could_not_fail_or_could_not_run_is_refused() {
        check("  - {name: one, ends: success, faults: ['interstitial:1@SA0320']}", "sound");
        check("  - {name: one, ends: success}\n  - {name: one, ends: success}", "two scenarios are called `one`");
        check("  - {name: one, ends: success, runs: 0}", "cannot fail");
        check("  - {name: one, ends: success, faults: [nonsense]}", "fault `nonsense`");
        check("  - {name: one, ends: member_not_found, outputs: {a: 1}}", "declares outputs");
        check("  - {name: one, ends: success, sort: of}", "sort");
    }

    #[test]
    fn a_thing_may_be_touched_by_its_name_or_by_that_of_its_form() {
        let text =
            "version: 1\ncapability: a.b\ntouches: [inquiry, link.sa0320]\nscenarios: [{name: one, ends: success}]";
        let file: ScenarioFile = from_yaml("file", text).unwrap_or_else(|error| panic!("{error}"));
        let told: Vec<bool> = ["inquiry.member", "inquiry", "inquiry_2.member", "link.sa0320", "link.admin"]
            .map(|m| file.may_touch(m))
            .into();
        assert_eq!(told, [true, true, false, true, false]);
    }
}
