//! The long matrices: what is too slow for every change and is run by name.

use std::path::Path;
use std::process::ExitCode;

use crate::cargo::{build_waymark, cargo, root};

/// One matrix: its name, what it shows, the program that runs it, and what is given to that.
struct Matrix {
    name: &'static str,
    shows: &'static str,
    program: &'static [&'static str],
    arguments: &'static [&'static str],
}

/// Where reports are committed.
const REPORTS: &str = "evidence/evals";

/// Runs capabilities within itself.
const WITHIN: &[&str] = &["--release", "--package", "waymark-matrix"];

/// The command line tool itself.
const TOOL: &[&str] = &["--release", "--package", "waymark"];

/// Call the command line tool, which has to be built beside them.
const ABRUPT: &[&str] = &["--package", "waymark-tests", "--bin", "waymark-abrupt"];
const DISCOVERIES: &[&str] = &["--package", "waymark-tests", "--bin", "waymark-discoveries"];

/// A test that writes its report where it is told to.
const AS_A_TEST: &[&str] = &["--package", "waymark-tests", "--test", "acceptance"];

const MATRICES: [Matrix; 12] = [
    Matrix {
        name: "faults",
        shows: "every fault at every step of the reference capabilities",
        program: WITHIN,
        arguments: &["faults", "--jobs", "2", "--keep", "evidence/local/matrix", "--out", REPORTS],
    },
    Matrix {
        name: "drift",
        shows: "pages that are changed in every way under every step: survived, refused, wrong",
        program: TOOL,
        arguments: &[
            "eval",
            "drift",
            "--steps",
            "2400",
            "--jobs",
            "2",
            "--told-as",
            "./x long drift",
            "--out",
            REPORTS,
        ],
    },
    Matrix {
        name: "meridian",
        shows: "every fault at every screen of the console, under every capability of it",
        program: TOOL,
        arguments: &["eval", "faults", "--jobs", "3", "--out", REPORTS],
    },
    Matrix {
        name: "scenarios",
        shows: "what is declared of every capability, each once",
        program: TOOL,
        arguments: &["eval", "scenarios", "--runs", "1", "--jobs", "3", "--report", "scenarios", "--out", REPORTS],
    },
    Matrix {
        name: "cross_tenant",
        shows: "the console of other tenants: twenty runs with their overlays, and without them",
        program: TOOL,
        arguments: &[
            "eval",
            "scenarios",
            "--only",
            "another tenant",
            "--only",
            "without what is known",
            "--report",
            "cross_tenant",
            "--out",
            REPORTS,
        ],
    },
    Matrix {
        name: "determinism_headless",
        shows: "fifty runs of every capability, one journal of effects each",
        program: TOOL,
        arguments: &[
            "eval",
            "scenarios",
            "--only",
            "undisturbed",
            "--runs",
            "50",
            "--report",
            "determinism_headless",
            "--out",
            REPORTS,
        ],
    },
    Matrix {
        name: "determinism_headed",
        shows: "the same with a window, on a display (xvfb-run -a ./x long determinism_headed)",
        program: TOOL,
        arguments: &[
            "eval",
            "scenarios",
            "--headed",
            "--only",
            "undisturbed",
            "--runs",
            "50",
            "--report",
            "determinism_headed",
            "--out",
            REPORTS,
        ],
    },
    Matrix {
        name: "determinism",
        shows: "a hundred runs on each browser, one journal of effects",
        program: WITHIN,
        arguments: &["determinism", "100", REPORTS],
    },
    Matrix {
        name: "memory",
        shows: "a thousand runs in one process: flat memory, nothing left behind",
        program: WITHIN,
        arguments: &["memory", "1000", REPORTS],
    },
    Matrix {
        name: "abrupt",
        shows: "the program ended by every signal at every line of its journal",
        program: ABRUPT,
        arguments: &["--into", REPORTS],
    },
    Matrix {
        name: "discover",
        shows: "discoveries that go wrong at every turn: the model, the browser, a signal, a bound",
        program: DISCOVERIES,
        arguments: &["--into", REPORTS],
    },
    Matrix {
        name: "tokens",
        shows: "what a turn of a discovery costs, counted of real requests",
        program: AS_A_TEST,
        arguments: &["tokens::"],
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
    if matrix.program != WITHIN
        && matrix.program != TOOL
        && let Err(fault) = build_waymark()
    {
        eprintln!("xtask: {fault:#}");
        return ExitCode::from(1);
    }
    let mut command = if matrix.program == AS_A_TEST {
        let mut test = cargo(&["test", "--locked"]);
        test.env("UPDATE", "1");
        test
    } else {
        cargo(&["run", "--locked"])
    };
    match command.args(matrix.program).arg("--").args(matrix.arguments).status() {
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
