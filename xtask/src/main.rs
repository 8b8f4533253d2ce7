//! The workspace's own tool: tests everything, shows the product, records the reference capabilities, writes the
//! generated files.
//!
//! `./x` calls it once the machine has what it needs. It starts programs and counts; it decides nothing about the product.

mod bench;
mod cargo;
mod demo;
mod generated;
mod leftovers;
mod matrix;
mod record;
mod stand_in;
mod suite;
mod tally;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[derive(Parser)]
#[command(name = "cargo xtask", about = "Tests, demonstration and generated files of the workspace")]
struct Arguments {
    #[command(subcommand)]
    verb: Verb,
}

#[derive(Subcommand)]
enum Verb {
    /// Run every check and every test; the last line is `N passed, N failed`.
    Test,
    /// Replay the reference capability on the stand-in and show every way a run can end.
    Demo,
    /// Discover the reference capabilities anew on the stand-in, and write artifacts/ and evidence/discovery/.
    Record,
    /// Write the generated files that are committed.
    Gen {
        /// Compare only, and fail where a file is not fresh.
        #[arg(long)]
        check: bool,
    },
    /// Measure the product beside its peers, and write evidence/bench.
    Bench(bench::Options),
    /// Run one of the long matrices.
    Long {
        /// Name of the matrix.
        name: Option<String>,
    },
}

fn main() -> ExitCode {
    let done = match Arguments::parse().verb {
        // Whoever reads the last line gets numbers also where the tests could not even be started.
        Verb::Test => suite::run().inspect_err(|_| println!("0 passed, 1 failed")),
        Verb::Demo => demo::run(),
        Verb::Record => record::run(),
        Verb::Gen { check: true } => generated::check(),
        Verb::Gen { check: false } => generated::write(),
        Verb::Bench(options) => bench::run(&options),
        Verb::Long { name } => return matrix::run(name.as_deref()),
    };
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(fault) => {
            eprintln!("xtask: {fault:#}");
            ExitCode::FAILURE
        }
    }
}
