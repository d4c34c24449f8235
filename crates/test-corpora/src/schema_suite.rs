//! `cargo xtask schema-suite`: judges the values of the JSON Schema Test Suite as a generated server does.

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use anyhow::Context;
use clap::Args;
use dropspec::output::print;
use dropspec_model::Spec;
use dropspec_schema::Direction;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::corpus::find_documents;

/// Judge the values of the JSON Schema Test Suite as a generated server does
///
/// Each schema becomes a component of a document of OpenAPI 3.1. Prints the cases that are judged otherwise than the suite says, and how
/// many agree. Exit code: 0 if all agree, 1 if not.
#[derive(Debug, Args)]
pub struct Arguments {
    /// A folder of the suite, such as `tests/draft2020-12`; folders in it are left out, as they hold what is optional.
    pub directory: PathBuf,
}

#[derive(Deserialize)]
struct Group {
    description: String,
    schema: Value,
    tests: Vec<Case>,
}

#[derive(Deserialize)]
struct Case {
    description: String,
    data: Value,
    valid: bool,
}

/// Runs `cargo xtask schema-suite`.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let mut files = Vec::new();
    find_documents(&arguments.directory, &mut files)?;
    files.retain(|file| file.parent() == Some(&arguments.directory));
    let (mut all, mut agreed, mut report) = (0, 0, String::new());
    for file in &files {
        let text = std::fs::read_to_string(file)?;
        let groups: Vec<Group> =
            serde_json::from_str(&text).with_context(|| file.display().to_string())?;
        let name = file.file_stem().unwrap_or_default().display();
        for group in groups {
            all += group.tests.len();
            match judge(&group) {
                Ok(others) => {
                    agreed += group.tests.len() - others.len();
                    for case in others {
                        report += &format!("{name}: {}: {case}\n", group.description);
                    }
                }
                Err(error) => report += &format!("{name}: {}: {error}\n", group.description),
            }
        }
    }
    print(format!("{report}{agreed} of {all} cases agree\n"))?;
    Ok(ExitCode::from(u8::from(agreed < all)))
}

/// The cases that are judged otherwise than the suite says.
fn judge(group: &Group) -> Result<Vec<&str>, String> {
    let mut schema = group.schema.clone();
    // Without a name, `#` would be the whole document.
    if let Value::Object(members) = &mut schema {
        let entry = members.entry("$id");
        entry.or_insert_with(|| json!("https://example.com/case"));
    }
    let text = json!({
        "openapi": "3.1.0",
        "info": { "title": "Case", "version": "1.0.0" },
        "paths": {},
        "components": { "schemas": { "Case": schema } },
    });
    let input = dropspec::bundling::Input {
        directory: Path::new(""),
        prefix: "",
        document: Path::new("case.json"),
        overlays: &[],
    };
    let first = |errors: Vec<dropspec_model::Diagnostic>| match errors.first() {
        Some(error) => error.to_string(),
        None => "it is refused".to_owned(),
    };
    let read = |path: &Path| {
        let is_case = path.ends_with("case.json");
        let text = is_case.then(|| text.to_string().into_bytes());
        text.ok_or_else(|| std::io::ErrorKind::NotFound.into())
    };
    let bundled = dropspec::bundling::bundle_with(input, &read).map_err(first)?;
    let spec = Spec::read_with_errors(Arc::new(bundled.document)).map_err(first)?;
    if !spec.errors.is_empty() {
        return Err(first(spec.errors));
    }
    let document = spec.document.root().to_json();
    let schema = &document["components"]["schemas"]["Case"];
    let validator = dropspec_schema::compile(&document, schema, Direction::Request);
    let validator = validator.map_err(|error| error.to_string())?;
    let cases = group.tests.iter();
    let others = cases.filter(|case| validator.is_valid(&case.data) != case.valid);
    Ok(others.map(|case| case.description.as_str()).collect())
}
