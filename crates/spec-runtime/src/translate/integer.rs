//! The bounds that an integer's format implies. An integer without a format is 64 bits wide, as its
//! generated type is.

use serde_json::{Map, Value, json};

/// Adds the format's bounds where the schema has none as narrow.
pub(super) fn bound(schema: &mut Map<String, Value>) {
    if schema.get("type").and_then(Value::as_str) != Some("integer") {
        return;
    }
    // Formats of integers are bounds, which the validator does not know under that name.
    let format = schema.shift_remove("format");
    let (least, most) = range(format.as_ref().and_then(Value::as_str));
    let number = |bound: Option<&Value>| bound.and_then(Value::as_f64);
    if number(schema.get("minimum")).is_none_or(|own| Some(own) < least.as_f64()) {
        schema.insert("minimum".to_owned(), least);
        schema.shift_remove("exclusiveMinimum");
    }
    if number(schema.get("maximum")).is_none_or(|own| Some(own) > most.as_f64()) {
        schema.insert("maximum".to_owned(), most);
        schema.shift_remove("exclusiveMaximum");
    }
}

fn range(format: Option<&str>) -> (Value, Value) {
    match format {
        Some("int8") => (json!(i8::MIN), json!(i8::MAX)),
        Some("int16") => (json!(i16::MIN), json!(i16::MAX)),
        Some("int32") => (json!(i32::MIN), json!(i32::MAX)),
        Some("uint8") => (json!(u8::MIN), json!(u8::MAX)),
        Some("uint16") => (json!(u16::MIN), json!(u16::MAX)),
        Some("uint32") => (json!(u32::MIN), json!(u32::MAX)),
        Some("uint64" | "uint") => (json!(u64::MIN), json!(u64::MAX)),
        _ => (json!(i64::MIN), json!(i64::MAX)),
    }
}
