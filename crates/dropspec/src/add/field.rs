//! The properties of a new resource, as `--field` names them.

use anyhow::bail;
use serde_json::{Value, json};

/// A property: `name:type`, or `name:type:required`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Field {
    pub(super) name: String,
    pub(super) kind: FieldKind,
    pub(super) is_required: bool,
}

/// The type of a property.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum FieldKind {
    String,
    Integer,
    Number,
    Boolean,
    Date,
    DateTime,
    Uuid,
    /// One of these texts.
    Enum(Vec<String>),
}

/// What a type is called on the command line.
const TYPES: &str = "string, integer, number, boolean, date, date-time, uuid or enum=A,B";

impl FieldKind {
    /// The schema of a value.
    pub(super) fn schema(&self) -> Value {
        match self {
            FieldKind::String => json!({ "type": "string" }),
            FieldKind::Integer => json!({ "type": "integer", "format": "int64" }),
            FieldKind::Number => json!({ "type": "number", "format": "double" }),
            FieldKind::Boolean => json!({ "type": "boolean" }),
            FieldKind::Date => json!({ "type": "string", "format": "date" }),
            FieldKind::DateTime => json!({ "type": "string", "format": "date-time" }),
            FieldKind::Uuid => json!({ "type": "string", "format": "uuid" }),
            FieldKind::Enum(values) => json!({ "type": "string", "enum": values }),
        }
    }

    /// A value for examples.
    pub(super) fn sample(&self) -> Value {
        match self {
            FieldKind::String => json!("Some text"),
            FieldKind::Integer => json!(1),
            FieldKind::Number => json!(1.5),
            FieldKind::Boolean => json!(true),
            FieldKind::Date => json!("2026-01-31"),
            FieldKind::DateTime => json!("2026-01-31T09:00:00Z"),
            FieldKind::Uuid => json!("5a0e7f0c-1f0b-4c3e-9d5a-2f6b8c1d4e7a"),
            FieldKind::Enum(values) => json!(values.first()),
        }
    }
}

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
    let kind = match kind.split_once('=') {
        None => parse_plain(name, kind)?,
        Some(("enum", values)) => FieldKind::Enum(parse_values(values)?),
        Some(_) => bail!("the type `{kind}` is unknown: write {TYPES}"),
    };
    Ok(Field {
        name: name.to_owned(),
        kind,
        is_required,
    })
}

fn parse_plain(name: &str, kind: &str) -> anyhow::Result<FieldKind> {
    Ok(match kind {
        "string" => FieldKind::String,
        "integer" => FieldKind::Integer,
        "number" => FieldKind::Number,
        "boolean" => FieldKind::Boolean,
        "date" => FieldKind::Date,
        "date-time" => FieldKind::DateTime,
        "uuid" => FieldKind::Uuid,
        "enum" => bail!("an enum needs its values: {name}:enum=new,used"),
        _ => bail!("the type `{kind}` is unknown: write {TYPES}"),
    })
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
        assert_eq!(field.kind, FieldKind::Integer);
        assert!(field.is_required);
        let field = parse("state:enum=new,used").unwrap();
        let values = ["new", "used"].map(str::to_owned).to_vec();
        assert_eq!(
            (field.kind, field.is_required),
            (FieldKind::Enum(values), false)
        );
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
