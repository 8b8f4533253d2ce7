//! `waymark demo`: the five endings of a run, one after the other.

use std::path::PathBuf;

use clap::Args;
use serde_json::json;
use waymark_eval::{DemoRequest, SceneEnded, demo};
use waymark_run::{ExitCode, RunResult};

use crate::eval::unfit;
use crate::progress::Progress;
use crate::result;
use crate::terminal::Terminal;

pub(crate) const DEMO_LONG: &str =
    "One recorded capability, five scenes on the bundled console of 1998, no key and no network:
a balance is read; there is no such member; a notice of maintenance is put away; the host crashes; a button is called
otherwise and a person is asked. Run it within a checkout.

Exit code 0 where every scene ended as it has to, 1 where one did not.";

/// Where its evidence goes, and whether it is to be seen.
#[derive(Debug, Args)]
pub(crate) struct DemoOptions {
    /// Where the evidence of each scene is kept
    #[arg(long, value_name = "DIR", default_value = "evidence/local/demo")]
    evidence: PathBuf,
    /// Show the browser's window
    #[arg(long)]
    headed: bool,
}

pub(crate) fn run(options: DemoOptions, json: bool, terminal: Terminal) -> ExitCode {
    let request = DemoRequest { root: PathBuf::from("."), evidence: options.evidence, headed: options.headed };
    let mut progress = Progress::new(terminal);
    let mut begins = |number: usize, what: &str| {
        if !json {
            terminal.out(&format!("\nScene {number} of 5: {what}\n"));
        }
    };
    let mut ends = |scene: &SceneEnded| {
        if !json {
            terminal.out(&told(scene, &terminal));
        }
    };
    match demo(&request, &mut begins, &mut |line, clean| progress.tell(line, clean), &mut ends) {
        Ok(scenes) => came(&scenes, json, &terminal),
        Err(error) => unfit(&error, json, &terminal),
    }
}

fn came(scenes: &[SceneEnded], json: bool, terminal: &Terminal) -> ExitCode {
    let well = scenes.iter().all(|scene| scene.wrong.is_empty());
    if json {
        terminal.json(&json!({ "schema": "waymark.demo/1", "as_declared": well, "scenes": scenes }));
    } else {
        let mut lines = vec![String::new()];
        for SceneEnded { number, what, ended, wrong, .. } in scenes {
            lines.push(format!("{number}. {ended:<22} {what}"));
            lines.extend(wrong.iter().map(|why| format!("   !! {why}")));
        }
        let last = if well { "Every scene ended as it has to." } else { "Not every scene ended as it has to." };
        lines.push(last.to_owned());
        lines.push(String::new());
        terminal.out(&lines.join("\n"));
    }
    if well { ExitCode::SUCCESS } else { ExitCode::FAILED }
}

/// The result as `replay` tells it.
fn told(scene: &SceneEnded, terminal: &Terminal) -> String {
    match serde_json::from_value::<RunResult>(scene.result.clone()) {
        Ok(ended) => result::text(&ended, &Default::default(), terminal),
        Err(_) => scene.result.to_string(),
    }
}
