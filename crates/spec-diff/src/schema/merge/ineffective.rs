//! Takes keywords out of a schema that constrain nothing, so that schemas that accept the same values are equal.

use std::collections::BTreeSet;

use serde_json::Value;

use super::keywords::LOWER;
use crate::schema::types::type_of;
use crate::schema::{Bound, Schema, is_valid};

/// Moves keywords that no value can violate to `ineffective`: those for values of other types, a minimum of 0 for an unsigned
/// number, and a `type`, bounds and patterns that all values of the `enum` satisfy. `minLength: 0` and the like are forgotten.
pub(super) fn take_ineffective(schema: &mut Schema<'_>) {
    let is_text = schema.allows_type("string");
    let is_integer = schema.allows_type("integer");
    let is_number = schema.allows_type("number");
    let is_array = schema.allows_type("array");
    let is_object = schema.allows_type("object");
    let counts = std::mem::take(&mut schema.counts);
    for (keyword, count) in counts {
        let applies = match keyword {
            "minLength" | "maxLength" => is_text,
            "minItems" | "maxItems" => is_array,
            _ => is_object,
        };
        if !applies {
            schema.ineffective.insert(format!("{keyword} {count}"));
        } else if !LOWER.contains(&keyword) || count.value() > 0.0 {
            schema.counts.insert(keyword, count);
        }
    }
    if !is_text {
        take_patterns(schema);
    }
    if !is_integer && !is_number {
        take_numbers(schema);
    }
    // Every integer is a multiple of 1.
    if !is_number && schema.multiples.remove("1") {
        schema.ineffective.insert("multipleOf 1".to_owned());
    }
    let is_unsigned = schema.formats.iter().any(|it| it.starts_with("uint"));
    if let Some(bound) = schema
        .minimum
        .filter(|bound| is_unsigned && !excludes_zero(*bound))
    {
        schema.minimum = None;
        schema.ineffective.insert(format!("minimum {bound}"));
    }
    // Otherwise `null` is valid by itself.
    schema.nullable &= schema.decides_about_null();
    take_implied_by_enum(schema);
}

/// Whether a minimum excludes an unsigned number.
fn excludes_zero(minimum: Bound) -> bool {
    minimum.value.value() > 0.0 || (minimum.exclusive && minimum.value.value() == 0.0)
}

fn take_patterns(schema: &mut Schema<'_>) {
    let patterns = std::mem::take(&mut schema.patterns);
    schema
        .ineffective
        .extend(patterns.iter().map(|pattern| format!("pattern {pattern}")));
}

fn take_numbers(schema: &mut Schema<'_>) {
    for (keyword, bound) in [
        ("minimum", schema.minimum.take()),
        ("maximum", schema.maximum.take()),
    ] {
        schema
            .ineffective
            .extend(bound.map(|bound| format!("{keyword} {bound}")));
    }
    let multiples = std::mem::take(&mut schema.multiples);
    schema.ineffective.extend(
        multiples
            .iter()
            .map(|number| format!("multipleOf {number}")),
    );
}

/// Takes what the values of an `enum` satisfy by themselves, and the values that violate it. The values say their type.
fn take_implied_by_enum(schema: &mut Schema<'_>) {
    let Some(validator) = schema.scalar_validator() else {
        return;
    };
    let Some(values) = &mut schema.enumeration else {
        return;
    };
    values.retain(|text, _| is_valid(&validator, text));
    if schema.types.is_none() {
        let values = values
            .keys()
            .filter_map(|text| serde_json::from_str(text).ok());
        let values: Vec<Value> = values.collect();
        let types: BTreeSet<&str> = values.iter().filter_map(type_of).collect();
        if !types.is_empty() {
            schema.types = Some(types);
            schema.ineffective.insert("no type".to_owned());
        }
    }
    let counts = std::mem::take(&mut schema.counts);
    schema.ineffective.extend(
        counts
            .iter()
            .map(|(keyword, count)| format!("{keyword} {count}")),
    );
    take_patterns(schema);
    take_numbers(schema);
}
