//! Guesses values that a schema probably rejects, each by one keyword. The caller validates them.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::integer_range;
use crate::samples::collected::Sample;
use crate::samples::merged::Merged;
use crate::samples::numbers::to_number;
use crate::samples::text::NO_FORMAT;
use crate::samples::valid::Generator;

/// The depth to which invalid values are put into valid ones.
const DEPTH: usize = 3;
/// The longest text and array that is too long.
const MOST: usize = 5000;

/// Takes a guess; breaks off when no more are wanted.
type Take<'t> = &'t mut dyn FnMut(Sample) -> ControlFlow<()>;

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
        let mut guesses: Vec<Sample> = Vec::new();
        let keyword = if merged.get("enum").is_some() {
            "enum"
        } else if merged.unions.is_empty() {
            "type"
        } else {
            "oneOf"
        };
        let others = json!([true, "\u{1}", 0.5, [[]], {}, null]);
        let others = others.as_array().into_iter().flatten();
        guesses.extend(others.map(|value| (value.clone(), keyword)));
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
        if let (Some(count), Some(item)) = (too_many(merged, "maxItems"), items.first()) {
            take((Value::Array(vec![item.clone(); count]), "maxItems"))?;
        }
        if let Some(count) = too_few(merged, "minItems") {
            let few = items.iter().take(count).cloned();
            take((few.collect(), "minItems"))?;
        }
        if let Some(item) = items.first().filter(|_| merged.flag("uniqueItems")) {
            take((json!([item, item]), "uniqueItems"))?;
        }
        let schema = merged.get("items").filter(|_| depth > 0);
        let prefix = merged.get("prefixItems").and_then(Value::as_array);
        let place = prefix.map_or(0, Vec::len);
        let (Some(schema), Some(first)) = (schema, items.get(place)) else {
            return ControlFlow::Continue(());
        };
        let valid = std::slice::from_ref(first);
        self.guess_invalid_at(schema, valid, depth - 1, &mut |(value, keyword)| {
            let mut items = items.to_vec();
            items[place] = value;
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
        if let Some(count) = too_few(merged, "minProperties") {
            let few = members.clone().into_iter().take(count);
            take((Value::Object(few.collect()), "minProperties"))?;
        }
        if let Some(count) = too_many(merged, "maxProperties") {
            let mut many = members.clone();
            for number in 0..count {
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

fn push_numbers(merged: &Merged, guesses: &mut Vec<Sample>) {
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
        let (least, most) = integer_range(merged.text("format"));
        let over = [least - 1, most + 1].map(i64::try_from).into_iter();
        guesses.extend(over.flatten().map(|number| (json!(number), "format")));
    }
}

fn push_texts(merged: &Merged, guesses: &mut Vec<Sample>) {
    if merged.kind() != "string" {
        return;
    }
    let short = too_few(merged, "minLength").map(|count| (count, "minLength"));
    let long = too_many(merged, "maxLength").map(|count| (count, "maxLength"));
    for (count, keyword) in [short, long].into_iter().flatten() {
        guesses.push((json!("a".repeat(count)), keyword));
    }
    if !merged.patterns.is_empty() {
        guesses.extend(["", "\u{1}", "ü ü"].map(|text| (json!(text), "pattern")));
    }
    if !merged.text("format").is_empty() {
        guesses.push((json!(NO_FORMAT), "format"));
    }
}

/// A number below the least of a keyword.
fn too_few(merged: &Merged, keyword: &str) -> Option<usize> {
    let least = merged.count(keyword).filter(|least| *least < MOST);
    least?.checked_sub(1)
}

/// A number above the most of a keyword.
fn too_many(merged: &Merged, keyword: &str) -> Option<usize> {
    let most = merged.count(keyword).filter(|most| *most < MOST);
    Some(most? + 1)
}
