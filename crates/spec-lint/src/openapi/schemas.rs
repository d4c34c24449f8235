//! Rules of OpenAPI about schemas, beyond the types of their keywords.

use std::collections::HashSet;

use serde_json::json;
use spec_model::Node;

use super::Element;
use crate::linter::Linter;

impl Linter<'_> {
    pub(super) fn check_schema(&mut self, element: Element<'_>) {
        if let Some(pattern) = element.get_str("pattern")
            && spec_schema::build_validator(&json!({ "pattern": pattern })).is_err()
        {
            let message = format!("`{pattern}` is not a regular expression");
            let at = element.locate_member("pattern");
            self.report(&at, message, "write it in the syntax of ECMA 262");
        }
        if element.get_str("type") == Some("array") && element.get("items").is_none() {
            let message = "the array has no `items`";
            let help = "describe an item; `{}` allows anything";
            self.report(element.at, message, help);
        }
        if element.is_true("nullable") && element.get("type").is_none() {
            let message = "`nullable` has no effect without `type`";
            let help = "add the `type`, or remove it";
            self.report(&element.locate_member("nullable"), message, help);
        }
        if element.is_true("readOnly") && element.is_true("writeOnly") {
            let message = "`readOnly` and `writeOnly` exclude each other";
            self.report(&element.locate_member("writeOnly"), message, "remove one");
        }
        if let Some(required) = element.get("required").and_then(Node::as_array) {
            let at = element.locate_member("required");
            if required.is_empty() {
                self.report(&at, "`required` is empty", "remove it");
            }
            let mut names = HashSet::new();
            for name in required.iter().filter_map(Node::as_str) {
                if !names.insert(name) {
                    self.report(&at, format!("`{name}` is required twice"), "remove one");
                }
            }
        }
        self.check_discriminator(element);
    }

    /// Checks that all schemas have the property that the `discriminator` names, and that its `mapping` names schemas.
    fn check_discriminator(&mut self, element: Element<'_>) {
        let spec = self.spec;
        let Some(discriminator) = element.get("discriminator") else {
            return;
        };
        let at = element.locate_member("discriminator");
        if let Some(name) = discriminator.get("propertyName").and_then(Node::as_str)
            && !self.has_property(element.node, name)
        {
            let variants = ["oneOf", "anyOf"].into_iter();
            let variants = variants.filter_map(|keyword| element.get(keyword)?.as_array());
            let mut variants = variants.flatten().peekable();
            let has_variants = variants.peek().is_some();
            if !has_variants || !variants.all(|variant| self.has_property(variant, name)) {
                let message =
                    format!("the discriminator's property `{name}` is missing in a schema");
                let help = "add it to the `properties` of each schema";
                self.report(&at, message, help);
            }
        }
        let mapping = discriminator.get("mapping").and_then(Node::as_object);
        for (value, member) in mapping.into_iter().flatten() {
            let target = member.node.as_str().unwrap_or_default();
            let exists = match target.strip_prefix('#') {
                Some(pointer) => spec.document.pointer(pointer).is_some(),
                None => spec.schemas.contains_key(target) || target.contains(['/', '.']),
            };
            if !exists {
                let message =
                    format!("`mapping` maps `{value}` to `{target}`, which is not a schema");
                self.report(
                    &at,
                    message,
                    "name a component, or write a reference to one",
                );
            }
        }
    }

    /// Whether a schema, or a schema in its `allOf`, defines a property. Follows `$ref`s, also in circles.
    pub(super) fn has_property(&self, schema: &Node, name: &str) -> bool {
        let mut pending = vec![schema];
        let mut followed = HashSet::new();
        while let Some(schema) = pending.pop() {
            let Some(reference) = schema.get("$ref").and_then(Node::as_str) else {
                let properties = schema.get("properties");
                if properties.is_some_and(|properties| properties.get(name).is_some()) {
                    return true;
                }
                let parts = schema.get("allOf").and_then(Node::as_array);
                pending.extend(parts.into_iter().flatten());
                continue;
            };
            let Some(pointer) = reference.strip_prefix('#') else {
                // Other files are not read; the property may be there.
                return true;
            };
            if followed.insert(pointer) {
                pending.extend(self.spec.document.pointer(pointer));
            }
        }
        false
    }
}
