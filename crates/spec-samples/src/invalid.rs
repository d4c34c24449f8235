//! Guesses values that a schema probably rejects, each by one keyword. The caller validates them.

use serde_json::{Map, Value, json};

use crate::merged::Merged;
use crate::text::NO_FORMAT;
use crate::valid::{Generator, to_number};

/// The depth to which invalid values are put into valid ones.
const DEPTH: usize = 3;
/// The longest text and array that is too long.
const MOST: usize = 5000;

type Guesses = Vec<(Value, &'static str)>;

impl Generator<'_> {
    /// Guesses invalid values of a schema, from its keywords and its valid values.
    pub(crate) fn guess_invalid(&self, schema: &Value, valid: &[Value]) -> Guesses {
        self.guess_invalid_at(schema, valid, DEPTH)
    }

    fn guess_invalid_at(&self, schema: &Value, valid: &[Value], depth: usize) -> Guesses {
        let merged = self.merge(schema);
        let mut guesses: Guesses = Vec::new();
        let keyword = match merged.get("enum").is_some() {
            true => "enum",
            false if !merged.unions.is_empty() => "oneOf",
            false => "type",
        };
        for value in [
            json!(true),
            json!("\u{1}"),
            json!(0.5),
            json!([[]]),
            json!({}),
            Value::Null,
        ] {
            guesses.push((value, keyword));
        }
        push_numbers(&merged, &mut guesses);
        push_texts(&merged, &mut guesses);
        for value in valid {
            match value {
                Value::Array(items) => self.push_arrays(&merged, items, depth, &mut guesses),
                Value::Object(members) => self.push_objects(&merged, members, depth, &mut guesses),
                _ => {}
            }
        }
        guesses
    }

    fn push_arrays(&self, merged: &Merged, items: &[Value], depth: usize, guesses: &mut Guesses) {
        if let Some(most) = merged.count("maxItems").filter(|most| *most < MOST)
            && let Some(item) = items.first()
        {
            guesses.push((Value::Array(vec![item.clone(); most + 1]), "maxItems"));
        }
        if let Some(least) = merged.count("minItems").filter(|least| *least > 0) {
            let few = items.iter().take(least - 1).cloned();
            guesses.push((few.collect(), "minItems"));
        }
        if let Some(item) = items.first().filter(|_| merged.flag("uniqueItems")) {
            guesses.push((json!([item, item]), "uniqueItems"));
        }
        if let Some(schema) = merged.get("items").filter(|_| depth > 0) {
            let valid: Vec<Value> = items.iter().take(1).cloned().collect();
            for (value, keyword) in self.guess_invalid_at(schema, &valid, depth - 1) {
                let mut items = items.to_vec();
                match items.first_mut() {
                    Some(first) => *first = value,
                    None => continue,
                }
                guesses.push((Value::Array(items), keyword));
            }
        }
    }

    fn push_objects(
        &self,
        merged: &Merged,
        members: &Map<String, Value>,
        depth: usize,
        guesses: &mut Guesses,
    ) {
        for name in merged.required() {
            let mut without = members.clone();
            without.shift_remove(name);
            guesses.push((Value::Object(without), "required"));
        }
        if let Some(rest) = merged.get("additionalProperties") {
            let values = match rest.is_object() && depth > 0 {
                true => self.guess_invalid_at(rest, &[], depth - 1),
                false => vec![(json!("more"), "additionalProperties")],
            };
            for (value, _) in values {
                let mut more = members.clone();
                more.insert("another-name".to_owned(), value);
                guesses.push((Value::Object(more), "additionalProperties"));
            }
        }
        if let Some(least) = merged.count("minProperties").filter(|least| *least > 0) {
            let few = members.clone().into_iter().take(least - 1);
            guesses.push((Value::Object(few.collect()), "minProperties"));
        }
        if let Some(most) = merged.count("maxProperties").filter(|most| *most < MOST) {
            let mut many = members.clone();
            for number in 0..=most {
                many.insert(format!("name{number}"), json!("more"));
            }
            guesses.push((Value::Object(many), "maxProperties"));
        }
        if depth == 0 {
            return;
        }
        for (name, schema) in merged.properties() {
            let Some(value) = members.get(name) else {
                continue;
            };
            let invalid = self.guess_invalid_at(schema, std::slice::from_ref(value), depth - 1);
            for (value, keyword) in invalid {
                let mut wrong = members.clone();
                wrong.insert(name.clone(), value);
                guesses.push((Value::Object(wrong), keyword));
            }
        }
    }
}

fn push_numbers(merged: &Merged, guesses: &mut Guesses) {
    let integer = merged.kind() == "integer";
    if !integer && merged.kind() != "number" {
        return;
    }
    let step = if integer { 1.0 } else { 0.5 };
    for (keyword, exclusive, step) in [
        ("minimum", "exclusiveMinimum", -step),
        ("maximum", "exclusiveMaximum", step),
    ] {
        if let Some(bound) = merged.number(keyword) {
            guesses.push((to_number(bound + step, integer), keyword));
            if merged.flag(exclusive) {
                guesses.push((to_number(bound, integer), exclusive));
            }
        }
    }
    if let Some(multiple) = merged.number("multipleOf") {
        guesses.push((json!(multiple * 1.5), "multipleOf"));
        guesses.push((to_number(multiple + 1.0, integer), "multipleOf"));
    }
    if integer {
        guesses.extend([1e30, -1e30].map(|number| (json!(number), "format")));
        let over = match merged.text("format") {
            "int8" => [i64::from(i8::MIN) - 1, i64::from(i8::MAX) + 1],
            "int16" => [i64::from(i16::MIN) - 1, i64::from(i16::MAX) + 1],
            "uint8" => [-1, i64::from(u8::MAX) + 1],
            "uint16" => [-1, i64::from(u16::MAX) + 1],
            "uint32" => [-1, i64::from(u32::MAX) + 1],
            "int32" => [i64::from(i32::MIN) - 1, i64::from(i32::MAX) + 1],
            _ => [-1, -1],
        };
        guesses.extend(over.map(|number| (json!(number), "format")));
    }
}

fn push_texts(merged: &Merged, guesses: &mut Guesses) {
    if merged.kind() != "string" {
        return;
    }
    if let Some(least) = merged
        .count("minLength")
        .filter(|least| (1..MOST).contains(least))
    {
        guesses.push((json!("a".repeat(least - 1)), "minLength"));
    }
    if let Some(most) = merged.count("maxLength").filter(|most| *most < MOST) {
        guesses.push((json!("a".repeat(most + 1)), "maxLength"));
    }
    if !merged.patterns.is_empty() {
        guesses.extend(["", "\u{1}", "ü ü"].map(|text| (json!(text), "pattern")));
    }
    if !merged.text("format").is_empty() {
        guesses.push((json!(NO_FORMAT), "format"));
    }
}
