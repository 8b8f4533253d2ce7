//! Time: a clock that never jumps for deadlines, the calendar for what people read.

use time::OffsetDateTime;
use time::format_description::well_known::Rfc3339;
use tokio::time::Instant;

/// The clock of one run.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    began: Instant,
}

impl Clock {
    pub fn start() -> Self {
        Clock { began: Instant::now() }
    }

    /// Milliseconds since the run began.
    pub fn at_ms(self) -> u64 {
        u64::try_from(self.began.elapsed().as_millis()).unwrap_or(u64::MAX)
    }
}

/// Now, as RFC 3339 in UTC, to the second.
pub fn utc() -> String {
    let now = OffsetDateTime::now_utc();
    now.replace_nanosecond(0).unwrap_or(now).format(&Rfc3339).unwrap_or_else(|_| "1970-01-01T00:00:00Z".into())
}
