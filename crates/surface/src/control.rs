//! The control token: who may act on a session now.
//!
//! ```text
//!            pause                       claim (a lease)
//!  Engine ───────────► Nobody ────────────────────────► Person (name, until)
//!    ▲                  │  ▲                               │  │ ▲
//!    │      resume      │  │    release / lease over       │  └─┘ extend
//!    ├──────────────────┘  └───────────────────────────────┤
//!    └─────────────────────────────────────────────────────┘
//!                resume, by the one who holds it
//! ```
//!
//! Every change of the holder begins a new epoch. [`Driving`] is the proof that the engine holds the token: it is
//! borrowed mutably by the gate for every action, and it is given back to pause, so while anybody else holds the token
//! none exists. [`Hold`] is a person's: it may be presented late, by another process or after the lease, and so it is
//! checked at every dispatch. A lease that is over ends the hold the moment anybody asks; nothing goes on by itself.
//!
//! Time is told, in milliseconds of any clock that never goes back.

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
        /// When the lease is over.
        until_ms: u64,
    },
}

/// A transition or an action that the token does not allow.
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
    #[error("{}", held(.holder))]
    Held {
        /// The holder.
        holder: Holder,
    },
}

fn held(holder: &Holder) -> String {
    match holder {
        Holder::Engine => "the engine drives".to_owned(),
        Holder::Nobody => "nobody drives; control has to be taken first".to_owned(),
        Holder::Person { name, .. } => format!("{name} drives"),
    }
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

/// A person's hold: who, and in which epoch. It proves nothing by itself; the token is asked each time.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hold {
    /// Who.
    pub name: String,
    /// The epoch that it began.
    pub epoch: u64,
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

    /// Who holds the token, as far as anybody asked; see [`Control::expire`].
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
        self.current(driving.epoch)
    }

    /// Checks that a person's hold is for now: same person, same epoch, the lease not over.
    ///
    /// # Errors
    /// The lease is over or the token moved on, or somebody else holds it.
    pub fn check_person(&mut self, hold: &Hold, now_ms: u64) -> Result<(), ControlError> {
        self.expire(now_ms);
        match &self.holder {
            Holder::Person { name, .. } if *name == hold.name => self.current(hold.epoch),
            // Whoever held it and does not any more is told that, and not who came after.
            _ if hold.epoch < self.epoch => Err(ControlError::LeaseLost { presented: hold.epoch, current: self.epoch }),
            other => Err(ControlError::Held { holder: other.clone() }),
        }
    }

    /// The engine gives its proof back; nobody drives.
    ///
    /// # Errors
    /// It is no proof for now; nothing changes.
    pub fn pause(&mut self, driving: Driving) -> Result<(), ControlError> {
        self.check(&driving)?;
        self.pass(Holder::Nobody);
        Ok(())
    }

    /// A person takes the paused session for `lease_ms`. Whoever holds it already gets a new lease, and keeps the hold.
    ///
    /// # Errors
    /// It is not paused, and held by somebody else.
    pub fn claim(&mut self, name: &str, lease_ms: u64, now_ms: u64) -> Result<Hold, ControlError> {
        self.expire(now_ms);
        match &self.holder {
            Holder::Nobody => self.pass(Holder::Nobody),
            Holder::Person { name: holder, .. } if holder == name => {}
            other => return Err(ControlError::Held { holder: other.clone() }),
        }
        self.holder = Holder::Person { name: name.to_owned(), until_ms: now_ms.saturating_add(lease_ms) };
        Ok(Hold { name: name.to_owned(), epoch: self.epoch })
    }

    /// The lease of the person who holds the token ends `lease_ms` from now.
    ///
    /// # Errors
    /// As [`Control::check_person`].
    pub fn extend(&mut self, hold: &Hold, lease_ms: u64, now_ms: u64) -> Result<(), ControlError> {
        self.check_person(hold, now_ms)?;
        self.holder = Holder::Person { name: hold.name.clone(), until_ms: now_ms.saturating_add(lease_ms) };
        Ok(())
    }

    /// The person's hold ends by themselves; the session is paused.
    ///
    /// # Errors
    /// As [`Control::check_person`].
    pub fn release(&mut self, hold: &Hold, now_ms: u64) -> Result<(), ControlError> {
        self.check_person(hold, now_ms)?;
        self.pass(Holder::Nobody);
        Ok(())
    }

    /// Ends a lease whose time is over, and says whose; the session is paused.
    pub fn expire(&mut self, now_ms: u64) -> Option<String> {
        let Holder::Person { name, until_ms } = &self.holder else { return None };
        if now_ms < *until_ms {
            return None;
        }
        let name = name.clone();
        self.pass(Holder::Nobody);
        Some(name)
    }

    /// The engine drives again. `by` is the hold of whoever says so; without one the session must be paused.
    ///
    /// # Errors
    /// Somebody else holds it, or the engine does already.
    pub fn resume(&mut self, by: Option<&Hold>, now_ms: u64) -> Result<Driving, ControlError> {
        self.expire(now_ms);
        match (&self.holder, by) {
            (Holder::Nobody, None) => {}
            (_, Some(hold)) => self.check_person(hold, now_ms)?,
            (other, None) => return Err(ControlError::Held { holder: other.clone() }),
        }
        self.pass(Holder::Engine);
        Ok(Driving { epoch: self.epoch, session: self.session.clone() })
    }

    fn current(&self, presented: u64) -> Result<(), ControlError> {
        if presented == self.epoch { Ok(()) } else { Err(ControlError::LeaseLost { presented, current: self.epoch }) }
    }

    fn pass(&mut self, holder: Holder) {
        self.holder = holder;
        self.epoch += 1;
    }
}
