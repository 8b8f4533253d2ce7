//! Time: a clock that never jumps for deadlines, the calendar for what people read.
//!
//! The calendar is asked for one thing alone in a run, when it began; whatever it does meanwhile changes nothing.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::Instant;

/// The clock of one run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
    calendar: fn() -> OffsetDateTime,
}

/// Now by the calendar, as RFC 3339 in UTC, to the second: for what people read, outside of a run.
#[must_use]
pub fn today() -> String {
    Clock::start().utc()
}

impl Clock {
    pub fn start() -> Self {
        Clock::by(OffsetDateTime::now_utc)
    }

    /// A clock with a calendar of its own.
    pub fn by(calendar: fn() -> OffsetDateTime) -> Self {
        Clock { began: Instant::now(), calendar }
    }

    /// Milliseconds since the run began.
    pub fn at_ms(self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    /// Now by the calendar, as RFC 3339 in UTC, to the second.
    pub fn utc(self) -> String {
        let now = (self.calendar)();
        now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_else(|_| "1970-01-01T00:00:00Z".into())
    }
}
