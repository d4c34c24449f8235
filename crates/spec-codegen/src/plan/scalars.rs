//! Scalars: formats to Rust types.

use spec_model::{Schema, SchemaType};

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

/// Whether a text can be parsed as the type of this path. A validator has checked its format.
pub(super) fn parses(path: &str, text: &str) -> bool {
    match path {
        "chrono::NaiveDate" => text.parse::<chrono::NaiveDate>().is_ok(),
        "chrono::DateTime<chrono::Utc>" => text.parse::<chrono::DateTime<chrono::Utc>>().is_ok(),
        "std::net::IpAddr" => text.parse::<std::net::IpAddr>().is_ok(),
        "std::net::Ipv4Addr" => text.parse::<std::net::Ipv4Addr>().is_ok(),
        "std::net::Ipv6Addr" => text.parse::<std::net::Ipv6Addr>().is_ok(),
        _ => true,
    }
}

/// Whether the integer type `width`, such as `u8`, can represent a number.
pub(super) fn holds(width: &str, number: &serde_json::Number) -> bool {
    let digits = number.to_string();
    match width {
        "i8" => digits.parse::<i8>().is_ok(),
        "i16" => digits.parse::<i16>().is_ok(),
        "i32" => digits.parse::<i32>().is_ok(),
        "u8" => digits.parse::<u8>().is_ok(),
        "u16" => digits.parse::<u16>().is_ok(),
        "u32" => digits.parse::<u32>().is_ok(),
        "u64" | "usize" => digits.parse::<u64>().is_ok(),
        _ => digits.parse::<i64>().is_ok(),
    }
}
