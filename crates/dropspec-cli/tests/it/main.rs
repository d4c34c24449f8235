//! Command lines of small documents against a server on loopback, and of all documents of the corpora.
#![allow(clippy::unwrap_used)]

mod certificates;
mod corpus;
mod help;
mod items;
mod requests;
mod responses;
mod server;
mod tail;
mod values;

use std::ffi::OsString;

use dropspec_cli::{Failure, Interface, Settings, run_with};

/// The command line of the tests.
pub fn settings() -> Settings {
    Settings {
        name: "pets".to_owned(),
        version: "1.2.3".to_owned(),
        variables: "SPEC_CLI_TEST".to_owned(),
        ..Settings::default()
    }
}

/// Runs a command of a document, which is split as a shell does it, against the service at a URL.
pub fn run(document: &str, line: &str, url: &str) -> Result<(), Failure> {
    let line = format!("pets {line} --url {url}");
    run_words(document, &line)
}

/// Runs a whole command line, the name of the program included.
pub fn run_words(document: &str, line: &str) -> Result<(), Failure> {
    let interface = Interface::read(document, settings()).unwrap();
    let words = shlex::split(line).unwrap();
    run_with(&interface, words.into_iter().map(OsString::from))
}
