//! `roundtrip`: compares what dropshot emits from the generated trait with the document.

mod emit;
mod older;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use spec_schema::difference::{Difference, compare};
use spec_schema::pointer;

use crate::losses::count;
use crate::output::{print, print_error};
use crate::project;

pub use self::older::OldForm;

/// Compare what dropshot emits from the generated trait with the document
///
/// Generates the interface of FILE, builds it, and lets dropshot describe it again. Each difference is printed with its
/// JSON pointer: first what the document says, then what dropshot emits. What dropshot emits for no document (security,
/// servers, examples, links, callbacks, extensions) is listed apart, and does not matter. What older versions of dropshot wrote in another
/// way is compared in the way of today, and listed.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  roundtrip api.json

Exit codes: 0 equal in all that dropshot can emit, 1 different, 2 the document cannot be used.")]
pub struct Arguments {
    /// The OpenAPI 3.0 document, YAML or JSON
    #[arg(value_name = "FILE", value_parser = project::parse_file)]
    file: PathBuf,
}

/// How the document that dropshot emits from the generated trait compares with the document that it was generated from.
#[derive(Debug, Clone, PartialEq)]
pub struct RoundTrip {
    /// What the document writes as older versions of dropshot did, each with the number of its places.
    pub old_forms: Vec<(OldForm, usize)>,
    /// The differences: what the document says, and what dropshot emits.
    pub differences: Vec<Difference>,
}

impl RoundTrip {
    /// Generates the interface of a document, builds it, and compares what dropshot emits with the document.
    ///
    /// # Errors
    /// The document cannot be used, or its interface cannot be built.
    pub fn run(path: &Path) -> anyhow::Result<RoundTrip> {
        let (mut document, emitted) = emit::emit(path)?;
        let old_forms = older::modernize(&mut document);
        Ok(RoundTrip {
            old_forms,
            differences: compare(&document, &emitted),
        })
    }

    /// Whether dropshot emits the document.
    #[must_use]
    pub fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }

    /// Whether dropshot emits all of the document that it can emit.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.differences.iter().all(is_never_emitted)
    }
}

/// What dropshot emits for no document.
const NEVER_EMITTED: [&str; 8] = [
    "callbacks",
    "example",
    "examples",
    "externalDocs",
    "links",
    "security",
    "securitySchemes",
    "servers",
];

/// Whether a difference is only that dropshot leaves out what it emits for no document.
fn is_never_emitted(difference: &Difference) -> bool {
    let tokens = pointer::tokens(&difference.pointer).unwrap_or_default();
    let is_field = |index: usize| index == 0 || tokens[index - 1] != "properties";
    let is_known = |name: &str| NEVER_EMITTED.contains(&name) || name.starts_with("x-");
    let mut indexed = tokens.iter().enumerate();
    difference.found.is_none() && indexed.any(|(index, name)| is_field(index) && is_known(name))
}

/// Displayed as a line for each difference, first those that matter, and a summary.
impl fmt::Display for RoundTrip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (never, other): (Vec<_>, Vec<_>) =
            self.differences.iter().partition(|it| is_never_emitted(it));
        for difference in &other {
            writeln!(f, "{difference}")?;
        }
        if !never.is_empty() {
            writeln!(
                f,
                "The following does not matter: dropshot emits no security, servers, examples, links, callbacks and \
                 extensions. The generated code and the reference page take them from the document itself."
            )?;
        }
        for difference in &never {
            writeln!(f, "  {difference}")?;
        }
        for (form, places) in &self.old_forms {
            let places = count(*places, "place");
            writeln!(
                f,
                "as older versions of dropshot wrote it in {places}: {form}"
            )?;
        }
        match (other.len(), never.len()) {
            (0, 0) => writeln!(f, "equal"),
            (0, never) => writeln!(
                f,
                "equal, except for {} that dropshot emits for no document",
                count(never, "part")
            ),
            (other, 0) => writeln!(f, "{}", count(other, "difference")),
            (other, never) => writeln!(
                f,
                "{}, and {} that dropshot emits for no document",
                count(other, "difference"),
                count(never, "part")
            ),
        }
    }
}

/// Runs `roundtrip`.
///
/// # Errors
/// The output cannot be written.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    match RoundTrip::run(&arguments.file) {
        Ok(done) => {
            print(&done)?;
            Ok(ExitCode::from(u8::from(!done.is_complete())))
        }
        Err(error) => {
            print_error(format_args!("{error:#}"));
            Ok(ExitCode::from(2))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn differences_that_matter_come_first_and_decide() {
        let compared = |found: serde_json::Value| RoundTrip {
            old_forms: Vec::new(),
            differences: compare(
                &json!({
                    "servers": [{ "url": "/" }],
                    "x-a": 1,
                    "paths": { "/a": { "get": { "security": [], "summary": "b" } } },
                }),
                &found,
            ),
        };
        let done = compared(json!({ "paths": { "/a": { "get": { "summary": "b" } } } }));
        assert!(done.is_complete() && !done.is_equal());
        let text = done.to_string();
        assert!(
            text.starts_with("The following does not matter: "),
            "{text}"
        );
        assert!(
            text.ends_with("equal, except for 3 parts that dropshot emits for no document\n"),
            "{text}"
        );
        let done = compared(json!({ "paths": { "/a": { "get": { "summary": "c" } } } }));
        assert!(!done.is_complete());
        let text = done.to_string();
        assert!(text.starts_with("/paths/~1a/get/summary: "), "{text}");
        assert!(
            text.ends_with("\n1 difference, and 3 parts that dropshot emits for no document\n"),
            "{text}"
        );
    }
}
