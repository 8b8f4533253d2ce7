//! Faults that one instance can be told to have: which, where and how often.
//!
//! A fault is written `MODE[:COUNT][@PLACE]`: `session_timeout`, `server_error:2@activity`. This
//! module knows the words and counts what struck; what a fault does is up to the application.

mod armed;
mod place;

use std::fmt;
use std::num::NonZeroU32;
use std::str::FromStr;

use serde::{Serialize, Serializer};

pub(crate) use armed::{Faults, Late, Struck};
pub use place::Place;

/// What goes wrong.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mode {
    /// A maintenance notice covers the page until its "Continue" button is pressed.
    Interstitial,
    /// The server forgets the session: a login form at the same address, 401 for data.
    /// Also called `session_expired`.
    SessionTimeout,
    /// Also called `slow`. The answer comes late, by [`Delays::slow_load`](crate::Delays::slow_load).
    SlowLoad,
    /// Also called `host_500`. HTTP 500, for a page with the error view.
    ServerError,
    /// HTTP 200, but what is shown is that the application failed.
    AppError,
    /// The page's main control is not rendered.
    ElementMissing,
    /// HTTP 403: an error view says that the user may not do this.
    NotAuthorized,
    /// `alert()` when the page has loaded.
    NativeDialog,
    /// `confirm()` when the page's main button is pressed; where there is none, when it has loaded.
    /// Cancelling it cancels the press.
    UndeclaredDialog,
    /// The page's main control bears another name.
    RenameControl,
    /// The page's main control is there twice.
    DuplicateControl,
}

impl Mode {
    pub const ALL: [Mode; 11] = [
        Mode::Interstitial,
        Mode::SessionTimeout,
        Mode::SlowLoad,
        Mode::ServerError,
        Mode::AppError,
        Mode::ElementMissing,
        Mode::NotAuthorized,
        Mode::NativeDialog,
        Mode::UndeclaredDialog,
        Mode::RenameControl,
        Mode::DuplicateControl,
    ];

    /// The word it is asked for by: `session_timeout`.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Interstitial => "interstitial",
            Mode::SessionTimeout => "session_timeout",
            Mode::SlowLoad => "slow_load",
            Mode::ServerError => "server_error",
            Mode::AppError => "app_error",
            Mode::ElementMissing => "element_missing",
            Mode::NotAuthorized => "not_authorized",
            Mode::NativeDialog => "native_dialog",
            Mode::UndeclaredDialog => "undeclared_dialog",
            Mode::RenameControl => "rename_control",
            Mode::DuplicateControl => "duplicate_control",
        }
    }

    /// The mode of a word: its name, or what else it is called.
    fn of_word(word: &str) -> Option<Self> {
        let name = OTHER_NAMES.iter().find(|(other, _)| *other == word).map_or(word, |(_, mode)| mode.name());
        Self::ALL.into_iter().find(|mode| mode.name() == name)
    }

    /// How often it strikes where no count is given: what happens to a page happens once, what is
    /// wrong with a page stays wrong (`None`).
    pub fn usual_count(self) -> Option<NonZeroU32> {
        match self {
            Mode::Interstitial | Mode::SessionTimeout | Mode::NativeDialog | Mode::UndeclaredDialog => {
                Some(NonZeroU32::MIN)
            }
            _ => None,
        }
    }

    /// Whether it can strike at a place at all.
    pub fn fits(self, place: Place) -> bool {
        match self {
            Mode::SlowLoad | Mode::ServerError | Mode::NotAuthorized | Mode::SessionTimeout => true,
            Mode::AppError => place.is_screen(),
            Mode::Interstitial | Mode::NativeDialog | Mode::UndeclaredDialog => place.is_page(),
            // A table without a column or a row would be another answer, not another page.
            Mode::ElementMissing => {
                place.is_page() && ![Place::Transaction, Place::Sa0320, Place::Ln0410].contains(&place)
            }
            Mode::DuplicateControl => place.is_page() && place != Place::Transaction,
            // The name of an account's link is its number, and that is data.
            Mode::RenameControl => place.is_page() && ![Place::Transaction, Place::Overview].contains(&place),
        }
    }

    /// Whether it strikes at a place where none is named: the pages after sign-on, and for a slow
    /// application what they read.
    pub fn strikes_by_itself(self, place: Place) -> bool {
        self.fits(place) && (place.is_after_sign_on() || (self == Mode::SlowLoad && place.is_read()))
    }
}

impl fmt::Display for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Serialize for Mode {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.name())
    }
}

/// One fault as it is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fault {
    pub mode: Mode,
    /// How many times it strikes; `None` is every time.
    pub count: Option<NonZeroU32>,
    /// Where; `None` is wherever [`Mode::strikes_by_itself`].
    pub place: Option<Place>,
}

impl Fault {
    /// The fault as often and wherever it strikes by itself.
    pub fn new(mode: Mode) -> Self {
        Self { mode, count: mode.usual_count(), place: None }
    }

    pub(crate) fn strikes_at(&self, place: Place) -> bool {
        self.place.map_or_else(|| self.mode.strikes_by_itself(place), |wanted| wanted == place)
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.count {
            Some(count) => write!(f, "{}:{count}", self.mode)?,
            None => write!(f, "{}:{EVERY_TIME}", self.mode)?,
        }
        match self.place {
            Some(place) => write!(f, "@{place}"),
            None => Ok(()),
        }
    }
}

/// Why a text names no fault.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum FaultError {
    #[error("there is no fault `{name}`; there are {}", names(Mode::ALL.map(Mode::name)))]
    Mode { name: String },
    #[error("`{0}` is no count: a whole number, at least 1, or `always`")]
    Count(String),
    #[error("there is no place `{name}`; there are {}", names(Place::ALL.map(Place::name)))]
    Place { name: String },
    #[error("{mode} cannot strike at {place}; it can at {}", names(Place::ALL.into_iter().filter(|p| mode.fits(*p)).map(Place::name)))]
    NotThere { mode: Mode, place: Place },
}

impl FromStr for Fault {
    type Err = FaultError;

    fn from_str(text: &str) -> Result<Self, FaultError> {
        let (rest, place) = match text.split_once('@') {
            Some((rest, place)) => (rest, Some(place.parse()?)),
            None => (text, None),
        };
        let (name, count) = match rest.split_once(':') {
            Some((name, count)) => (name, Some(count)),
            None => (rest, None),
        };
        let mode = Mode::of_word(name).ok_or_else(|| FaultError::Mode { name: name.to_owned() })?;
        let count = match count {
            None => mode.usual_count(),
            Some(EVERY_TIME) => None,
            Some(count) => Some(count.parse().map_err(|_| FaultError::Count(count.to_owned()))?),
        };
        match place {
            Some(place) if !mode.fits(place) => Err(FaultError::NotThere { mode, place }),
            _ => Ok(Self { mode, count, place }),
        }
    }
}

const EVERY_TIME: &str = "always";

/// What a mode is called besides its name.
const OTHER_NAMES: [(&str, Mode); 3] =
    [("session_expired", Mode::SessionTimeout), ("slow", Mode::SlowLoad), ("host_500", Mode::ServerError)];

fn names(words: impl IntoIterator<Item = &'static str>) -> String {
    words.into_iter().collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `text` read and written again, or why it is refused.
    fn check(text: &str, expected: &str) {
        let said = match text.parse::<Fault>() {
            Ok(fault) => fault.to_string(),
            Err(error) => error.to_string(),
        };
        assert!(said.starts_with(expected), "{text}: {said}");
        if !said.contains(' ') {
            assert_eq!(said, expected);
            assert_eq!(said.parse::<Fault>().map(|fault| fault.to_string()), Ok(said));
        }
    }

    #[test]
    fn an_event_strikes_once_and_a_condition_every_time() {
        check("interstitial", "interstitial:1");
        check("session_timeout", "session_timeout:1");
        check("native_dialog", "native_dialog:1");
        check("undeclared_dialog", "undeclared_dialog:1");
        check("slow_load", "slow_load:always");
        check("server_error@activity", "server_error:always@activity");
        check("element_missing:3@transfer", "element_missing:3@transfer");
        check("session_timeout:always@transactions", "session_timeout:always@transactions");
        check("app_error:1@TR0610", "app_error:1@TR0610");
        check("rename_control:2@SA0320", "rename_control:2@SA0320");
    }

    #[test]
    fn what_is_no_fault_is_refused_with_what_there_is() {
        check("sesion_timeout", "there is no fault `sesion_timeout`; there are interstitial, session_timeout,");
        check("", "there is no fault ``");
        check("Interstitial", "there is no fault `Interstitial`");
        check("slow_load:0", "`0` is no count");
        check("slow_load:-1", "`-1` is no count");
        check("slow_load:", "`` is no count");
        check("slow_load:1:2", "`1:2` is no count");
        check("slow_load@", "there is no place ``");
        check("slow_load@attic", "there is no place `attic`; there are index, login,");
        check("interstitial@transactions", "interstitial cannot strike at transactions; it can at index,");
        check("element_missing@transaction", "element_missing cannot strike at transaction;");
        check("rename_control@overview", "rename_control cannot strike at overview;");
        check("app_error@overview", "app_error cannot strike at overview; it can at MI0100,");
        check("app_error@submit", "app_error cannot strike at submit;");
        check("element_missing@SA0320", "element_missing cannot strike at SA0320;");
        check("slow_load@mi0200", "there is no place `mi0200`");
    }

    #[test]
    fn both_names_of_a_mode_are_one_mode() {
        for (other, name) in [
            ("session_expired", "session_timeout:1"),
            ("slow:2@MI0210", "slow_load:2@MI0210"),
            ("host_500", "server_error:always"),
        ] {
            assert_eq!(other.parse::<Fault>().map(|fault| fault.to_string()), Ok(name.to_owned()));
        }
    }
}
