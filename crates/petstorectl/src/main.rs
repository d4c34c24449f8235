//! `petstorectl`: a command line with one command for each operation of the petstore.

mod arguments;
mod body;
#[allow(clippy::all, unused_variables, reason = "progenitor's code")]
mod cli;
mod exit;
mod output;
mod retries;
mod run;

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run::run(std::env::args_os().collect()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            run::print_note(&exit::error_message(&error));
            ExitCode::from(exit::exit_code(&error))
        }
    }
}
