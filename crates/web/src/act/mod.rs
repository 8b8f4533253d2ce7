//! Acting: trusted input after a hit test, and what is known about its delivery.
//!
//! Up to the first input everything that fails is proven not delivered; from the first input on it is
//! delivered or unknown. Nothing is tried twice in here.

mod aim;
mod choose;
mod keys;
mod pointer;
mod typing;
mod upload;
mod windows;

use std::time::Duration;

use tokio::time::Instant;
use waymark_snapshot::WindowKey;
use waymark_surface::{Act, Delivery, DriverError, NotDelivered, ReadBack};

use crate::core::Core;
use crate::router::CallError;
use crate::settle::Event as Settle;

/// How an act ended, while it is being done.
pub(crate) enum Miss {
    /// Nothing left.
    Not(NotDelivered),
    /// Something left, and what became of it is not known.
    Unknown(DriverError),
    /// It was delivered, and nothing more can be said of it (a dialog opened, the window closed).
    Reached,
}

pub(crate) type Tried<T> = Result<T, Miss>;

impl Core {
    /// Does one act. The caller holds the permit.
    pub(crate) async fn perform(&self, act: &Act, deadline: Duration) -> Delivery {
        let end = Instant::now() + deadline;
        let done = match act {
            Act::Open { window, location } => self.open(window, location, end).await,
            Act::Click { node } => self.click(node, end).await,
            Act::Type { node, text, mode } => self.type_text(node, text, *mode, end).await,
            Act::Choose { node, option, rule } => self.choose(node, option, *rule, end).await,
            Act::SetChecked { node, checked } => self.set_checked(node, *checked, end).await,
            Act::PressKey { node, key } => self.press_key(node.as_ref(), key, end).await,
            Act::Upload { node, files } => self.upload(node, files, end).await,
            Act::Scroll { node } => self.scroll(node.as_ref(), end).await,
            Act::AnswerDialog { window, accept, text } => self.answer_dialog(window, *accept, text.as_ref(), end).await,
            Act::CloseWindow { window } => self.close_window(window, end).await,
        };
        let delivery = match done {
            Ok(read_back) => Delivery::Delivered { read_back },
            Err(Miss::Reached) => Delivery::Delivered { read_back: None },
            Err(Miss::Not(NotDelivered::Failed(error))) => {
                return Delivery::NotDelivered(NotDelivered::Failed(timed(error, deadline)));
            }
            Err(Miss::Not(why)) => return Delivery::NotDelivered(why),
            Err(Miss::Unknown(error)) => Delivery::Unknown(timed(error, deadline)),
        };
        let now = self.now();
        let mut state = self.state();
        state.delivered = !matches!(delivery, Delivery::NotDelivered(_));
        state.settle.note(now, Settle::Acknowledged);
        delivery
    }

    /// The first input is about to leave: what happens from here on is this act's doing.
    pub(crate) fn begin(&self) {
        let now = self.now();
        self.state().settle.note(now, Settle::Act);
    }

    async fn click(&self, node: &waymark_snapshot::NodeId, end: Instant) -> Tried<Option<ReadBack>> {
        let aim = self.aim(node, end).await?;
        self.begin();
        self.press_at(&aim.window, aim.point, end).await?;
        Ok(None)
    }
}

/// A failed call before anything left.
pub(crate) fn before(error: CallError, window: &WindowKey) -> Miss {
    Miss::Not(match error {
        CallError::Dialog => NotDelivered::DialogOpen,
        CallError::Detached => NotDelivered::Stale,
        other => NotDelivered::Failed(told(other, window)),
    })
}

/// A failed call after input left.
pub(crate) fn after(error: CallError, window: &WindowKey) -> Miss {
    match error {
        CallError::Dialog => Miss::Reached,
        other => Miss::Unknown(told(other, window)),
    }
}

/// The error as the floors above know it.
pub(crate) fn told(error: CallError, window: &WindowKey) -> DriverError {
    match error {
        CallError::Gone(why) => DriverError::Gone { why },
        CallError::Detached => DriverError::WindowClosed { window: window.clone() },
        CallError::Crashed => DriverError::Crashed { window: window.clone() },
        CallError::Dialog => DriverError::DialogOpen,
        CallError::Timeout { method } => DriverError::Timeout { what: method.to_owned(), deadline_ms: 0 },
        CallError::Refused { method, message } => DriverError::Protocol { what: method.to_owned(), message },
    }
}

/// A time-out with the deadline that passed, which only the one who set it knows.
pub(crate) fn timed(error: DriverError, deadline: Duration) -> DriverError {
    match error {
        DriverError::Timeout { what, .. } => {
            DriverError::Timeout { what, deadline_ms: u64::try_from(deadline.as_millis()).unwrap_or(u64::MAX) }
        }
        other => other,
    }
}
