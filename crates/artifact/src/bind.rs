//! Putting this run's values into the references of a document.

use std::collections::BTreeMap;

use crate::{Name, Piece, Template};

/// The texts that references stand for in one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Bindings {
    /// Parameters in their display form; those that were not given are not in it.
    pub parameters: BTreeMap<Name, String>,
    /// Variables.
    pub variables: BTreeMap<Name, String>,
}

/// A reference that stands for nothing in this run.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BindError {
    /// A parameter that was not given.
    #[error("the parameter `{0}` has no value in this run")]
    Parameter(Name),
    /// A variable without value.
    #[error("the variable `{0}` has no value in this run")]
    Variable(Name),
}

impl Bindings {
    /// The template with its references replaced.
    ///
    /// # Errors
    /// A reference stands for nothing.
    pub fn text(&self, template: &Template) -> Result<String, BindError> {
        let mut out = String::new();
        for piece in template.pieces() {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Parameter(name) => {
                    out.push_str(self.parameters.get(name).ok_or_else(|| BindError::Parameter(name.clone()))?)
                }
                Piece::Variable(name) => {
                    out.push_str(self.variables.get(name).ok_or_else(|| BindError::Variable(name.clone()))?);
                }
            }
        }
        Ok(out)
    }
}

/// An address taken apart for comparing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BoundLocation {
    origin: String,
    segments: Vec<String>,
    query: Option<String>,
}

impl BoundLocation {
    /// Takes an address apart. Parameters behind `;` in a segment, the fragment and user-info are left out.
    #[must_use]
    pub fn parse(address: &str) -> Self {
        let without_fragment = address.split('#').next().unwrap_or_default();
        let (rest, query) = match without_fragment.split_once('?') {
            Some((rest, query)) => (rest, Some(query.to_owned())),
            None => (without_fragment, None),
        };
        let (origin, path) = match rest.find("://") {
            Some(at) => {
                let after = at + 3;
                let end = rest[after..].find('/').map_or(rest.len(), |i| after + i);
                let authority = &rest[after..end];
                let host = authority.rsplit('@').next().unwrap_or(authority);
                (format!("{}{}", &rest[..after], host).to_lowercase(), &rest[end..])
            }
            None if rest.starts_with('/') => (String::new(), rest),
            // `about:blank` and the like have neither host nor path: they are compared as a whole.
            None => (rest.to_owned(), ""),
        };
        let segments = path.split('/').skip(1).map(|s| s.split(';').next().unwrap_or_default().to_owned()).collect();
        BoundLocation { origin, segments, query }
    }
}

/// Whether an address fits a pattern: compared segment by segment; `*` stands for any part of one segment, a last
/// segment `**` for any rest, also none; the query counts only where the pattern has one.
#[must_use]
pub fn location_matches(pattern: &str, address: &str) -> bool {
    let pattern = BoundLocation::parse(pattern);
    let address = BoundLocation::parse(address);
    if !wild(&pattern.origin, &address.origin) {
        return false;
    }
    if pattern.query.as_ref().is_some_and(|q| !wild(q, address.query.as_deref().unwrap_or_default())) {
        return false;
    }
    match pattern.segments.split_last() {
        Some((last, head)) if last == "**" => {
            address.segments.len() >= head.len() && head.iter().zip(&address.segments).all(|(p, s)| wild(p, s))
        }
        _ => {
            pattern.segments.len() == address.segments.len()
                && pattern.segments.iter().zip(&address.segments).all(|(p, s)| wild(p, s))
        }
    }
}

/// Whether a text fits a pattern in which `*` stands for any text and everything else for itself.
#[must_use]
pub fn wild(pattern: &str, text: &str) -> bool {
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| text.strip_prefix(first)) else {
        return false;
    };
    let mut parts = parts.peekable();
    if parts.peek().is_none() {
        return rest.is_empty();
    }
    while let Some(part) = parts.next() {
        if parts.peek().is_none() {
            return rest.ends_with(part);
        }
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    true
}
