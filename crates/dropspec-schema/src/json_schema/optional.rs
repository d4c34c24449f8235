//! The required properties that messages in one direction may omit.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::Converter;
use crate::reference::resolve;

/// The deepest nesting of `allOf`. A deeper one is treated as a cycle of references.
const MAX_COMBINATION_DEPTH: usize = 16;

impl<'d> Converter<'d> {
    /// Adds the properties of a schema, and of its `allOf` schemas, that messages in this direction may omit.
    pub(super) fn collect_optional(
        &self,
        schema: &'d Value,
        depth: usize,
        optional: &mut BTreeSet<&'d str>,
    ) {
        if depth > MAX_COMBINATION_DEPTH {
            return;
        }
        let all_of = |schema: &'d Value| {
            let schemas = schema.get("allOf").and_then(Value::as_array);
            let schemas = schemas.into_iter().flatten();
            schemas.filter_map(|schema| resolve(self.document, schema))
        };
        let properties = schema.get("properties").and_then(Value::as_object);
        for (name, property) in properties.into_iter().flatten() {
            if self.is_optional(property, 0) {
                optional.insert(name);
            }
        }
        for schema in all_of(schema) {
            self.collect_optional(schema, depth + 1, optional);
        }
    }

    /// Whether messages in this direction may omit a property: itself, a schema of its `allOf`, or the only schema of its
    /// choice has the flag.
    fn is_optional(&self, property: &'d Value, depth: usize) -> bool {
        let Some(property) = resolve(self.document, property) else {
            return false;
        };
        let members = |keyword: &str| {
            let members = property.get(keyword).and_then(Value::as_array);
            let members = members.into_iter().flatten();
            members.filter(|member| {
                let member = resolve(self.document, member);
                !member.is_some_and(|member| is_only_null(member, self.is_newer))
            })
        };
        let single = ["oneOf", "anyOf"].into_iter().map(members);
        let single = single.filter(|members| members.clone().count() == 1);
        let mut parts = members("allOf").chain(single.flatten());
        property.get(self.optional_flag) == Some(&Value::Bool(true))
            || (depth < MAX_COMBINATION_DEPTH
                && parts.any(|part| self.is_optional(part, depth + 1)))
    }
}

/// Whether a schema is one for `null` alone, which makes the choice around it nullable.
fn is_only_null(schema: &Value, is_newer: bool) -> bool {
    const HARMLESS: [&str; 5] = ["type", "enum", "nullable", "title", "description"];
    let Value::Object(members) = schema else {
        return false;
    };
    // In 3.1 another type excludes it.
    let has_other_type =
        is_newer && schema.get("type").is_some() && schema.get("nullable").is_none();
    let lists_null = schema.get("enum") == Some(&json!([null])) && !has_other_type;
    let is_null = lists_null || schema.get("type") == Some(&json!("null"));
    is_null && members.keys().all(|key| HARMLESS.contains(&key.as_str()))
}
