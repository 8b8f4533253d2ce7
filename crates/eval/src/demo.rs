//! The five endings of a run, shown with one artifact on the console of 1998.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Map, Value, json};
use waymark_api::Watcher;

use crate::EvalError;
use crate::stage::Stage;
use crate::world::{Call, World};

/// The one artifact.
const CAPABILITY: &str = "meridian.lookup_savings_balance";

/// What is shown, and where its evidence goes.
#[derive(Clone, Debug)]
pub struct DemoRequest {
    /// The checkout.
    pub root: PathBuf,
    /// Where the evidence of each scene is kept.
    pub evidence: PathBuf,
    /// Whether the browser's window is shown.
    pub headed: bool,
}

/// One scene, as it ended.
#[derive(Clone, Debug, Serialize)]
pub struct SceneEnded {
    /// From 1.
    pub number: usize,
    /// What happens.
    pub what: String,
    /// How it has to end: exit code and code.
    pub declared: String,
    /// How it ended.
    pub ended: String,
    /// Everything that is not as it has to be.
    pub wrong: Vec<String>,
    /// The whole result.
    pub result: Value,
}

struct Scene {
    what: &'static str,
    member: &'static str,
    fault: Option<&'static str>,
    declared: &'static str,
    /// What has to stand in the result and in the folder of evidence besides.
    shows: fn(&Value, &Path) -> Result<(), String>,
}

const SCENES: [Scene; 5] = [
    Scene {
        what: "a member's savings are read",
        member: "12345",
        fault: None,
        declared: "0 success",
        shows: a_typed_balance,
    },
    Scene {
        what: "there is no such member: an answer, no failure",
        member: "00000",
        fault: None,
        declared: "2 member_not_found",
        shows: nothing_more,
    },
    Scene {
        what: "a notice of maintenance lies over the screen: it is put away, and the run goes on",
        member: "12345",
        fault: Some("interstitial:1@SA0320"),
        declared: "0 success",
        shows: recovered,
    },
    Scene {
        what: "the host crashes",
        member: "12345",
        fault: Some("host_500@SA0320"),
        declared: "1 app_error",
        shows: a_picture_and_a_snapshot,
    },
    Scene {
        what: "a button is called otherwise: nothing is guessed, a person is asked",
        member: "12345",
        fault: Some("rename_control@MI0200"),
        declared: "3 checkpoint_unmet",
        shows: an_intervention,
    },
];

/// Shows all of it, a scene after the other. `begins` is told the number and words of each scene before it, `watch` every
/// line of its journal.
///
/// # Errors
/// The artifact is not there, the stand-in or the browser does not start, or the evidence cannot be written.
pub fn demo(
    request: &DemoRequest,
    begins: &mut dyn FnMut(usize, &str),
    watch: &mut Watcher<'_>,
    ends: &mut dyn FnMut(&SceneEnded),
) -> Result<Vec<SceneEnded>, EvalError> {
    let stage = Stage::set(&request.root)?;
    let artifact = stage.approved(CAPABILITY, &[])?;
    let mut world = World::new(request.headed)?;
    let mut ended = Vec::new();
    for (at, scene) in SCENES.iter().enumerate() {
        begins(at + 1, scene.what);
        fs::create_dir_all(&request.evidence).map_err(EvalError::io(&request.evidence))?;
        let fault = scene.fault.map(str::parse).transpose();
        let fault = fault.map_err(|error| EvalError::World(format!("a fault of the demonstration: {error}")))?;
        let values = Map::from_iter([("member_number".to_owned(), json!(scene.member))]);
        let call = Call {
            faults: fault.into_iter().collect(),
            evidence: Some(request.evidence.clone()),
            pictures: true,
            ..Call::plain(&artifact, CAPABILITY, values)
        };
        let ran = world.run(&stage, &call, watch)?;
        let mut one = SceneEnded {
            number: at + 1,
            what: scene.what.to_owned(),
            declared: scene.declared.to_owned(),
            ended: format!("{} {}", ran.exit(), ran.code()),
            wrong: Vec::new(),
            result: ran.result,
        };
        if one.ended != one.declared {
            one.wrong.push(format!("it ended as {}, and not as {}", one.ended, one.declared));
        }
        let folder = PathBuf::from(one.result["evidence"].as_str().unwrap_or_default());
        one.wrong.extend((scene.shows)(&one.result, &folder).err());
        ends(&one);
        ended.push(one);
    }
    Ok(ended)
}

fn nothing_more(_: &Value, _: &Path) -> Result<(), String> {
    Ok(())
}

fn a_typed_balance(result: &Value, _: &Path) -> Result<(), String> {
    let balance = &result["outputs"]["regular_savings_balance"];
    match *balance == json!({ "amount": "1234.56", "currency": "USD" }) {
        true => Ok(()),
        false => Err(format!("the balance is {balance}")),
    }
}

fn recovered(result: &Value, folder: &Path) -> Result<(), String> {
    a_typed_balance(result, folder)?;
    match result["recovered"][0]["recovery"] == "maintenance_notice" {
        true => Ok(()),
        false => Err(format!("it tells no recovery: {}", result["recovered"])),
    }
}

fn a_picture_and_a_snapshot(_: &Value, folder: &Path) -> Result<(), String> {
    for part in ["screenshots", "snapshots"] {
        let files = fs::read_dir(folder.join(part)).map(|files| files.flatten().count()).unwrap_or_default();
        if files == 0 {
            return Err(format!("there is nothing in {part}"));
        }
    }
    Ok(())
}

fn an_intervention(result: &Value, folder: &Path) -> Result<(), String> {
    a_picture_and_a_snapshot(result, folder)?;
    let text = fs::read_to_string(folder.join("intervention.json")).map_err(|error| error.to_string())?;
    let record: Value = serde_json::from_str(&text).map_err(|error| error.to_string())?;
    match record["id"] == result["escalation"]["intervention"] {
        true => Ok(()),
        false => Err("the intervention on record is another one".to_owned()),
    }
}
