//! Whether a document is valid OpenAPI 3.0 and a good one for this toolchain. Everything found is worth mending: there
//! are no levels.

mod errors;
mod examples;
mod extensions;
mod lifecycle;
mod limits;
mod operations;
mod responses;
mod standard;

use std::collections::HashSet;

use chrono::NaiveDate;

use crate::diagnostic::Diagnostic;
use crate::document::{Node, Object};
use crate::reader::Place;
use crate::spec::Spec;

/// The version of the standard that documents are written in.
const OPENAPI: &str = "3.0.3";

/// Checks the document `text`, which findings call `name`, on the day `today`.
///
/// A document that is not valid is not looked at further. The findings come in the order of the lines.
///
/// ```
/// let text = "openapi: 3.0.3\ninfo: {title: Pets, version: 1.0.0}\npaths:\n  /pets:\n    get: {}\n";
/// let today = chrono::NaiveDate::from_ymd_opt(2026, 11, 21).unwrap();
/// let findings = spec_model::lint("pets.yaml", text, today);
/// assert!(findings[0].to_string().starts_with("pets.yaml:5:5: the operation has no `responses`"));
/// ```
pub fn lint(name: &str, text: &str, today: NaiveDate) -> Vec<Diagnostic> {
    let spec = match Spec::parse(name, text) {
        Ok(spec) => spec,
        Err(errors) => return errors,
    };
    let mut lint = Lint {
        spec: &spec,
        today,
        found: HashSet::new(),
    };
    lint.standard();
    lint.document();
    lint.limits();
    lint.error_codes();
    lint.operations();
    lint.responses();
    lint.extensions();
    lint.lifecycles();
    lint.error_examples();
    lint.examples();
    let mut found: Vec<Diagnostic> = lint.found.into_iter().collect();
    found.sort_by(|a, b| (&a.location, &a.message).cmp(&(&b.location, &b.message)));
    found
}

/// One check under way.
struct Lint<'s> {
    spec: &'s Spec,
    today: NaiveDate,
    /// A shared element is met as often as it is used, and found once.
    found: HashSet<Diagnostic>,
}

impl Lint<'_> {
    fn find(&mut self, at: &Place, message: impl Into<String>, help: &str) {
        self.found
            .insert(self.spec.diagnostic(at, message).with_help(help));
    }

    fn document(&mut self) {
        if self.spec.version != OPENAPI {
            let at = self.root("openapi");
            let message = format!("the document is written in OpenAPI {}", self.spec.version);
            self.find(&at, message, "write `openapi: 3.0.3`");
        }
        for tag in &self.spec.tags {
            if tag.description.as_deref().is_none_or(str::is_empty) {
                let message = format!("the tag `{}` has no description", tag.name);
                self.find(
                    &tag.at.clone(),
                    message,
                    "say in a sentence what belongs to it",
                );
            }
        }
        let mut names = HashSet::new();
        for tag in &self.spec.tags {
            if !names.insert(tag.name.as_str()) {
                let message = format!("the tag `{}` is listed twice", tag.name);
                self.find(&tag.at.clone(), message, "remove one");
            }
        }
    }

    /// A field of the root, or the root itself without it.
    fn root(&self, key: &str) -> Place {
        let document = &self.spec.document;
        let members = document.root().as_object();
        let root = Place::root(document);
        match members.and_then(|members| members.get(key)) {
            Some(member) => root.member(key, member),
            None => root,
        }
    }

    /// An extension, with where it stands.
    fn extension<'o>(
        &self,
        of: &Place,
        extensions: &'o Object,
        name: &str,
    ) -> Option<(&'o Node, Place)> {
        let member = extensions.get(name)?;
        Some((&member.node, of.member(name, member)))
    }
}

/// A whole number from 0.
fn whole(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}

#[cfg(test)]
mod tests;
