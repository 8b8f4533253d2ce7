//! What the acceptance, architecture and journey tests share: where the sources lie.

pub mod abrupt;
pub mod discover;
pub mod report;

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
};

use anyhow::{Context, Result, ensure};

/// One file of the repository.
pub struct Source {
    /// Relative to the root, with forward slashes.
    pub path: String,
    pub text: String,
}

/// The root folder of the workspace.
pub fn root() -> PathBuf {
    // Asked when the tests run: two checkouts may share one build folder.
    let here = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    let here = Path::new(&here);
    // Packages of tests lie at different depths; the one lock file lies at the root.
    here.ancestors().find(|folder| folder.join("Cargo.lock").is_file()).unwrap_or(here).to_path_buf()
}

/// Every file that git tracks or would track, by path; files that are no text are left out.
///
/// # Errors
/// Git is missing or this is no checkout; or it names no file at all.
pub fn sources() -> Result<Vec<Source>> {
    let listed = Command::new("git")
        .current_dir(root())
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .context("git could not be started")?;
    ensure!(listed.status.success(), "git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr));
    let mut sources = Vec::new();
    for path in String::from_utf8(listed.stdout)?.split('\0').filter(|path| !path.is_empty()) {
        // A file that is tracked but deleted in the checkout, or that holds bytes, has no text to judge.
        if let Ok(text) = fs::read_to_string(root().join(path)) {
            sources.push(Source { path: path.to_owned(), text });
        }
    }
    ensure!(sources.len() > 20, "git names only {} files", sources.len());
    Ok(sources)
}

/// The Rust sources among them.
///
/// # Errors
/// As `sources`.
pub fn rust_sources() -> Result<Vec<Source>> {
    Ok(sources()?.into_iter().filter(|source| source.path.ends_with(".rs")).collect())
}

/// The words of a text in lower case; `CssPath`, `css_path` and `CSSPath` all hold the word `css`, `domain` holds no `dom`.
pub fn words(text: &str) -> Vec<String> {
    let mut words = Vec::new();
    for run in text.split(|letter: char| !letter.is_ascii_alphabetic()) {
        let letters: Vec<char> = run.chars().collect();
        let mut word = String::new();
        for (at, letter) in letters.iter().enumerate() {
            let after_lower = at > 0 && letters[at - 1].is_lowercase();
            let before_lower = letters.get(at + 1).is_some_and(|next| next.is_lowercase());
            if letter.is_uppercase() && (after_lower || before_lower) && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            word.push(letter.to_ascii_lowercase());
        }
        let whole = run.to_ascii_lowercase();
        if !word.is_empty() {
            words.push(word);
        }
        // `XPath` is one word for people and two for the rule above.
        if words.last().is_some_and(|last| *last != whole) && !whole.is_empty() {
            words.push(whole);
        }
    }
    words
}

/// Fails with all findings at once, under one sentence that says what to do.
///
/// # Errors
/// There is at least one finding.
pub fn none_of(findings: Vec<String>, advice: &str) -> Result<()> {
    ensure!(findings.is_empty(), "{advice}\n  {}", findings.join("\n  "));
    Ok(())
}
