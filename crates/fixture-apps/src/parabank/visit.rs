//! Who is visiting: browser sessions, by cookie or, until that is known, by path parameter.

use std::collections::BTreeMap;

use axum::http::HeaderMap;

use crate::server::{cookie, random_hex};

pub const COOKIE_NAME: &str = "JSESSIONID";

/// The session of one request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Visit {
    pub session: String,
    /// The customer who is logged in.
    pub customer: Option<u32>,
    /// The session came by cookie, so addresses need not carry it.
    pub by_cookie: bool,
    /// The session began with this request, so the answer sets the cookie.
    pub is_new: bool,
}

impl Visit {
    /// What is appended to the path of a local address: `;jsessionid=...` or nothing.
    pub fn suffix(&self) -> String {
        if self.by_cookie { String::new() } else { format!(";jsessionid={}", self.session) }
    }
}

/// All sessions of an instance: session id to the customer logged in with it.
#[derive(Debug, Default)]
pub struct Sessions {
    customers: BTreeMap<String, Option<u32>>,
}

impl Sessions {
    /// The known session of a request, if it names one.
    pub fn find(&self, headers: &HeaderMap, raw_path: &str) -> Option<Visit> {
        let by_cookie = cookie(headers, COOKIE_NAME).filter(|id| self.customers.contains_key(*id));
        let session = by_cookie.or_else(|| path_parameter(raw_path).filter(|id| self.customers.contains_key(*id)))?;
        Some(Visit {
            session: session.to_owned(),
            customer: self.customer(session),
            by_cookie: by_cookie.is_some(),
            is_new: false,
        })
    }

    /// The session of a request, made if it names none that is known.
    pub fn find_or_begin(&mut self, headers: &HeaderMap, raw_path: &str) -> Result<Visit, getrandom::Error> {
        if let Some(visit) = self.find(headers, raw_path) {
            return Ok(visit);
        }
        let session = random_hex()?.to_uppercase();
        self.customers.insert(session.clone(), None);
        Ok(Visit { session, customer: None, by_cookie: false, is_new: true })
    }

    pub fn is_known(&self, session: &str) -> bool {
        self.customers.contains_key(session)
    }

    /// The customer logged in with a session.
    pub fn customer(&self, session: &str) -> Option<u32> {
        self.customers.get(session).copied().flatten()
    }

    pub fn log_in(&mut self, session: &str, customer: u32) {
        self.customers.insert(session.to_owned(), Some(customer));
    }

    pub fn end(&mut self, session: &str) {
        self.customers.remove(session);
    }
}

fn path_parameter(raw_path: &str) -> Option<&str> {
    raw_path.split(['/', ';']).find_map(|part| part.strip_prefix("jsessionid="))
}
