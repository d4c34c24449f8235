//! Guesses values that a schema probably rejects, each by one keyword. The caller validates them.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::merged::Merged;
use crate::numbers::to_number;
use crate::text::NO_FORMAT;
use crate::valid::Generator;

/// The depth to which invalid values are put into valid ones.
const DEPTH: usize = 3;
/// The longest text and array that is too long.
const MOST: usize = 5000;

/// A value, and the keyword that probably rejects it.
type Guess = (Value, &'static str);

/// Takes a guess; breaks off when no more are wanted.
type Take<'t> = &'t mut dyn FnMut(Guess) -> ControlFlow<()>;

impl Generator<'_> {
    /// Guesses invalid values of a schema, from its keywords and its valid values.
    pub(crate) fn guess_invalid(
        &self,
        schema: &Value,
        valid: &[Value],
        take: Take<'_>,
    ) -> ControlFlow<()> {
        self.guess_invalid_at(schema, valid, DEPTH, take)
    }

    fn guess_invalid_at(
        &self,
        schema: &Value,
        valid: &[Value],
        depth: usize,
        take: Take<'_>,
    ) -> ControlFlow<()> {
        let merged = self.merge(schema);
        let mut guesses: Vec<Guess> = Vec::new();
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
        guesses.into_iter().try_for_each(&mut *take)?;
        valid.iter().try_for_each(|value| match value {
            Value::Array(items) => self.guess_arrays_around(&merged, items, depth, take),
            Value::Object(members) => self.guess_objects_around(&merged, members, depth, take),
            _ => ControlFlow::Continue(()),
        })
    }

    /// Guesses lists that differ from a valid one.
    fn guess_arrays_around(
        &self,
        merged: &Merged,
        items: &[Value],
        depth: usize,
        take: Take<'_>,
    ) -> ControlFlow<()> {
        if let Some(most) = merged.count("maxItems").filter(|most| *most < MOST)
            && let Some(item) = items.first()
        {
            take((Value::Array(vec![item.clone(); most + 1]), "maxItems"))?;
        }
        if let Some(least) = merged.count("minItems").filter(|least| *least > 0) {
            let few = items.iter().take(least - 1).cloned();
            take((few.collect(), "minItems"))?;
        }
        if let Some(item) = items.first().filter(|_| merged.flag("uniqueItems")) {
            take((json!([item, item]), "uniqueItems"))?;
        }
        let schema = merged.get("items").filter(|_| depth > 0);
        let (Some(schema), Some(first)) = (schema, items.first()) else {
            return ControlFlow::Continue(());
        };
        let valid = std::slice::from_ref(first);
        self.guess_invalid_at(schema, valid, depth - 1, &mut |(value, keyword)| {
            let mut items = items.to_vec();
            items[0] = value;
            take((Value::Array(items), keyword))
        })
    }

    /// Guesses objects that differ from a valid one.
    fn guess_objects_around(
        &self,
        merged: &Merged,
        members: &Map<String, Value>,
        depth: usize,
        take: Take<'_>,
    ) -> ControlFlow<()> {
        let with = |name: &str, value: Value| {
            let mut changed = members.clone();
            changed.insert(name.to_owned(), value);
            Value::Object(changed)
        };
        for name in merged.required() {
            let mut without = members.clone();
            without.shift_remove(name);
            take((Value::Object(without), "required"))?;
        }
        if let Some(rest) = merged.get("additionalProperties") {
            let mut take_more = |value| take((with("another-name", value), "additionalProperties"));
            if rest.is_object() && depth > 0 {
                self.guess_invalid_at(rest, &[], depth - 1, &mut |(value, _)| take_more(value))?;
            } else {
                take_more(json!("more"))?
            }
        }
        if let Some(least) = merged.count("minProperties").filter(|least| *least > 0) {
            let few = members.clone().into_iter().take(least - 1);
            take((Value::Object(few.collect()), "minProperties"))?;
        }
        if let Some(most) = merged.count("maxProperties").filter(|most| *most < MOST) {
            let mut many = members.clone();
            for number in 0..=most {
                many.insert(format!("name{number}"), json!("more"));
            }
            take((Value::Object(many), "maxProperties"))?;
        }
        if depth == 0 {
            return ControlFlow::Continue(());
        }
        for (name, schema) in merged.properties() {
            let Some(value) = members.get(name) else {
                continue;
            };
            let valid = std::slice::from_ref(value);
            self.guess_invalid_at(schema, valid, depth - 1, &mut |(value, keyword)| {
                take((with(name, value), keyword))
            })?;
        }
        ControlFlow::Continue(())
    }
}

fn push_numbers(merged: &Merged, guesses: &mut Vec<Guess>) {
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

fn push_texts(merged: &Merged, guesses: &mut Vec<Guess>) {
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
