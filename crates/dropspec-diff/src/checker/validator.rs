//! A validator of a schema, which may refer to the whole document. Nearly all values have few levels. So the schemas of deeper
//! values are compiled only when a value is as deep: where all schemas refer to each other, each would be compiled with all others.

use std::cell::OnceCell;
use std::rc::Rc;

use dropspec_schema::{
    Direction, SchemaBounds, ValidationError, Validator, build_validator, to_json_schema_within,
};
use serde_json::Value;

use super::work;

/// The most levels of a value that the flat schema checks; deeper values need the whole one.
const FLAT_LEVELS: usize = 8;
/// Larger schemas, in characters, are not checked.
const LARGEST_SCHEMA: usize = 100_000;
/// A schema whose validator takes more work, in visits to a schema for each value, is not checked.
const MOST_WORK: u64 = 20_000;

/// Checks values by a schema.
pub(crate) struct SchemaValidator {
    document: Rc<Value>,
    schema: Value,
    direction: Direction,
    /// Checks values of at most [`FLAT_LEVELS`] levels.
    flat: Validator,
    /// Whether `flat` has the whole schema, and so checks all values.
    is_flat_whole: bool,
    /// Checks all values; compiled for the first deep one. None if it is too large.
    whole: OnceCell<Option<Validator>>,
}

impl SchemaValidator {
    /// None if the schema is too large, or wrong.
    pub(super) fn new(
        document: Rc<Value>,
        schema: &Value,
        direction: Direction,
    ) -> Option<SchemaValidator> {
        let (flat, is_flat_whole) = build(&document, schema, direction, FLAT_LEVELS)?;
        Some(SchemaValidator {
            document,
            schema: schema.clone(),
            direction,
            flat,
            whole: OnceCell::new(),
            is_flat_whole,
        })
    }

    /// Whether a value is valid. None if that is not known, as the schema is too large for a value so deep.
    pub(crate) fn is_valid(&self, value: &Value) -> Option<bool> {
        Some(self.validator_for(value)?.is_valid(value))
    }

    /// What is wrong with a value, as far as that is known.
    pub(crate) fn errors<'v>(
        &'v self,
        value: &'v Value,
    ) -> impl Iterator<Item = ValidationError<'v>> {
        let validator = self.validator_for(value).into_iter();
        validator.flat_map(|validator| validator.iter_errors(value))
    }

    fn validator_for(&self, value: &Value) -> Option<&Validator> {
        if self.is_flat_whole || !is_deeper(value, FLAT_LEVELS) {
            return Some(&self.flat);
        }
        let whole = self.whole.get_or_init(|| {
            let built = build(&self.document, &self.schema, self.direction, usize::MAX);
            built.map(|(validator, _)| validator)
        });
        whole.as_ref()
    }
}

/// The validator of a schema for some values. None if it is too large.
pub(crate) fn build_for(
    values: &[Value],
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Option<Validator> {
    let has_deep = values.iter().any(|value| is_deeper(value, FLAT_LEVELS));
    let depth = if has_deep { usize::MAX } else { FLAT_LEVELS };
    build(document, schema, direction, depth).map(|(validator, _)| validator)
}

/// The validator of a schema for values of a depth, and whether it is one for all values.
fn build(
    document: &Value,
    schema: &Value,
    direction: Direction,
    depth: usize,
) -> Option<(Validator, bool)> {
    let bounds = SchemaBounds {
        characters: LARGEST_SCHEMA,
        depth,
    };
    let part = to_json_schema_within(document, schema, direction, bounds).ok()?;
    let is_small = part.schema.to_string().len() <= LARGEST_SCHEMA;
    let is_quick = is_small && work::estimate(&part.schema) <= MOST_WORK;
    let validator = is_quick.then(|| build_validator(&part.schema).ok())??;
    Some((validator, part.is_whole))
}

/// Whether a value has more levels of objects and lists than `depth`.
fn is_deeper(value: &Value, depth: usize) -> bool {
    let is_inside = |value| depth == 0 || is_deeper(value, depth - 1);
    match value {
        Value::Array(items) => items.iter().any(is_inside),
        Value::Object(members) => members.values().any(is_inside),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// A value of objects within objects.
    fn nested(depth: usize, innermost: Value) -> Value {
        (0..depth).fold(innermost, |value, _| json!({ "next": value }))
    }

    #[test]
    fn deep_values_are_checked_as_flat_ones() {
        let object =
            |next: &str| json!({ "type": "object", "properties": { "next": { "$ref": next } } });
        let mut document = json!({ "S20": { "type": "string", "not": { "enum": ["no"] } } });
        for level in 0..20 {
            document[format!("S{level}")] = object(&format!("#/S{}", level + 1));
        }
        let document = Rc::new(document);
        for start in [0, 10, 11, 12, 19] {
            let schema = json!({ "$ref": format!("#/S{start}") });
            let validator =
                SchemaValidator::new(Rc::clone(&document), &schema, Direction::Request).unwrap();
            for (innermost, expected) in
                [(json!("a"), true), (json!("no"), false), (json!(1), false)]
            {
                let value = nested(20 - start, innermost);
                assert_eq!(
                    validator.is_valid(&value),
                    Some(expected),
                    "{start}: {value}"
                );
                assert_eq!(validator.errors(&value).next().is_none(), expected);
            }
            assert_eq!(validator.is_valid(&json!({})), Some(true));
            let has_built = validator.whole.get().is_some();
            assert_eq!(has_built, 20 - start > FLAT_LEVELS, "{start}");
        }
    }
}
