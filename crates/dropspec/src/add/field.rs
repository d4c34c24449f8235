//! The properties of a new resource, as `--field` names them.

use anyhow::{Context, bail};
use serde_json::{Value, json};

/// A property: `name:type`, or `name:type:required`.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    pub(super) name: String,
    pub(super) schema: Value,
    /// A value for examples.
    pub(super) sample: Value,
    pub(super) is_required: bool,
}

/// What a type is called on the command line.
const TYPES: &str = "string, integer, number, boolean, date, date-time, uuid or enum=A,B";

/// The types beside enumerations: name, type and format in OpenAPI, and a sample in JSON.
const PLAIN: [(&str, &str, &str, &str); 7] = [
    ("string", "string", "", "\"Some text\""),
    ("integer", "integer", "int64", "1"),
    ("number", "number", "double", "1.5"),
    ("boolean", "boolean", "", "true"),
    ("date", "string", "date", "\"2026-01-31\""),
    (
        "date-time",
        "string",
        "date-time",
        "\"2026-01-31T09:00:00Z\"",
    ),
    (
        "uuid",
        "string",
        "uuid",
        "\"5a0e7f0c-1f0b-4c3e-9d5a-2f6b8c1d4e7a\"",
    ),
];

/// Parses a property.
///
/// # Errors
/// It has no name, no type or an unknown one.
pub(super) fn parse(text: &str) -> anyhow::Result<Field> {
    let mut parts = text.split(':');
    let name = parts.next().unwrap_or_default();
    let is_name = name.starts_with(|sign: char| sign.is_ascii_alphabetic() || sign == '_')
        && name
            .chars()
            .all(|sign| sign.is_ascii_alphanumeric() || "_-".contains(sign));
    if !is_name {
        bail!(
            "`{name}` is no name of a property: write letters, digits, `_` or `-`, a letter first"
        );
    }
    let Some(kind) = parts.next() else {
        bail!("the type is missing: write {name}:TYPE, where TYPE is {TYPES}");
    };
    let is_required = match (parts.next(), parts.next()) {
        (None, _) => false,
        (Some("required"), None) => true,
        (Some(other), _) => bail!("`{other}` after the type: only `required` can be there"),
    };
    let (schema, sample) = match kind.split_once('=') {
        Some(("enum", values)) => {
            let values = parse_values(values)?;
            (
                json!({ "type": "string", "enum": values }),
                json!(values[0]),
            )
        }
        None if kind == "enum" => bail!("an enum needs its values: {name}:enum=new,used"),
        _ => plain(kind).with_context(|| format!("the type `{kind}` is unknown: write {TYPES}"))?,
    };
    Ok(Field {
        name: name.to_owned(),
        schema,
        sample,
        is_required,
    })
}

/// The schema and a sample of a type that is no enumeration.
fn plain(name: &str) -> Option<(Value, Value)> {
    let (_, kind, format, sample) = PLAIN.iter().find(|it| it.0 == name)?;
    let mut schema = json!({ "type": kind });
    if !format.is_empty() {
        schema["format"] = json!(format);
    }
    Some((schema, sample.parse().ok()?))
}

fn parse_values(values: &str) -> anyhow::Result<Vec<String>> {
    let values: Vec<String> = values.split(',').map(str::to_owned).collect();
    for (index, value) in values.iter().enumerate() {
        if value.trim().is_empty() {
            bail!(
                "an enum has an empty value: separate its values by single commas, as in enum=new,used"
            );
        }
        if values[..index].contains(value) {
            bail!("the enum has `{value}` twice");
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn field_has_a_name_a_type_and_may_be_required() {
        let field = parse("petId:integer:required").unwrap();
        assert_eq!(field.name, "petId");
        assert_eq!(field.schema, json!({"type": "integer", "format": "int64"}));
        assert!(field.is_required);
        let field = parse("state:enum=new,used").unwrap();
        assert_eq!(field.schema["enum"], json!(["new", "used"]));
        assert_eq!((field.sample, field.is_required), (json!("new"), false));
    }

    #[test]
    fn wrong_field_says_what_to_write() {
        for (text, reason) in [
            ("", "is no name of a property"),
            ("1st:string", "`1st` is no name"),
            ("text", "the type is missing: write text:TYPE"),
            ("text:text", "the type `text` is unknown: write string,"),
            ("text:string:always", "`always` after the type"),
            ("text:string:required:x", "after the type"),
            ("state:enum", "needs its values: state:enum=new,used"),
            ("state:enum=a,,b", "an empty value"),
            ("state:enum=a,a", "`a` twice"),
            ("state:set=a", "is unknown"),
        ] {
            let error = parse(text).unwrap_err().to_string();
            assert!(error.contains(reason), "{text}: {error}");
        }
    }
}
