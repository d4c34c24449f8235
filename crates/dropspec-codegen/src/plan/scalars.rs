//! Scalars: formats to Rust types.

use dropspec_model::{Schema, SchemaType};

use crate::model::Type;

/// The Rust type of a scalar schema. A string of any other format is a `String`; its format is checked by the schema.
pub(super) fn scalar(schema_type: SchemaType, schema: &Schema) -> Type {
    let format = schema
        .format
        .as_ref()
        .map_or("", |format| format.value.as_str());
    match schema_type {
        SchemaType::Boolean => Type::Bool,
        SchemaType::Integer => Type::Integer(integer(format)),
        SchemaType::Number if format == "float" => Type::Float("f32"),
        SchemaType::Number => Type::Float("f64"),
        SchemaType::String => match format {
            "uuid" => Type::Parsed("uuid::Uuid"),
            "date" => Type::Parsed("chrono::NaiveDate"),
            "date-time" => Type::Parsed("chrono::DateTime<chrono::Utc>"),
            "ip" => Type::Parsed("std::net::IpAddr"),
            "ipv4" => Type::Parsed("std::net::Ipv4Addr"),
            "ipv6" => Type::Parsed("std::net::Ipv6Addr"),
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
        "uint64" => "u64",
        "uint" => "usize",
        "int" => "isize",
        // The bounds of an integer beyond 64 bits are those of its type, as for its validator.
        _ => "i64",
    }
}
