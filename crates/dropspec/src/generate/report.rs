//! The report of `generate --report`: how many operations became code, and why the others did not.

use std::path::Path;

use anyhow::Context;
use serde::Serialize;
use spec_codegen::Unsupported;
use spec_diff::{ListedOperation, list_operations};
use spec_model::{Diagnostic, Document, Node};
use spec_schema::{METHODS, pointer};

/// What became of the operations of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Report {
    /// The number of operations in the document.
    pub operations: usize,
    /// The number of those that are in the generated code.
    pub generated: usize,
    /// Why operations are missing.
    pub refused: Vec<Refused>,
}

/// A reason why code is missing.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The operation: its id, or its method and path; `None` if the place belongs to no operation. What concerns all
    /// operations of a path is there once for each.
    pub operation: Option<String>,
    /// The line in the document, from 1.
    pub line: u32,
    /// The column in the document, from 1.
    pub column: u32,
    /// What is wrong.
    pub message: String,
    /// What to do.
    pub help: Option<String>,
}

impl Report {
    /// The report of a document whose operations are generated, apart from these.
    pub fn of_generated(document: &Document, left_out: &[Unsupported]) -> Report {
        let operations = list_operations(document).len();
        let refused = left_out.iter().flat_map(|left_out| {
            let problems = left_out.problems.iter();
            problems.map(|problem| Refused::new(Some(left_out.operation.clone()), problem))
        });
        Report {
            operations,
            generated: operations.saturating_sub(left_out.len()),
            refused: refused.collect(),
        }
    }

    /// The report of a document for which nothing is generated because of these errors; `None` if it cannot be read at all.
    pub fn of_refused(document: Option<&Document>, errors: &[Diagnostic]) -> Report {
        let operations = document.map(list_operations).unwrap_or_default();
        let name = |of: &ListedOperation| {
            let item = document?.root().get("paths")?.get(&of.path)?;
            let id = item.get(of.method)?.get("operationId");
            let id = id.and_then(Node::as_str).map(str::to_owned);
            Some(id.unwrap_or_else(|| of.label()))
        };
        let refused = errors.iter().flat_map(|error| {
            let tokens = pointer::tokens(&error.pointer).unwrap_or_default();
            let of_path = operations.iter().filter(|of| match &tokens[..] {
                [paths, path, rest @ ..] if paths == "paths" && of.path == *path => {
                    let mut methods = rest.first().into_iter();
                    methods.all(|it| !METHODS.contains(&it.as_str()) || it == of.method)
                }
                _ => false,
            });
            let mut names: Vec<Option<String>> = of_path.map(name).collect();
            if names.is_empty() {
                names.push(None);
            }
            names.into_iter().map(|name| Refused::new(name, error))
        });
        Report {
            operations: operations.len(),
            generated: 0,
            refused: refused.collect(),
        }
    }

    /// Writes the report as JSON.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self, path: &Path) -> anyhow::Result<()> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        std::fs::write(path, text).with_context(|| format!("cannot write {}", path.display()))
    }
}

impl Refused {
    fn new(operation: Option<String>, problem: &Diagnostic) -> Refused {
        Refused {
            operation,
            line: problem.location.line,
            column: problem.location.column,
            message: problem.message.clone(),
            help: problem.help.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use spec_model::Spec;

    use super::*;

    const DOCUMENT: &str = "openapi: 3.0.3
info: {title: a, version: 1.0.0}
paths:
  /a:
    get: {operationId: getA, responses: {'204': {description: none}}}
    put: {responses: {}}
";

    #[test]
    fn error_of_a_path_concerns_each_of_its_operations() {
        let text = DOCUMENT.replace("  /a:\n", "  /a:\n    parameters: [7]\n");
        let errors = Spec::parse("a.yaml", &text).unwrap_err();
        let document = Document::parse("a.yaml", &text).unwrap();
        let report = Report::of_refused(Some(&document), &errors);
        let of_path = report.refused.iter().filter(|it| it.line == 5);
        let names: Vec<Option<&str>> = of_path.map(|it| it.operation.as_deref()).collect();
        assert_eq!(names, [Some("getA"), Some("PUT /a")]);
    }
}
