//! Converts schemas with all that they refer to: one, one up to a size, or several that share what they refer to.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use super::{Converter, DRAFT_2020_12, Definition, Direction, SchemaError, resolve_target};
use crate::in_place::InPlace;
use crate::reference::reference_of;

/// Converts an OpenAPI schema to JSON Schema: of draft 4, or 2020-12 if the document is of OpenAPI 3.1 or later. References of
/// the result point into its own `definitions`.
///
/// # Errors
///
/// [`SchemaError`] for the first reference that cannot be resolved.
pub fn to_json_schema(
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Result<Value, SchemaError> {
    let bounds = SchemaBounds {
        characters: usize::MAX,
        depth: usize::MAX,
    };
    let whole = to_json_schema_within(document, schema, direction, bounds)?;
    Ok(whole.schema)
}

/// How much of a schema is converted, which may lead to the whole document.
#[derive(Clone, Copy, Debug)]
pub struct SchemaBounds {
    /// The most characters of what it refers to.
    pub characters: usize,
    /// The most steps into a value, from an object or a list to what it holds. Schemas of deeper values accept anything.
    pub depth: usize,
}

/// A schema that was converted within bounds.
#[derive(Clone, Debug)]
pub struct PartOfSchema {
    /// The JSON Schema.
    pub schema: Value,
    /// Whether nothing was left out.
    pub is_whole: bool,
}

/// As [`to_json_schema`], within bounds.
///
/// # Errors
///
/// As [`to_json_schema`], and for what has more characters. It is not converted to its end then.
pub fn to_json_schema_within(
    document: &Value,
    schema: &Value,
    direction: Direction,
    bounds: SchemaBounds,
) -> Result<PartOfSchema, SchemaError> {
    let mut converter = Converter::new(document, direction);
    converter.deepest = bounds.depth;
    let mut converted = converter.convert_root(schema)?;
    converter.finish(&mut converted, bounds.characters)?;
    Ok(PartOfSchema {
        schema: converted,
        is_whole: converter.is_whole,
    })
}

/// The JSON Schema of an object that has a list of values of each schema, under the number of the schema.
#[cfg(feature = "validator")]
pub(crate) fn to_json_schema_of_lists<'d>(
    document: &'d Value,
    schemas: impl Iterator<Item = &'d Value>,
    direction: Direction,
) -> Result<Value, SchemaError> {
    let mut converter = Converter::new(document, direction);
    let mut lists = Map::new();
    for (number, schema) in schemas.enumerate() {
        let items = converter.convert_root(schema)?;
        lists.insert(number.to_string(), json!({ "items": items }));
    }
    let mut root = json!({ "properties": lists });
    converter.finish(&mut root, usize::MAX)?;
    Ok(root)
}

impl<'d> Converter<'d> {
    fn new(document: &'d Value, direction: Direction) -> Converter<'d> {
        let version = document.get("openapi").and_then(Value::as_str);
        let is_newer = version
            .is_some_and(|version| ["3.1.", "3.2."].iter().any(|it| version.starts_with(it)));
        Converter {
            document,
            is_newer,
            optional_flag: match direction {
                Direction::Request => "readOnly",
                Direction::Response => "writeOnly",
            },
            targets: BTreeMap::new(),
            pending: BTreeSet::new(),
            depth: 0,
            deepest: usize::MAX,
            is_whole: true,
            in_place: InPlace::new(document),
            definition: None,
        }
    }

    /// Converts a schema to which no other one refers here.
    fn convert_root(&mut self, schema: &'d Value) -> Result<Value, SchemaError> {
        self.definition = reference_of(schema).map(|reference| Definition {
            reference,
            cut: false,
        });
        let schema = resolve_target(self.document, schema)?;
        self.convert(schema, &BTreeSet::new())
    }

    /// Adds the definitions to which a converted schema refers.
    fn finish(&mut self, root: &mut Value, most: usize) -> Result<(), SchemaError> {
        let mut definitions = Map::new();
        let mut length = 0;
        while let Some((depth, definition)) = self.pending.pop_first() {
            self.depth = depth;
            self.definition = Some(definition);
            let target = &self.targets[&definition];
            let (key, schema) = (target.key.clone(), target.schema);
            let converted = self.convert(schema, &BTreeSet::new())?;
            if most < usize::MAX {
                length += converted.to_string().len();
            }
            if length > most {
                return Err(SchemaError(format!("larger than {most} characters")));
            }
            definitions.insert(key, converted);
        }
        if let Value::Object(members) = root {
            if self.is_newer {
                members.insert("$schema".to_owned(), DRAFT_2020_12.into());
            }
            if !definitions.is_empty() {
                members.insert("definitions".to_owned(), Value::Object(definitions));
            }
        }
        Ok(())
    }
}
