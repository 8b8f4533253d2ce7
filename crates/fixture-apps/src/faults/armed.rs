//! The faults that one instance has now.

use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::{Fault, Mode, Place};
use crate::log::{Log, Strike};
use crate::server::{self, Stopping};

/// Shared by the handlers of one instance; clones see the same faults.
#[derive(Debug, Clone)]
pub(crate) struct Faults {
    armed: Arc<Mutex<Vec<Fault>>>,
    log: Log,
}

/// The request that a fault may strike.
#[derive(Debug, Clone)]
pub(crate) struct Struck {
    /// Its number in the log.
    pub(crate) number: u64,
    pub(crate) path: String,
}

/// How late a late answer is, and what ends the waiting before.
#[derive(Debug, Clone)]
pub(crate) struct Late {
    pub(crate) by: Duration,
    pub(crate) stopping: Stopping,
}

impl Faults {
    pub(crate) fn new(log: Log, faults: Vec<Fault>) -> Self {
        Self { armed: Arc::new(Mutex::new(faults)), log }
    }

    /// Adds faults to those that are there.
    pub(crate) fn add(&self, faults: impl IntoIterator<Item = Fault>) {
        self.armed().extend(faults);
    }

    /// These instead of those that are there.
    pub(crate) fn set(&self, faults: Vec<Fault>) {
        *self.armed() = faults;
    }

    /// What is left, each with the count that is left.
    pub(crate) fn left(&self) -> Vec<Fault> {
        self.armed().clone()
    }

    /// Whether a fault strikes this request now; if so it is counted and written into the log.
    pub(crate) fn strike(&self, mode: Mode, place: Place, request: &Struck) -> bool {
        let mut armed = self.armed();
        let Some(at) = armed.iter().position(|fault| fault.mode == mode && fault.strikes_at(place)) else {
            return false;
        };
        match armed[at].count.map(|count| NonZeroU32::new(count.get() - 1)) {
            None => {}
            Some(None) => {
                armed.remove(at);
            }
            Some(left) => armed[at].count = left,
        }
        self.log.fault_struck(Strike { mode, place, request: request.number, path: request.path.clone() });
        true
    }

    /// Waits where the answer is to be late, and says what comes instead of it.
    /// Where nobody is signed on there is no session to forget.
    pub(crate) async fn instead(&self, place: Place, signed_on: bool, request: &Struck, late: Late) -> Option<Mode> {
        if self.strike(Mode::SlowLoad, place, request) {
            tokio::select! {
                () = tokio::time::sleep(late.by) => {}
                () = server::stopped(late.stopping) => {}
            }
        }
        if signed_on && self.strike(Mode::SessionTimeout, place, request) {
            return Some(Mode::SessionTimeout);
        }
        [Mode::ServerError, Mode::NotAuthorized, Mode::AppError]
            .into_iter()
            .find(|mode| self.strike(*mode, place, request))
    }

    fn armed(&self) -> MutexGuard<'_, Vec<Fault>> {
        // Every change is one assignment, so a panic elsewhere leaves the list whole.
        self.armed.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
