//! Addresses and the patterns they are compared with.
//!
//! An address is taken apart as a browser does. Whatever could mean one thing here and another to a browser or
//! a server is refused instead of interpreted.

use std::fmt;

use percent_encoding::percent_decode_str;
use waymark_artifact::wild;

const MAX_LENGTH: usize = 8192;

/// Why an address is not compared with anything.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AddressError {
    /// No address that a browser would load.
    #[error("it is no address")]
    Unreadable,
    /// Longer than 8192 bytes.
    #[error("it is too long")]
    TooLong,
    /// Neither http nor https.
    #[error("its scheme is neither http nor https")]
    Scheme,
    /// It carries a user name or password.
    #[error("it carries user-info")]
    UserInfo,
    /// Host or port are written otherwise than they are read: another spelling of a number, an encoded or
    /// international name not in its ASCII form, a trailing dot.
    #[error("its host is written otherwise than it is read")]
    Host,
    /// Blanks, control characters, backslashes.
    #[error("it holds characters that are read differently by different programs")]
    Characters,
    /// `..`, `.`, an empty segment, encoded slashes and the like.
    #[error("its path can be read in more than one way")]
    Path,
}

/// An http or https address that can be read in one way only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    scheme: String,
    host: String,
    port: u16,
    segments: Vec<String>,
}

impl Address {
    /// Takes an address apart. Query and fragment are left out, and so are parameters behind `;` in a segment.
    ///
    /// # Errors
    /// What could be read in more than one way.
    pub fn parse(text: &str) -> Result<Self, AddressError> {
        if text.len() > MAX_LENGTH {
            return Err(AddressError::TooLong);
        }
        if text.chars().any(|c| c.is_control() || c.is_whitespace() || c == '\\') {
            return Err(AddressError::Characters);
        }
        let url = url::Url::parse(text).map_err(|_| AddressError::Unreadable)?;
        if !matches!(url.scheme(), "http" | "https") {
            return Err(AddressError::Scheme);
        }
        let (authority, path) = split(text).ok_or(AddressError::Unreadable)?;
        if authority.contains('@') || !url.username().is_empty() || url.password().is_some() {
            return Err(AddressError::UserInfo);
        }
        let host = url.host_str().unwrap_or_default();
        let port = url.port_or_known_default().ok_or(AddressError::Unreadable)?;
        let as_written = authority.to_ascii_lowercase();
        let with_port = format!("{host}:{port}");
        let as_read = as_written == with_port || (as_written == host && Some(port) == default_port(url.scheme()));
        if host.is_empty() || host.ends_with('.') || !as_read {
            return Err(AddressError::Host);
        }
        Ok(Address { scheme: url.scheme().to_owned(), host: host.to_owned(), port, segments: segments(path)? })
    }

    /// The path, decoded, without parameters.
    #[must_use]
    pub fn path(&self) -> String {
        format!("/{}", self.segments.join("/"))
    }
}

/// Why a pattern cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    /// It does not begin with a slash.
    #[error("a path pattern begins with `/`")]
    NoSlash,
    /// It has a query, fragment, parameter, encoded character, blank or backslash.
    #[error("a path pattern has no `?`, `#`, `;`, `%`, blank or backslash")]
    Characters,
    /// An empty or dotted segment.
    #[error("a path pattern has no empty segment but the last, and no `.` or `..`")]
    Segment,
    /// `**` together with something else in a segment.
    #[error("`**` stands alone in its segment")]
    Rest,
    /// The origin is not of the form `scheme://host`, `scheme://host:port` or `scheme://host:*`.
    #[error("an origin is `http` or `https`, `://`, a host in lower case, and nothing, `:port` or `:*`")]
    Origin,
}

/// A pattern of a path: `*` stands for any part of one segment, a segment `**` for any number of segments, also
/// none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    text: String,
    segments: Vec<String>,
}

impl Pattern {
    /// Reads a pattern.
    ///
    /// # Errors
    /// It is none.
    pub fn parse(text: &str) -> Result<Self, PatternError> {
        let path = text.strip_prefix('/').ok_or(PatternError::NoSlash)?;
        if path.chars().any(|c| matches!(c, '?' | '#' | ';' | '%' | '\\') || c.is_whitespace() || c.is_control()) {
            return Err(PatternError::Characters);
        }
        let segments: Vec<String> = path.split('/').map(str::to_owned).collect();
        let last = segments.len() - 1;
        for (index, segment) in segments.iter().enumerate() {
            if matches!(segment.as_str(), "." | "..") || (segment.is_empty() && index != last) {
                return Err(PatternError::Segment);
            }
            if segment != "**" && segment.contains("**") {
                return Err(PatternError::Rest);
            }
        }
        Ok(Pattern { text: text.to_owned(), segments })
    }

    /// Whether the path of an address fits.
    #[must_use]
    pub fn matches(&self, address: &Address) -> bool {
        fits(&self.segments, &address.segments)
    }

    /// The same, whatever the case: for what is denied, since some servers fold case.
    pub(crate) fn matches_folded(&self, address: &Address) -> bool {
        let fold = |segments: &[String]| segments.iter().map(|s| s.to_lowercase()).collect::<Vec<_>>();
        fits(&fold(&self.segments), &fold(&address.segments))
    }

    /// Whether `**` is part of it.
    pub(crate) fn reaches_any_depth(&self) -> bool {
        self.segments.iter().any(|s| s == "**")
    }

    /// As a glob over whole addresses that lets through more than [`Pattern::matches`] does, never less.
    pub(crate) fn as_glob(&self, origin: &str) -> String {
        let mut glob = origin.to_owned();
        for segment in &self.segments {
            match segment.as_str() {
                "**" => glob.push('*'),
                // A trailing star for `;jsessionid=…`, a query, or the rest of the path.
                literal => {
                    glob.push('/');
                    glob.push_str(literal);
                    glob.push('*');
                }
            }
        }
        while glob.contains("**") {
            glob = glob.replace("**", "*");
        }
        glob
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// Scheme, host and port; the port may be left open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Origin {
    scheme: String,
    host: String,
    port: Option<u16>,
}

impl Origin {
    pub(crate) fn parse(text: &str) -> Result<Self, PatternError> {
        let (base, any_port) = match text.strip_suffix(":*") {
            Some(base) => (base, true),
            None => (text, false),
        };
        // `http://host:80:*` would read as an open port on a stated one.
        if any_port && base.rsplit_once(':').is_some_and(|(_, port)| port.chars().all(|c| c.is_ascii_digit())) {
            return Err(PatternError::Origin);
        }
        let bare =
            !base.contains(['*', '?', '#']) && base.split_once("://").is_some_and(|(_, rest)| !rest.contains('/'));
        let address = Address::parse(base).map_err(|_| PatternError::Origin)?;
        if !bare || base.to_ascii_lowercase() != base {
            return Err(PatternError::Origin);
        }
        let port = (!any_port).then_some(address.port);
        Ok(Origin { scheme: address.scheme, host: address.host, port })
    }

    pub(crate) fn matches(&self, address: &Address) -> bool {
        self.scheme == address.scheme && self.host == address.host && self.port.is_none_or(|p| p == address.port)
    }

    /// As a glob over the beginning of addresses.
    pub(crate) fn as_glob(&self) -> String {
        match self.port {
            Some(port) if Some(port) != default_port(&self.scheme) => format!("*://{}:{port}", self.host),
            _ => format!("*://{}*", self.host),
        }
    }
}

fn default_port(scheme: &str) -> Option<u16> {
    match scheme {
        "http" => Some(80),
        "https" => Some(443),
        _ => None,
    }
}

/// Authority and path as they are written.
fn split(text: &str) -> Option<(&str, &str)> {
    let (_, rest) = text.split_once("://")?;
    let rest = &rest[..rest.find(['?', '#']).unwrap_or(rest.len())];
    match rest.find('/') {
        Some(at) => Some((&rest[..at], &rest[at..])),
        None => Some((rest, "/")),
    }
}

fn segments(path: &str) -> Result<Vec<String>, AddressError> {
    let raw: Vec<&str> = path.split('/').skip(1).collect();
    let last = raw.len().saturating_sub(1);
    raw.iter().enumerate().map(|(index, segment)| decode(segment, index == last)).collect()
}

/// One segment without its parameters, decoded once.
fn decode(segment: &str, last: bool) -> Result<String, AddressError> {
    let lower = segment.to_ascii_lowercase();
    // Encoded slash, backslash, semicolon and NUL are decoded by some servers before the path is split and by
    // others after; an encoded percent sign is decoded twice by some.
    if ["%2f", "%5c", "%3b", "%00"].iter().any(|code| lower.contains(code)) || doubly_encoded(&lower) {
        return Err(AddressError::Path);
    }
    let name = segment.split(';').next().unwrap_or_default();
    // What is not UTF-8 is compared as it is written: patterns are UTF-8 and hold no `%`.
    let name = percent_decode_str(name).decode_utf8().map_or_else(|_| name.to_owned(), |text| text.into_owned());
    if matches!(name.as_str(), "." | "..") || name.chars().any(char::is_control) || (name.is_empty() && !last) {
        return Err(AddressError::Path);
    }
    Ok(name)
}

fn doubly_encoded(lower: &str) -> bool {
    lower.match_indices("%25").any(|(at, code)| {
        let rest = &lower.as_bytes()[at + code.len()..];
        rest.len() >= 2 && rest[..2].iter().all(u8::is_ascii_hexdigit)
    })
}

fn fits(pattern: &[String], path: &[String]) -> bool {
    match pattern.split_first() {
        None => path.is_empty(),
        Some((first, rest)) if first == "**" => (0..=path.len()).any(|skip| fits(rest, &path[skip..])),
        Some((first, rest)) => {
            path.split_first().is_some_and(|(segment, tail)| wild(first, segment) && fits(rest, tail))
        }
    }
}
