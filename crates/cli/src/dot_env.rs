//! The file `.env`, which `discover` and `doctor --model` read and nothing else does.

use std::io;

use waymark_run::Problem;

use crate::usage;

/// Longer files of settings are none.
const DOT_ENV: u64 = 64 * 1024;

/// The text of `.env` in this folder, where there is one.
pub(crate) fn dot_env() -> Result<Option<String>, Problem> {
    let read = std::fs::metadata(".env").and_then(|found| {
        if found.len() > DOT_ENV {
            return Err(io::Error::other("it is too large"));
        }
        std::fs::read_to_string(".env")
    });
    match read {
        Ok(text) => Ok(Some(text)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(usage::problem(".env", "unreadable", &error.to_string(), "correct it, or take it away")),
    }
}

/// The environment of the program, as far as it is text.
pub(crate) fn environment() -> std::collections::BTreeMap<String, String> {
    std::env::vars_os().filter_map(|(k, v)| Some((k.into_string().ok()?, v.into_string().ok()?))).collect()
}
