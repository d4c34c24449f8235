//! `petstorectl`, the petstore on the command line: a command for each operation of its interface.

mod arguments;
#[allow(clippy::all, unused_variables, reason = "progenitor's code")]
#[rustfmt::skip]
mod cli;
mod end;
mod patience;
mod plain;
mod run;
mod screen;
mod table;

use std::process::ExitCode;

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run::run(&arguments::command().get_matches()).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("petstorectl: {}", end::explain(&error));
            ExitCode::from(end::code(&error))
        }
    }
}
