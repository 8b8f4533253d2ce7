//! A driver that plays what a test gives it.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use waymark_surface::{Act, Delivery, Driver, DriverError, Observation, Observe, Permit, Picture, PictureRequest};

/// The acts that a driver was given, in order; shared, so that it can be asked behind the gate.
#[derive(Clone, Debug, Default)]
pub struct Acts(Arc<Mutex<Vec<Act>>>);

impl Acts {
    /// What was done so far.
    #[must_use]
    pub fn all(&self) -> Vec<Act> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn push(&self, act: Act) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).push(act);
    }
}

/// A session that never was: looks and deliveries come from lists, the last look again and again. Without a delivery
/// left, an act is delivered.
#[derive(Debug, Default)]
pub struct FakeDriver {
    looks: VecDeque<Result<Observation, DriverError>>,
    last: Option<Observation>,
    deliveries: VecDeque<Delivery>,
    acts: Acts,
    closed: bool,
}

impl FakeDriver {
    /// A driver that shows these looks, and answers acts so.
    #[must_use]
    pub fn new(
        looks: impl IntoIterator<Item = Result<Observation, DriverError>>,
        deliveries: impl IntoIterator<Item = Delivery>,
    ) -> Self {
        FakeDriver {
            looks: looks.into_iter().collect(),
            deliveries: deliveries.into_iter().collect(),
            ..FakeDriver::default()
        }
    }

    /// What it was told to do.
    #[must_use]
    pub fn acts(&self) -> Acts {
        self.acts.clone()
    }
}

impl Driver for FakeDriver {
    async fn observe(&mut self, _request: &Observe, _deadline: Duration) -> Result<Observation, DriverError> {
        match self.looks.pop_front() {
            Some(Ok(seen)) => {
                self.last = Some(seen.clone());
                Ok(seen)
            }
            Some(Err(error)) => Err(error),
            None => {
                let mut seen = self.last.clone().ok_or_else(|| DriverError::Gone { why: "nothing to show".into() })?;
                seen.number += 1;
                seen.facts.clear();
                self.last = Some(seen.clone());
                Ok(seen)
            }
        }
    }

    async fn act(&mut self, _permit: Permit, act: &Act, _deadline: Duration) -> Delivery {
        if self.closed {
            return Delivery::NotDelivered(waymark_surface::NotDelivered::Failed(DriverError::Gone {
                why: "the session was closed".into(),
            }));
        }
        self.acts.push(act.clone());
        self.deliveries.pop_front().unwrap_or(Delivery::Delivered { read_back: None })
    }

    async fn picture(&mut self, _request: &PictureRequest, _deadline: Duration) -> Result<Picture, DriverError> {
        Err(DriverError::Protocol { what: "picture".into(), message: "there is nothing to see".into() })
    }

    async fn close(&mut self) {
        self.closed = true;
    }
}
