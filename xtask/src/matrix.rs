//! The long matrices: what is too slow for every change and is run by name.

use std::path::Path;
use std::process::ExitCode;

use crate::cargo::{cargo, root};

/// One matrix: its name, what it shows, and what is given to the program that runs it.
struct Matrix {
    name: &'static str,
    shows: &'static str,
    arguments: &'static [&'static str],
}

/// Where reports are committed.
const REPORTS: &str = "evidence/evals";

const MATRICES: [Matrix; 3] = [
    Matrix {
        name: "faults",
        shows: "every fault at every step of the reference capabilities",
        arguments: &["faults", "--jobs", "2", "--keep", "evidence/local/matrix", "--out", REPORTS],
    },
    Matrix {
        name: "determinism",
        shows: "a hundred runs on each browser, one journal of effects",
        arguments: &["determinism", "100", REPORTS],
    },
    Matrix {
        name: "memory",
        shows: "a thousand runs in one process: flat memory, nothing left behind",
        arguments: &["memory", "1000", REPORTS],
    },
];

/// Runs one matrix in full and writes its report; exit code 4 where there is none of that name.
pub fn run(name: Option<&str>) -> ExitCode {
    let Some(matrix) = MATRICES.iter().find(|matrix| Some(matrix.name) == name) else {
        match name {
            Some(name) => eprintln!("xtask: there is no long matrix `{name}`; there are:"),
            None => eprintln!("xtask: name a long matrix; there are:"),
        }
        for matrix in &MATRICES {
            eprintln!("  ./x long {:<12} {}", matrix.name, matrix.shows);
        }
        return ExitCode::from(4);
    };
    let mut command = cargo(&["run", "--locked", "--release", "--package", "waymark-matrix", "--"]);
    match command.args(matrix.arguments).status() {
        Ok(status) if status.success() => {
            println!("report: {}", root().join(Path::new(REPORTS)).join(format!("{}.md", matrix.name)).display());
            ExitCode::SUCCESS
        }
        Ok(status) => ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(1)),
        Err(fault) => {
            eprintln!("xtask: cargo could not be started: {fault}");
            ExitCode::from(1)
        }
    }
}
