//! One exchange over HTTP: bounded, and with its failures told apart. No text of a failure holds the key.

use std::error::Error as _;
use std::time::Duration;

use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use reqwest::{Client, Request, StatusCode};
use serde_json::Value;
use waymark_discovery::{CallStatus, ModelError};
use waymark_redact::{MASK, Secret};

use crate::answer::shown;

/// The longest answer that is read, in bytes.
const MAX_ANSWER: usize = 4 * 1024 * 1024;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(10);

/// Why an exchange gave no answer.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{why}")]
pub(crate) struct Failure {
    pub(crate) status: CallStatus,
    /// The number of the HTTP status, if there was one.
    pub(crate) number: Option<u16>,
    pub(crate) why: String,
    /// How long the provider asks to wait.
    pub(crate) wait: Option<Duration>,
}

impl Failure {
    /// Whether asking again may help.
    pub(crate) fn passes(&self) -> bool {
        matches!(
            self.status,
            CallStatus::RateLimited | CallStatus::ServerError | CallStatus::Unreachable | CallStatus::Timeout
        )
    }

    pub(crate) fn into_error(self, seconds: u64) -> ModelError {
        match self.status {
            CallStatus::RateLimited => ModelError::RateLimited,
            CallStatus::ServerError => ModelError::ServerError { status: self.number.unwrap_or_default() },
            CallStatus::Timeout => ModelError::Timeout { seconds },
            CallStatus::Unreachable => ModelError::Unreachable { why: self.why },
            CallStatus::Declined => ModelError::Declined { why: self.why },
            CallStatus::Answered | CallStatus::Misfit => ModelError::InvalidOutput { why: self.why },
            CallStatus::Rejected => ModelError::Rejected { status: self.number.unwrap_or_default(), why: self.why },
        }
    }
}

/// A client for one provider's address.
pub(crate) fn client(loopback: bool) -> Result<Client, String> {
    // A provider that was chosen already for the whole program stays.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let builder = Client::builder()
        .connect_timeout(CONNECT)
        // A redirect would carry the key to another host.
        .redirect(reqwest::redirect::Policy::none())
        .user_agent(concat!("waymark/", env!("CARGO_PKG_VERSION")));
    let builder = if loopback { builder.no_proxy() } else { builder };
    builder.build().map_err(|error| error.without_url().to_string())
}

/// Sends a request and reads the JSON that answers it, also where the status says that it is an error's.
pub(crate) async fn exchange(
    client: &Client,
    request: Request,
    key: Option<&Secret<String>>,
) -> Result<Vec<u8>, Failure> {
    let mut response = client.execute(request).await.map_err(|error| unreachable(error, key))?;
    let status = response.status();
    let wait = retry_after(response.headers());
    let mut body = Vec::new();
    loop {
        match response.chunk().await {
            Ok(Some(piece)) if body.len() + piece.len() <= MAX_ANSWER => body.extend_from_slice(&piece),
            Ok(Some(_)) => return Err(broken(status, "the answer is longer than 4 MiB")),
            Ok(None) => break,
            Err(error) => return Err(unreachable(error, key)),
        }
    }
    let json = serde_json::from_slice::<Value>(&body);
    if status.is_success() {
        return match json {
            Ok(Value::Object(answer)) if answer.get("error").is_none_or(Value::is_null) => Ok(body),
            Ok(Value::Object(answer)) => Err(broken(status, &scrubbed(&said(&Value::Object(answer)), key))),
            Ok(_) => Err(broken(status, "the answer is JSON, but no object")),
            Err(_) => Err(broken(status, "the answer is not JSON; was it cut off?")),
        };
    }
    let why = json.map_or_else(|_| String::from_utf8_lossy(&body).into_owned(), |json| said(&json));
    let kind = match status.as_u16() {
        429 => CallStatus::RateLimited,
        408 | 409 | 425 => CallStatus::ServerError,
        number if number >= 500 => CallStatus::ServerError,
        _ => CallStatus::Rejected,
    };
    Err(Failure { status: kind, number: Some(status.as_u16()), why: scrubbed(&why, key), wait })
}

/// A text without the key, and without what looks like another one.
pub(crate) fn scrubbed(text: &str, key: Option<&Secret<String>>) -> String {
    let mut text = shown(text);
    if let Some(key) = key.map(Secret::expose).filter(|key| !key.is_empty()) {
        text = text.replace(key.as_str(), MASK);
        // A text of bounded length may end within the key.
        if let Some(at) =
            (8..key.len()).rev().filter(|at| key.is_char_boundary(*at)).find_map(|at| text.find(&key[..at]))
        {
            text.truncate(at);
            text.push_str(MASK);
        }
    }
    let looks = |word: &str| {
        let word = word.trim_start_matches(|c: char| !c.is_alphanumeric());
        ["sk-", "sk_", "gsk_"].iter().any(|start| word.starts_with(start))
    };
    text.split(' ').map(|word| if looks(word) { MASK } else { word }).collect::<Vec<_>>().join(" ")
}

/// The message in an error's body, in the forms that providers give it.
fn said(json: &Value) -> String {
    let error = json.get("error").unwrap_or(json);
    let message = error.get("message").or_else(|| json.get("message")).or_else(|| json.get("detail")).unwrap_or(error);
    message.as_str().map_or_else(|| message.to_string(), str::to_owned)
}

fn broken(status: StatusCode, why: &str) -> Failure {
    Failure { status: CallStatus::ServerError, number: Some(status.as_u16()), why: why.to_owned(), wait: None }
}

fn unreachable(error: reqwest::Error, key: Option<&Secret<String>>) -> Failure {
    let error = error.without_url();
    let mut why = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        why = format!("{why}: {inner}");
        source = inner.source();
    }
    let status = if error.is_timeout() { CallStatus::Timeout } else { CallStatus::Unreachable };
    Failure { status, number: None, why: scrubbed(&why, key), wait: None }
}

/// Seconds, or a date by the provider's own clock.
fn retry_after(headers: &HeaderMap) -> Option<Duration> {
    let text = |name| headers.get(name).and_then(|value: &reqwest::header::HeaderValue| value.to_str().ok());
    let after = text(RETRY_AFTER)?.trim();
    if let Ok(seconds) = after.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds.clamp(0.0, 86_400.0)).ok();
    }
    let (now, then) = (httpdate(text(DATE)?)?, httpdate(after)?);
    Some(Duration::from_secs(then.saturating_sub(now).min(86_400)))
}

/// `Mon, 30 Nov 2026 12:00:00 GMT` as seconds of an arbitrary count.
fn httpdate(text: &str) -> Option<u64> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let parts: Vec<&str> = text.trim().split([' ', ',', ':']).filter(|part| !part.is_empty()).collect();
    let [_, day, month, year, hour, minute, second, "GMT"] = parts.as_slice() else { return None };
    let number = |part: &str| part.parse::<u64>().ok();
    let month = MONTHS.iter().position(|name| name == month)? as u64;
    // Months of 31 days make an hour of the next day later in any case; a wait is never longer than a day.
    let days = number(year)? * 372 + month * 31 + number(day)?;
    Some(((days * 24 + number(hour)?) * 60 + number(minute)?) * 60 + number(second)?)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

    use super::*;

    #[test]
    fn the_key_and_what_looks_like_one_are_masked() {
        let key = Secret::new("canary-key-123456".to_owned());
        for (text, expected) in [
            ("bad key canary-key-123456!", "bad key •••!"),
            ("Incorrect API key provided: sk-proj-abc.", "Incorrect API key provided: •••"),
            ("(gsk_abc) is off", "••• is off"),
            ("bad key canary-key-12345", "bad key •••"),
            ("nothing here", "nothing here"),
        ] {
            assert_eq!(scrubbed(text, Some(&key)), expected);
        }
        let long = format!("{}canary-key-123456", "x".repeat(390));
        assert!(!scrubbed(&long, Some(&key)).contains("canary-key"));
    }

    #[test]
    fn the_wait_is_seconds_or_a_date_by_the_providers_clock() {
        let wait = |after: &str| {
            let mut headers = HeaderMap::new();
            headers.insert(DATE, "Mon, 30 Nov 2026 12:00:00 GMT".parse().unwrap());
            headers.insert(RETRY_AFTER, after.parse().unwrap());
            retry_after(&headers)
        };
        assert_eq!(wait("3"), Some(Duration::from_secs(3)));
        assert_eq!(wait("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(wait("Mon, 30 Nov 2026 12:01:30 GMT"), Some(Duration::from_secs(90)));
        assert_eq!(wait("Mon, 30 Nov 2026 11:00:00 GMT"), Some(Duration::ZERO));
        assert_eq!(wait("soon"), None);
    }
}
