//! The `petstore` binary: reads the command line, runs it, and turns a failure
//! into one line and an exit code. Everything else lives in the library.

use std::process::ExitCode;

use petstore_server::cli;

fn main() -> ExitCode {
    cli::run()
}
