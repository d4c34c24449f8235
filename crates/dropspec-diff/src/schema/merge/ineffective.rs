//! Takes keywords out of a schema that constrain nothing, so that schemas that accept the same values are equal.

use std::collections::BTreeSet;

use crate::schema::choices::type_of_text;
use crate::schema::{Bound, Schema, is_valid};

/// Moves keywords that no value can violate to `ineffective`: a `type` of any value, those for values of other types, a minimum of 0 for an unsigned
/// number, and a `type`, bounds and patterns that all values of the `enum` satisfy. `minLength: 0` and the like are forgotten.
pub(super) fn take_ineffective(schema: &mut Schema<'_>) {
    take_types(schema);
    let is_text = schema.allows_type("string");
    let is_numeric = schema.allows_type("integer") || schema.allows_type("number");
    let is_array = schema.allows_type("array");
    let is_object = schema.allows_type("object");
    take_limits(schema, |keyword| match keyword {
        "minimum" | "maximum" => is_numeric,
        "minLength" | "maxLength" => is_text,
        "minItems" | "maxItems" => is_array,
        _ => is_object,
    });
    let is_count = |keyword: &str| keyword.starts_with("min") && keyword != "minimum";
    let limits = &mut schema.limits;
    limits.retain(|keyword, limit| !is_count(keyword) || limit.value.value() > 0.0);
    if !is_text {
        take_patterns(schema);
    }
    if !is_numeric {
        take_multiples(schema);
    }
    // A multiple of 1 is an integer.
    if let Some(types) = schema.types.as_mut()
        && schema.multiples.remove("1")
    {
        if types.remove("number") {
            types.insert("integer");
        }
        schema.ineffective.insert("multipleOf 1".to_owned());
    }
    let mut formats = schema.formats.iter();
    let minimum = schema.limits.get("minimum");
    if formats.any(|it| it.starts_with("uint")) && !minimum.is_some_and(excludes_zero) {
        take_limits(schema, |keyword| keyword != "minimum");
    }
    // Otherwise `null` is valid by itself.
    schema.nullable &= schema.decides_about_null();
    take_implied_by_enum(schema);
}

/// Takes `integer` beside `number`, and all types if no value has another one.
fn take_types(schema: &mut Schema<'_>) {
    let Some(types) = schema.types.as_mut() else {
        return;
    };
    if types.contains("number") {
        types.remove("integer");
    }
    let is_any = ["array", "boolean", "number", "object", "string"];
    if schema.nullable && is_any.iter().all(|name| types.contains(name)) {
        schema.types = None;
        schema.ineffective.insert("type".to_owned());
    }
}

/// Whether a minimum excludes an unsigned number.
fn excludes_zero(minimum: &Bound) -> bool {
    let value = minimum.value.value();
    value > 0.0 || (minimum.exclusive && value == 0.0)
}

/// Takes the limits that are not `kept`.
fn take_limits(schema: &mut Schema<'_>, kept: impl Fn(&str) -> bool) {
    let taken = schema.limits.extract_if(.., |keyword, _| !kept(keyword));
    let taken = taken.map(|(keyword, limit)| format!("{keyword} {limit}"));
    schema.ineffective.extend(taken);
}

fn take_patterns(schema: &mut Schema<'_>) {
    let patterns = std::mem::take(&mut schema.patterns).into_iter();
    let patterns = patterns.map(|pattern| format!("pattern {pattern}"));
    schema.ineffective.extend(patterns);
}

fn take_multiples(schema: &mut Schema<'_>) {
    let multiples = std::mem::take(&mut schema.multiples).into_iter();
    let multiples = multiples.map(|number| format!("multipleOf {number}"));
    schema.ineffective.extend(multiples);
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
        let types: BTreeSet<&str> = values.keys().filter_map(|it| type_of_text(it)).collect();
        if !types.is_empty() {
            schema.types = Some(types);
            schema.ineffective.insert("no type".to_owned());
        }
    }
    take_limits(schema, |_| false);
    take_patterns(schema);
    take_multiples(schema);
}
