//! What can be asked of Waymark: one function for each use, and the documents they take and give.
//!
//! Every shell (command line, desktop, agents) calls these and only shows what they answer. Nothing here prints,
//! parses a command line or ends a process.

mod approval;
mod approve;
mod artifact;
mod catalog;
mod configuration;
mod create;
#[cfg(feature = "discovery")]
mod discover;
mod doctor;
mod effective;
mod file;
mod given;
mod operator;
mod overlay;
mod problems;
mod replay;
mod runs;
mod schema;
mod show;
#[cfg(feature = "discovery")]
mod suite;
mod validate;
mod verified;

pub use approve::{ApproveRequest, Approved, approve};
pub use catalog::{Answer, Catalog, Description, Entry, Standing, Unfit, artifact_named, catalog, describe};
#[cfg(feature = "discovery")]
pub use discover::{
    DiscoverAnswer, DiscoverRequest, DiscoveryReport, Draft, GoalSource, Proof, Provider, Verification, discover,
};
pub use doctor::{Check, CheckState, Doctor, ModelCheck, doctor};
#[cfg(feature = "discovery")]
pub use doctor::{ModelAsk, try_models};
pub use effective::TenantWish;
pub use given::{Given, parameters, parameters_of};
pub use operator::{InterventionList, OperatorAnswer, OperatorRejected, intervention, interventions, of, order};
pub use overlay::{OverlaidRow, OverlayReport, overlay_check};
pub use replay::{BrowserWish, Consent, ReplayAnswer, ReplayRequest, replay};
pub use runs::{RunDocument, RunList, runs_list, runs_show};
pub use schema::{SCHEMAS, schema};
pub use show::{ShowReport, show};
#[cfg(feature = "discovery")]
pub use suite::{
    ConditionCame, ConditionVerdict, GoalVerdict, SuiteAnswer, SuiteNews, SuiteReport, SuiteRequest, Verdict, suite,
};
pub use validate::{FileReport, FindingRow, ValidateReport, validate};

pub use waymark_artifact::{Line, Section, visible};
pub use waymark_evidence::{RunDetail, RunState, RunSummary};
#[cfg(feature = "discovery")]
pub use waymark_goal::Flags as GoalFlags;
#[cfg(feature = "discovery")]
pub use waymark_llm::ADVICE;
pub use waymark_session::{
    Element, HandoffStanding, OperatorAsk, OperatorRefused, Order, PersonAct, Stop, StopCause, Wait, Watcher,
};
