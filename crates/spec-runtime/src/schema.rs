//! The document's own schemas as schemars schemas, so that the document dropshot emits from the trait says
//! what the hand-written one says. Derived schemas could not: every `i64` would gain a format.

use schemars::r#gen::SchemaGenerator;
use schemars::schema::{Metadata, Schema, SchemaObject, SubschemaValidation};
use serde_json::Value;

use crate::document::Document;
use crate::parameters;
use crate::rejection::Location;

mod convert;
mod macros;

/// Definitions of the document live here; dropshot's generator uses the same place.
const DEFINITIONS: &str = "#/components/schemas/";

/// The schema at a pointer. The definitions that it reaches are registered with the generator.
///
/// # Panics
///
/// If the document has no schema there, or one that schemars cannot hold: the generated code does
/// not belong to the document.
#[must_use]
pub fn schema_at(document: &Document, pointer: &str, generator: &mut SchemaGenerator) -> Schema {
    let value = document.find(pointer).unwrap_or_else(|| missing(pointer));
    register(document, value, generator);
    convert::schema(value, pointer)
}

/// The name of the schema at a pointer, which is the pointer's last segment.
#[must_use]
pub fn name_at(pointer: &str) -> String {
    let last = spec_schema::pointer::tokens(pointer).and_then(|mut segments| segments.pop());
    last.unwrap_or_default()
}

/// The parameters that an operation has in one location, as an object schema with a property for each.
///
/// # Panics
///
/// As [`schema_at`].
#[must_use]
pub fn parameters_at(
    document: &Document,
    pointer: &str,
    location: Location,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut object = SchemaObject {
        instance_type: Some(schemars::schema::InstanceType::Object.into()),
        ..SchemaObject::default()
    };
    let declared = parameters::declared(document, pointer).unwrap_or_else(|| missing(pointer));
    for (place, parameter) in declared {
        if parameters::location(parameter) == Some(location) {
            let name = parameter["name"]
                .as_str()
                .unwrap_or_else(|| missing(&place));
            add_member(document, &mut object, name, parameter, generator);
        }
    }
    object.into()
}

/// The headers of a response that the implementation supplies, as an object schema. Those marked
/// `x-supplied-by: gate` are left out.
///
/// # Panics
///
/// As [`schema_at`].
#[must_use]
pub fn response_headers_at(
    document: &Document,
    pointer: &str,
    generator: &mut SchemaGenerator,
) -> Schema {
    let mut object = SchemaObject {
        instance_type: Some(schemars::schema::InstanceType::Object.into()),
        ..SchemaObject::default()
    };
    let response = document.find(pointer).unwrap_or_else(|| missing(pointer));
    let headers = response.get("headers").and_then(Value::as_object);
    for (name, header) in headers.into_iter().flatten() {
        let header = document.resolve(header).unwrap_or_else(|| missing(pointer));
        let by_gate = header.get("x-supplied-by").and_then(Value::as_str) == Some("gate");
        if !by_gate && !name.eq_ignore_ascii_case("content-type") {
            add_member(document, &mut object, name, header, generator);
        }
    }
    object.into()
}

/// Adds a parameter or header as a property. Its schema is wrapped: dropshot takes the description off the
/// wrapper, and would take the schema's own default with it if there were none.
fn add_member(
    document: &Document,
    object: &mut SchemaObject,
    name: &str,
    member: &Value,
    generator: &mut SchemaGenerator,
) {
    let schema = member.get("schema").unwrap_or_else(|| missing(name));
    register(document, schema, generator);
    let description = member.get("description").and_then(Value::as_str);
    let described = Schema::Object(SchemaObject {
        metadata: Some(Box::new(Metadata {
            description: description.map(str::to_owned),
            ..Metadata::default()
        })),
        subschemas: Some(Box::new(SubschemaValidation {
            all_of: Some(vec![convert::schema(schema, name)]),
            ..SubschemaValidation::default()
        })),
        ..SchemaObject::default()
    });
    let validation = object.object();
    validation.properties.insert(name.to_owned(), described);
    if member.get("required") == Some(&Value::Bool(true)) {
        validation.required.insert(name.to_owned());
    }
}

/// Registers every definition that a schema reaches, under the document's name for it.
fn register(document: &Document, value: &Value, generator: &mut SchemaGenerator) {
    match value {
        Value::Object(members) => {
            if let Some(name) =
                spec_schema::reference_of(value).and_then(|r| r.strip_prefix(DEFINITIONS))
            {
                let name = spec_schema::pointer::tokens(&format!("/{name}"))
                    .and_then(|mut segments| segments.pop())
                    .unwrap_or_default();
                define(document, name, generator);
            }
            for member in members.values() {
                register(document, member, generator);
            }
        }
        Value::Array(items) => {
            for item in items {
                register(document, item, generator);
            }
        }
        _ => {}
    }
}

fn define(document: &Document, name: String, generator: &mut SchemaGenerator) {
    if generator.definitions().contains_key(&name) {
        return;
    }
    let pointer = format!(
        "/components/schemas/{}",
        spec_schema::pointer::escape(&name)
    );
    let value = document.find(&pointer).unwrap_or_else(|| missing(&pointer));
    // The definition stands before what it reaches is looked at, so that circles end.
    let schema = convert::schema(value, &pointer);
    generator.definitions_mut().insert(name, schema);
    register(document, value, generator);
}

fn missing(pointer: &str) -> ! {
    panic!(
        "the compiled-in OpenAPI document has nothing usable at {pointer}; generate the code again"
    )
}
