//! The control token: who may act on a session now.
//!
//! ```text
//!            pause                      claim
//!  Engine ───────────► Nobody ───────────────────► Person(name)
//!    ▲                  │  ▲                            │
//!    └──────────────────┘  └────────────────────────────┘
//!          resume                release / lease expired
//! ```
//!
//! Every transition begins a new epoch. [`Driving`] is the proof that the engine holds the token: it is
//! borrowed mutably by the gate for every action, and it is given back to pause, so while anybody else
//! holds the token none exists.

use std::sync::Arc;

use serde::{Deserialize, Serialize};

/// Who holds the token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "holder")]
pub enum Holder {
    /// The engine drives.
    Engine,
    /// Nobody: paused.
    Nobody,
    /// A person drives.
    Person {
        /// Who.
        name: String,
    },
}

/// A transition that the token does not allow.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControlError {
    /// The proof belongs to an earlier epoch.
    #[error("the control token moved on: epoch {presented}, now {current}")]
    LeaseLost {
        /// Epoch of the proof.
        presented: u64,
        /// Epoch now.
        current: u64,
    },
    /// The proof belongs to another session.
    #[error("the proof belongs to another session")]
    Foreign,
    /// The token is held by somebody else.
    #[error("the control token is held by {holder:?}")]
    Held {
        /// The holder.
        holder: Holder,
    },
}

/// The token of one session.
#[derive(Debug)]
pub struct Control {
    holder: Holder,
    epoch: u64,
    session: Arc<()>,
}

/// Proof that the engine holds the token, for one epoch.
#[derive(Debug)]
pub struct Driving {
    epoch: u64,
    session: Arc<()>,
}

impl Driving {
    /// The epoch this proof is for.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// What tells sessions apart.
    pub(crate) fn session(&self) -> Arc<()> {
        self.session.clone()
    }
}

impl Control {
    /// A new token, held by the engine, with its proof.
    #[must_use]
    pub fn new() -> (Self, Driving) {
        let session = Arc::new(());
        let driving = Driving { epoch: 1, session: session.clone() };
        (Control { holder: Holder::Engine, epoch: 1, session }, driving)
    }

    /// Who holds the token.
    #[must_use]
    pub fn holder(&self) -> &Holder {
        &self.holder
    }

    /// The running epoch.
    #[must_use]
    pub fn epoch(&self) -> u64 {
        self.epoch
    }

    /// Checks that the proof is for now: this session, engine holds, same epoch.
    ///
    /// # Errors
    /// The token moved on or somebody else holds it.
    pub fn check(&self, driving: &Driving) -> Result<(), ControlError> {
        if !Arc::ptr_eq(&self.session, &driving.session) {
            return Err(ControlError::Foreign);
        }
        if self.holder != Holder::Engine {
            return Err(ControlError::Held { holder: self.holder.clone() });
        }
        if driving.epoch != self.epoch {
            return Err(ControlError::LeaseLost { presented: driving.epoch, current: self.epoch });
        }
        Ok(())
    }

    /// The engine gives its proof back; nobody drives.
    ///
    /// # Errors
    /// It is no proof for now; nothing changes.
    pub fn pause(&mut self, driving: Driving) -> Result<(), ControlError> {
        self.check(&driving)?;
        self.holder = Holder::Nobody;
        self.epoch += 1;
        Ok(())
    }

    /// A person takes the paused session.
    ///
    /// # Errors
    /// It is not paused.
    pub fn claim(&mut self, name: &str) -> Result<u64, ControlError> {
        self.leave(&Holder::Nobody)?;
        self.holder = Holder::Person { name: name.to_owned() };
        Ok(self.epoch)
    }

    /// The person's hold ends, by themselves or because a lease ran out; the session is paused.
    ///
    /// # Errors
    /// No person holds it, or the epoch is an earlier one.
    pub fn release(&mut self, epoch: u64) -> Result<(), ControlError> {
        if !matches!(self.holder, Holder::Person { .. }) {
            return Err(ControlError::Held { holder: self.holder.clone() });
        }
        if epoch != self.epoch {
            return Err(ControlError::LeaseLost { presented: epoch, current: self.epoch });
        }
        self.holder = Holder::Nobody;
        self.epoch += 1;
        Ok(())
    }

    /// The engine drives again.
    ///
    /// # Errors
    /// The session is not paused.
    pub fn resume(&mut self) -> Result<Driving, ControlError> {
        self.leave(&Holder::Nobody)?;
        self.holder = Holder::Engine;
        Ok(Driving { epoch: self.epoch, session: self.session.clone() })
    }

    fn leave(&mut self, expected: &Holder) -> Result<(), ControlError> {
        if self.holder != *expected {
            return Err(ControlError::Held { holder: self.holder.clone() });
        }
        self.epoch += 1;
        Ok(())
    }
}
