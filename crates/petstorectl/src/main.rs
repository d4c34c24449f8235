//! `petstorectl`: a command line with one command for each operation of the petstore.

use std::process::ExitCode;

use dropspec_cli::Settings;

/// The document that the interface of the petstore was generated from.
const DOCUMENT: &str = include_str!("../../petstore-api/src/openapi.json");

fn main() -> ExitCode {
    let settings = Settings {
        name: env!("CARGO_PKG_NAME").to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        variables: "PETSTORE".to_owned(),
        default_url: Some("http://127.0.0.1:8080".to_owned()),
        config_folder: Some("petstore".to_owned()),
        credential_option: Some("key".to_owned()),
        unix_seconds: ["bannedUntil", "reset"].map(str::to_owned).into(),
    };
    dropspec_cli::run(DOCUMENT, &settings)
}
