//! The long matrices: what is too slow for every change and is run by name.

use std::process::ExitCode;

/// One matrix: its name, and what runs it.
struct Matrix {
    name: &'static str,
    run: fn() -> ExitCode,
}

const MATRICES: [Matrix; 0] = [];

/// Runs one matrix; exit code 4 where there is none of that name.
pub fn run(name: Option<&str>) -> ExitCode {
    if let Some(matrix) = MATRICES.iter().find(|matrix| Some(matrix.name) == name) {
        return (matrix.run)();
    }
    let known: Vec<&str> = MATRICES.iter().map(|matrix| matrix.name).collect();
    let list = if known.is_empty() { "none yet".to_owned() } else { known.join(", ") };
    match name {
        Some(name) => eprintln!("xtask: there is no long matrix `{name}`; matrices: {list}"),
        None => eprintln!("xtask: name a long matrix; matrices: {list}"),
    }
    ExitCode::from(4)
}
