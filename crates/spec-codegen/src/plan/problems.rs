//! Gathers the diagnostics of a document.

use std::cell::RefCell;

use indexmap::IndexSet;
use spec_model::{Diagnostic, Place, Spec};

/// Collects the diagnostics of a document during planning.
pub(super) struct Problems<'s> {
    spec: &'s Spec,
    found: RefCell<Vec<Diagnostic>>,
    warnings: RefCell<IndexSet<Diagnostic>>,
}

impl<'s> Problems<'s> {
    pub(super) fn new(spec: &'s Spec) -> Problems<'s> {
        Problems {
            spec,
            found: RefCell::default(),
            warnings: RefCell::default(),
        }
    }

    /// Adds an error at a place of the document, except if the same one was added before.
    pub(super) fn report(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = self.spec.diagnostic(at, message).with_help(help);
        let mut found = self.found.borrow_mut();
        if !found.contains(&diagnostic) {
            found.push(diagnostic);
        }
    }

    /// Adds a warning: what is legal in the document, but lost or changed in the generated code.
    pub(super) fn warn(&self, at: &Place, message: impl Into<String>, help: impl Into<String>) {
        let diagnostic = self.spec.diagnostic(at, message).with_help(help);
        self.warnings.borrow_mut().insert(diagnostic);
    }

    /// Succeeds if nothing was reported. Else returns the diagnostics in the order of the document.
    pub(super) fn finish(self) -> Result<(), Vec<Diagnostic>> {
        let mut found = self.found.into_inner();
        found.sort_by(|a, b| a.location.cmp(&b.location));
        if found.is_empty() { Ok(()) } else { Err(found) }
    }
}
