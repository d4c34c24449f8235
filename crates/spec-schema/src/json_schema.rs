//! Converts an OpenAPI 3.0 schema to JSON Schema draft 4, together with the definitions that it refers to. A schema of
//! OpenAPI 3.1 in the terms of 3.0, with the keywords that 3.0 lacks, is converted to JSON Schema 2020-12.
//! Keywords that only describe (`example`, `xml`, `discriminator`, `title`, …) are dropped.

mod keywords;
mod newer;
mod optional;

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value, json};

use self::keywords::{
    EXCLUSIVE_FLAGS, add_integer_bounds, add_null_type, allow_null, write_exclusive_bounds,
};
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

/// The error that a `$ref` has no target: it does not exist, is in another document, or is part of a cycle.
#[derive(Debug, thiserror::Error)]
#[error("cannot resolve the reference `{reference}`")]
pub struct UnresolvedReference {
    /// The text of the `$ref`.
    pub reference: String,
}

/// Keywords that are copied as they are: they mean the same in OpenAPI 3.0 and in JSON Schema draft 4.
const COPIED_KEYWORDS: [&str; 14] = [
    "enum",
    "format",
    "pattern",
    "minLength",
    "maxLength",
    "minItems",
    "maxItems",
    "uniqueItems",
    "minProperties",
    "maxProperties",
    "multipleOf",
    "minimum",
    "maximum",
    "type",
];
/// The dialect to which schemas of OpenAPI 3.1 are converted.
pub(crate) const DRAFT_2020_12: &str = "https://json-schema.org/draft/2020-12/schema";

/// Converts an OpenAPI schema to JSON Schema: of draft 4, or 2020-12 if the document is of OpenAPI 3.1. References of the result point into its own `definitions`.
///
/// # Errors
///
/// [`UnresolvedReference`] for the first reference that cannot be resolved.
pub fn to_json_schema(
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Result<Value, UnresolvedReference> {
    let version = document.get("openapi").and_then(Value::as_str);
    let is_newer = version.is_some_and(|version| version.starts_with("3.1."));
    let mut converter = Converter {
        document,
        is_newer,
        optional_flag: match direction {
            Direction::Request => "readOnly",
            Direction::Response => "writeOnly",
        },
        keys: BTreeMap::new(),
        pending: Vec::new(),
        in_place: InPlace::new(document),
        definition: None,
    };
    converter.definition = reference_of(schema).map(|reference| Definition {
        reference,
        cut: false,
    });
    let schema = converter.resolve(schema)?;
    let mut root = converter.convert(schema, &BTreeSet::new())?;
    let mut definitions = Map::new();
    while let Some((key, definition, target)) = converter.pending.pop() {
        converter.definition = Some(definition);
        definitions.insert(key, converter.convert(target, &BTreeSet::new())?);
    }
    if let Value::Object(members) = &mut root
        && is_newer
    {
        members.insert("$schema".to_owned(), DRAFT_2020_12.into());
    }
    if let Value::Object(members) = &mut root
        && !definitions.is_empty()
    {
        members.insert("definitions".to_owned(), Value::Object(definitions));
    }
    Ok(root)
}

struct Converter<'d> {
    document: &'d Value,
    is_newer: bool,
    /// The flag of properties that messages in this direction may omit.
    optional_flag: &'static str,
    /// The key in `definitions` for each reference.
    keys: BTreeMap<Definition<'d>, String>,
    /// Definitions that are referred to but not yet converted.
    pending: Vec<(String, Definition<'d>, &'d Value)>,
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

impl<'d> Converter<'d> {
    fn resolve(&self, schema: &'d Value) -> Result<&'d Value, UnresolvedReference> {
        resolve(self.document, schema).ok_or_else(|| UnresolvedReference {
            reference: reference_of(schema).unwrap_or_default().to_owned(),
        })
    }

    /// Converts one schema. `optional`: properties that may be omitted although required, by an enclosing schema.
    fn convert(
        &mut self,
        schema: &'d Value,
        optional: &BTreeSet<&'d str>,
    ) -> Result<Value, UnresolvedReference> {
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
        for keyword in COPIED_KEYWORDS {
            if let Some(value) = source.get(keyword) {
                target.insert(keyword.to_owned(), value.clone());
            }
        }
        for (flag, bound) in EXCLUSIVE_FLAGS {
            if source.contains_key(bound)
                && let Some(value @ Value::Bool(_)) = source.get(flag)
            {
                target.insert(flag.to_owned(), value.clone());
            }
        }
        add_integer_bounds(&mut target);
        let definition = self.definition.take();
        self.convert_object_keywords(source, &mut target, &optional)?;
        for keyword in ["items", "not"] {
            if let Some(value) = source.get(keyword) {
                target.insert(keyword.to_owned(), self.convert(value, &BTreeSet::new())?);
            }
        }
        if self.is_newer {
            self.convert_newer_keywords(source, &mut target)?;
        }
        self.definition = definition;
        if self.is_newer {
            self.convert_newer_in_place(source, &mut target, &optional)?;
        }
        for keyword in ["allOf", "anyOf", "oneOf"] {
            if let Some(Value::Array(schemas)) = source.get(keyword) {
                let converted = schemas
                    .iter()
                    .map(|schema| self.convert_in_place(keyword, schema, &optional));
                let converted = converted.collect::<Result<Option<Vec<Value>>, _>>()?;
                if let Some(converted) = converted {
                    target.insert(keyword.to_owned(), Value::Array(converted));
                }
            }
        }
        if self.is_newer {
            write_exclusive_bounds(&mut target);
        }
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
    ) -> Result<Option<Value>, UnresolvedReference> {
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

    fn convert_reference(
        &mut self,
        definition: Definition<'d>,
        schema: &'d Value,
    ) -> Result<Value, UnresolvedReference> {
        let key = match self.keys.get(&definition) {
            Some(key) => key.clone(),
            None => {
                let key = self.keys.len().to_string();
                let target = self.resolve(schema)?;
                self.keys.insert(definition, key.clone());
                self.pending.push((key.clone(), definition, target));
                key
            }
        };
        Ok(json!({ "$ref": format!("#/definitions/{key}") }))
    }

    fn convert_object_keywords(
        &mut self,
        source: &'d Map<String, Value>,
        target: &mut Map<String, Value>,
        optional: &BTreeSet<&'d str>,
    ) -> Result<(), UnresolvedReference> {
        if let Some(Value::Object(properties)) = source.get("properties") {
            let mut converted = Map::new();
            for (name, property) in properties {
                converted.insert(name.clone(), self.convert(property, &BTreeSet::new())?);
            }
            target.insert("properties".to_owned(), Value::Object(converted));
        }
        if let Some(additional) = source.get("additionalProperties") {
            let additional = match additional {
                Value::Bool(_) => additional.clone(),
                schema => self.convert(schema, &BTreeSet::new())?,
            };
            target.insert("additionalProperties".to_owned(), additional);
        }
        if let Some(Value::Array(required)) = source.get("required") {
            let mut names: Vec<Value> = Vec::new();
            for name in required {
                let is_required = name.as_str().is_some_and(|name| !optional.contains(name));
                if is_required && !names.contains(name) {
                    names.push(name.clone());
                }
            }
            // Draft 4 does not allow an empty `required`.
            if !names.is_empty() {
                target.insert("required".to_owned(), Value::Array(names));
            }
        }
        Ok(())
    }
}
