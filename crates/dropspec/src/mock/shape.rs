//! Responses with a record or a list of records in them, and others in their place, as far as the schema takes them.

use dropspec_schema::wire::properties;
use dropspec_schema::{Direction, Validator, compile, resolve};
use serde_json::{Map, Value};

use super::tables::Tables;

/// A response, and where a record or a list of them is in it.
pub(super) struct Shape {
    whole: Value,
    /// The property that has it; `None` if it is the response.
    envelope: Option<String>,
    /// The properties of a record, and whether no response shows them: `writeOnly`.
    properties: Vec<(String, bool)>,
    validator: Validator,
}

impl Shape {
    /// The shape of a response with this schema, whose property `envelope` has the record if it has such a one.
    pub(super) fn of_record(
        (whole, schema): (Value, &'static Value),
        envelope: Option<&str>,
    ) -> Option<Shape> {
        let is_object = |name: &&str| whole.get(name).is_some_and(Value::is_object);
        let envelope = envelope.filter(is_object).map(str::to_owned);
        Shape::new(whole, envelope, schema)
    }

    /// The shape of a response with this schema that is a list, or has one.
    pub(super) fn of_list((whole, schema): (Value, &'static Value)) -> Option<Shape> {
        let envelope = match &whole {
            Value::Array(_) => None,
            Value::Object(members) => {
                let mut members = members.iter();
                Some(members.find(|(_, value)| value.is_array())?.0.clone())
            }
            _ => return None,
        };
        Shape::new(whole, envelope, schema)
    }

    fn new(whole: Value, envelope: Option<String>, schema: &'static Value) -> Option<Shape> {
        let validator = compile(Tables::document().json(), schema, Direction::Response).ok()?;
        Some(Shape {
            properties: properties_of_record(schema, envelope.as_deref()),
            whole,
            envelope,
            validator,
        })
    }

    /// The record of the response.
    pub(super) fn record(&self) -> Option<&Map<String, Value>> {
        self.inner()?.as_object()
    }

    /// The response with a record, and of the sample only what the schema demands beside it.
    pub(super) fn show(&self, record: &Value) -> Value {
        let record = &self.visible(record);
        let whole = self.place(record.clone());
        if self.validator.is_valid(&whole) {
            return whole;
        }
        match (self.record(), record) {
            (Some(sample), Value::Object(own)) => self.place(self.compose(sample, own)),
            _ => self.whole.clone(),
        }
    }

    /// The response with these records, of `total`.
    pub(super) fn show_all<'r>(
        &self,
        records: impl Iterator<Item = &'r Value>,
        total: usize,
    ) -> Value {
        let sample = self.inner().and_then(|items| items.get(0));
        let place = |item: Value| self.place(Value::Array(vec![item]));
        let items = records.map(|record| self.visible(record));
        let items = items.map(|record| match (&record, sample) {
            _ if self.validator.is_valid(&place(record.clone())) => record.clone(),
            (Value::Object(own), Some(Value::Object(sample))) => {
                compose(sample, own, |item| self.validator.is_valid(&place(item)))
            }
            _ => record.clone(),
        });
        let mut whole = self.place(items.collect());
        if let (Value::Object(members), Some(items)) = (&mut whole, &self.envelope) {
            self.tidy(members, items, total);
        }
        whole
    }

    /// A record with these properties, and of the sample only what it must have.
    pub(super) fn compose(&self, sample: &Map<String, Value>, own: &Map<String, Value>) -> Value {
        compose(sample, own, |record| self.takes(record))
    }

    /// Whether a record is valid in the response.
    pub(super) fn takes(&self, record: Value) -> bool {
        self.validator.is_valid(&self.place(record))
    }

    /// Whether the document declares a property of a record.
    pub(super) fn declares(&self, name: &str) -> bool {
        self.properties.iter().any(|(known, _)| known == name)
    }

    fn visible(&self, record: &Value) -> Value {
        let mut record = record.clone();
        if let Value::Object(members) = &mut record {
            let hidden = self.properties.iter().filter(|(_, is_hidden)| *is_hidden);
            hidden.for_each(|(name, _)| drop(members.shift_remove(name)));
        }
        record
    }

    fn inner(&self) -> Option<&Value> {
        match &self.envelope {
            Some(name) => self.whole.get(name),
            None => Some(&self.whole),
        }
    }

    fn place(&self, inner: Value) -> Value {
        let Some(name) = &self.envelope else {
            return inner;
        };
        let mut whole = self.whole.clone();
        whole[name] = inner;
        whole
    }

    /// Makes what stands beside the items of a list true, or removes it: a total is counted, and there is no other page.
    fn tidy(&self, members: &mut Map<String, Value>, items: &str, total: usize) {
        let names: Vec<String> = members.keys().cloned().collect();
        for name in names.iter().filter(|name| *name != items) {
            let lower = name.to_ascii_lowercase();
            let is_total = ["total", "count"].iter().any(|it| lower.contains(it));
            let choices = match &members[name] {
                Value::Number(_) if is_total => vec![Some(Value::from(total))],
                _ => vec![None, Some(Value::Null), Some(Value::Bool(false))],
            };
            let changed = choices.into_iter().map(|choice| {
                let mut changed = members.clone();
                match choice {
                    Some(value) => changed.insert(name.clone(), value),
                    None => changed.shift_remove(name),
                };
                Value::Object(changed)
            });
            let valid = changed.into_iter().find(|it| self.validator.is_valid(it));
            if let Some(Value::Object(valid)) = valid {
                *members = valid;
            }
        }
    }
}

/// The properties of the records of a response with this schema, and whether they are `writeOnly`.
fn properties_of_record(schema: &'static Value, envelope: Option<&str>) -> Vec<(String, bool)> {
    let document = Tables::document().json();
    let place = envelope.and_then(|envelope| {
        let mut members = properties(document, schema).into_iter();
        members.find(|(name, _)| *name == envelope)
    });
    let place = place.as_ref().map_or(schema, |(_, place)| place);
    let place = resolve(document, place).unwrap_or(place);
    let record = place.get("items").unwrap_or(place);
    let is_hidden = |property: &Value| {
        let property = resolve(document, property);
        property.is_some_and(|it| it.get("writeOnly") == Some(&Value::Bool(true)))
    };
    let members = properties(document, record).into_iter();
    members
        .map(|(name, property)| (name.to_owned(), is_hidden(&property)))
        .collect()
}

/// The properties `own` as far as the schema takes them, with those of the sample that it demands beside them.
fn compose(
    sample: &Map<String, Value>,
    own: &Map<String, Value>,
    is_valid: impl Fn(Value) -> bool,
) -> Value {
    let with = |record: &Value, name: &str, value: &Value| {
        let mut record = record.clone();
        record[name] = value.clone();
        record
    };
    let sampled = Value::Object(sample.clone());
    let add = |record: Value, (name, value): (&String, &Value)| with(&record, name, value);
    let all = own.iter().fold(sampled.clone(), add);
    let mut record = if is_valid(all.clone()) {
        all
    } else {
        own.iter().fold(sampled, |record, (name, value)| {
            let changed = with(&record, name, value);
            if is_valid(changed.clone()) {
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
        if is_valid(without.clone()) {
            record = without;
        }
    }
    record
}

/// Applies a JSON merge patch (RFC 7396, section 2).
pub(super) fn merge(target: &mut Map<String, Value>, patch: &Map<String, Value>) {
    for (name, change) in patch {
        match change {
            Value::Null => {
                target.shift_remove(name);
            }
            Value::Object(inner) => {
                let old = target.get(name).and_then(Value::as_object);
                let mut new = old.cloned().unwrap_or_default();
                merge(&mut new, inner);
                target.insert(name.clone(), Value::Object(new));
            }
            change => {
                target.insert(name.clone(), change.clone());
            }
        }
    }
}
