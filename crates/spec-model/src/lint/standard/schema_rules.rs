//! What the standard says of a schema beyond its keywords.

use std::collections::HashSet;

use serde_json::json;

use super::Element;
use crate::document::Node;
use crate::lint::Lint;

impl Lint<'_> {
    pub(super) fn schema(&mut self, element: Element<'_>) {
        let text = |name: &str| element.get(name).and_then(Node::as_str);
        if let Some(pattern) = text("pattern")
            && jsonschema::draft4::options()
                .build(&json!({ "pattern": pattern }))
                .is_err()
        {
            let message = format!("`{pattern}` is no regular expression");
            self.find(
                &element.place("pattern"),
                message,
                "write it as ECMA 262 has it",
            );
        }
        if text("type") == Some("array") && element.get("items").is_none() {
            self.find(
                element.at,
                "the array has no `items`",
                "describe one of them; `{}` is anything",
            );
        }
        if element.flag("nullable") && element.get("type").is_none() {
            let message = "`nullable` means something beside a `type` only";
            self.find(
                &element.place("nullable"),
                message,
                "add the `type`, or remove it",
            );
        }
        if element.flag("readOnly") && element.flag("writeOnly") {
            self.find(
                &element.place("writeOnly"),
                "nothing is both only read and only written",
                "remove one",
            );
        }
        if let Some(required) = element.get("required").and_then(Node::as_array) {
            let names: Vec<_> = required.iter().filter_map(Node::as_str).collect();
            let repeated = |index: usize| names[..index].contains(&names[index]);
            if names.is_empty() {
                self.find(
                    &element.place("required"),
                    "`required` names nothing",
                    "remove it",
                );
            }
            for index in (0..names.len()).filter(|index| repeated(*index)) {
                let message = format!("`{}` is required twice", names[index]);
                self.find(&element.place("required"), message, "remove one");
            }
        }
        self.discriminator(element);
        self.sunset_of_part(element);
    }

    /// The property that tells the schemas apart has to be one of each of them.
    fn discriminator(&mut self, element: Element<'_>) {
        let spec = self.spec;
        let Some(discriminator) = element.get("discriminator") else {
            return;
        };
        let at = element.place("discriminator");
        if let Some(name) = discriminator.get("propertyName").and_then(Node::as_str)
            && !self.has_property(element.node, name)
        {
            let variants = ["oneOf", "anyOf"].into_iter();
            let mut variants = variants
                .filter_map(|keyword| element.get(keyword)?.as_array())
                .flatten()
                .peekable();
            let known = variants.peek().is_some();
            if !known || !variants.all(|variant| self.has_property(variant, name)) {
                let message = format!(
                    "the property `{name}`, which tells the schemas apart, is not in all of them"
                );
                self.find(&at, message, "add it to their `properties`");
            }
        }
        let mapping = discriminator.get("mapping").and_then(Node::as_object);
        for (value, member) in mapping.into_iter().flatten() {
            let target = member.node.as_str().unwrap_or_default();
            let found = match target.strip_prefix('#') {
                Some(pointer) => spec.document.pointer(pointer).is_some(),
                None => spec.schemas.contains_key(target) || target.contains(['/', '.']),
            };
            if !found {
                let message =
                    format!("the value `{value}` stands for `{target}`, which is no schema");
                self.find(
                    &at,
                    message,
                    "name a component, or write a reference to one",
                );
            }
        }
    }

    /// Whether a schema has a property: of its own, or of what it is made of.
    pub(super) fn has_property(&self, schema: &Node, name: &str) -> bool {
        let mut waiting = vec![schema];
        // References can go in circles.
        let mut followed = HashSet::new();
        while let Some(schema) = waiting.pop() {
            let reference = schema.get("$ref").and_then(Node::as_str);
            match reference.map(|reference| reference.strip_prefix('#')) {
                Some(Some(pointer)) if followed.insert(pointer) => {
                    waiting.extend(self.spec.document.pointer(pointer));
                }
                Some(Some(_)) => {}
                // What stands in another file is not looked at.
                Some(None) => return true,
                None => {
                    let own = schema.get("properties");
                    if own.is_some_and(|own| own.get(name).is_some()) {
                        return true;
                    }
                    let parts = schema.get("allOf").and_then(Node::as_array);
                    waiting.extend(parts.into_iter().flatten());
                }
            }
        }
        false
    }
}
