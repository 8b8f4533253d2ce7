//! The one door to an application: what a driver can do, and the gate that every action passes.
//!
//! A [`Driver`] perceives and acts on one live session. Its acting verbs need a [`Permit`], and only the
//! [`Gate`] of this crate can make one, after it asked the control token, the allowlist, the action type
//! and the risk, in this order. What technology is behind a driver is not known here.

mod act;
mod ask;
mod control;
mod driver;
mod gate;
mod observe;
mod permit;

pub use act::{Act, Delivery, Key, NotDelivered, ReadBack, TypedText, TypingMode};
pub use ask::location_of;
pub use control::{Control, ControlError, Driving, Hold, Holder};
pub use driver::{
    Driver, DriverError, Hidden, Picture, PictureRequest, RouteGuard, RouteRequest, RouteVerdict, Uncertain,
};
pub use gate::{Ask, ControlFacts, Gate, Pass, PersonRefused, Refusal};
pub use observe::{
    DialogFact, DialogKind, DownloadFact, Fact, FrameQuery, HintMatches, HintQuery, Observation, Observe, Reaction,
    Settling, Until, WindowFact,
};
pub use permit::Permit;
/// How much of an option's text is said, as documents say it.
pub use waymark_artifact::OptionRule;
