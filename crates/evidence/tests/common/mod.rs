//! Builders that the tests of this crate share.

use std::path::Path;
use std::sync::Arc;

use serde_json::Value;
use waymark_evidence::{Redaction, RunFolder};
use waymark_redact::{Redactor, Rules};
use waymark_run::{CapabilityRef, Effect, JournalLine, RESULT_SCHEMA, RunEvent, RunResult, RunStatus, StepRef};

pub const UTC: &str = "2026-11-30T04:41:18.250Z";

/// A redactor that knows these secrets.
pub fn redactor(secrets: &[&str]) -> Arc<dyn Redaction> {
    let redactor = Redactor::new(&Rules { version: 1, ..Rules::default() }).unwrap();
    for secret in secrets {
        redactor.register("password", secret).unwrap();
    }
    Arc::new(redactor)
}

pub fn folder(root: &Path, id: &str, redaction: Arc<dyn Redaction>) -> RunFolder {
    RunFolder::create(root, "replay", UTC, id, redaction).unwrap()
}

pub fn step(description: &str) -> JournalLine {
    let id = serde_json::from_value(Value::from("type_password")).unwrap();
    let step = StepRef { id, index: 3, of: 9, description: description.to_owned(), action: "type" };
    JournalLine { at_ms: 412, event: RunEvent::StepStarted { step } }
}

pub fn result(status: RunStatus) -> RunResult {
    RunResult {
        schema: RESULT_SCHEMA.to_owned(),
        run_id: "k3v9".to_owned(),
        status,
        exit_code: status.exit_code(),
        capability: CapabilityRef {
            id: "parabank.read_accounts_overview".to_owned(),
            version: "1.0.0".to_owned(),
            digest: format!("sha256:{}", "ab".repeat(32)),
            tenant: "base".to_owned(),
            effective_digest: format!("sha256:{}", "ab".repeat(32)),
        },
        outputs: [("accounts".to_owned(), Value::from("12345"))].into(),
        business_outcome: None,
        escalation: None,
        error: None,
        recovered: Vec::new(),
        human_assisted: false,
        effect: Effect::None,
        not_attempted: Vec::new(),
        held_before: Vec::new(),
        drift: Default::default(),
        steps: Default::default(),
        started_at: UTC.to_owned(),
        duration_ms: 2412,
        effect_journal: None,
        evidence: None,
        evidence_gaps: Vec::new(),
    }
}
