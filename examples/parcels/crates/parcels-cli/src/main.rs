//! The command line of the service, built at run time from its document: one command for each operation.

use std::process::ExitCode;

/// The document that the interface was generated from.
const DOCUMENT: &str = include_str!("../../parcels-api/src/openapi.json");

fn main() -> ExitCode {
    let settings = dropspec_cli::Settings {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        variables: "PARCELS".to_owned(),
        // Write the URL of the service here before you give this program to others.
        default_url: Some("http://127.0.0.1:8080".to_owned()),
        ..dropspec_cli::Settings::default()
    };
    dropspec_cli::run(DOCUMENT, &settings)
}
