//! The name of a new service: what cargo, Rust and the toolchain allow. It names the folder, the program and the crates.

use anyhow::bail;
use heck::ToKebabCase;

use crate::package::{API_DEPENDENCIES, CLIENT_DEPENDENCIES};
use crate::toolchain;

/// What the server uses beside the generated interface, and what the command line uses.
pub(super) const PROGRAM_DEPENDENCIES: &[&str] = &[
    "dropshot",
    "http",
    "mimalloc",
    "serde_json",
    "spec-cli",
    "service-program",
    "spec-gate",
    "spec-runtime",
    "postgres-engine",
    "sqlite-engine",
    "tokio",
];

/// What cargo keeps beside the programs that it builds; it refuses programs of these names.
const FOLDERS_OF_CARGO: [&str; 4] = ["build", "deps", "examples", "incremental"];

/// Crates that come with the compiler; a program of such a name hides one of them.
const CRATES_OF_RUST: [&str; 5] = ["alloc", "core", "proc-macro", "std", "test"];

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
        match derive(text) {
            Some(name) => bail!(
                "write small letters, digits and single hyphens, and begin with a letter: {name}, for example"
            ),
            None => bail!(
                "write small letters, digits and single hyphens, and begin with a letter: book-store, for example"
            ),
        }
    }
    if text.len() > MAX_LENGTH {
        bail!(
            "this name has {} letters: write {MAX_LENGTH} at most",
            text.len()
        );
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
    if toolchain::has_dependency(text) {
        bail!("`{text}` is a crate of the toolchain: choose another name, such as {text}-service");
    }
    let role = CRATES.iter().find_map(|end| {
        let base = text.strip_suffix(end)?.strip_suffix('-')?;
        Some((end, base))
    });
    if let Some((end, base)) = role {
        bail!(
            "`{text}` is the name of the {end} of a service `{base}`: choose another name, such as {base}"
        );
    }
    Ok(text.to_owned())
}

/// A name made of the letters and digits of another: `Book Store` becomes `book-store`, and `9lives` becomes `service-9lives`.
fn derive(text: &str) -> Option<String> {
    let name = text.to_kebab_case();
    let words = name.split(|sign: char| !sign.is_ascii_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let name = match words.join("-") {
        name if name.starts_with(|sign: char| sign.is_ascii_digit()) => format!("service-{name}"),
        name => name,
    };
    // Of letters beyond ASCII no good name can be made.
    let is_complete = text.is_ascii() && !name.is_empty();
    is_complete.then(|| parse(&name).ok()).flatten()
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
            "server",
        ] {
            assert_eq!(parse(text).unwrap(), text);
        }
        for (text, reason) in [
            ("", "begin with a letter: book-store, for example"),
            ("Books", "begin with a letter: books, for example"),
            ("9lives", "begin with a letter: service-9lives, for example"),
            ("book_store", "begin with a letter: book-store, for example"),
            (
                "My Book Store",
                "begin with a letter: my-book-store, for example",
            ),
            ("名前", "begin with a letter: book-store, for example"),
            (
                &"a".repeat(51),
                "this name has 51 letters: write 50 at most",
            ),
            ("books-", "write small letters"),
            ("book--store", "write small letters"),
            ("../books", "write small letters"),
            ("bücher", "begin with a letter: book-store, for example"),
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
            ("tokio", "depends on a crate `tokio`"),
            // Its program would hide the toolchain's.
            ("dropspec", "`dropspec` is a crate of the toolchain"),
            ("redis", "`redis` is a crate of the toolchain"),
            (
                "book-server",
                "the server of a service `book`: choose another name, such as book",
            ),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }

    #[test]
    fn application_id_is_positive_and_differs_by_name() {
        assert!(application_id("books") <= i32::MAX as u32);
        assert_ne!(application_id("books"), application_id("pets"));
    }
}
