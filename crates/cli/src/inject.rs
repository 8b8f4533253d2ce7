//! Asking a stand-in for faults before a run, and taking them away after it.
//!
//! Only the command line speaks to a stand-in, and only to one on this machine that says what it is and takes the
//! key: no engine knows that there are faults, and no installation of a real application is ever asked for any.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};
use std::time::Duration;

use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Request;
use waymark_fixture_apps::{FAULTS_PATH, Fault, HOOK_PATH, HOOK_SCHEMA, KEY_HEADER};
use waymark_run::Problem;

/// The time for one question and its answer.
const DEADLINE: Duration = Duration::from_secs(5);

/// The most bytes of an answer that are read.
const MAX_ANSWER: u64 = 256 * 1024;

/// Faults that a stand-in was told to have.
#[derive(Debug)]
pub(crate) struct Injection {
    place: Place,
    key: String,
}

impl Injection {
    /// Sets these faults instead of whatever the stand-in has; nothing where none are wanted.
    ///
    /// # Errors
    /// Everything that is wrong with the call, or with what answers at the address.
    pub(crate) fn set(
        faults: &[Fault],
        base_url: Option<&str>,
        key: Option<&str>,
    ) -> Result<Option<Self>, Vec<Problem>> {
        if faults.is_empty() {
            return Ok(None);
        }
        let place = base_url.ok_or_else(no_address).and_then(|url| Place::of(url).ok_or_else(not_loopback));
        let key = key.ok_or_else(no_key);
        let (place, key) = match (place, key) {
            (Ok(place), Ok(key)) => (place, key.to_owned()),
            (place, key) => return Err([place.err(), key.err()].into_iter().flatten().collect()),
        };
        let injection = Injection { place, key };
        injection.arm(faults).map_err(|problem| vec![problem])?;
        Ok(Some(injection))
    }

    /// Takes all faults away.
    ///
    /// # Errors
    /// What became of the stand-in, in words.
    pub(crate) fn clear(&self) -> Result<(), String> {
        match self.place.ask("DELETE", FAULTS_PATH, Some(&self.key), "") {
            Ok(answer) if answer.status == 200 => Ok(()),
            Ok(answer) => Err(format!("the stand-in refused to give up its faults ({})", answer.status)),
            Err(error) => Err(format!("the stand-in did not give up its faults: {error}")),
        }
    }

    fn arm(&self, faults: &[Fault]) -> Result<(), Problem> {
        // First without the key: it is for nobody else.
        let said = self.place.ask("GET", HOOK_PATH, None, "").map_err(|error| self.place.no_answer(&error))?;
        let said = Some(said.body).filter(|_| said.status == 200).and_then(|body| serde_json::from_str(&body).ok());
        let Some(said) = said.filter(|said: &Value| said["schema"] == HOOK_SCHEMA) else {
            return Err(self.place.no_fixture());
        };
        if said["modes"].as_array().is_none_or(Vec::is_empty) {
            return Err(no_faults(said["fixture"].as_str().unwrap_or_default()));
        }
        if self.key.is_empty() || !self.key.chars().all(|c| c.is_ascii_alphanumeric()) {
            return Err(wrong_key());
        }
        let wanted: Vec<String> = faults.iter().map(Fault::to_string).collect();
        let body = json!({ "faults": wanted }).to_string();
        let answer = self.place.ask("POST", FAULTS_PATH, Some(&self.key), &body);
        match answer.map_err(|error| self.place.no_answer(&error))? {
            Answer { status: 200, .. } => Ok(()),
            Answer { status: 403, .. } => Err(wrong_key()),
            Answer { body, .. } => Err(refused(&body)),
        }
    }
}

/// An address on this machine.
#[derive(Debug)]
struct Place {
    /// As it is written: `127.0.0.1:8080`.
    authority: String,
    sockets: Vec<SocketAddr>,
}

struct Answer {
    status: u16,
    body: String,
}

impl Place {
    /// The place of an address, if that is certainly on this machine. No name is looked up.
    fn of(url: &str) -> Option<Self> {
        let authority = url.strip_prefix("http://")?.split(['/', '?', '#']).next()?;
        let (host, port) = match authority.rsplit_once(':') {
            Some((host, port)) if !port.ends_with(']') => (host, port.parse().ok()?),
            _ => (authority, 80),
        };
        let hosts: Vec<IpAddr> = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(host) => vec![host.parse::<Ipv6Addr>().ok()?.into()],
            None if host.eq_ignore_ascii_case("localhost") => {
                vec![Ipv4Addr::LOCALHOST.into(), Ipv6Addr::LOCALHOST.into()]
            }
            None => vec![host.parse::<Ipv4Addr>().ok()?.into()],
        };
        let sockets = hosts.iter().map(|host| SocketAddr::new(*host, port)).collect();
        hosts.iter().all(IpAddr::is_loopback).then(|| Place { authority: authority.to_owned(), sockets })
    }

    /// One question on a connection of its own; redirects are not followed, and no proxy is asked.
    fn ask(&self, method: &str, path: &str, key: Option<&str>, body: &str) -> io::Result<Answer> {
        let mut last = io::ErrorKind::AddrNotAvailable.into();
        for socket in &self.sockets {
            match ask(*socket, method, path, key, body) {
                Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => last = error,
                answered => return answered,
            }
        }
        Err(last)
    }

    fn no_answer(&self, error: &io::Error) -> Problem {
        let why = match error.kind() {
            io::ErrorKind::TimedOut | io::ErrorKind::WouldBlock => "it took too long".to_owned(),
            io::ErrorKind::ConnectionRefused => "nothing listens there".to_owned(),
            _ => error.to_string(),
        };
        let message = format!("no answer from {}: {why}", self.authority);
        problem("--base-url", "no_answer", message, "start the stand-in: waymark fixture NAME --port N")
    }

    fn no_fixture(&self) -> Problem {
        let message = format!("what answers at {} is no stand-in of this program", self.authority);
        problem(
            "--base-url",
            "not_a_fixture",
            message,
            "use the address that `waymark fixture` printed, or no --inject",
        )
    }
}

fn ask(socket: SocketAddr, method: &str, path: &str, key: Option<&str>, body: &str) -> io::Result<Answer> {
    // By number: no name is looked up, and no variable of the environment leads elsewhere.
    let config = Agent::config_builder().timeout_global(Some(DEADLINE)).proxy(None).max_redirects(0);
    let agent: Agent = config.http_status_as_error(false).build().into();
    let mut question = Request::builder().method(method).uri(format!("http://{socket}{path}"));
    if let Some(key) = key {
        question = question.header(KEY_HEADER, key);
    }
    let answered = if body.is_empty() {
        question.body(()).map_err(ureq::Error::from).and_then(|question| agent.run(question))
    } else {
        let question = question.header("content-type", "application/json").body(body);
        question.map_err(ureq::Error::from).and_then(|question| agent.run(question))
    };
    let read = answered.and_then(|mut answer| {
        let status = answer.status().as_u16();
        answer.body_mut().with_config().limit(MAX_ANSWER).read_to_string().map(|body| Answer { status, body })
    });
    match read {
        Ok(answer) => Ok(answer),
        Err(ureq::Error::Io(error)) if error.kind() != io::ErrorKind::UnexpectedEof => Err(error),
        Err(ureq::Error::Timeout(_)) => Err(io::ErrorKind::TimedOut.into()),
        // What does not speak HTTP has answered, but not as a stand-in does.
        Err(_) => Ok(Answer { status: 0, body: String::new() }),
    }
}

fn no_address() -> Problem {
    let message = "faults need the address of a stand-in".to_owned();
    problem("--base-url", "missing", message, "use the address that `waymark fixture NAME` printed")
}

fn not_loopback() -> Problem {
    let message = "faults are asked of a stand-in on this machine only, at 127.0.0.1 or localhost".to_owned();
    problem(
        "--base-url",
        "not_loopback",
        message,
        "use the address that `waymark fixture NAME` printed, or no --inject",
    )
}

fn no_key() -> Problem {
    let message = "faults need the key of the stand-in".to_owned();
    problem("--fixture-key", "missing", message, "`waymark fixture NAME` prints it when it starts")
}

fn wrong_key() -> Problem {
    let message = "this is not the key of the stand-in at that address".to_owned();
    problem("--fixture-key", "wrong_key", message, "`waymark fixture NAME` prints it when it starts")
}

fn no_faults(fixture: &str) -> Problem {
    let message = format!("the stand-in `{fixture}` has no faults");
    problem("--inject", "no_faults", message, "`parabank` and `meridian` have some")
}

fn refused(words: &str) -> Problem {
    let message = format!("the stand-in refuses: {words}");
    problem("--inject", "refused", message, "start the stand-in of this version of the program")
}

fn problem(place: &str, word: &str, message: String, hint: &str) -> Problem {
    Problem { place: place.to_owned(), problem: word.to_owned(), message, hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sockets that an address is certain to mean on this machine.
    fn check(url: &str, expected: &[&str]) {
        let found = Place::of(url).map(|place| place.sockets).unwrap_or_default();
        assert_eq!(found.iter().map(SocketAddr::to_string).collect::<Vec<_>>(), expected, "{url}");
    }

    #[test]
    fn only_what_is_certainly_this_machine_is_asked() {
        check("http://127.0.0.1:8080/parabank", &["127.0.0.1:8080"]);
        check("http://127.0.0.1", &["127.0.0.1:80"]);
        check("http://127.9.9.9:1?x", &["127.9.9.9:1"]);
        check("http://localhost:8080#x", &["127.0.0.1:8080", "[::1]:8080"]);
        check("http://[::1]:8080/parabank", &["[::1]:8080"]);
        check("http://[::1]", &["[::1]:80"]);
        for elsewhere in [
            "https://127.0.0.1:8080",
            "http://bank.example:8080/parabank",
            "http://10.0.0.1:8080",
            "http://0.0.0.0:8080",
            "http://127.0.0.1@bank.example/",
            "http://127.0.0.1:8080@bank.example/",
            "http://localhost.bank.example/",
            "http://127.0.0.1.bank.example/",
            "http://127.1:8080",
            "http://0x7f.0.0.1:8080",
            "http://2130706433/",
            "http://127.0.0.1\\@bank.example/",
            "http://[::ffff:10.0.0.1]:8080",
            "http://127.0.0.1:99999",
            "http://",
            "127.0.0.1:8080",
            "",
        ] {
            check(elsewhere, &[]);
        }
    }
}
