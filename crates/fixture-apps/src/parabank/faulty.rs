//! What the faults do to this bank: answers that come instead of its own, and pages that are not
//! as they should be.

use axum::http::request::Parts;

use super::control::Control;
use super::view::template;
use super::visit::Visit;
use super::{App, CONTEXT};
use crate::faults::{Faults, Late, Mode, Place, Struck};
use crate::markup::fill;

/// What comes instead of the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Instead {
    /// The session is gone.
    LoggedOut,
    /// HTTP 500.
    Broken,
    /// HTTP 403.
    Refused,
}

/// The sentence of a page or service that may not be used.
pub const NOT_AUTHORIZED: &str = "You are not authorized to use this feature. (Code: BNK-4031)";

/// The place of a page's address; without a session the login form stands there.
pub fn page(path: &str, visit: &Visit) -> Option<Place> {
    let place = Place::of_page(path.strip_prefix(CONTEXT)?.strip_prefix('/')?)?;
    Some(if place.is_after_sign_on() && visit.customer.is_none() { Place::Login } else { place })
}

/// Which request this is in the log.
pub fn request_of(parts: &Parts) -> Option<Struck> {
    parts.extensions.get().cloned()
}

/// Waits where the answer is to be late, and says what comes instead of it.
pub async fn instead(app: &App, place: Place, visit: &Visit, request: &Struck) -> Option<Instead> {
    let late = Late { by: app.delays.slow_load, stopping: app.stopping.clone() };
    match app.faults.instead(place, visit.customer.is_some(), request, late).await? {
        Mode::SessionTimeout => {
            app.site().sessions.end(&visit.session);
            Some(Instead::LoggedOut)
        }
        Mode::NotAuthorized => Some(Instead::Refused),
        _ => Some(Instead::Broken),
    }
}

/// A page of this place with what is wrong with it.
pub fn spoil(mut html: String, place: Place, faults: &Faults, request: &Struck) -> String {
    let control = Control::of(place).filter(|control| html.contains(&control.markup));
    if let Some(control) = &control {
        for (mode, markup) in [
            (Mode::ElementMissing, &control.missing),
            (Mode::RenameControl, &control.renamed),
            (Mode::DuplicateControl, &control.twice),
        ] {
            // What another fault took away or renamed cannot be struck again.
            if html.contains(&control.markup) && faults.strike(mode, place, request) {
                html = html.replacen(&control.markup, markup, 1);
            }
        }
    }
    let mut added = String::new();
    if faults.strike(Mode::Interstitial, place, request) {
        added.push_str(template::NOTICE);
    }
    if faults.strike(Mode::NativeDialog, place, request) {
        added.push_str(template::ALERT);
    }
    if faults.strike(Mode::UndeclaredDialog, place, request) {
        let selector = control.map(|control| control.selector).unwrap_or_default();
        added.push_str(&fill(template::SURVEY, &[("!selector", selector)]));
    }
    if added.is_empty() { html } else { html.replacen("</body>", &format!("{added}</body>"), 1) }
}
