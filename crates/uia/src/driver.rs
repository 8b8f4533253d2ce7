//! The driver's shape, without a system behind it.

use std::time::Duration;

use waymark_surface::{
    Act, Delivery, Driver, DriverError, NotDelivered, Observation, Observe, Permit, Picture, PictureRequest,
};

/// Something asked of this surface on a system that has none.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("desktop applications cannot be driven on this platform by this version")]
pub struct NotOnThisPlatform {
    /// What was asked: `observe`, `act`, `picture`.
    pub what: &'static str,
}

impl From<NotOnThisPlatform> for DriverError {
    fn from(missing: NotOnThisPlatform) -> Self {
        DriverError::Protocol { what: missing.what.to_owned(), message: missing.to_string() }
    }
}

/// A session of a desktop application. Interface only: no version of this crate perceives or acts, on any
/// platform. It holds no connection, and each method says so when it is called.
#[derive(Debug, Default)]
pub struct UiaDriver {}

impl UiaDriver {
    /// A driver that answers every request with [`NotOnThisPlatform`].
    #[must_use]
    pub fn new() -> Self {
        UiaDriver {}
    }
}

impl Driver for UiaDriver {
    /// Always [`NotOnThisPlatform`]. A working driver walks the control view of each window of the program, hands
    /// it to [`crate::snapshot_of`], and settles by the structure, property and focus events of the interface.
    async fn observe(&mut self, _request: &Observe, _deadline: Duration) -> Result<Observation, DriverError> {
        Err(NotOnThisPlatform { what: "observe" }.into())
    }

    /// Always not delivered, as unsupported: nothing reaches any program. A working driver delivers by
    /// [`crate::means_of`], after it found the element by its `RuntimeId` again and hit-tested it.
    async fn act(&mut self, _permit: Permit, _act: &Act, _deadline: Duration) -> Delivery {
        Delivery::NotDelivered(NotDelivered::Unsupported { why: NotOnThisPlatform { what: "act" }.to_string() })
    }

    /// Always [`NotOnThisPlatform`]. A working driver takes the window's own picture, not the screen's.
    async fn picture(&mut self, _request: &PictureRequest, _deadline: Duration) -> Result<Picture, DriverError> {
        Err(NotOnThisPlatform { what: "picture" }.into())
    }

    /// Nothing is held, so nothing is ended.
    async fn close(&mut self) {}
}
