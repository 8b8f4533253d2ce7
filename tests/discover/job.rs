//! The jobs that are discovered, and how they are called.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anyhow::{Context as _, Result};
use serde_json::Value;
use tempfile::TempDir;

use crate::root;

/// The jobs by name.
pub const JOBS: [&str; 4] = ["read_accounts_overview", "read_account_activity", "transfer_funds", "pay_bill"];

/// What a job has to be granted because it moves money; nothing where it does not.
#[must_use]
pub fn granted(job: &str) -> Option<&'static str> {
    match job {
        "transfer_funds" => Some("irreversible"),
        "pay_bill" => Some("risky"),
        _ => None,
    }
}

/// The member's password: what is searched for in everything that is left.
pub const PASSWORD: &str = "Zaunkoenig<4>'Nest";

/// What one call of the model costs where a price is configured, in US dollars: 100 tokens in and 10 out.
const CALL_USD: u32 = 2;

/// What is bounded, and how tightly.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Bounds {
    pub steps: Option<usize>,
    pub calls: Option<usize>,
    pub seconds: Option<u32>,
    /// Calls that the money is enough for.
    pub paid: Option<usize>,
    pub call_seconds: Option<u32>,
}

/// A job with all that its call reads, in a folder of its own.
pub struct Job {
    pub name: &'static str,
    given: TempDir,
    bounds: Bounds,
}

impl Job {
    /// Makes one ready.
    ///
    /// # Errors
    /// There is none of that name, or its files could not be written.
    pub fn named(name: &str, bounds: Bounds) -> Result<Self> {
        let name = JOBS.into_iter().find(|job| *job == name).with_context(|| format!("there is no job `{name}`"))?;
        let given = tempfile::tempdir()?;
        let job = Job { name, given, bounds };
        let goal = std::fs::read_to_string(root().join(format!("fixtures/goals/parabank.{name}.md")))?;
        std::fs::write(job.goal(), goal + &job.limits())?;
        let values = match name {
            "read_accounts_overview" => "john",
            "read_account_activity" => "activity_august",
            "pay_bill" => "pay_bill_12345",
            _ => "transfer_12345_12456",
        };
        let values = std::fs::read_to_string(root().join(format!("fixtures/params/{values}.json")))?;
        let mut values: Value = serde_json::from_str(&values)?;
        values["password"] = PASSWORD.into();
        std::fs::write(job.params(), values.to_string())?;
        job.configure()?;
        Ok(job)
    }

    /// The script that does it.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn script(&self) -> Result<String> {
        Ok(std::fs::read_to_string(root().join(format!("fixtures/scripts/{}.jsonl", self.name)))?)
    }

    /// The call, with its own places for what it writes.
    #[must_use]
    pub fn call(&self, waymark: &Path, address: &str, model: &[String], left: &Path, temporary: &Path) -> Command {
        let mut command = Command::new(waymark);
        command
            .current_dir(root())
            .args(["discover", "--events", "--url", &format!("{address}/index.htm"), "--goal-file"])
            .arg(self.goal())
            .arg("--params-file")
            .arg(self.params())
            .arg("--config")
            .arg(self.given.path().join("config"))
            .arg("--evidence")
            .arg(left.join("evidence"))
            .arg("--out")
            .arg(left.join("artifacts"))
            .args(model)
            .env("TMPDIR", temporary)
            .env_remove("LLM_PROVIDER")
            .env_remove("LLM_MODEL")
            .env_remove("OPENAI_API_KEY")
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        if let Some(risk) = granted(self.name) {
            command.args(["--approve-risk", risk]);
        }
        command
    }

    fn goal(&self) -> PathBuf {
        self.given.path().join("goal.md")
    }

    fn params(&self) -> PathBuf {
        self.given.path().join("params.json")
    }

    fn limits(&self) -> String {
        let Bounds { steps, calls, seconds, paid, call_seconds } = self.bounds;
        let line = |word: &str, number: Option<String>| number.map(|n| format!("- {word}: {n}\n")).unwrap_or_default();
        let usd = paid.map(|calls| format!("{}.00", calls * CALL_USD as usize));
        let lines = [
            line("steps", steps.map(|n| n.to_string())),
            line("model calls", calls.map(|n| n.to_string())),
            line("seconds", seconds.map(|n| n.to_string())),
            line("usd", usd),
            line("call seconds", call_seconds.map(|n| n.to_string())),
        ];
        let lines = lines.concat();
        if lines.is_empty() { lines } else { format!("\n## Limits\n{lines}") }
    }

    /// The configuration as it ships, with a price for the model.
    fn configure(&self) -> Result<()> {
        let (from, to) = (root().join("config"), self.given.path().join("config"));
        std::fs::create_dir_all(to.join("profiles"))?;
        for file in ["allowlist.yaml", "risk_policy.yaml", "redaction.yaml", "profiles/parabank.yaml"] {
            std::fs::copy(from.join(file), to.join(file))?;
        }
        // 100 tokens in cost one dollar, and 10 out another one.
        let prices = "version: 1\nmodels:\n  - {provider: openai, model: made-up, input_usd_per_million: \"10000\", \
                      output_usd_per_million: \"100000\", as_of: 2026-11-30, source: made up}\n";
        std::fs::write(
            to.join("models.yaml"),
            if self.bounds.paid.is_some() { prices } else { "version: 1\nmodels: []\n" },
        )?;
        Ok(())
    }
}
