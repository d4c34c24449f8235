//! Guesses values that may show the difference of two schemas: at their bounds and just beyond. The caller validates
//! them.

use serde_json::{Map, Value, json};

use crate::schema::{Schema, Schemas, SetId};

/// The depth to which objects and arrays are filled.
const DEPTH: u8 = 4;
/// The longest text.
const LONGEST: f64 = 1000.0;
/// The most items of an array.
const MOST_ITEMS: f64 = 20.0;

/// Guesses values by a schema and by the limits of its counterpart.
pub(super) fn guess_values<'d>(
    own: &mut Schemas<'d>,
    set: SetId,
    other: &mut Schemas<'_>,
    other_set: SetId,
) -> Vec<Value> {
    let schema = own.get(set);
    let foreign = other.get(other_set);
    let mut values = vec![
        Value::Null,
        json!(true),
        json!(0),
        json!(0.5),
        json!("a"),
        json!([]),
        json!({}),
    ];
    values.extend(sample(own, set, DEPTH));
    for source in [&schema.enumeration, &foreign.enumeration] {
        let texts = source.iter().flat_map(|values| values.keys());
        values.extend(texts.filter_map(|text| serde_json::from_str(text).ok()));
    }
    push_numbers(&schema, &foreign, &mut values);
    push_texts(&schema, &foreign, &mut values);
    push_arrays(own, &schema, &foreign, &mut values);
    push_objects(own, &schema, &foreign, &mut values);
    for member in schema.one_of.iter().chain(&schema.any_of).flatten() {
        values.extend(sample(own, *member, DEPTH));
        let member = own.get(*member);
        push_numbers(&member, &foreign, &mut values);
        push_texts(&member, &foreign, &mut values);
        push_objects(own, &member, &foreign, &mut values);
    }
    values
}

fn push_numbers(schema: &Schema<'_>, foreign: &Schema<'_>, values: &mut Vec<Value>) {
    let bounds = [
        schema.minimum,
        schema.maximum,
        foreign.minimum,
        foreign.maximum,
    ];
    for bound in bounds.into_iter().flatten() {
        for step in [-1.0, -0.5, 0.0, 0.5, 1.0] {
            values.push(to_number(bound.value.value() + step));
        }
    }
    let multiples = schema.multiples.iter().chain(&foreign.multiples);
    for multiple in multiples.filter_map(|text| text.parse::<f64>().ok()) {
        values.extend([to_number(multiple), to_number(multiple + 1.0)]);
    }
}

/// Makes a number; an integer has no fraction.
fn to_number(value: f64) -> Value {
    const LARGEST: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < LARGEST {
        json!(value as i64)
    } else {
        json!(value)
    }
}

fn push_texts(schema: &Schema<'_>, foreign: &Schema<'_>, values: &mut Vec<Value>) {
    values.extend(["", "A", "1", "ab", "a-b", "a1", "2026-11-21", "-"].map(Value::from));
    let lengths = counts_around(schema, foreign, ["minLength", "maxLength"], LONGEST);
    values.extend(lengths.map(|length| Value::from("a".repeat(length))));
}

/// The counts at the limits of both schemas and just beyond.
fn counts_around(
    schema: &Schema<'_>,
    foreign: &Schema<'_>,
    keywords: [&str; 2],
    most: f64,
) -> impl Iterator<Item = usize> {
    let limits = keywords.map(|key| [schema.counts.get(key), foreign.counts.get(key)]);
    let limits: Vec<f64> = limits
        .into_iter()
        .flatten()
        .flatten()
        .map(|n| n.value())
        .collect();
    let counts = limits
        .into_iter()
        .flat_map(|limit| [-1.0, 0.0, 1.0].map(|step| limit + step));
    counts
        .filter(move |count| (0.0..=most).contains(count))
        .map(|count| count as usize)
}

fn push_arrays(
    own: &mut Schemas<'_>,
    schema: &Schema<'_>,
    foreign: &Schema<'_>,
    values: &mut Vec<Value>,
) {
    let item = schema.items.and_then(|items| sample(own, items, DEPTH - 1));
    let item = item.unwrap_or(json!(0));
    values.push(json!([item, item]));
    let counts = counts_around(schema, foreign, ["minItems", "maxItems"], MOST_ITEMS);
    values.extend(counts.map(|count| Value::Array(vec![item.clone(); count])));
}

fn push_objects(
    own: &mut Schemas<'_>,
    schema: &Schema<'_>,
    foreign: &Schema<'_>,
    values: &mut Vec<Value>,
) {
    let required = fill_object(own, schema, |name| schema.required.contains_key(name));
    let everything = fill_object(own, schema, |_| true);
    for name in schema.properties.keys().chain(foreign.properties.keys()) {
        for start in [&required, &everything] {
            let mut without = start.clone();
            without.remove(*name);
            values.push(Value::Object(without));
        }
        let mut with = required.clone();
        with.insert(
            (*name).to_owned(),
            everything.get(*name).cloned().unwrap_or(json!("a")),
        );
        values.push(Value::Object(with));
    }
    let mut further = required.clone();
    further.insert("unknown".to_owned(), json!(0));
    values.extend([further, required, everything].map(Value::Object));
}

/// An object with a value for each wanted property.
fn fill_object(
    own: &mut Schemas<'_>,
    schema: &Schema<'_>,
    wanted: impl Fn(&str) -> bool,
) -> Map<String, Value> {
    let mut object = Map::new();
    for (name, property) in schema.properties.iter().filter(|(name, _)| wanted(name)) {
        if let Some(value) = sample(own, *property, DEPTH - 1) {
            object.insert((*name).to_owned(), value);
        }
    }
    object
}

/// A value that is probably valid.
fn sample(own: &mut Schemas<'_>, set: SetId, depth: u8) -> Option<Value> {
    let schema = own.get(set);
    if let Some(values) = &schema.enumeration {
        return serde_json::from_str(values.keys().next()?).ok();
    }
    if depth == 0 {
        return None;
    }
    if let Some(member) = schema
        .one_of
        .first()
        .or(schema.any_of.first())
        .and_then(|choice| choice.first())
        && schema.properties.is_empty()
    {
        return sample(own, *member, depth - 1);
    }
    let guessed = match (&schema.types, schema.properties.is_empty()) {
        (Some(types), _) => types.first().copied()?,
        (None, false) => "object",
        (None, true) => "string",
    };
    Some(match guessed {
        "string" => sample_text(&schema),
        "integer" | "number" => {
            let minimum = schema
                .minimum
                .map(|b| b.value.value() + f64::from(u8::from(b.exclusive)));
            let maximum = schema
                .maximum
                .map(|b| b.value.value() - f64::from(u8::from(b.exclusive)));
            to_number(minimum.or(maximum).unwrap_or(1.0))
        }
        "boolean" => json!(true),
        "array" => {
            let count = schema
                .counts
                .get("minItems")
                .map_or(0.0, |count| count.value())
                .min(MOST_ITEMS);
            let item = schema.items.and_then(|items| sample(own, items, depth - 1));
            Value::Array(vec![item.unwrap_or(json!(0)); count as usize])
        }
        "object" => {
            let mut object = Map::new();
            for name in schema.required.keys() {
                let property = schema.properties.get(name);
                let value = property.map(|property| sample(own, *property, depth - 1));
                object.insert((*name).to_owned(), value.unwrap_or(Some(json!("a")))?);
            }
            Value::Object(object)
        }
        _ => return None,
    })
}

fn sample_text(schema: &Schema<'_>) -> Value {
    let example = schema.rest.get("example").and_then(|values| values.first());
    let example = example.and_then(|text| serde_json::from_str::<Value>(text).ok());
    if let Some(example @ Value::String(_)) = example {
        return example;
    }
    let length = schema
        .counts
        .get("minLength")
        .map_or(1.0, |count| count.value());
    Value::from("a".repeat(length.clamp(1.0, LONGEST) as usize))
}
