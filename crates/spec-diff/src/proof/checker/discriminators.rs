//! Discriminators: which schema the value of a property selects. JSON Schema does not read them.

use serde_json::Value;
use spec_schema::pointer::join;
use spec_schema::{Direction, resolve};

use super::Checker;

/// The depth to which values are searched for tags.
const DEEPEST: usize = 8;

/// A discriminator with what its values select.
struct Tagged<'d> {
    property: &'d str,
    options: Vec<(String, &'d Value)>,
}

impl Checker {
    /// Where a value has a tag that selects no schema, or one that does not accept it: the pointer, and why.
    pub(super) fn check_tags(
        &self,
        schema: &Value,
        value: &Value,
        direction: Direction,
    ) -> Vec<(String, String)> {
        let mut found = Vec::new();
        self.visit(
            schema,
            value,
            (direction, "", DEEPEST),
            &mut |pointer, tagged, value| {
                let Some(tag) = value.get(tagged.property).and_then(Value::as_str) else {
                    let reason = format!("the discriminator `{}` is missing", tagged.property);
                    found.push((pointer.to_owned(), reason));
                    return;
                };
                let selected = tagged.options.iter().find(|(own, _)| own == tag);
                let at_tag = join(pointer, tagged.property);
                match selected {
                    None => found.push((at_tag, format!("`{tag}` selects no schema"))),
                    Some((_, schema)) => {
                        let validator = self.validator(schema, direction);
                        if validator.is_some_and(|it| !it.is_valid(value)) {
                            let reason =
                                format!("the schema that `{tag}` selects does not accept it");
                            found.push((pointer.to_owned(), reason));
                        }
                    }
                }
            },
        );
        found
    }

    /// The same value with each of the tags, at each place that has a discriminator.
    pub(in crate::proof) fn with_tags(&self, schema: &Value, value: &Value) -> Vec<Value> {
        let mut found = Vec::new();
        let at = (Direction::Request, "", DEEPEST);
        self.visit(schema, value, at, &mut |pointer, tagged, _| {
            for (tag, _) in &tagged.options {
                let mut changed = value.clone();
                let object = changed.pointer_mut(pointer).and_then(Value::as_object_mut);
                if let Some(object) = object {
                    object.insert(tagged.property.to_owned(), Value::from(tag.as_str()));
                    found.push(changed);
                }
            }
        });
        found
    }

    /// Visits the objects of a value that a discriminator is about.
    fn visit(
        &self,
        schema: &Value,
        value: &Value,
        (direction, pointer, depth): (Direction, &str, usize),
        take: &mut dyn FnMut(&str, &Tagged<'_>, &Value),
    ) {
        let Some(schema) = resolve(&self.document, schema).filter(|_| depth > 0) else {
            return;
        };
        let mut go = |schema: &Value, value: &Value, pointer: &str| {
            self.visit(schema, value, (direction, pointer, depth - 1), take);
        };
        for part in schema["allOf"].as_array().into_iter().flatten() {
            go(part, value, pointer);
        }
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if let Some(value) = value.get(name) {
                go(property, value, &join(pointer, name));
            }
        }
        if let (Some(items), Some(values)) = (schema.get("items"), value.as_array()) {
            for (index, value) in values.iter().enumerate() {
                go(items, value, &join(pointer, &index.to_string()));
            }
        }
        if let Some(tagged) = self.tagged(schema).filter(|_| value.is_object()) {
            take(pointer, &tagged, value);
        }
    }

    /// The discriminator of a union.
    fn tagged<'d>(&'d self, schema: &'d Value) -> Option<Tagged<'d>> {
        let property = schema["discriminator"]["propertyName"].as_str()?;
        let members = schema.get("oneOf").or(schema.get("anyOf"))?.as_array()?;
        let mut options: Vec<(String, &'d Value)> = Vec::new();
        let mapping = schema["discriminator"]["mapping"].as_object();
        let references = members.iter().map(|it| it["$ref"].as_str());
        // Only schemas with a name can be selected.
        let references: Vec<&str> = references.collect::<Option<_>>()?;
        let schema_of = |reference: &str| {
            let index = references.iter().position(|it| *it == reference)?;
            Some(self.resolve(&members[index]))
        };
        for (tag, target) in mapping.into_iter().flatten() {
            let target = target.as_str()?;
            let by_name = format!("#/components/schemas/{target}");
            let schema = schema_of(target).or_else(|| schema_of(&by_name))?;
            options.push((tag.clone(), schema));
        }
        for reference in &references {
            let name = reference.rsplit('/').next()?;
            if !options.iter().any(|(tag, _)| tag == name) {
                options.push((name.to_owned(), schema_of(reference)?));
            }
        }
        Some(Tagged { property, options })
    }
}
