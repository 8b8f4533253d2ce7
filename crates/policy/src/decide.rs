//! The verdict on an action and on a request.

use sha2::{Digest as _, Sha256};
use waymark_artifact::Risk;

use crate::allow::{Allowlist, Answer, Ask};
use crate::config::PolicyError;
use crate::control::{ActionWord, Control};
use crate::risk::RiskRules;

/// Code of a refusal.
pub const POLICY_BLOCKED: &str = "policy_blocked";
/// Code of a verdict that waits for a yes.
pub const RISK_APPROVAL: &str = "risk_approval";

/// The texts a policy is made of.
#[derive(Clone, Copy, Debug)]
pub struct PolicyTexts<'a> {
    /// `allowlist.yaml`.
    pub allowlist: &'a str,
    /// `risk_policy.yaml`.
    pub risk: &'a str,
}

/// What may be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Policy {
    allowlist: Allowlist,
    risk: RiskRules,
    digest: String,
}

/// Whether a person is watching.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// A person started the run and sees it.
    Attended,
    /// Nobody does.
    Unattended,
}

/// What was granted for this run or this action.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Grants {
    /// The highest class that the caller opted in to.
    pub approve_risk: Option<Risk>,
    /// Whether the artifact is approved, in exactly this form.
    pub artifact_approved: bool,
    /// A person's yes to exactly this action, not spent yet. The caller spends it.
    pub person_said_yes: bool,
}

/// An action that somebody is about to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Proposed<'a> {
    /// The application's word, for example `parabank`.
    pub application: &'a str,
    /// What is done.
    pub action: ActionWord,
    /// The address of the document that is acted in; for `open`, the address that is loaded.
    pub location: &'a str,
    /// The screen's own identifier, where it shows one.
    pub screen: Option<&'a str>,
    /// What is acted on; for a dialog its role and its text. A press without one is risky.
    pub control: Option<Control<'a>>,
    /// The key, for `press_key`.
    pub key: Option<&'a str>,
    /// The risk that the artifact declares.
    pub declared: Risk,
    /// Whether it sends a form (see [`crate::submit_like`] and [`crate::key_submits`]) or says yes to a dialog
    /// that asks.
    pub submit_like: bool,
    /// Whether a person is watching.
    pub mode: Mode,
    /// What was granted.
    pub grants: Grants,
}

/// How much harm an action can do, and what says so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Assessment {
    /// The class.
    pub risk: Risk,
    /// What decided: `declared`, `action:WORD`, `lexicon:WORDS`, `rule:NAME`, `submit_like`, `key:KEY`, `unnamed`
    /// or `unknown_control`.
    pub rule: String,
}

/// What is to be done with a proposed action.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It may be done.
    Allow {
        /// Its risk.
        assessment: Assessment,
        /// The entry of the allowlist that allows it: `allow:NAME` or `blank_document`.
        entry: String,
    },
    /// It may be done once somebody said yes.
    NeedsApproval {
        /// Its risk.
        assessment: Assessment,
        /// [`RISK_APPROVAL`].
        code: &'static str,
    },
    /// It must not be done.
    Refuse {
        /// [`POLICY_BLOCKED`].
        code: &'static str,
        /// What stops it: `deny:NAME`, `address` or `allowlist:PART`.
        rule: String,
        /// A sentence.
        message: String,
    },
}

/// A request that a session is about to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RouteAsk<'a> {
    /// The application's word.
    pub application: &'a str,
    /// The full address.
    pub location: &'a str,
    /// The method, in upper case.
    pub method: &'a str,
    /// Whether it loads a document.
    pub document: bool,
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RouteAnswer {
    /// Whether it may go out.
    pub allowed: bool,
    /// What decided.
    pub rule: String,
}

impl Policy {
    /// Reads a policy.
    ///
    /// # Errors
    /// One of the texts cannot be followed; then nothing is allowed.
    pub fn load(texts: PolicyTexts<'_>) -> Result<Self, PolicyError> {
        let allowlist = Allowlist::load(texts.allowlist)?;
        let risk = RiskRules::load(texts.risk)?;
        Ok(Policy { allowlist, risk, digest: digest(texts) })
    }

    /// `sha256:` and the hash over both texts, by which a run names the policy it ran under.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// How much harm an action can do.
    #[must_use]
    pub fn assess(&self, proposed: &Proposed<'_>) -> Assessment {
        self.risk.assess(proposed)
    }

    /// The verdict on a request. Documents need an entry that allows them; everything else only must not be
    /// denied.
    #[must_use]
    pub fn route(&self, ask: &RouteAsk<'_>) -> RouteAnswer {
        let answer = if is_blank(ask.location) {
            Ok("blank_document".to_owned())
        } else if ask.document {
            self.allowlist.ask(ask.application, ask.location, &Ask::Document(ask.method))
        } else {
            self.request(ask)
        };
        match answer {
            Ok(rule) => RouteAnswer { allowed: true, rule },
            Err((rule, _)) => RouteAnswer { allowed: false, rule },
        }
    }

    /// Globs (`*`) over the addresses of requests other than documents that [`Policy::route`] must be asked
    /// about. They cover more than what is denied.
    #[must_use]
    pub fn deny_patterns(&self) -> Vec<String> {
        self.allowlist.deny_patterns()
    }

    fn request(&self, ask: &RouteAsk<'_>) -> Answer {
        let scheme = ask.location.split(':').next().unwrap_or_default().to_ascii_lowercase();
        match scheme.as_str() {
            // These leave no machine and reach no server.
            "data" | "blob" => Ok("local_data".to_owned()),
            "ws" | "wss" => {
                let rest = ask.location.get(2..).unwrap_or_default();
                self.allowlist.ask_request(ask.application, &format!("http{rest}"))
            }
            _ => self.allowlist.ask_request(ask.application, ask.location),
        }
    }

    fn place(&self, proposed: &Proposed<'_>) -> Answer {
        if proposed.action != ActionWord::Open && is_blank(proposed.location) {
            return self.allowlist.ask_blank(proposed.application, proposed.action);
        }
        self.allowlist.ask(proposed.application, proposed.location, &Ask::Action(proposed.action))
    }
}

/// The verdict on an action: first whether it is allowed at this place, then whether its risk is granted.
#[must_use]
pub fn decide(policy: &Policy, proposed: &Proposed<'_>) -> Verdict {
    let entry = match policy.place(proposed) {
        Ok(entry) => entry,
        Err((rule, message)) => return Verdict::Refuse { code: POLICY_BLOCKED, rule, message },
    };
    let assessment = policy.assess(proposed);
    if granted(assessment.risk, proposed.mode, proposed.grants) {
        Verdict::Allow { assessment, entry }
    } else {
        Verdict::NeedsApproval { assessment, code: RISK_APPROVAL }
    }
}

fn granted(risk: Risk, mode: Mode, grants: Grants) -> bool {
    let opted_in = grants.approve_risk.is_some_and(|class| class >= risk);
    match risk {
        Risk::Safe => true,
        Risk::Risky => mode == Mode::Attended || opted_in || grants.person_said_yes,
        Risk::Irreversible => (grants.artifact_approved && opted_in) || grants.person_said_yes,
    }
}

/// Documents that are loaded from nowhere.
fn is_blank(location: &str) -> bool {
    matches!(location, "about:blank" | "about:srcdoc")
}

fn digest(texts: PolicyTexts<'_>) -> String {
    let mut hash = Sha256::new();
    // With its length before each text, no two pairs of texts run together into the same bytes.
    for text in [texts.allowlist, texts.risk] {
        hash.update((text.len() as u64).to_be_bytes());
        hash.update(text.as_bytes());
    }
    format!("sha256:{}", hex::encode(hash.finalize()))
}
