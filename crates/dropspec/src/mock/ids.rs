//! Ids for new records.

use std::iter::successors;

use dropspec_schema::wire::plain;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::shape::Shape;

/// How many free ids are tried after each sample of a schema.
const MOST_GUESSES: usize = 4000;

/// An id that is free and that the schema takes: the next number, a UUID, a text like the sample with another number, or the
/// next after one of the samples of its schema. `None` if none is found.
pub(super) fn new_id(
    shape: &Shape,
    property: &str,
    record: &Map<String, Value>,
    is_free: impl Fn(&str) -> bool,
) -> Option<Value> {
    let next = (1..).find(|number: &u64| is_free(&number.to_string()));
    let next = next.unwrap_or_default();
    let stem = record.get(property).map(plain).unwrap_or_default();
    let stem = stem.trim_end_matches(|it: char| it.is_ascii_digit());
    let numbered = (next..).map(|number| format!("{stem}{number}"));
    let numbered = numbered.into_iter().find(|id| is_free(id));
    let usual = [
        Value::from(next),
        Value::from(Uuid::new_v4().to_string()),
        Value::from(next.to_string()),
        Value::from(numbered.unwrap_or_default()),
    ];
    let is_allowed = |id: &Value| {
        let mut record = Value::Object(record.clone());
        record[property] = id.clone();
        shape.takes(record)
    };
    let first = usual.into_iter().find(is_allowed);
    first.or_else(|| {
        let (samples, step) = shape.samples_and_step(property);
        let numbers = samples.iter().filter_map(Value::as_i64);
        let numbers = numbers.map(|first| successors(Some(first), move |it| it.checked_add(step)));
        let numbers = numbers
            .map(|all| -> Box<dyn Iterator<Item = Value>> { Box::new(all.map(Value::from)) });
        let texts = samples.iter().filter_map(Value::as_str);
        let texts = texts.flat_map(|first| [(first, false), (first, true)]);
        let texts = texts.map(
            |(first, counts_letters)| -> Box<dyn Iterator<Item = Value>> {
                let next = move |text: &String| next_text(text, counts_letters);
                Box::new(successors(Some(first.to_owned()), next).map(Value::from))
            },
        );
        let mut guesses = numbers.chain(texts);
        guesses.find_map(|all| {
            let free = all.filter(|id| is_free(&plain(id)));
            free.take(MOST_GUESSES).find(is_allowed)
        })
    })
}

/// The next text of the same form: its last digit, or also letter, is counted up, and after the last one that before it.
fn next_text(text: &str, counts_letters: bool) -> Option<String> {
    let mut all: Vec<char> = text.chars().collect();
    let mut counted = None;
    for at in (0..all.len()).rev() {
        let (first, last) = match all[at] {
            '0'..='9' => ('0', '9'),
            'a'..='z' if counts_letters => ('a', 'z'),
            'A'..='Z' if counts_letters => ('A', 'Z'),
            _ => continue,
        };
        if all[at] < last {
            all[at] = char::from_u32(u32::from(all[at]) + 1)?;
            return Some(all.into_iter().collect());
        }
        all[at] = first;
        counted = Some(first);
    }
    all.push(counted?);
    Some(all.into_iter().collect())
}
