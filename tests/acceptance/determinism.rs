//! The same artifact, parameters and page states give the same effect journal, whatever browser and time they take.

use std::collections::BTreeSet;
use std::path::Path;

use anyhow::{Context as _, Result};
use waymark_fixture_apps::Delays;

use crate::{OVERVIEW, Ran, parabank, replay};

fn hash(ran: &Ran) -> Result<String> {
    Ok(ran.result["effect_journal"].as_str().context("the result names no effect journal")?.to_owned())
}

fn effects(ran: &Ran) -> Result<String> {
    let folder = ran.result["evidence"].as_str().context("no evidence")?;
    Ok(std::fs::read_to_string(Path::new(folder).join("effects.jsonl"))?)
}

#[test]
fn the_same_run_has_the_same_effects_on_both_browsers() -> Result<()> {
    let mut hashes = BTreeSet::new();
    let mut journals = BTreeSet::new();
    // A stand-in of its own each, so at another address each.
    for browser in ["shell", "chromium"] {
        let (_runtime, _running, address, _log) = parabank(Delays::default())?;
        for _ in 0..3 {
            let ran =
                replay(&address, OVERVIEW, &["--params-file", "fixtures/params/john.json", "--browser", browser])?;
            assert_eq!(ran.ended(), "0 none", "{}", ran.result);
            hashes.insert(hash(&ran)?);
            journals.insert(effects(&ran)?);
        }
    }
    assert_eq!(hashes.len(), 1, "{journals:#?}");
    assert_eq!(journals.len(), 1, "{journals:#?}");
    Ok(())
}

#[test]
fn another_answer_of_the_application_is_another_journal() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let run = |params: &str| replay(&address, OVERVIEW, &["--params-file", params]);
    let read = run("fixtures/params/john.json")?;
    let rejected = run("fixtures/params/wrong_password.json")?;
    assert_eq!((read.ended().as_str(), rejected.ended().as_str()), ("0 none", "2 credentials_rejected"));
    assert_ne!(hash(&read)?, hash(&rejected)?);
    assert!(effects(&rejected)?.contains("credentials_rejected"));
    Ok(())
}

#[test]
fn the_inputs_of_a_run_are_kept_where_that_is_asked_for_and_give_its_effects_again() -> Result<()> {
    let (_runtime, _running, address, _log) = parabank(Delays::default())?;
    let params = ["--params-file", "fixtures/params/wrong_password.json"];
    let plain = replay(&address, OVERVIEW, &params)?;
    let kept = replay(&address, OVERVIEW, &[&params[..], &["--keep-inputs"]].concat())?;
    assert_eq!(hash(&plain)?, hash(&kept)?, "keeping the inputs changes nothing");
    let inputs = |ran: &Ran| -> Result<std::path::PathBuf> {
        Ok(Path::new(ran.result["evidence"].as_str().context("no evidence")?).join("inputs.jsonl"))
    };
    assert!(!inputs(&plain)?.exists());
    let text = std::fs::read_to_string(inputs(&kept)?)?;
    assert!(!text.contains("not-the-password"), "a secret stands in the inputs");
    let end: serde_json::Value = serde_json::from_str(text.lines().last().context("no inputs")?)?;
    assert_eq!(end["effects"], kept.result["effect_journal"], "{end}");
    Ok(())
}
