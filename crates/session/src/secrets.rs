//! Credentials, resolved at the moment they are typed.

use std::path::PathBuf;

use waymark_artifact::Name;
use waymark_redact::{RedactError, Redactor, Secret};

/// Where a credential comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialSource {
    /// An environment variable.
    Env(String),
    /// A file; one line feed at its end is not part of it.
    File(PathBuf),
}

/// Why a credential could not be resolved. Holds no value.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SecretError {
    /// The variable is not set.
    #[error("the environment variable `{0}` is not set")]
    Env(String),
    /// The file cannot be read.
    #[error("the file `{path}` cannot be read: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// Why.
        why: String,
    },
    /// No source is bound to it.
    #[error("no source is bound to it in the application's profile")]
    Unbound,
    /// It is empty.
    #[error("its source holds nothing")]
    Empty,
}

/// Makes credentials known to what redacts before anything is seen: a page may show one that is not typed yet. What is
/// typed is read when it is typed; a source that gives nothing now is told then.
///
/// # Errors
/// The redactor takes no more.
pub(crate) fn register<'a>(
    redactor: &Redactor,
    credentials: impl Iterator<Item = (&'a Name, &'a CredentialSource)>,
) -> Result<(), RedactError> {
    for (name, source) in credentials {
        if let Ok(secret) = source.resolve() {
            redactor.register(name.as_str(), secret.expose())?;
        }
    }
    Ok(())
}

impl CredentialSource {
    /// The value.
    ///
    /// # Errors
    /// The source does not give one.
    pub fn resolve(&self) -> Result<Secret<String>, SecretError> {
        let value = match self {
            CredentialSource::Env(name) => std::env::var(name).map_err(|_| SecretError::Env(name.clone()))?,
            CredentialSource::File(path) => {
                let text = std::fs::read_to_string(path)
                    .map_err(|e| SecretError::File { path: path.clone(), why: e.to_string() })?;
                text.strip_suffix('\n').map_or_else(|| text.clone(), |t| t.strip_suffix('\r').unwrap_or(t).to_owned())
            }
        };
        if value.is_empty() { Err(SecretError::Empty) } else { Ok(Secret::new(value)) }
    }
}
