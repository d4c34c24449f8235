//! Converts schemas of the document to schemars schemas, so that the document that dropshot emits equals the
//! hand-written one. Derived schemas would differ: every `i64` would gain a format, for example.

use dropspec_schema::{pointer, reference_of};
use schemars::r#gen::SchemaGenerator;
use schemars::schema::{InstanceType, Metadata, Schema, SchemaObject, SubschemaValidation};
use serde_json::{Map, Value};

use crate::document::Document;
use crate::parameters;
use crate::rejection::ParameterLocation;

mod convert;
mod macros;

/// The prefix of references to schemas, the same in the document and in dropshot's schema generator.
const DEFINITIONS: &str = "#/components/schemas/";

/// Converts the schema at a JSON pointer for dropshot. Registers the definitions that it refers to with the generator.
///
/// # Panics
///
/// If the document has no schema there, or one that schemars cannot represent: the generated code does not belong to
/// the document.
pub fn build_schema(document: &Document, pointer: &str, generator: &mut SchemaGenerator) -> Schema {
    describe(
        document,
        find_or_panic(document, pointer),
        pointer,
        generator,
    )
}

/// Converts a schema, and registers the definitions that it refers to.
fn describe(
    document: &Document,
    schema: &Value,
    pointer: &str,
    generator: &mut SchemaGenerator,
) -> Schema {
    let schema = inline_parts(document, schema);
    register_definitions(document, &schema, generator);
    convert::to_schemars(&schema, pointer)
}

/// Replaces references to schemas that are no components, which dropshot does not know, by their targets. These do not lead
/// back to themselves: the generator makes components of such.
fn inline_parts(document: &Document, value: &Value) -> Value {
    let reference = reference_of(value).filter(|reference| {
        let component = reference.strip_prefix(DEFINITIONS);
        reference.starts_with('#') && component.is_none_or(|name| name.contains('/'))
    });
    if let Some(target) = reference.and_then(|_| document.resolve(value)) {
        return inline_parts(document, target);
    }
    match value {
        Value::Array(items) => items.iter().map(|it| inline_parts(document, it)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            members
                .map(|(key, value)| (key.clone(), inline_parts(document, value)))
                .collect()
        }
        other => other.clone(),
    }
}

/// The name of the schema at a JSON pointer: its last token.
pub fn schema_name(pointer: &str) -> String {
    let last = pointer::tokens(pointer).and_then(|mut tokens| tokens.pop());
    last.unwrap_or_default()
}

/// The title of the schema at a JSON pointer, or else the name of its type: dropshot emits it as the title of a body.
pub fn title(document: &Document, pointer: &str, name: &str) -> String {
    let title = document
        .find(pointer)
        .and_then(|schema| schema.get("title"));
    title.and_then(Value::as_str).unwrap_or(name).to_owned()
}

/// Builds an object schema with a property for each of the named parameters of one location (`in`) of the operation at a
/// JSON pointer.
///
/// # Panics
///
/// As [`build_schema`].
pub fn build_parameter_schema(
    document: &Document,
    pointer: &str,
    location: ParameterLocation,
    names: &[&'static str],
    generator: &mut SchemaGenerator,
) -> Schema {
    let declared = parameters::find_parameters(document, pointer);
    let declared = declared.unwrap_or_else(|| panic_without_definition(pointer));
    let named = names.iter().map(|name| {
        let mut declared = declared.iter();
        let found = declared.find(|it| it.location == location && it.name == *name);
        let parameter = found.unwrap_or_else(|| panic_without_definition(pointer));
        (*name, parameter.definition)
    });
    let mut schema = build_object_schema(document, named, generator);
    let pagination = pointer::join(pointer, "x-dropshot-pagination");
    if location == ParameterLocation::Query
        && let Some(pagination) = document.find(&pagination)
        && let Schema::Object(object) = &mut schema
    {
        // dropshot copies this extension to the operation.
        let name = "x-dropshot-pagination-param".to_owned();
        object.extensions.insert(name, pagination.clone());
    }
    schema
}

/// Builds an object schema with a property for each of the named headers of the response at a JSON pointer.
///
/// # Panics
///
/// As [`build_schema`].
pub fn build_response_header_schema(
    document: &Document,
    pointer: &str,
    names: &[&'static str],
    generator: &mut SchemaGenerator,
) -> Schema {
    let headers = pointer::join(pointer, "headers");
    let named = names.iter().map(|name| {
        let header = find_or_panic(document, &pointer::join(&headers, name));
        (*name, header)
    });
    build_object_schema(document, named, generator)
}

/// An object schema with a property for each parameter or header. The schema of a property is wrapped in `allOf`:
/// dropshot moves the description out of the wrapper; without one it would remove the schema's own default.
fn build_object_schema<'d>(
    document: &'d Document,
    definitions: impl Iterator<Item = (&'d str, &'d Value)>,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut object = SchemaObject {
        instance_type: Some(InstanceType::Object.into()),
        ..SchemaObject::default()
    };
    let validation = object.object();
    for (name, definition) in definitions {
        let schema = dropspec_schema::wire::schema_of(definition);
        let described = describe(document, schema, name, generator);
        let description = definition.get("description").and_then(Value::as_str);
        let wrapper = Schema::Object(SchemaObject {
            metadata: Some(Box::new(Metadata {
                description: description.map(str::to_owned),
                ..Metadata::default()
            })),
            subschemas: Some(Box::new(SubschemaValidation {
                all_of: Some(vec![described]),
                ..SubschemaValidation::default()
            })),
            ..SchemaObject::default()
        });
        validation.properties.insert(name.to_owned(), wrapper);
        if definition.get("required") == Some(&Value::Bool(true)) {
            validation.required.insert(name.to_owned());
        }
    }
    object.into()
}

/// Registers with dropshot's generator all definitions that a schema refers to, directly or not, by their names.
fn register_definitions(document: &Document, value: &Value, generator: &mut SchemaGenerator) {
    let reference = reference_of(value).filter(|reference| reference.starts_with(DEFINITIONS));
    if let Some(reference) = reference {
        let name = schema_name(&reference[1..]);
        if !generator.definitions().contains_key(&name) {
            let pointer = pointer::join(&DEFINITIONS[1..DEFINITIONS.len() - 1], &name);
            let definition = find_or_panic(document, &pointer);
            // Inserted before its own references are followed, so that cycles end.
            let definition = inline_parts(document, definition);
            let schema = convert::to_schemars(&definition, &pointer);
            generator.definitions_mut().insert(name, schema);
            register_definitions(document, &definition, generator);
        }
    }
    let items = value.as_array().into_iter().flatten();
    let members = value.as_object().into_iter().flat_map(Map::values);
    for child in items.chain(members) {
        register_definitions(document, child, generator);
    }
}

fn find_or_panic<'d>(document: &'d Document, pointer: &str) -> &'d Value {
    document
        .find(pointer)
        .unwrap_or_else(|| panic_without_definition(pointer))
}

fn panic_without_definition(pointer: &str) -> ! {
    panic!(
        "the compiled-in OpenAPI document has no definition at {pointer}; run the generator again"
    )
}
