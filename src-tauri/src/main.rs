//! `waymark-desktop`: starts the shell and reports why it could not.
#![cfg_attr(not(debug_assertions), windows_subsystem = "windows")]

use std::process::ExitCode;

fn main() -> ExitCode {
    match waymark_desktop::run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(fault) => {
            eprintln!("waymark-desktop: the window could not be opened: {fault}");
            ExitCode::FAILURE
        }
    }
}
