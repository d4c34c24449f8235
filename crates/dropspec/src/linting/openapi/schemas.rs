//! Rules of OpenAPI about schemas, beyond the types of their keywords.

use std::collections::HashSet;

use dropspec_model::{Node, did_you_mean};
use serde_json::json;

use super::Element;
use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// Keywords whose list has the parts of one schema.
const COMBINATIONS: [&str; 3] = ["allOf", "oneOf", "anyOf"];

impl Linter<'_> {
    pub(super) fn check_schema(&mut self, element: Element<'_>) {
        let names = element.get("patternProperties").and_then(Node::as_object);
        let names = names.into_iter().flat_map(|it| it.keys());
        let names = names.map(|name| (name.as_str(), "patternProperties"));
        let own = element.get_str("pattern").map(|it| (it, "pattern"));
        for (pattern, keyword) in own.into_iter().chain(names) {
            if dropspec_schema::build_validator(&json!({ "pattern": pattern })).is_err() {
                let message = format!("`{pattern}` is not a regular expression");
                let at = element.locate_member(keyword);
                self.report_rule(rule!("pattern-syntax"), &at, message);
            }
        }
        if self.source.uses_json_schema() {
            self.check_types(element);
            return self.check_discriminator(element);
        }
        if element.get_str("type") == Some("array") && element.get("items").is_none() {
            let message = "the array has no `items`";
            self.report_rule(rule!("array-without-items"), element.at, message);
        }
        // Beside a combination, all who validate and compare take it for what is meant: `null` is valid.
        let combines = COMBINATIONS.iter().any(|it| element.get(it).is_some());
        if element.is_true("nullable") && element.get("type").is_none() && !combines {
            let message = "`nullable` has no effect without `type`";
            let at = element.locate_member("nullable");
            self.report_rule(rule!("nullable-without-type"), &at, message);
        }
        if element.is_true("readOnly") && element.is_true("writeOnly") {
            let message = "`readOnly` and `writeOnly` exclude each other";
            let at = element.locate_member("writeOnly");
            self.report_rule(rule!("read-and-write-only"), &at, message);
        }
        if let Some(required) = element.get("required").and_then(Node::as_array) {
            let at = element.locate_member("required");
            if required.is_empty() {
                self.report_rule(rule!("required-empty"), &at, "`required` is empty");
            }
            let mut names = HashSet::new();
            for name in required.iter().filter_map(Node::as_str) {
                if !names.insert(name) {
                    let message = format!("`{name}` is required twice");
                    self.report_rule(rule!("required-duplicate"), &at, message);
                }
            }
        }
        self.check_required_names(element);
        self.check_discriminator(element);
    }

    /// Checks that `required` names properties, where the schema itself lists them. What is part of an `allOf` may name those
    /// of the other parts, and what allows other properties may require one of them.
    fn check_required_names(&mut self, element: Element<'_>) {
        let Some(properties) = element.get("properties").and_then(Node::as_object) else {
            return;
        };
        let is_part = element
            .at
            .pointer
            .rsplit('/')
            .nth(1)
            .is_some_and(|keyword| COMBINATIONS.contains(&keyword));
        let allows_others = element.get("additionalProperties");
        let allows_others = allows_others.is_some_and(|it| it.as_bool() != Some(false));
        let combines = ["oneOf", "anyOf"]
            .iter()
            .any(|it| element.get(it).is_some());
        if is_part || allows_others || combines {
            return;
        }
        let at = element.locate_member("required");
        let required = element.get("required").and_then(Node::as_array);
        for (index, item) in required.into_iter().flatten().enumerate() {
            let Some(name) = item.as_str() else { continue };
            if self.has_property(element.node, name) {
                continue;
            }
            let message = format!("`required` names `{name}`, which is no property");
            let names = properties.keys().map(String::as_str);
            let at = at.item(index, item);
            let suggested = self
                .suggestions
                .find(&at.pointer, || did_you_mean(name, names));
            let help = format!("{suggested}name one of `properties`, or add it there");
            self.report(rule!("required-property"), &at, message, help);
        }
    }

    /// Checks that all schemas have the property that the `discriminator` names, or there is a default for those without it,
    /// and that its `mapping` names schemas.
    fn check_discriminator(&mut self, element: Element<'_>) {
        let spec = self.spec;
        let Some(discriminator) = element.get("discriminator") else {
            return;
        };
        let at = element.locate_member("discriminator");
        let default = discriminator.get("defaultMapping").and_then(Node::as_str);
        if let Some(name) = discriminator.get("propertyName").and_then(Node::as_str) {
            let variants = ["oneOf", "anyOf"].into_iter();
            let variants = variants.filter_map(|keyword| element.get(keyword)?.as_array());
            let variants: Vec<&Node> = variants.flatten().collect();
            let is_default = |variant: &Node| {
                let reference = variant.get("$ref").and_then(Node::as_str);
                reference.is_some_and(|it| {
                    default == Some(it) || default == it.strip_prefix("#/components/schemas/")
                })
            };
            let all = |has: &dyn Fn(&Node) -> bool| {
                let mut others = variants.iter().filter(|variant| !is_default(variant));
                has(element.node) || (!variants.is_empty() && others.all(|variant| has(variant)))
            };
            if !all(&|schema| self.has_property(schema, name)) {
                let message =
                    format!("the discriminator's property `{name}` is missing in a schema");
                self.report_rule(rule!("discriminator-property"), &at, message);
            } else if self.source.minor_version() == 2
                && default.is_none()
                && !all(&|schema| self.requires_property(schema, name))
            {
                let message = format!(
                    "the discriminator's property `{name}` is optional, and there is no `defaultMapping`"
                );
                self.report_rule(rule!("discriminator-default"), &at, message);
            }
        }
        let mapping = discriminator.get("mapping").and_then(Node::as_object);
        let mapping = mapping.into_iter().flatten();
        let mapping = mapping.map(|(value, it)| (format!("`mapping` maps `{value}`"), &it.node));
        let default = discriminator.get("defaultMapping");
        let default = default.map(|it| ("`defaultMapping` maps other values".to_owned(), it));
        for (what, target) in mapping.chain(default) {
            let target = target.as_str().unwrap_or_default();
            let exists = match target.strip_prefix('#') {
                Some(pointer) => spec.document.pointer(pointer).is_some(),
                None => spec.schemas.contains_key(target) || target.contains(['/', '.']),
            };
            if !exists {
                let message = format!("{what} to `{target}`, which is not a schema");
                self.report_rule(rule!("discriminator-mapping"), &at, message);
            }
        }
    }

    /// Whether a schema, or a schema in its `allOf`, defines a property.
    pub(super) fn has_property(&self, schema: &Node, name: &str) -> bool {
        self.has_part(schema, |part| {
            let properties = part.get("properties");
            properties.is_some_and(|properties| properties.get(name).is_some())
        })
    }

    /// Whether a schema, or a schema in its `allOf`, requires a property.
    fn requires_property(&self, schema: &Node, name: &str) -> bool {
        self.has_part(schema, |part| {
            let required = part.get("required").and_then(Node::as_array);
            let mut required = required.into_iter().flatten();
            required.any(|it| it.as_str() == Some(name))
        })
    }

    /// Whether a schema, or a schema in its `allOf`, is what is sought. Follows `$ref`s, also in circles.
    fn has_part(&self, schema: &Node, is_sought: impl Fn(&Node) -> bool) -> bool {
        let mut pending = vec![schema];
        let mut followed = HashSet::new();
        while let Some(schema) = pending.pop() {
            let Some(reference) = schema.get("$ref").and_then(Node::as_str) else {
                if is_sought(schema) {
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
