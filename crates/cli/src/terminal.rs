//! What can be shown where the output goes: colours, glyphs, and a reader that may have gone away.

use std::io::{IsTerminal as _, Write as _};

use serde::Serialize;

use crate::args::ColorWhen;

/// Standard output and standard error of this process.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Terminal {
    out_color: bool,
    err_color: bool,
    unicode: bool,
    quiet: bool,
    verbose: u8,
}

/// What a mark stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mark {
    Ok,
    Answer,
    Recovered,
    Escalated,
    Failed,
    Drift,
}

impl Terminal {
    /// Only the variables that tell what a display can show are read here: none of them changes what is done.
    pub(crate) fn new(when: ColorWhen, quiet: bool, verbose: u8) -> Self {
        let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let plain = set("NO_COLOR").is_some() || set("TERM").is_some_and(|term| term == "dumb");
        let forced = set("CLICOLOR_FORCE").is_some_and(|value| value != "0");
        let color = |terminal: bool| match when {
            ColorWhen::Always => true,
            ColorWhen::Never => false,
            ColorWhen::Auto => !plain && (terminal || forced),
        };
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        let unicode = locale.is_some_and(|locale| {
            let locale = locale.to_string_lossy().to_ascii_lowercase();
            locale.contains("utf-8") || locale.contains("utf8")
        });
        Terminal {
            out_color: color(std::io::stdout().is_terminal()),
            err_color: color(std::io::stderr().is_terminal()),
            unicode,
            quiet,
            verbose,
        }
    }

    /// Writes to standard output. A reader that went away is no error: it has what it wanted.
    pub(crate) fn out(&self, text: &str) {
        write_out(text);
    }

    /// Writes one JSON object as one line.
    pub(crate) fn json(&self, value: &impl Serialize) {
        write_out(&json_line(value));
    }

    /// Writes a line to standard error.
    pub(crate) fn err(&self, line: &str) {
        write_err(line);
    }

    /// Writes a line of progress to standard error, unless nobody wants it.
    pub(crate) fn progress(&self, line: &str) {
        if !self.quiet {
            write_err(line);
        }
    }

    pub(crate) fn verbose(&self) -> u8 {
        self.verbose
    }

    pub(crate) fn mark_out(&self, mark: Mark) -> String {
        self.mark(mark, self.out_color)
    }

    pub(crate) fn mark_err(&self, mark: Mark) -> String {
        self.mark(mark, self.err_color)
    }

    fn mark(&self, mark: Mark, color: bool) -> String {
        let (glyph, word, number) = match mark {
            Mark::Ok => ("✓", "[ok]", 32),
            Mark::Answer => ("◆", "[answer]", 35),
            Mark::Recovered => ("↻", "[recovered]", 36),
            Mark::Escalated => ("!", "[escalated]", 33),
            Mark::Failed => ("✗", "[failed]", 31),
            Mark::Drift => ("↓", "[drift]", 33),
        };
        let text = if self.unicode { glyph } else { word };
        if color { format!("\u{1b}[{number}m{text}\u{1b}[0m") } else { text.to_owned() }
    }
}

pub(crate) fn json_line(value: &impl Serialize) -> String {
    // Every document here has string keys and finite numbers, so it has a JSON form.
    let mut line = serde_json::to_string(value).unwrap_or_else(|_| "{}".to_owned());
    line.push('\n');
    line
}

pub(crate) fn write_out(text: &str) {
    let mut out = std::io::stdout().lock();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
}

pub(crate) fn write_err(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// Text from elsewhere on one line, without anything that would move the cursor or colour the rest.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}
