//! Command lines of small documents against a server on loopback, and of all documents of the corpora.
#![allow(clippy::unwrap_used)]

mod corpus;
mod help;
mod requests;
mod responses;
mod server;
mod tail;

use std::ffi::OsString;

use spec_cli::{Failure, Interface, Settings, run_with};

/// The command line of the tests.
pub fn settings() -> Settings {
    Settings {
        name: "pets".to_owned(),
        version: "1.2.3".to_owned(),
        variables: "SPEC_CLI_TEST".to_owned(),
        ..Settings::default()
    }
}

/// Runs the command line of a document with these arguments.
pub fn run(document: &str, arguments: &[&str]) -> Result<(), Failure> {
    let interface = Interface::read(document, settings()).unwrap();
    let arguments = ["pets"].iter().chain(arguments).map(OsString::from);
    run_with(&interface, arguments)
}
