//! Who is at the desk: browser sessions by cookie, each with the member it looks at.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use axum::http::HeaderMap;

use super::bait::Wanted;
use crate::server::{cookie, random_hex};

pub(super) const COOKIE_NAME: &str = "MERSESS";

/// One session.
#[derive(Debug, Clone)]
pub(super) struct Session {
    /// Somebody signed on, and did not sign off.
    pub(super) signed_on: bool,
    /// Somebody had signed on, and the session ended.
    pub(super) ended: bool,
    /// The member that was asked for last.
    pub(super) member: Option<String>,
    /// Bait for this session.
    pub(super) bait: Option<Wanted>,
    used: Instant,
}

/// All sessions of an instance.
#[derive(Debug)]
pub(super) struct Sessions {
    known: BTreeMap<String, Session>,
    /// How long one lasts that nobody uses.
    idle: Option<Duration>,
}

impl Sessions {
    pub(super) fn new(idle: Option<Duration>) -> Self {
        Self { known: BTreeMap::new(), idle }
    }

    /// The session of a request and whether it began with it; one that was idle for too long has ended.
    pub(super) fn find_or_begin(
        &mut self,
        headers: &HeaderMap,
        now: Instant,
    ) -> Result<(String, bool), getrandom::Error> {
        if let Some(id) = cookie(headers, COOKIE_NAME)
            && let Some(session) = self.known.get_mut(id)
        {
            let idle = now.saturating_duration_since(session.used);
            if session.signed_on && self.idle.is_some_and(|limit| idle > limit) {
                session.end();
            }
            session.used = now;
            return Ok((id.to_owned(), false));
        }
        let id = random_hex()?;
        let begun = Session { signed_on: false, ended: false, member: None, bait: None, used: now };
        self.known.insert(id.clone(), begun);
        Ok((id, true))
    }

    pub(super) fn get(&self, id: &str) -> Option<&Session> {
        self.known.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<&mut Session> {
        self.known.get_mut(id)
    }

    pub(super) fn is_signed_on(&self, id: &str) -> bool {
        self.get(id).is_some_and(|session| session.signed_on)
    }
}

impl Session {
    pub(super) fn sign_on(&mut self) {
        *self = Session { signed_on: true, ended: false, member: None, bait: self.bait, used: self.used };
    }

    /// It is forgotten by the host: whoever comes next is told so.
    pub(super) fn end(&mut self) {
        *self = Session { signed_on: false, ended: true, member: None, bait: self.bait, used: self.used };
    }

    pub(super) fn sign_off(&mut self) {
        *self = Session { signed_on: false, ended: false, member: None, bait: self.bait, used: self.used };
    }
}
