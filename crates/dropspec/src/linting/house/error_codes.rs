//! `x-error-codes` at the root lists codes with their statuses, and the examples of errors use them.

use std::collections::HashSet;

use dropspec_model::{Example, Node, Object, Place};

use super::find_extension;
use crate::linting::linter::{Linter, as_count};
use crate::linting::rules::rule;
use crate::linting::settings::ErrorProperties;

impl Linter<'_> {
    pub(super) fn check_error_codes(&mut self, properties: &ErrorProperties) {
        let root = Place::root(&self.spec.document);
        let found = find_extension(&root, &self.spec.extensions, "x-error-codes");
        let Some((node, at)) = found else { return };
        // The generator says what is wrong with a list that is none, or has a status of no error.
        let Some(codes) = node.as_object() else {
            return;
        };
        for (code, member) in codes {
            let at = at.member(code, member);
            let is_allowed = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
            if !code.starts_with(|c: char| c.is_ascii_lowercase()) || !code.chars().all(is_allowed)
            {
                let message = format!("the code `{code}` is not in snake_case");
                let help = "write it as `pet_not_found`";
                self.report(rule!("house-error-codes"), &at, message, help);
            }
        }
        self.check_error_examples(codes, properties);
        self.check_unused_codes(codes, &at);
    }

    /// Reports codes that no response of an operation has an example of.
    fn check_unused_codes(&mut self, codes: &Object, at: &Place) {
        let operations = self.spec.operations.iter();
        let responses = operations.flat_map(|operation| operation.responses.values());
        let bodies = responses.flat_map(|response| response.content.values());
        let used = bodies.flat_map(|body| body.examples.keys());
        let used: HashSet<&String> = used.chain(&self.settings.codes_without_operation).collect();
        for (code, member) in codes {
            if !used.contains(code) {
                let message = format!("no operation can answer with the code `{code}`");
                let help = "add an example of this name to the error responses that carry it, or remove the code";
                let at = at.member(code, member);
                self.report(rule!("house-error-codes"), &at, message, help);
            }
        }
    }

    /// Checks that every error response has examples named after its error codes.
    fn check_error_examples(&mut self, codes: &Object, properties: &ErrorProperties) {
        let operations = self.spec.operations.iter();
        let responses = operations.flat_map(|operation| &operation.responses);
        for (status, response) in responses.filter(|(status, _)| status.starts_with(['4', '5'])) {
            for media_type in response.content.values() {
                if media_type.examples.is_empty() {
                    let message = format!("the response {status} does not list its error codes");
                    let help = "add `examples`, each named after its code";
                    self.report(rule!("house-error-codes"), &media_type.at, message, help);
                }
                for (code, example) in &media_type.examples {
                    self.check_error_example(codes, properties, status, code, example);
                }
            }
        }
    }

    fn check_error_example(
        &mut self,
        codes: &Object,
        properties: &ErrorProperties,
        status: &str,
        code: &str,
        example: &Example,
    ) {
        let Some(value) = &example.value else { return };
        let at = &example.at;
        let ErrorProperties {
            code: code_property,
            status: status_property,
        } = properties;
        if value.get(code_property).and_then(Node::as_str) != Some(code) {
            let message = format!("the example `{code}` has another `{code_property}`");
            let help = "name the example after its code";
            self.report(rule!("house-error-codes"), at, message, help);
        }
        let Some(listed) = codes.get(code) else {
            let message = format!("the code `{code}` is not in `x-error-codes`");
            let help = "add it there, with its status";
            self.report(rule!("house-error-codes"), at, message, help);
            return;
        };
        let listed = as_count(&listed.node).map(|status| status.to_string());
        if listed.as_deref() != Some(status) {
            let listed = listed.unwrap_or_else(|| "none".to_owned());
            let message = format!("the code `{code}` has the status {listed}, not {status}");
            let help = "move the example to the response with its status";
            self.report(rule!("house-error-codes"), at, message, help);
        }
        let stated = value.get(status_property).and_then(as_count);
        if stated.is_some_and(|stated| stated.to_string() != status) {
            let message = format!("the example `{code}` has another `{status_property}`");
            let help = format!("write {status}");
            self.report(rule!("house-error-codes"), at, message, help);
        }
    }
}
