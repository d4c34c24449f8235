//! Converts an OpenAPI 3.0 schema to JSON Schema draft 4, together with the definitions that it refers to. A schema of
//! OpenAPI 3.1 in the terms of 3.0, with the keywords that 3.0 lacks, is converted to JSON Schema 2020-12.
//! Keywords that only describe (`example`, `xml`, `title`, …) are dropped. The discriminator of a union validates nothing, but
//! tells which alternative a value is meant for: it becomes `discriminator: {property, values}`, with the values of each
//! alternative.

mod discriminator;
mod keywords;
mod optional;
mod whole;

use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

use serde_json::{Map, Value, json};

pub use self::keywords::{EXCLUSIVE_BOUNDS, integer_range};
use self::keywords::{add_null_type, allow_null, convert_bounds};
#[cfg(feature = "validator")]
pub(crate) use self::whole::to_json_schema_of_lists;
pub use self::whole::{PartOfSchema, SchemaBounds, to_json_schema, to_json_schema_within};
use crate::in_place::InPlace;
use crate::reference::{reference_of, resolve};

/// Whether a schema describes requests or responses. Requests may omit required properties that are `readOnly`;
/// responses may omit those that are `writeOnly`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// From client to server.
    Request,
    /// From server to client.
    Response,
}

/// Why an OpenAPI schema cannot be compiled to a validator: the target of a `$ref` does not exist, is in another document or
/// part of a cycle, or a keyword is not valid, such as a `pattern` that is no regular expression.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct SchemaError(pub(crate) String);

/// What the value of a keyword holds.
#[derive(Clone, Copy, PartialEq)]
enum KeywordValue {
    /// A value that means the same in OpenAPI and in JSON Schema.
    Plain,
    /// A length or a number of items or members.
    Count,
    /// The names of required properties.
    RequiredNames,
    /// The names of required properties, by the name of the property beside which they are.
    RequiredNamesByName,
    /// A schema, or a list of schemas, for parts of the value.
    ChildSchemas,
    /// Schemas by name or pattern, for parts of the value.
    ChildSchemasByName,
    /// A schema, or a list of schemas, for the same value.
    InPlaceSchemas,
    /// Schemas by name, for the same value.
    InPlaceSchemasByName,
}

/// The keywords of OpenAPI 3.0, except those that [`keywords`] converts.
#[rustfmt::skip]
const KEYWORDS: [(&[&str], KeywordValue); 6] = [
    (&["enum", "format", "pattern", "uniqueItems", "multipleOf", "minimum", "maximum", "type"], KeywordValue::Plain),
    (&["minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"], KeywordValue::Count),
    (&["properties"], KeywordValue::ChildSchemasByName),
    (&["required"], KeywordValue::RequiredNames),
    (&["additionalProperties", "items", "not"], KeywordValue::ChildSchemas),
    (&["allOf", "anyOf", "oneOf"], KeywordValue::InPlaceSchemas),
];
/// The keywords that OpenAPI 3.1 adds.
#[rustfmt::skip]
const NEWER_KEYWORDS: [(&[&str], KeywordValue); 6] = [
    (&["minContains", "maxContains"], KeywordValue::Count),
    (&["dependentRequired"], KeywordValue::RequiredNamesByName),
    (&["contains", "propertyNames", "unevaluatedItems", "unevaluatedProperties", "prefixItems"], KeywordValue::ChildSchemas),
    (&["patternProperties"], KeywordValue::ChildSchemasByName),
    (&["if", "then", "else"], KeywordValue::InPlaceSchemas),
    (&["dependentSchemas"], KeywordValue::InPlaceSchemasByName),
];
/// The dialect to which schemas of OpenAPI 3.1 are converted.
pub(crate) const DRAFT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

struct Converter<'d> {
    document: &'d Value,
    is_newer: bool,
    /// The flag of properties that messages in this direction may omit.
    optional_flag: &'static str,
    /// What references lead to.
    targets: BTreeMap<Definition<'d>, Target<'d>>,
    /// Definitions that are referred to but not yet converted, the least deep ones first.
    pending: BTreeSet<(usize, Definition<'d>)>,
    /// How deep inside a value the values of the schema are that is being converted.
    depth: usize,
    /// Schemas of deeper values are left out.
    deepest: usize,
    is_whole: bool,
    in_place: InPlace<'d>,
    /// The definition that is being converted, unless the schema is for a value inside its own.
    definition: Option<Definition<'d>>,
}

/// A schema that others refer to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Definition<'d> {
    reference: &'d str,
    /// Without the schemas that lead back to it for the same value.
    cut: bool,
}

struct Target<'d> {
    /// The key in `definitions`.
    key: String,
    schema: &'d Value,
    /// The least depth at which it is referred to.
    depth: usize,
}

impl<'d> Converter<'d> {
    /// Converts one schema. `optional`: properties that may be omitted although required, by an enclosing schema.
    fn convert(
        &mut self,
        schema: &'d Value,
        optional: &BTreeSet<&'d str>,
    ) -> Result<Value, SchemaError> {
        if let Some(reference) = reference_of(schema) {
            let definition = Definition {
                reference,
                cut: false,
            };
            return self.convert_reference(definition, schema);
        }
        let Value::Object(source) = schema else {
            // OpenAPI 3.0 has no boolean schemas, except in `additionalProperties`.
            return Ok(json!({}));
        };
        let mut optional = optional.clone();
        self.collect_optional(schema, 0, &mut optional);

        let mut target = Map::new();
        let newer: &[_] = if self.is_newer { &NEWER_KEYWORDS } else { &[] };
        for (keywords, holds) in KEYWORDS.iter().chain(newer) {
            for keyword in *keywords {
                if let Some(value) = source.get(*keyword) {
                    let converted = self.convert_keyword(keyword, *holds, value, &optional)?;
                    target.extend(converted.map(|value| ((*keyword).to_owned(), value)));
                }
            }
        }
        convert_bounds(source, &mut target, self.is_newer);
        let discriminator = discriminator::convert(source, &target);
        target.extend(discriminator.map(|value| ("discriminator".to_owned(), value)));
        if target.get("enum") == Some(&json!([null])) && !self.is_newer {
            // The schema of null, as OpenAPI 3.0 has no type for it; dropshot writes it as a string.
            target.shift_remove("type");
        }
        Ok(match source.get("nullable") {
            // In 3.1 it comes from a list of types, and what is beside it has a say, too.
            Some(Value::Bool(true)) if self.is_newer => add_null_type(target),
            Some(Value::Bool(true)) => allow_null(target),
            _ => Value::Object(target),
        })
    }

    /// Converts a schema of a combination, which is for the same value. `None` if the combination is left out, since the
    /// schema leads back to the one that is being converted.
    fn convert_in_place(
        &mut self,
        keyword: &str,
        schema: &'d Value,
        optional: &BTreeSet<&'d str>,
    ) -> Result<Option<Value>, SchemaError> {
        let circle = reference_of(schema)
            .zip(self.definition)
            .filter(|(reference, own)| {
                *reference == own.reference || self.in_place.leads_to(reference, own.reference)
            });
        let Some((reference, own)) = circle else {
            return self.convert(schema, optional).map(Some);
        };
        if own.cut || reference == own.reference {
            let anything = (keyword == "allOf").then(|| json!({}));
            return Ok(anything);
        }
        let cut = keyword == "allOf" || self.in_place.has_circular_union(reference);
        let definition = Definition { reference, cut };
        self.convert_reference(definition, schema).map(Some)
    }

    /// Converts a schema for a value inside.
    fn convert_inside(&mut self, keyword: &str, schema: &'d Value) -> Result<Value, SchemaError> {
        // What `not` forbids is the same value.
        let step = usize::from(keyword != "not");
        if self.depth + step > self.deepest {
            self.is_whole = false;
            return Ok(json!({}));
        }
        self.depth += step;
        let definition = self.definition.take();
        let converted = self.convert(schema, &BTreeSet::new());
        self.definition = definition;
        self.depth -= step;
        converted
    }

    fn convert_reference(
        &mut self,
        definition: Definition<'d>,
        schema: &'d Value,
    ) -> Result<Value, SchemaError> {
        let number = self.targets.len();
        let target = match self.targets.entry(definition) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(free) => free.insert(Target {
                key: number.to_string(),
                schema: resolve_target(self.document, schema)?,
                depth: usize::MAX,
            }),
        };
        if self.depth < target.depth {
            self.pending.remove(&(target.depth, definition));
            self.pending.insert((self.depth, definition));
            target.depth = self.depth;
        }
        Ok(json!({ "$ref": format!("#/definitions/{}", target.key) }))
    }

    /// Converts the value of a keyword. `None` if the keyword is left out.
    fn convert_keyword(
        &mut self,
        keyword: &str,
        holds: KeywordValue,
        value: &'d Value,
        optional: &BTreeSet<&'d str>,
    ) -> Result<Option<Value>, SchemaError> {
        let mut each = |schema: &'d Value| match holds {
            KeywordValue::InPlaceSchemas | KeywordValue::InPlaceSchemasByName => {
                self.convert_in_place(keyword, schema, optional)
            }
            _ => self.convert_inside(keyword, schema).map(Some),
        };
        match (holds, value) {
            (KeywordValue::Plain, _) => Ok(Some(value.clone())),
            (KeywordValue::Count, _) => Ok(Some(as_integer(value))),
            (KeywordValue::RequiredNames, _) => Ok(required_names(value, optional)),
            (KeywordValue::RequiredNamesByName, Value::Object(lists)) => {
                let lists = lists.iter().filter_map(|(name, list)| {
                    let list = required_names(list, &BTreeSet::new());
                    list.map(|list| (name.clone(), list))
                });
                Ok(Some(Value::Object(lists.collect())))
            }
            (
                KeywordValue::ChildSchemasByName | KeywordValue::InPlaceSchemasByName,
                Value::Object(schemas),
            ) => {
                let mut converted = Map::new();
                for (name, schema) in schemas {
                    let schema = each(schema)?;
                    converted.extend(schema.map(|schema| (name.clone(), schema)));
                }
                Ok(Some(Value::Object(converted)))
            }
            (_, Value::Array(schemas)) => {
                let converted: Result<Option<Vec<_>>, _> = schemas.iter().map(each).collect();
                Ok(converted?.map(Value::Array))
            }
            (_, Value::Bool(_)) if keyword == "additionalProperties" => Ok(Some(value.clone())),
            _ => each(value),
        }
    }
}

/// What a schema refers to, or the schema itself.
fn resolve_target<'d>(document: &'d Value, schema: &'d Value) -> Result<&'d Value, SchemaError> {
    resolve(document, schema).ok_or_else(|| {
        let reference = reference_of(schema).unwrap_or_default();
        SchemaError(format!("cannot resolve the reference `{reference}`"))
    })
}

/// A count as JSON Schema of draft 4 has it. In JSON, 10.0 and 1e1 are the integer 10.
fn as_integer(count: &Value) -> Value {
    let written = count.as_f64().filter(|_| count.is_f64());
    let whole = written.filter(|it| it.fract() == 0.0 && *it >= 0.0);
    whole.map_or_else(|| count.clone(), |it| json!(it as u64))
}

/// The names of properties that messages must have. Draft 4 allows neither an empty `required` nor a name twice.
fn required_names(required: &Value, optional: &BTreeSet<&str>) -> Option<Value> {
    let mut names: Vec<Value> = Vec::new();
    for name in required.as_array()? {
        let is_required = name.as_str().is_some_and(|name| !optional.contains(name));
        if is_required && !names.contains(name) {
            names.push(name.clone());
        }
    }
    (!names.is_empty()).then_some(Value::Array(names))
}
