//! Gathers the diagnostics of a document.

use std::cell::RefCell;

use dropspec_model::{Diagnostic, Place, Spec};
use indexmap::IndexSet;

/// Collects the diagnostics of a document during planning.
pub(super) struct Problems<'s> {
    spec: &'s Spec,
    errors: RefCell<IndexSet<Diagnostic>>,
    warnings: RefCell<IndexSet<Diagnostic>>,
}

/// The diagnostics of a document, each kind in the order of the document.
pub(super) struct Found {
    /// What is wrong in the document.
    pub(super) errors: Vec<Diagnostic>,
    /// What is legal, but lost or changed in the generated code.
    pub(super) warnings: Vec<Diagnostic>,
}

impl<'s> Problems<'s> {
    /// Begins with the errors that were found when the document was read.
    pub(super) fn new(spec: &'s Spec) -> Problems<'s> {
        Problems {
            spec,
            errors: RefCell::new(spec.errors.iter().cloned().collect()),
            warnings: RefCell::default(),
        }
    }

    /// Adds an error at a place of the document, except if the same one was added before.
    pub(super) fn report(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        self.report_violation("", at, message, help);
    }

    /// As [`Problems::report`], of a rule of OpenAPI.
    pub(super) fn report_violation(
        &self,
        rule: &'static str,
        at: &Place,
        message: impl Into<String>,
        help: impl Into<String>,
    ) {
        let diagnostic = self.spec.diagnostic(at, message).with_help(help);
        self.errors.borrow_mut().insert(diagnostic.of_rule(rule));
    }

    /// Adds a warning at a place of the document: the document is legal, but the generated code loses or changes
    /// something. A warning never stops the generation.
    pub(super) fn warn(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = self.spec.diagnostic(at, message).with_help(help);
        self.warnings.borrow_mut().insert(diagnostic);
    }

    pub(super) fn finish(self) -> Found {
        let sorted = |found: RefCell<IndexSet<Diagnostic>>| {
            let mut found: Vec<Diagnostic> = found.into_inner().into_iter().collect();
            found.sort_by(|a, b| a.location.cmp(&b.location));
            found
        };
        Found {
            errors: sorted(self.errors),
            warnings: sorted(self.warnings),
        }
    }
}
