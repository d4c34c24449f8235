//! The name of a new service: what cargo, Rust and the toolchain allow. It names the folder, the program and the crates.

use anyhow::bail;

use crate::package::{API_DEPENDENCIES, CLIENT_DEPENDENCIES};
use crate::toolchain;

/// What the server uses beside the generated interface, and what the command line uses.
pub(super) const PROGRAM_DEPENDENCIES: &[&str] = &[
    "dropshot",
    "http",
    "mimalloc",
    "serde_json",
    "dropspec-cli",
    "dropspec-gate",
    "dropspec-runtime",
    "dropspec-service",
    "dropspec-store",
    "tokio",
];

/// What cargo keeps beside the programs that it builds, and crates that come with the compiler.
const RESERVED: [&str; 9] = [
    "build",
    "deps",
    "examples",
    "incremental",
    "alloc",
    "core",
    "proc-macro",
    "std",
    "test",
];

/// The longest name. Names of crates and of the files that cargo makes of them must not become too long for a file system.
const MAX_LENGTH: usize = 50;

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
        bail!(
            "write small letters, digits and single hyphens, and begin with a letter: book-store, for example"
        );
    }
    if text.len() > MAX_LENGTH {
        let length = text.len();
        bail!("this name has {length} letters: write {MAX_LENGTH} at most");
    }
    let used = [API_DEPENDENCIES, CLIENT_DEPENDENCIES, PROGRAM_DEPENDENCIES].concat();
    let crates = CRATES.map(|end| format!("{text}-{end}"));
    let is_taken = RESERVED.contains(&text)
        // syn knows the keywords.
        || syn::parse_str::<syn::Ident>(&text.replace('-', "_")).is_err()
        || toolchain::has_dependency(text)
        || crates.iter().any(|name| used.contains(&name.as_str()))
        || CRATES.iter().any(|end| text.ends_with(&format!("-{end}")));
    if is_taken {
        bail!(
            "Rust, cargo or the crates of the service have the name `{text}`, or one that is made of it: choose another, such as \
             {text}-service"
        );
    }
    Ok(text.to_owned())
}

/// The `application_id` of the databases of a service: a hash of its name, positive and not 0.
pub(super) fn application_id(name: &str) -> u32 {
    // FNV-1a.
    let hash = name.bytes().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    });
    (hash & 0x7fff_ffff).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn name_is_one_that_cargo_and_rust_accept_for_a_program_and_its_crates() {
        for text in [
            "books",
            "book-store",
            "b2",
            "tests",
            "spec",
            "union",
            "petstore",
            "server",
        ] {
            assert_eq!(parse(text).unwrap(), text);
        }
        let wrong = "begin with a letter: book-store, for example";
        for text in [
            "",
            "Books",
            "9lives",
            "book_store",
            "名前",
            "books-",
            "book--store",
            "../books",
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.ends_with(wrong), "{text}: {error}");
        }
        let error = parse(&"a".repeat(51)).unwrap_err().to_string();
        assert_eq!(error, "this name has 51 letters: write 50 at most");
        // The client of `dropspec` would be a crate of the toolchain, and its program would hide another.
        for text in [
            "fn",
            "abstract",
            "deps",
            "core",
            "serde",
            "dropshot",
            "dropspec",
            "book-server",
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(
                error.contains(&format!("such as {text}-service")),
                "{error}"
            );
        }
    }

    #[test]
    fn application_id_is_positive_and_differs_by_name() {
        assert!(application_id("books") <= i32::MAX as u32);
        assert_ne!(application_id("books"), application_id("pets"));
    }
}
