//! `x-error-codes`, and the examples of errors: each says which code an answer can carry.

use super::{Lint, whole};
use crate::document::Node;
use crate::reader::Place;

impl Lint<'_> {
    pub(super) fn error_codes(&mut self) {
        let root = Place::root(&self.spec.document);
        let Some((node, at)) = self.extension(&root, &self.spec.extensions, "x-error-codes") else {
            return;
        };
        let Some(codes) = node.as_object() else {
            self.find(
                &at,
                "`x-error-codes` is not an object",
                "write `pet_not_found: 404`",
            );
            return;
        };
        for (code, member) in codes {
            let at = at.member(code, member);
            let snake = code.starts_with(|c: char| c.is_ascii_lowercase())
                && code
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_');
            if !snake {
                self.find(
                    &at,
                    format!("the code `{code}` is not in snake_case"),
                    "write it as `pet_not_found`",
                );
            }
            if !whole(&member.node).is_some_and(|status| (400..600).contains(&status)) {
                let message = format!("the code `{code}` has no status of an error");
                self.find(
                    &at,
                    message,
                    "write the status it comes with, from 400 to 599",
                );
            }
        }
    }

    /// In documents with `x-error-codes`, every failure names its codes by its examples.
    pub(super) fn error_examples(&mut self) {
        let spec = self.spec;
        let Some(codes) = spec
            .extensions
            .get("x-error-codes")
            .and_then(|m| m.node.as_object())
        else {
            return;
        };
        let responses = spec
            .operations
            .iter()
            .flat_map(|operation| &operation.responses);
        for (answer, response) in responses.filter(|(answer, _)| answer.starts_with(['4', '5'])) {
            for media_type in response.content.values() {
                if media_type.examples.is_empty() {
                    let message =
                        format!("the answer {answer} does not say which codes it carries");
                    self.find(
                        &media_type.at,
                        message,
                        "add `examples`, each named as its code",
                    );
                }
                for (name, example) in &media_type.examples {
                    let Some(value) = &example.value else {
                        continue;
                    };
                    let at = &example.at;
                    if value.get("code").and_then(Node::as_str) != Some(name) {
                        let message = format!("the example `{name}` has another `code`");
                        self.find(at, message, "name the example as its code");
                    }
                    let Some(listed) = codes.get(name) else {
                        let message = format!("the code `{name}` is not in `x-error-codes`");
                        self.find(at, message, "add it there, with its status");
                        continue;
                    };
                    let listed = whole(&listed.node).map(|status| status.to_string());
                    if listed.as_deref() != Some(answer.as_str()) {
                        let listed = listed.unwrap_or_else(|| "none".to_owned());
                        let message = format!(
                            "the code `{name}` comes with {listed}, and stands under {answer}"
                        );
                        self.find(at, message, "put the example under the status of its code");
                    }
                    let own = value
                        .get("status")
                        .and_then(whole)
                        .map(|status| status.to_string());
                    if own.is_some_and(|own| own != *answer) {
                        let message =
                            format!("the example `{name}` has another `status` than {answer}");
                        self.find(at, message, "an error repeats the status it comes with");
                    }
                }
            }
        }
    }
}
