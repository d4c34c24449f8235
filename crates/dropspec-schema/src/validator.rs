//! Compiles schemas into validators. Validated formats of strings: `byte`, `date`, `date-time`, `email`, `hostname`,
//! `ip`, `ipv4`, `ipv6`, `regex`, `time`, `uri`, `uuid`; other formats are not checked. Integers see
//! [`to_json_schema`].

use jsonschema::{ValidationOptions, Validator};
use serde_json::Value;

use crate::json_schema::{DRAFT_2020_12, Direction, SchemaError, to_json_schema};

/// Compiles an OpenAPI schema of `document` to a validator for this direction.
///
/// # Errors
///
/// [`SchemaError`] if a reference cannot be resolved or the schema is not valid.
pub fn compile(
    document: &Value,
    schema: &Value,
    direction: Direction,
) -> Result<Validator, SchemaError> {
    build_validator(&to_json_schema(document, schema, direction)?)
}

/// Compiles a self-contained JSON Schema, such as [`to_json_schema`] returns.
///
/// # Errors
///
/// [`SchemaError`] if the schema is not valid.
pub fn build_validator(schema: &Value) -> Result<Validator, SchemaError> {
    options_for(schema)
        .should_validate_formats(true)
        .with_format("uuid", is_uuid)
        .with_format("byte", is_base64)
        .with_format("ip", |text: &str| text.parse::<std::net::IpAddr>().is_ok())
        .build(schema)
        .map_err(|error| SchemaError(error.to_string()))
}

/// The options of a validator for a JSON Schema: those of its draft, 2020-12 if it names that, otherwise 4.
pub fn options_for(schema: &Value) -> ValidationOptions<'static> {
    match schema.get("$schema").and_then(Value::as_str) {
        Some(DRAFT_2020_12) => jsonschema::draft202012::options(),
        _ => jsonschema::draft4::options(),
    }
}

/// Whether a text is a UUID (RFC 9562, section 4): hexadecimal digits in groups of 8, 4, 4, 4 and 12.
fn is_uuid(text: &str) -> bool {
    let mut groups = text.split('-');
    let has_layout = text.split('-').map(str::len).eq([8, 4, 4, 4, 12]);
    has_layout && groups.all(|group| group.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// Whether a text is base64 with padding (RFC 4648, section 4).
fn is_base64(text: &str) -> bool {
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'+' || byte == b'/';
    text.len().is_multiple_of(4) && padding <= 2 && digits.bytes().all(is_digit)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn accepts_and_rejects_values_as_openapi_defines() {
        let document = json!({ "components": { "schemas": {
            "Base": { "properties": { "id": { "type": "integer", "readOnly": true } } },
            "Extended": { "allOf": [{ "$ref": "#/components/schemas/Base" }, { "required": ["id", "name"] }] },
            "Secret": { "type": "string", "writeOnly": true },
            "Login": {
                "required": ["secret"],
                "properties": { "secret": { "allOf": [{ "$ref": "#/components/schemas/Secret" }] } }
            },
            "Tree": { "type": "object", "properties": { "left": { "$ref": "#/components/schemas/Tree" } } },
            "Fork": { "allOf": [{ "$ref": "#/components/schemas/Tree" }, { "required": ["left"] }] },
            "Name": { "type": "string", "enum": ["a"], "nullable": true },
            "Int32": { "type": "integer", "format": "int32", "maximum": 9, "exclusiveMaximum": true },
            "Uint": { "type": "integer", "format": "uint" },
            "Wide": { "type": "integer", "maximum": 1e30, "exclusiveMaximum": true },
            "Uuid": { "type": "string", "format": "uuid" },
            "Byte": { "type": "string", "format": "byte" },
            "Ip": { "type": "string", "format": "ip" },
            "Date": { "type": "string", "format": "date" },
            "Unknown": { "type": "string", "format": "colour" },
            "ExclusiveMaximum": { "maximum": 5, "exclusiveMaximum": true },
            "UpTo": { "maximum": 5, "exclusiveMaximum": false },
            "Flag": { "exclusiveMaximum": true },
            "NoneRequired": { "required": [] },
            "Repeated": { "required": ["a", "a"] },
            "Float": { "maxLength": 2.0, "minLength": 1e0 },
            "Described": { "example": 1, "discriminator": {}, "xml": {} },
            "Nullable": { "type": "object", "nullable": true },
            "NullableRef": { "allOf": [{ "$ref": "#/components/schemas/Tree" }], "nullable": true },
            "NotNullable": { "type": "object", "nullable": false },
            "Null": { "type": "string", "enum": [null] }
        } } });
        let rows = json!([
            ["Extended", "request", { "name": "a" }, true, "readOnly, required in another schema"],
            ["Extended", "response", { "name": "a" }, false, "readOnly, but a response has it"],
            ["Login", "response", {}, true, "writeOnly through allOf and a reference"],
            ["Login", "request", {}, false, "writeOnly, but a request has it"],
            ["Tree", "request", { "left": { "left": {} } }, true, "a cycle of references"],
            ["Tree", "request", { "left": { "left": 1 } }, false, "checked at every level"],
            ["Fork", "request", {}, false, "allOf with a cycle"],
            ["Name", "request", null, false, "an enumeration without null"],
            ["Name", "request", "b", false, "not in the enumeration"],
            ["ExclusiveMaximum", "request", 5, false, "exclusive bound"],
            ["UpTo", "request", 5, true, "inclusive bound"],
            ["Flag", "request", 5, true, "a flag without its bound"],
            ["Int32", "request", 9, false, "own bound, narrower than that of the format"],
            ["Int32", "request", -2147483649_i64, false, "bound of the format"],
            ["Uint", "request", -1, false, "never below 0"],
            ["Wide", "request", u64::MAX, false, "never more than 64 bits"],
            ["Wide", "request", i64::MAX, true, "inclusive bound of the format"],
            ["NoneRequired", "request", {}, true, "empty `required`"],
            ["Repeated", "request", { "a": 1 }, true, "repeated name in `required`"],
            ["Float", "request", "ab", true, "a count as a float"],
            ["Float", "request", "abc", false, "a count as a float"],
            ["Described", "request", 1, true, "keywords that only describe"],
            ["Nullable", "request", null, true, "nullable"],
            ["NullableRef", "request", null, true, "nullable combination"],
            ["NotNullable", "request", null, false, "not nullable"],
            ["Null", "request", null, true, "null alone"],
            ["Null", "request", "", false, "not null"],
            ["Byte", "request", "aGk=", true, "base64"],
            ["Byte", "request", "aGk", false, "no padding"],
            ["Byte", "request", "a===", false, "too much padding"],
            ["Byte", "request", "aG-=", false, "URL-safe alphabet"],
            ["Uuid", "request", "67E55044-10b1-426f-9247-bb680e5fe0c8", true, "UUID in mixed case"],
            ["Uuid", "request", "67e5504410b1426f9247bb680e5fe0c8", false, "no hyphens"],
            ["Uuid", "request", "67e5504g-10b1-426f-9247-bb680e5fe0c8", false, "not hexadecimal"],
            ["Date", "request", "2026-02-30", false, "no such day"],
            ["Ip", "request", "2001:db8::1", true, "an address of either version"],
            ["Ip", "request", "300.0.0.1", false, "no address"],
            ["Unknown", "request", "any", true, "unknown format"]
        ]);
        for row in rows.as_array().unwrap() {
            let (name, value) = (row[0].as_str().unwrap(), &row[2]);
            let direction = match row[1].as_str() {
                Some("response") => Direction::Response,
                _ => Direction::Request,
            };
            let schema = json!({ "$ref": format!("#/components/schemas/{name}") });
            let validator = compile(&document, &schema, direction).unwrap();
            assert_eq!(validator.is_valid(value), row[3] == true, "{row}");
        }
    }

    #[test]
    fn circles_of_schemas_for_the_same_value_end() {
        let document = json!({ "components": { "schemas": {
            "Pet": {
                "required": ["kind"],
                "oneOf": [{ "$ref": "#/components/schemas/Cat" }, { "$ref": "#/components/schemas/Dog" }]
            },
            "Cat": { "allOf": [
                { "$ref": "#/components/schemas/Pet" },
                { "required": ["meow"] }
            ] },
            "Dog": { "allOf": [
                { "$ref": "#/components/schemas/Pet" },
                { "required": ["bark"] }
            ] },
            "A": { "allOf": [{ "$ref": "#/components/schemas/A" }, { "type": "string" }] },
            "B": { "anyOf": [{ "$ref": "#/components/schemas/C" }, { "type": "string" }] },
            "C": { "anyOf": [{ "$ref": "#/components/schemas/B" }, { "type": "integer" }] },
            "Zoo": { "items": { "$ref": "#/components/schemas/Pet" } }
        } } });
        for (name, value, expected) in [
            ("Pet", json!({ "kind": 1, "meow": 1 }), true),
            ("Pet", json!({ "meow": 1 }), false),
            ("Pet", json!({ "kind": 1 }), false),
            ("Pet", json!({ "kind": 1, "meow": 1, "bark": 1 }), false),
            ("Cat", json!({ "kind": 1, "meow": 1 }), true),
            ("Cat", json!({ "meow": 1 }), false),
            ("Zoo", json!([{ "kind": 1, "bark": 1 }]), true),
            ("Zoo", json!([{ "bark": 1 }]), false),
            ("A", json!("a"), true),
            ("A", json!(1), false),
            ("B", json!("a"), true),
            ("C", json!(1), true),
        ] {
            let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
            let inline = document["components"]["schemas"][name].clone();
            for schema in [reference, inline] {
                let validator = compile(&document, &schema, Direction::Request).unwrap();
                assert_eq!(validator.is_valid(&value), expected, "{name}: {value}");
            }
        }
    }

    #[test]
    fn reports_schemas_that_cannot_be_compiled() {
        let error = |schema: Value| {
            let result = compile(&json!({}), &schema, Direction::Request);
            result.unwrap_err().to_string()
        };
        assert_eq!(
            error(json!({ "items": { "$ref": "#/gone" } })),
            "cannot resolve the reference `#/gone`"
        );
        assert!(error(json!({ "pattern": "(" })).contains("regex"));
    }
}
