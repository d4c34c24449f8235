//! `roundtrip`: compares what dropshot emits from the generated trait with the document.

mod emit;
mod older;

use std::fmt;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use spec_schema::difference::{Difference, compare};

use crate::output::{print, print_error};
use crate::project;

pub use self::older::OldForm;

/// Compare what dropshot emits from the generated trait with the document
///
/// Generates the interface of FILE, builds it, and lets dropshot describe it again. Each difference is printed with its
/// JSON pointer: first what the document says, then what dropshot emits. Only a document that dropshot made can be
/// equal: dropshot emits no security, servers, examples and extensions. What older versions of dropshot wrote in another
/// way is compared in the way of today, and listed.
#[derive(Debug, Args)]
#[command(after_long_help = "Example:
  roundtrip api.json

Exit codes: 0 equal, 1 different, 2 the document cannot be used.")]
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
}

/// Displayed as a line for each difference, and a summary.
impl fmt::Display for RoundTrip {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for difference in &self.differences {
            writeln!(f, "{difference}")?;
        }
        for (form, places) in &self.old_forms {
            let places = count(*places, "place");
            writeln!(
                f,
                "as older versions of dropshot wrote it in {places}: {form}"
            )?;
        }
        match self.differences.len() {
            0 => writeln!(f, "equal"),
            differences => writeln!(f, "{}", count(differences, "difference")),
        }
    }
}

fn count(number: usize, noun: &str) -> String {
    match number {
        1 => format!("1 {noun}"),
        _ => format!("{number} {noun}s"),
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
            Ok(ExitCode::from(u8::from(!done.is_equal())))
        }
        Err(error) => {
            print_error(format_args!("{error:#}"));
            Ok(ExitCode::from(2))
        }
    }
}
