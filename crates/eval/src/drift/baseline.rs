//! What other tools would have stored for the same elements, tried on the same pages.
//!
//! One process of Node does all of it, with Playwright's own generator; see `baseline.mjs`.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

use serde::{Deserialize, Serialize};

use super::Verdict;
use crate::{EvalError, browser};

const SCRIPT: &str = include_str!("baseline.mjs");

/// Where the tools lie in a checkout, after `npm ci` there.
const TOOLS: &str = "tests/bench/node_modules/playwright-core";

/// One page before and after it was changed, as text; the element is marked in both.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sample {
    pub(crate) case: String,
    pub(crate) pristine: String,
    pub(crate) mutated: String,
}

#[derive(Deserialize)]
struct Answer {
    case: String,
    verdicts: BTreeMap<String, Verdict>,
}

/// By case and tool.
pub(crate) type Verdicts = BTreeMap<String, BTreeMap<String, Verdict>>;

/// Tries all, and says by whom; or says why it was not done, and gives nothing.
pub(crate) fn run(root: &Path, samples: &[Sample]) -> Result<(String, Verdicts), EvalError> {
    let not = |why: &str| Ok((format!("not run: {why}"), Verdicts::new()));
    let tools = root.join(TOOLS);
    if !tools.is_dir() {
        return not("playwright-core is not installed (npm ci in tests/bench)");
    }
    let Some(program) = browser::program(false) else { return not("there is no browser") };
    let node = Command::new("node").arg("--version").output();
    let Some(node) = node.ok().filter(|node| node.status.success()) else { return not("node is not installed") };
    let folder = tempfile::Builder::new().prefix("waymark-baseline-").tempdir();
    let folder = folder.map_err(EvalError::io(Path::new("a temporary folder")))?;
    let (script, asked) = (folder.path().join("baseline.mjs"), folder.path().join("samples.jsonl"));
    fs::write(&script, SCRIPT).map_err(EvalError::io(&script))?;
    let mut file = File::create(&asked).map_err(EvalError::io(&asked))?;
    for sample in samples {
        let line = serde_json::to_string(sample).map_err(EvalError::json("a sample"))?;
        writeln!(file, "{line}").map_err(EvalError::io(&asked))?;
    }
    drop(file);
    let tools = fs::canonicalize(&tools).map_err(EvalError::io(&tools))?;
    let output = Command::new("node")
        .arg(&script)
        .arg(&tools)
        .arg(program)
        .arg(&asked)
        .stdin(Stdio::null())
        .output()
        .map_err(EvalError::io(Path::new("node")))?;
    if !output.status.success() {
        return Err(EvalError::World(format!("the baseline failed: {}", String::from_utf8_lossy(&output.stderr))));
    }
    let mut verdicts = Verdicts::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let answer: Answer = serde_json::from_str(line).map_err(EvalError::json("an answer of the baseline"))?;
        verdicts.insert(answer.case, answer.verdicts);
    }
    let version = fs::read(tools.join("package.json")).ok();
    let version = version.and_then(|text| serde_json::from_slice::<serde_json::Value>(&text).ok());
    let version = version.and_then(|value| value["version"].as_str().map(str::to_owned)).unwrap_or_default();
    let by = format!(
        "playwright-core {version} (`codegen` by its own generator at run time, through `locator.normalize()`), node {}; `recorder` is MODELLED: DevTools Recorder's list of selectors and their order, not its code",
        String::from_utf8_lossy(&node.stdout).trim()
    );
    Ok((by, verdicts))
}
