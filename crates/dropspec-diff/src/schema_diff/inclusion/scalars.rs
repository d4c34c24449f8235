//! What the keywords of a schema that hold no other schema accept.

use dropspec_schema::integer_range;
use serde_json::Value;

use super::super::bounds::{MATCHES_ALL, implies, parse_numbers};
use super::super::types::{contains, keeps_formats};
use crate::schema::{Bound, Number, Schema};

/// The values of a schema that has few: those that it lists, and booleans.
pub(super) fn list_values(schema: &Schema<'_>) -> Option<Vec<Value>> {
    let is_boolean = schema.types == Some(["boolean"].into());
    let mut values: Vec<Value> = match &schema.enumeration {
        Some(listed) => {
            let values = listed.keys().map(|text| serde_json::from_str(text).ok());
            values.collect::<Option<_>>()?
        }
        None if is_boolean => vec![true.into(), false.into()],
        None => return None,
    };
    if schema.nullable {
        values.push(Value::Null);
    }
    Some(values)
}

/// Whether a value of one type of a schema, or of any of its types, can be of a type.
pub(super) fn may_be(own: &Schema<'_>, kind: Option<&str>, wanted: &str) -> bool {
    kind.map_or_else(|| own.allows_type(wanted), |kind| kind == wanted)
}

/// Whether the keywords for types, numbers, texts and counts of `outer` accept what `inner` accepts, or its values of one type.
///
/// `implied` are limits that the other keywords of `inner` imply.
pub(super) fn is_included(
    inner: &Schema<'_>,
    kind: Option<&str>,
    outer: &Schema<'_>,
    implied: &[&str],
) -> bool {
    let types = kind.map_or_else(|| inner.types.clone(), |kind| Some([kind].into()));
    let is_text = may_be(inner, kind, "string");
    let is_number = may_be(inner, kind, "number") || may_be(inner, kind, "integer");
    let has_patterns = !is_text
        || outer.patterns.is_subset(&inner.patterns)
        || outer.patterns.iter().all(|it| MATCHES_ALL.contains(it));
    let has_multiples = !is_number
        || implies(
            &parse_numbers(&inner.multiples),
            &parse_numbers(&outer.multiples),
        );
    let is_unique =
        inner.unique || !outer.unique || has_at_most(inner, 1) || !may_be(inner, kind, "array");
    contains(&outer.types, &types)
        && (keeps_formats(outer, inner) || is_within_ranges(inner, outer))
        && outer.limits.iter().all(|(keyword, limit)| {
            let concerned = match *keyword {
                "minLength" | "maxLength" => is_text,
                "minItems" | "maxItems" => may_be(inner, kind, "array"),
                "minProperties" | "maxProperties" => may_be(inner, kind, "object"),
                _ => is_number,
            };
            let limit = outer.effective_limit(keyword, *limit);
            !concerned
                || implied.contains(keyword)
                || find_limit(inner, keyword).is_some_and(|it| is_within(keyword, it, limit))
                || keyword.starts_with("min") && *keyword != "minimum" && limit.value.value() <= 0.0
        })
        && has_patterns
        && has_multiples
        && is_unique
}

/// Whether `maxItems` allows no array with more items.
pub(super) fn has_at_most(schema: &Schema<'_>, count: usize) -> bool {
    let limit = schema.limits.get("maxItems");
    limit.is_some_and(|limit| limit.value.value() <= count as f64)
}

fn is_within(keyword: &str, own: Bound, other: Bound) -> bool {
    let is_closer = if keyword.starts_with("min") {
        own.value > other.value
    } else {
        own.value < other.value
    };
    is_closer || own.value == other.value && (own.exclusive || !other.exclusive)
}

/// The limit of a schema, or that of its format.
fn find_limit(schema: &Schema<'_>, keyword: &str) -> Option<Bound> {
    let written = schema.limits.get(keyword);
    let written = written.map(|limit| schema.last_within(keyword, *limit));
    let mut formats = schema.formats.iter();
    let is_integer = schema.types == Some(["integer"].into()) && keyword.ends_with("imum");
    let range = formats
        .find_map(|format| range_of(format))
        .filter(|_| is_integer);
    let is_length = keyword.ends_with("Length");
    let length = schema
        .formats
        .iter()
        .filter(|_| is_length)
        .find_map(|it| length_of(it));
    let of_format = match (range, length) {
        (Some(range), _) => range[usize::from(keyword == "maximum")],
        (None, Some(length)) => length,
        (None, None) => return written,
    };
    let closest = written.filter(|it| is_within(keyword, *it, of_format));
    Some(closest.unwrap_or(of_format))
}

/// The length of all texts of a format.
fn length_of(format: &str) -> Option<Bound> {
    let (_, length) = [("uuid", 36), ("date", 10)]
        .into_iter()
        .find(|(it, _)| *it == format)?;
    Some(Bound {
        value: Number::new(&length.into())?,
        exclusive: false,
    })
}

/// Whether the limits of a schema of integers keep them within all formats of the other one.
fn is_within_ranges(own: &Schema<'_>, other: &Schema<'_>) -> bool {
    own.types == Some(["integer"].into())
        && other.formats.iter().all(|format| {
            let Some(range) = range_of(format) else {
                return false;
            };
            ["minimum", "maximum"]
                .iter()
                .zip(range)
                .all(|(keyword, limit)| {
                    find_limit(own, keyword).is_some_and(|it| is_within(keyword, it, limit))
                })
        })
}

/// The least and the greatest integer of a format; none if it does not limit integers.
fn range_of(format: &str) -> Option<[Bound; 2]> {
    let is_integer = format.trim_start_matches('u').starts_with("int");
    let (least, greatest) = Some(integer_range(format)).filter(|_| is_integer)?;
    let bound = |limit: i128| {
        Some(Bound {
            value: Number::new(&serde_json::Number::from_i128(limit)?)?,
            exclusive: false,
        })
    };
    Some([bound(least)?, bound(greatest)?])
}
