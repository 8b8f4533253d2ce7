//! What may be done to an application, and what needs a person's yes.
//!
//! [`Policy`] is loaded from the texts of `allowlist.yaml` and `risk_policy.yaml`; [`decide`] gives the verdict
//! on one action and [`Policy::route`] the verdict on one request. Both are pure: the same texts and the same
//! question give the same answer. A [`Profile`] holds the facts of one product, [`redaction_rules`] reads
//! `redaction.yaml`. This crate reads no file, drives nothing and knows no session.

mod address;
mod allow;
mod config;
mod control;
mod decide;
mod lexicon;
mod profile;
mod risk;

pub use address::{Address, AddressError, Pattern, PatternError};
pub use config::{MAX_BYTES, POLICY_CODES, Place, PolicyError, from_yaml, redaction_rules};
pub use control::{ActionWord, Control, key_submits, submit_like};
pub use decide::{
    Assessment, Grants, Mode, POLICY_BLOCKED, Policy, PolicyTexts, Proposed, RISK_APPROVAL, RouteAnswer, RouteAsk,
    Verdict, decide,
};
pub use profile::{CredentialBinding, EntryPoint, Profile, ProfileOutcome, Source};
