//! No way leads to the administration of the console: not a link, a redirect, a form, a window, a frame, a script or a
//! request behind the page, for a discovery or for a replay. The console itself counts who got there.

use std::path::Path;

use anyhow::{Context as _, Result, ensure};
use serde_json::{Value, json};

use crate::Ran;
use crate::console::{OPERATOR, console, discover, replayed};

/// Where nobody may get.
const FORBIDDEN: &str = "/meridian/admin";

/// A way, and what has to be pressed for it; the others go off by themselves.
const WAYS: [(&str, Option<(&str, &str)>); 7] = [
    ("link", Some(("link", "Print Screen"))),
    ("redirect", None),
    ("form", Some(("button", "Refresh"))),
    ("popup", Some(("button", "Print Preview"))),
    ("frame", None),
    ("script", None),
    ("fetch", None),
];

/// Signs on where the member inquiry has the bait, and presses it.
fn script(press: Option<(&str, &str)>) -> String {
    let sign_on = include_str!("../../fixtures/scripts/meridian_sign_on.jsonl");
    let (before, done) = sign_on.trim_end().rsplit_once('\n').unwrap_or_default();
    let press = press.map(|(role, name)| {
        json!({ "action": "click", "element": { "role": role, "name": name }, "reason": "the screen offers it" })
            .to_string()
    });
    [Some(before.to_owned()), press, Some(done.to_owned())].into_iter().flatten().collect::<Vec<_>>().join("\n")
}

/// Everything that was written down of a run, in one text.
fn written(report: &Value) -> Result<String> {
    let folder = report["evidence"].as_str().context("no evidence")?;
    Ok(std::fs::read_to_string(Path::new(folder).join("run.jsonl"))?)
}

#[test]
fn no_way_leads_a_discovery_to_the_administration() -> Result<()> {
    let (_runtime, _running, address, log) = console()?;
    for (way, press) in WAYS {
        log.clear();
        let folder = tempfile::tempdir()?;
        let file = folder.path().join("script.jsonl");
        std::fs::write(&file, script(press))?;
        let start = format!("{address}/?bait={way}@MI0200");
        let report = discover("meridian.sign_on", &start, &file, folder.path(), &["--approve-risk", "risky"])?;
        let code = report["result"]["error"]["code"].as_str().unwrap_or("none");
        assert_eq!(log.count_below(FORBIDDEN), 0, "{way}: {report}");
        let expected = match way {
            "redirect" | "form" | "script" => "policy_blocked",
            // It was pressed, and nothing was looked up that shows what it did.
            "popup" => "not_recorded",
            _ => "none",
        };
        assert_eq!(code, expected, "{way}: {report}");
        ensure!(written(&report["result"])?.contains("administration"), "{way}: the rule is told");
    }
    Ok(())
}

#[test]
fn no_way_leads_a_replay_to_the_administration() -> Result<()> {
    let (_runtime, _running, address, log) = console()?;
    let folder = tempfile::tempdir()?;
    let file = folder.path().join("script.jsonl");
    std::fs::write(&file, script(None))?;
    let report = discover("meridian.sign_on", &format!("{address}/"), &file, folder.path(), &[])?;
    let draft = report["draft"]["file"].as_str().with_context(|| report.to_string())?;
    let recorded: Value = serde_json::from_str(&std::fs::read_to_string(draft)?)?;
    for (way, press) in WAYS {
        log.clear();
        let mut document = recorded.clone();
        document["steps"][0]["action"]["location"] = json!(format!("{{var.base_url}}/?bait={way}@MI0200"));
        if let (Some((role, name)), Some(steps)) = (press, document["steps"].as_array_mut()) {
            steps.push(pressing(role, name));
        }
        let file = folder.path().join(format!("{way}.json"));
        std::fs::write(&file, serde_json::to_string_pretty(&document)?)?;
        let ran: Ran = replayed(&address, file.to_str().context("a path")?, OPERATOR, &[])?;
        assert_eq!(log.count_below(FORBIDDEN), 0, "{way}: {}", ran.result);
        // A form's button may have done anything before it was stopped, and nobody knows another way to look.
        let expected = match way {
            "frame" | "fetch" => "none",
            "form" => "effect_unknown",
            _ => "policy_blocked",
        };
        assert_eq!(ran.code(), expected, "{way}: {}", ran.result);
        ensure!(written(&ran.result)?.contains("administration"), "{way}: the rule is told");
    }
    Ok(())
}

/// A step that presses the bait and believes that it led to the administration.
fn pressing(role: &str, name: &str) -> Value {
    let place = json!({ "frame": [{ "name": "main" }] });
    let find = json!({ "rung": "role_name", "role": role, "name": name });
    let target = json!({ "description": name, "frame": [{ "name": "main" }], "candidates": [{ "find": find }] });
    let says = json!({ "kind": "text_present", "place": place, "match": { "text": "PURGED RECORDS" } });
    json!({
        "id": "press_the_bait",
        "action": { "kind": "click", "target": target },
        "checkpoint": { "description": "It is there.", "condition": says },
    })
}
