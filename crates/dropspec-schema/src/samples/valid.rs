//! Guesses values that a schema probably accepts. The caller validates them.

use std::ops::ControlFlow;

use serde_json::{Map, Value, json};

use crate::samples::merged::Merged;
use crate::samples::numbers::guess_numbers;
use crate::samples::text;
use crate::{Direction, compile, resolve};

/// The depth to which objects and arrays are filled.
const DEPTH: usize = 6;
/// The depth below which only the first guesses are combined.
pub(super) const WIDE_DEPTH: usize = DEPTH - 3;
/// The depth to which a value is followed that has no guess within the usual depth, and must have one.
const LEAST_DEPTH: usize = 12;
/// The most guesses for a schema inside another.
const MOST_INSIDE: usize = 12;
/// The longest text, and the most items of an array that must have so many.
pub(super) const LONGEST: usize = 2000;
/// The most items of other arrays.
pub(super) const MOST_ITEMS: usize = 30;

/// Takes a guess; breaks off when no more are wanted. Guesses of a large schema are large, so that there is never a list of
/// all.
pub(crate) type Take<'t> = &'t mut dyn FnMut(Value) -> ControlFlow<()>;

/// Guesses the values of schemas of a document.
pub(crate) struct Generator<'d> {
    document: &'d Value,
    /// Whether only the least value of each schema is guessed: without optional properties, and of one variant.
    pub(super) least_only: bool,
    /// Whether the examples of the document come before other guesses.
    pub(crate) examples_first: bool,
}

impl<'d> Generator<'d> {
    pub(crate) fn new(document: &'d Value) -> Self {
        Generator {
            document,
            least_only: false,
            examples_first: false,
        }
    }

    /// A schema with its compositions merged.
    pub(crate) fn merge(&self, schema: &Value) -> Merged {
        Merged::new(self.document, &[schema])
    }

    /// Guesses values of a schema, the most usual ones first.
    pub(crate) fn guess(&self, schema: &Value, take: Take<'_>) -> ControlFlow<()> {
        self.guess_at(schema, DEPTH, take)
    }

    fn guess_at(&self, schema: &Value, depth: usize, take: Take<'_>) -> ControlFlow<()> {
        if depth == 0 {
            return ControlFlow::Continue(());
        }
        let merged = self.merge(schema);
        if self.examples_first && !merged.examples.is_empty() {
            // One invalid part would spoil every value that has it.
            let validator = compile(self.document, schema, Direction::Response).ok();
            let is_valid = |it: &&Value| validator.as_ref().is_some_and(|of| of.is_valid(it));
            let examples = merged.examples.iter().filter(is_valid).cloned();
            take_all(examples, take)?;
        }
        self.guess_merged(&merged, depth, take)?;
        // A reference reaches a `nullable` that merging does not.
        let own = resolve(self.document, schema);
        if own.and_then(|own| own.get("nullable")) == Some(&Value::Bool(true)) {
            take(Value::Null)?;
        }
        // Types do not keep what the schema does not describe.
        let is_described = |example: &&Value| match example.as_object() {
            Some(members) => {
                let known: Vec<&String> = merged.properties().map(|(name, _)| name).collect();
                known.is_empty() || members.keys().all(|name| known.contains(&name))
            }
            None => true,
        };
        let examples = merged.examples.iter().filter(is_described).cloned();
        take_all(examples, take)
    }

    fn guess_merged(&self, merged: &Merged, depth: usize, take: Take<'_>) -> ControlFlow<()> {
        if depth == 0 {
            return ControlFlow::Continue(());
        }
        if let Some(Value::Array(values)) = merged.get("enum") {
            return take_all(values.iter().cloned(), take);
        }
        if let Some(union) = merged.unions.first() {
            let base = merged.base();
            for variant in union {
                let tag = merged
                    .get("discriminator")
                    .and_then(|it| describe_tag(it, variant));
                let tag = tag.unwrap_or_default();
                let mut both = Merged::new(self.document, &[&base, variant, &tag]);
                // A variant that extends the schema of the union brings the same union again.
                both.unions.retain(|other| other != union);
                let found = first(MOST_INSIDE * 3, |take| {
                    self.guess_merged(&both, depth - 1, take)
                });
                let is_enough = self.least_only && !found.is_empty();
                take_all(found, take)?;
                if is_enough {
                    break;
                }
            }
            return ControlFlow::Continue(());
        }
        let mut values = Vec::new();
        match merged.kind() {
            "boolean" => values.extend([json!(true), json!(false)]),
            "integer" => guess_numbers(merged, true, &mut values),
            "number" => guess_numbers(merged, false, &mut values),
            "string" => {
                let texts = text::guess(merged, LONGEST);
                values.extend(texts.into_iter().map(Value::from));
            }
            "array" => self.guess_arrays(merged, depth, take)?,
            "object" => self.guess_objects(merged, depth, take)?,
            _ => values.extend([
                json!("any"),
                json!(1),
                json!({ "any": [true, null] }),
                json!([]),
            ]),
        }
        if merged.flag("nullable") {
            values.push(Value::Null);
        }
        take_all(values, take)
    }

    /// Guesses for a schema inside another.
    pub(crate) fn guess_inside(&self, schema: &Value, depth: usize) -> Vec<Value> {
        let most = match depth > WIDE_DEPTH {
            _ if self.least_only => 1,
            true => MOST_INSIDE,
            false => 2,
        };
        first(most, |take| self.guess_at(schema, depth - 1, take))
    }

    /// Guesses for a schema inside another that needs one, however deep it is.
    pub(super) fn guess_needed(&self, schema: &Value, depth: usize) -> Vec<Value> {
        let found = self.guess_inside(schema, depth);
        if !found.is_empty() || self.least_only {
            return found;
        }
        let least = Generator {
            least_only: true,
            ..*self
        };
        let mut deeper =
            (1..=LEAST_DEPTH).map(|depth| first(1, |take| least.guess_at(schema, depth, take)));
        deeper.find(|found| !found.is_empty()).unwrap_or_default()
    }

    fn guess_objects(&self, merged: &Merged, depth: usize, take: Take<'_>) -> ControlFlow<()> {
        let required = merged.required();
        let any = json!({});
        let mut guesses: Vec<(&str, Vec<Value>)> = Vec::new();
        for (name, schema) in merged.properties() {
            let is_required = required.contains(&name.as_str());
            if self.least_only && !is_required {
                continue;
            }
            let found = if is_required || depth > WIDE_DEPTH {
                self.guess_needed(schema, depth)
            } else {
                self.guess_inside(schema, depth)
            };
            if found.is_empty() && is_required {
                return ControlFlow::Continue(());
            }
            guesses.push((name, found));
        }
        for name in &required {
            if !guesses.iter().any(|(known, _)| known == name) {
                let rest = merged
                    .get("additionalProperties")
                    .filter(|rest| rest.is_object());
                let found = self.guess_inside(rest.unwrap_or(&any), depth);
                guesses.push((name, found));
            }
        }
        let fill = |wanted: &dyn Fn(&str) -> bool| -> Map<String, Value> {
            let wanted = guesses.iter().filter(|(name, _)| wanted(name));
            wanted
                .filter_map(|(name, found)| Some(((*name).to_owned(), found.first()?.clone())))
                .collect()
        };
        let everything = fill(&|_| true);
        let least = fill(&|name| required.contains(&name));
        take(Value::Object(everything.clone()))?;
        take(Value::Object(least.clone()))?;
        for (name, found) in &guesses {
            for value in found.iter().skip(usize::from(found.len() > 1)) {
                let mut one = least.clone();
                one.insert((*name).to_owned(), value.clone());
                take(Value::Object(one))?;
            }
        }
        let rest = match merged.get("additionalProperties") {
            Some(schema @ Value::Object(_)) => self.guess_inside(schema, depth),
            Some(Value::Bool(true)) => vec![json!("more")],
            None if guesses.is_empty() => vec![json!("more")],
            _ => Vec::new(),
        };
        let fewest = merged.count("minProperties").unwrap_or(0);
        for value in rest {
            let mut more = least.clone();
            let mut number = 1;
            more.insert("another-name".to_owned(), value.clone());
            while more.len() < fewest.min(MOST_ITEMS) {
                more.insert(format!("name{number}"), value.clone());
                number += 1;
            }
            take(Value::Object(more))?;
        }
        // As many of the optional properties as are needed.
        let mut enough = least;
        for (name, value) in everything {
            if enough.len() < fewest {
                enough.insert(name, value);
            }
        }
        take(Value::Object(enough))
    }
}

/// What a value must have so that a discriminator with a default names a variant, if that is not the default.
fn describe_tag(discriminator: &Value, variant: &Value) -> Option<Value> {
    let default = discriminator.get("defaultMapping")?.as_str()?;
    let property = discriminator.get("propertyName")?.as_str()?;
    let reference = variant.get("$ref")?.as_str()?;
    let name = reference.strip_prefix("#/components/schemas/");
    let is_meant = |target: &str| target == reference || Some(target) == name;
    let mapping = discriminator.get("mapping").and_then(Value::as_object);
    let mapping = mapping.into_iter().flatten();
    let mapped = mapping.filter(|(_, target)| target.as_str().is_some_and(is_meant));
    let mut tags: Vec<&str> = mapped.map(|(tag, _)| tag.as_str()).collect();
    if tags.is_empty() {
        tags.extend(name);
    }
    let tag = json!({ "required": [property], "properties": { property: { "enum": tags } } });
    (!is_meant(default)).then_some(tag)
}

/// The first guesses, at most `most`.
fn first(most: usize, guess: impl FnOnce(Take<'_>) -> ControlFlow<()>) -> Vec<Value> {
    let mut found = Vec::new();
    let _ = guess(&mut |value| {
        found.push(value);
        if found.len() < most {
            ControlFlow::Continue(())
        } else {
            ControlFlow::Break(())
        }
    });
    found
}

pub(super) fn take_all(values: impl IntoIterator<Item = Value>, take: Take<'_>) -> ControlFlow<()> {
    values.into_iter().try_for_each(take)
}
