//! Scalars: formats to Rust types.

use spec_model::{Schema, SchemaType};

use crate::model::Type;

/// The Rust type of a scalar schema. Formats that name no Rust type are checked at the door, as text.
pub(super) fn scalar(schema_type: SchemaType, schema: &Schema) -> Type {
    let format = schema
        .format
        .as_ref()
        .map_or("", |format| format.value.as_str());
    match schema_type {
        SchemaType::Boolean => Type::Bool,
        SchemaType::Integer => Type::Integer(integer(format)),
        SchemaType::Number if format == "float" => Type::F32,
        SchemaType::Number => Type::F64,
        SchemaType::String => match format {
            "uuid" => Type::Uuid,
            "date" => Type::Date,
            "date-time" => Type::DateTime,
            "ip" => Type::IpAddr,
            "ipv4" => Type::Ipv4Addr,
            "ipv6" => Type::Ipv6Addr,
            _ => Type::String,
        },
        SchemaType::Array | SchemaType::Object => Type::Any,
    }
}

fn integer(format: &str) -> &'static str {
    match format {
        "int8" => "i8",
        "int16" => "i16",
        "int32" => "i32",
        "uint8" => "u8",
        "uint16" => "u16",
        "uint32" => "u32",
        "uint64" | "uint" => "u64",
        _ => "i64",
    }
}

/// Whether a number is a value of the integer type.
pub(super) fn holds(width: &str, number: &serde_json::Number) -> bool {
    let (low, high): (i128, i128) = match width {
        "i8" => (i8::MIN.into(), i8::MAX.into()),
        "i16" => (i16::MIN.into(), i16::MAX.into()),
        "i32" => (i32::MIN.into(), i32::MAX.into()),
        "u8" => (0, u8::MAX.into()),
        "u16" => (0, u16::MAX.into()),
        "u32" => (0, u32::MAX.into()),
        "u64" => (0, u64::MAX.into()),
        _ => (i64::MIN.into(), i64::MAX.into()),
    };
    let value = number
        .as_i64()
        .map(i128::from)
        .or(number.as_u64().map(i128::from));
    value.is_some_and(|value| (low..=high).contains(&value))
}
