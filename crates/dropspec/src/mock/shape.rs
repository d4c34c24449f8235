//! Responses with a record or a list of records in them, and others in their place, as far as the schema takes them.

use dropspec_schema::samples::{example, samples};
use dropspec_schema::wire::{is_list, properties};
use dropspec_schema::{Direction, Validator, compile, pointer, resolve};
use serde_json::{Map, Value};

use super::paging::Page;
use super::places::{Kind, Place};
use super::tables::Tables;

/// A response, and where records are in it.
pub(super) struct Shape {
    whole: Value,
    place: Place,
    /// A record of it.
    sample: Value,
    /// The properties of a record, with their schemas.
    properties: Vec<(String, Value)>,
    validator: Validator,
}

impl Shape {
    /// The shape of a response with this schema, and with records in this place.
    pub(super) fn new((whole, schema): (Value, &'static Value), place: Place) -> Option<Shape> {
        let document = Tables::document().json();
        let validator = compile(document, schema, Direction::Response).ok()?;
        let inner = place.get(&whole).cloned();
        let shown = match (place.kind, inner) {
            (Kind::Record, inner) => inner,
            (_, Some(Value::Array(items))) => items.into_iter().next(),
            (_, Some(Value::Object(items))) => items.into_iter().next().map(|(_, it)| it),
            _ => None,
        };
        let make = || example(document, &place.schema, Direction::Response).ok()?;
        let sample = shown.or_else(make).unwrap_or_default();
        let properties = properties(document, &place.schema).into_iter();
        let properties = properties.map(|(name, it)| (name.to_owned(), it.into_owned()));
        Some(Shape {
            properties: properties.collect(),
            whole,
            place,
            sample,
            validator,
        })
    }

    /// A record as the document shows it.
    pub(super) fn record(&self) -> Option<&Map<String, Value>> {
        self.sample.as_object()
    }

    /// The response with a record, and of the sample only what the schema demands beside it.
    pub(super) fn show(&self, record: &Value) -> Value {
        self.place.put(&self.whole, self.fit(record))
    }

    /// The response with these records, by their ids, as a page of all.
    pub(super) fn show_all<'r>(
        &self,
        records: impl Iterator<Item = (&'r String, &'r Value)>,
        page: &Page,
    ) -> Value {
        let records = records.map(|(id, record)| (id.clone(), self.fit(record)));
        let inner = match self.place.kind {
            Kind::Map => Value::Object(records.collect()),
            _ => records.map(|(_, record)| record).collect(),
        };
        let mut whole = self.place.put(&self.whole, inner);
        let path = self.place.path.iter();
        let pointer = path.fold(String::new(), |at, name| pointer::join(&at, name));
        page.correct(&mut whole, ("", &pointer), &|it| {
            self.validator.is_valid(it)
        });
        whole
    }

    /// A record as it is valid in the response.
    fn fit(&self, record: &Value) -> Value {
        let record = self.visible(record);
        match (&self.sample, &record) {
            (Value::Object(sample), Value::Object(own)) if !self.takes(record.clone()) => {
                self.compose(sample, own)
            }
            _ => record,
        }
    }

    /// The properties `own` as far as the schema takes them, with those of the sample that it demands beside them.
    pub(super) fn compose(&self, sample: &Map<String, Value>, own: &Map<String, Value>) -> Value {
        let with = |record: &Value, name: &str, value: &Value| {
            let mut record = record.clone();
            record[name] = value.clone();
            record
        };
        let sampled = Value::Object(sample.clone());
        let add = |record: Value, (name, value): (&String, &Value)| with(&record, name, value);
        let all = own.iter().fold(sampled.clone(), add);
        let mut record = if self.takes(all.clone()) {
            all
        } else {
            own.iter().fold(sampled, |record, (name, value)| {
                let changed = with(&record, name, value);
                if self.takes(changed.clone()) {
                    changed
                } else {
                    record
                }
            })
        };
        for name in sample.keys().filter(|name| !own.contains_key(*name)) {
            let mut without = record.clone();
            if let Value::Object(members) = &mut without {
                members.shift_remove(name);
            }
            if self.takes(without.clone()) {
                record = without;
            }
        }
        record
    }

    /// Whether a record is valid in the response.
    pub(super) fn takes(&self, record: Value) -> bool {
        let inner = match self.place.kind {
            Kind::Record => record,
            Kind::List => Value::Array(vec![record]),
            Kind::Map => Map::from_iter([("1".to_owned(), record)]).into(),
        };
        self.validator.is_valid(&self.place.put(&self.whole, inner))
    }

    /// Whether the document declares a property of a record.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.schema_of(name).is_some()
    }

    /// The names of the properties of a record.
    pub(super) fn names(&self) -> impl Iterator<Item = &String> {
        self.properties.iter().map(|(name, _)| name)
    }

    /// Values of a property, and the difference of two neighbours of its integers.
    pub(super) fn samples_and_step(&self, name: &str) -> (Vec<Value>, i64) {
        let Some(schema) = self.schema_of(name) else {
            return (Vec::new(), 1);
        };
        let document = Tables::document().json();
        let samples = samples(document, schema, Direction::Response).unwrap_or_default();
        let step = resolve(document, schema).and_then(|it| it.get("multipleOf")?.as_i64());
        (samples.valid, step.unwrap_or(1))
    }

    /// The record of a request's body: the body, or its only object if the record has none of the body's properties. A single
    /// part of a form stands for a list of one.
    pub(super) fn record_of(&self, body: &Value) -> Map<String, Value> {
        let Some(members) = body.as_object() else {
            return Map::new();
        };
        let mut objects = members.values().filter_map(Value::as_object);
        let is_known = members.keys().any(|name| self.declares(name));
        let is_around = !self.properties.is_empty() && !is_known;
        let inner = objects
            .next()
            .filter(|_| is_around && objects.next().is_none());
        let mut record = inner.unwrap_or(members).clone();
        for (name, value) in record.iter_mut().filter(|(_, value)| !value.is_array()) {
            let schema = self.schema_of(name);
            let schema = schema.and_then(|it| resolve(Tables::document().json(), it));
            if schema.is_some_and(is_list) && !value.is_null() {
                *value = Value::Array(vec![value.take()]);
            }
        }
        record
    }

    fn schema_of(&self, name: &str) -> Option<&Value> {
        let mut properties = self.properties.iter();
        Some(&properties.find(|(known, _)| known == name)?.1)
    }

    fn visible(&self, record: &Value) -> Value {
        let mut record = record.clone();
        let is_hidden = |property: &Value| {
            let property = resolve(Tables::document().json(), property);
            property.is_some_and(|it| it.get("writeOnly") == Some(&Value::Bool(true)))
        };
        if let Value::Object(members) = &mut record {
            let hidden = self.properties.iter().filter(|(_, it)| is_hidden(it));
            hidden.for_each(|(name, _)| drop(members.shift_remove(name)));
        }
        record
    }
}

/// Applies a JSON merge patch (RFC 7396, section 2). A null that removes what a record must have is its value, if it may be.
pub(super) fn merge(
    target: &mut Map<String, Value>,
    patch: &Map<String, Value>,
    is_valid: &dyn Fn(&Map<String, Value>) -> bool,
) {
    for (name, change) in patch {
        match change {
            Value::Null => {
                target.shift_remove(name);
                if !is_valid(target) {
                    target.insert(name.clone(), Value::Null);
                    if !is_valid(target) {
                        target.shift_remove(name);
                    }
                }
            }
            Value::Object(inner) => {
                let old = target.get(name).and_then(Value::as_object);
                let mut new = old.cloned().unwrap_or_default();
                let whole = target.clone();
                merge(&mut new, inner, &|it| {
                    let mut whole = whole.clone();
                    whole.insert(name.clone(), Value::Object(it.clone()));
                    is_valid(&whole)
                });
                target.insert(name.clone(), Value::Object(new));
            }
            change => {
                target.insert(name.clone(), change.clone());
            }
        }
    }
}
