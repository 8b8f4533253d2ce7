//! The capability document: what a caller may invoke, written once, replayed many times.
//!
//! An [`Artifact`] says what goes in, what comes out, what is done step by step, how each thing is found
//! again, how each effect is proven, and which answers the application may give. It is data only: how screens are
//! drawn and driven is not known here.
//!
//! - [`load`] reads a document strictly and says where it goes wrong; [`validate`] says everything else that can be
//!   said without opening the application ([`CODES`] lists the rules); [`json_schema`] is its published shape.
//! - [`canonical_json`] is its one written form, [`Artifact::digest`] what records about it are bound to.
//! - [`parse_inputs`] reads what a caller gives, [`read`] what a screen shows, [`display`] writes what is typed: exact,
//!   whole, and never guessed.
//! - [`prose`] is all of it in plain English.
//! - [`Template`] and [`Bindings`] put this run's values into the references of a document.

mod bind;
mod canonical;
mod condition;
mod document;
mod expand;
mod flow;
mod format;
mod ids;
mod load;
mod overlay;
mod prose;
mod rewrite;
mod schema;
mod step;
mod suggest;
mod target;
mod template;
mod validate;
mod value;

pub use bind::{BindError, Bindings, BoundLocation, location_matches, wild};
pub use canonical::{Digest, canonical_json};
pub use condition::{Checkpoint, Condition, DialogPattern, ElementQuery, ElementState, Place, TextMatch, TextRule};
pub use document::{
    Application, Artifact, Credential, EngineRules, Limits, Output, OutputColumn, Parameter, Provenance,
    ProvenanceSource, SCHEMA, SchemaWord, ScreenIdPattern, Variable,
};
pub use expand::{ExpandError, expand, expand_with};
pub use flow::{
    Detector, Escalation, Guard, Outcome, Reconcile, Recovery, Remedy, ResolutionResult, Subflow, SubflowBody, Then,
    Trigger,
};
pub use format::{CurrencyPlace, DateOrder, DisplayFormat, FormatError, Locale, ReadFormat, display, read};
pub use ids::{CapabilityId, IdError, Name, StepId};
pub use load::{LOAD_CODES, LoadError, MAX_BYTES, MAX_DEPTH, load, load_overlay, load_parameters, load_written};
pub use overlay::{
    Applied, ApplyError, Base, Delta, Insertion, OVERLAY_SCHEMA, OutputDelta, Overlay, OverlayWord, ParameterDelta,
    Relabel, StepDelta, apply, base_drift,
};
pub use prose::{Line, Section, prose, visible};
pub use schema::{json_schema, overlay_schema};
pub use step::{
    Action, DialogAnswer, DialogKindName, DialogOpens, DownloadOpens, KeyName, OnlyIf, Opens, OptionRule, ReadPart,
    Risk, RowLimit, Step, TableColumn, Typing, WindowOpens,
};
pub use suggest::nearest;
pub use target::{
    Candidate, Fingerprint, FrameRef, NameSource, Relation, RowKey, Rung, RungKind, Side, TableRef, Target,
};
pub use template::{Piece, Template, TemplateError};
pub use validate::{CODES, Finding, FindingCode, MOVABLE_CODES, Severity, validate};
pub use value::{
    FileValue, InputProblem, MoneyValue, TableValue, Type, Value, ValueExpr, is_pattern, is_plain_decimal, parse_input,
    parse_inputs, schema_of_inputs, schema_of_outputs,
};
