//! Documentation from descriptions, with the bounds that the Rust type does not show.

use spec_model::{Schema, SchemaType};

/// What a named type says of itself.
pub(super) fn of_type(schema: &Schema) -> String {
    let text = [&schema.description, &schema.title];
    let text = text
        .into_iter()
        .flatten()
        .find(|text| !text.trim().is_empty());
    let mut text = text.map_or(String::new(), |text| text.trim().to_owned());
    if schema.deprecated {
        text.push_str("\n\nDeprecated.");
    }
    text.trim().to_owned()
}

/// What a property says of itself, bounds included.
pub(super) fn of_property(schema: &Schema) -> String {
    let text = of_type(schema);
    let bounds = bounds(schema);
    match (text.is_empty(), bounds.is_empty()) {
        (_, true) => text,
        (true, false) => bounds,
        // A sentence goes on in the same paragraph; lists and tables must not be touched.
        (false, false) if text.ends_with('.') && !text.contains('\n') => format!("{text} {bounds}"),
        (false, false) => format!("{text}\n\n{bounds}"),
    }
}

/// The text up to the first blank line.
pub(super) fn first_paragraph(text: &str) -> String {
    let lines = text.trim().lines().map(str::trim);
    lines
        .take_while(|line| !line.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

/// The bounds in words, such as `1 to 100 characters.`
pub(super) fn bounds(schema: &Schema) -> String {
    let mut sentences = Vec::new();
    let range = |low: Option<String>, high: Option<String>, unit: &str| {
        let last = high.as_deref().or(low.as_deref());
        let plural = if unit.is_empty() || last == Some("1") {
            ""
        } else {
            "s"
        };
        match (low.as_deref(), high.as_deref()) {
            (Some(low), Some(high)) if low == high => Some(format!("Exactly {low}{unit}{plural}.")),
            (Some(low), Some(high)) => Some(format!("{low} to {high}{unit}{plural}.")),
            (Some(low), None) => Some(format!("At least {low}{unit}{plural}.")),
            (None, Some(high)) => Some(format!("At most {high}{unit}{plural}.")),
            (None, None) => None,
        }
    };
    match schema.schema_type {
        // The type says it already.
        Some(SchemaType::Integer) if is_unsigned(schema) && schema.maximum.is_none() => {}
        Some(SchemaType::Integer | SchemaType::Number) => {
            let text = |n: &serde_json::Number| n.to_string();
            let exclusive = schema.exclusive_minimum || schema.exclusive_maximum;
            if exclusive {
                let above = schema.minimum.as_ref().map(|n| format!("Above {n}."));
                let below = schema.maximum.as_ref().map(|n| format!("Below {n}."));
                sentences.extend(above.into_iter().chain(below));
            } else {
                sentences.extend(range(
                    schema.minimum.as_ref().map(text),
                    schema.maximum.as_ref().map(text),
                    "",
                ));
            }
        }
        Some(SchemaType::String) => {
            let low = schema.min_length.filter(|low| *low > 0);
            sentences.extend(range(
                low.map(|n| n.to_string()),
                schema.max_length.map(|n| n.to_string()),
                " character",
            ));
            if let Some(pattern) = schema
                .pattern
                .as_ref()
                .filter(|p| p.value.chars().count() <= 60 && !p.value.contains('`'))
            {
                sentences.push(format!("Matches `{}`.", pattern.value));
            }
        }
        Some(SchemaType::Array) => {
            let low = schema.min_items.filter(|low| *low > 0);
            sentences.extend(range(
                low.map(|n| n.to_string()),
                schema.max_items.map(|n| n.to_string()),
                " item",
            ));
        }
        _ => {}
    }
    sentences.join(" ")
}

/// Whether the Rust type holds all that `minimum: 0` allows, and no more.
fn is_unsigned(schema: &Schema) -> bool {
    let format = schema
        .format
        .as_ref()
        .map_or("", |format| format.value.as_str());
    let from_zero = schema.minimum.as_ref().and_then(serde_json::Number::as_f64) == Some(0.0);
    format.starts_with("uint") && from_zero && !schema.exclusive_minimum
}
