//! Rules that OpenAPI 3.1 and 3.2 have beyond 3.0.

use dropspec_model::Node;

use super::Element;
use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// The types of JSON Schema 2020-12.
const TYPES: [&str; 7] = [
    "array", "boolean", "integer", "null", "number", "object", "string",
];

impl Linter<'_> {
    /// Checks the names in `type`.
    pub(super) fn check_types(&mut self, element: Element<'_>) {
        let at = element.locate_member("type");
        let types = element.get("type");
        let list = types.and_then(Node::as_array);
        let names = types.into_iter().chain(list.into_iter().flatten());
        for name in names.filter_map(Node::as_str) {
            if !TYPES.contains(&name) {
                let message = format!("`{name}` is not a type");
                let help = format!("write one of {}", TYPES.join(", "));
                self.report(rule!("unknown-type"), &at, message, help);
            }
        }
        if list.is_some_and(|list| list.is_empty()) {
            self.report_rule(rule!("type-empty"), &at, "`type` is empty");
        }
    }

    /// Checks that a document of OpenAPI 3.1 or 3.2 describes something.
    pub(super) fn check_sections(&mut self, element: Element<'_>) {
        let sections = ["paths", "webhooks", "components"];
        if sections
            .iter()
            .all(|section| element.get(section).is_none())
        {
            let message = "the document has neither `paths` nor `webhooks` nor `components`";
            self.report_rule(rule!("nothing-described"), element.at, message);
        }
    }
}
