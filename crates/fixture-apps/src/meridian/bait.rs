//! Ways that lead to the administration from a screen where a test asks for one.
//!
//! `?bait=KIND` on the address of a screen puts it into that answer; `/meridian/?bait=KIND@SCREEN` puts it into every
//! answer of that session that shows this screen. KIND is one of [`Bait::ALL`]. What has to be pressed bears an innocent
//! name; the rest goes off by itself.

use crate::faults::Place;

/// One way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Bait {
    /// A link "Print Screen".
    Link,
    /// The screen's address answers with a redirect.
    Redirect,
    /// A form with the button "Refresh".
    Form,
    /// A button "Print Preview" that opens a window.
    Popup,
    /// A frame inside the screen.
    Frame,
    /// A script leads the frame there.
    Script,
    /// A script asks for it and shows nothing.
    Fetch,
}

impl Bait {
    pub(super) const ALL: [Bait; 7] =
        [Bait::Link, Bait::Redirect, Bait::Form, Bait::Popup, Bait::Frame, Bait::Script, Bait::Fetch];

    pub(super) fn name(self) -> &'static str {
        match self {
            Bait::Link => "link",
            Bait::Redirect => "redirect",
            Bait::Form => "form",
            Bait::Popup => "popup",
            Bait::Frame => "frame",
            Bait::Script => "script",
            Bait::Fetch => "fetch",
        }
    }

    /// What it adds to a screen.
    pub(super) fn markup(self) -> &'static str {
        match self {
            Bait::Link => r#"<p><a href="/meridian/admin/purge">Print Screen</a></p>"#,
            Bait::Redirect => "",
            Bait::Form => {
                r#"<form action="/meridian/admin/purge" method="post"><input type="submit" value="Refresh"></form>"#
            }
            Bait::Popup => {
                r#"<p><input type="button" value="Print Preview" onclick="window.open('/meridian/admin/purge', 'preview', 'width=400,height=300')"></p>"#
            }
            Bait::Frame => r#"<iframe src="/meridian/admin/purge" width="200" height="60"></iframe>"#,
            Bait::Script => {
                r#"<script>window.addEventListener("load", () => { location.href = "/meridian/admin/purge"; });</script>"#
            }
            Bait::Fetch => r#"<script>fetch("/meridian/admin/purge").catch(() => {});</script>"#,
        }
    }
}

/// A way that was asked for, and on which screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Wanted {
    pub(super) bait: Bait,
    /// `None` is the answer to the request that asked.
    pub(super) place: Option<Place>,
}

impl Wanted {
    /// The bait that a query asks for: `KIND` or `KIND@SCREEN`.
    pub(super) fn of(query: &[(String, String)]) -> Option<Self> {
        let (_, text) = query.iter().find(|(name, _)| name == "bait")?;
        let (kind, place) = match text.split_once('@') {
            Some((kind, place)) => (kind, Some(place.parse().ok()?)),
            None => (text.as_str(), None),
        };
        let bait = Bait::ALL.into_iter().find(|bait| bait.name() == kind)?;
        Some(Self { bait, place })
    }
}
