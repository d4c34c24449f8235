//! The name of a new service: what cargo, Rust and the toolchain allow. It names the folder, the program and the crates.

use anyhow::bail;

use super::workspace::PROGRAM_DEPENDENCIES;
use crate::package::{API_DEPENDENCIES, CLIENT_DEPENDENCIES};

/// What cargo keeps beside the programs that it builds; it refuses programs of these names.
const FOLDERS_OF_CARGO: [&str; 4] = ["build", "deps", "examples", "incremental"];

/// Crates that come with the compiler; a program of such a name hides one of them.
const CRATES_OF_RUST: [&str; 5] = ["alloc", "core", "proc-macro", "std", "test"];

/// The ends of the names of the crates of a workspace.
pub(super) const CRATES: [&str; 4] = ["api", "client", "server", "cli"];

/// Reads the name of a service.
///
/// # Errors
/// It cannot name a program and its crates; the reason says what to write.
pub(super) fn parse(text: &str) -> anyhow::Result<String> {
    let is_plain = |sign: char| sign.is_ascii_lowercase() || sign.is_ascii_digit() || sign == '-';
    let is_name = text.starts_with(|sign: char| sign.is_ascii_lowercase())
        && text.chars().all(is_plain)
        && !text.ends_with('-')
        && !text.contains("--");
    if !is_name {
        bail!("write small letters, digits and single hyphens, such as book-store");
    }
    // syn knows the keywords.
    if syn::parse_str::<syn::Ident>(&text.replace('-', "_")).is_err() {
        bail!("`{text}` is a keyword of Rust: choose another name, such as {text}-service");
    }
    if FOLDERS_OF_CARGO.contains(&text) {
        bail!(
            "cargo has a folder `{text}` of its own: choose another name, such as {text}-service"
        );
    }
    if CRATES_OF_RUST.contains(&text) {
        bail!("`{text}` is a crate of Rust itself: choose another name, such as {text}-service");
    }
    let known = [API_DEPENDENCIES, CLIENT_DEPENDENCIES, PROGRAM_DEPENDENCIES].concat();
    let crates = CRATES.map(|end| format!("{text}-{end}"));
    let mut names = crates.iter().map(String::as_str).chain([text]);
    if let Some(taken) = names.find(|name| known.contains(name)) {
        bail!(
            "the service depends on a crate `{taken}`: choose another name, such as {text}-service"
        );
    }
    Ok(text.to_owned())
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn name_is_one_that_cargo_and_rust_accept_for_a_program_and_its_crates() {
        for text in [
            "books",
            "book-store",
            "b2",
            "tests",
            "spec-service",
            "union",
            "petstore",
            "tokio",
        ] {
            assert_eq!(parse(text).unwrap(), text);
        }
        for (text, reason) in [
            ("", "write small letters"),
            ("Books", "write small letters"),
            ("2b", "write small letters"),
            ("book_store", "write small letters"),
            ("books-", "write small letters"),
            ("book--store", "write small letters"),
            ("../books", "write small letters"),
            ("bücher", "write small letters"),
            ("fn", "`fn` is a keyword"),
            ("async", "`async` is a keyword"),
            ("try", "`try` is a keyword"),
            ("abstract", "`abstract` is a keyword"),
            ("deps", "a folder `deps`"),
            ("build", "a folder `build`"),
            ("examples", "a folder `examples`"),
            ("incremental", "a folder `incremental`"),
            ("test", "`test` is a crate of Rust"),
            ("core", "`core` is a crate of Rust"),
            ("proc-macro", "`proc-macro` is a crate of Rust"),
            // Its client would be a crate of the toolchain.
            ("spec", "depends on a crate `spec-client`"),
            ("serde", "depends on a crate `serde`"),
            ("dropshot", "depends on a crate `dropshot`"),
            ("spec-gate", "depends on a crate `spec-gate`"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
