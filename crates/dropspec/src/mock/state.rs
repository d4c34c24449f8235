//! What was created: records that operations list, read, replace, change and delete.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dropshot::ClientErrorStatusCode;
use dropspec_schema::wire::{encode_segment, plain};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use uuid::Uuid;

use super::answer::Answers;
use super::paging::page;
use super::resources::{Resource, Resources, Role};
use super::shape::{Shape, merge};

/// The records of each path, by their ids.
type Records = HashMap<String, IndexMap<String, Value>>;

/// The records of a mock.
pub(super) struct State {
    resources: Resources,
    answers: Arc<Answers>,
    /// The responses for success of the operations on records, made at the first request; `None` if it has no place for them.
    shapes: BTreeMap<usize, OnceLock<Option<Shape>>>,
    records: Mutex<Records>,
}

/// A request.
pub(super) struct Called<'a> {
    /// Its path, below the base path.
    pub(super) path: &'a str,
    pub(super) parameters: Map<String, Value>,
    pub(super) query: Map<String, Value>,
    pub(super) body: &'a Value,
}

/// An operation, and the resource that it concerns.
#[derive(Clone, Copy)]
struct Target<'a> {
    operation: usize,
    index: usize,
    resource: &'a Resource,
}

/// What becomes of a request.
#[derive(Debug)]
pub(super) enum Outcome {
    /// The response for success, with the path of what was created.
    Made {
        body: Option<Value>,
        location: Option<String>,
    },
    /// An error.
    Refused(ClientErrorStatusCode, String),
}

impl State {
    /// An interface without records.
    pub(super) fn new(resources: Resources, answers: Arc<Answers>) -> State {
        State {
            shapes: resources
                .roles
                .keys()
                .map(|operation| (*operation, OnceLock::new()))
                .collect(),
            resources,
            answers,
            records: Mutex::default(),
        }
    }

    /// Carries out what a request asks for; `None` if it concerns no resource, so that its answer is a sample.
    pub(super) fn answer(&self, operation: usize, called: &Called<'_>) -> Option<Outcome> {
        let (index, role) = *self.resources.roles.get(&operation)?;
        let resource = &self.resources.all[index];
        let target = Target {
            operation,
            index,
            resource,
        };
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        match role {
            Role::Create => {
                let path = called.path.trim_end_matches('/');
                let records = records.entry(path.to_owned()).or_default();
                self.create(target, path, called.body, records)
            }
            Role::List => self.list(
                target,
                called,
                records.get(called.path.trim_end_matches('/')),
            ),
            _ => {
                let (path, _) = called.path.rsplit_once('/')?;
                let id = plain(called.parameters.get(resource.parameter)?);
                let records = records.entry(path.to_owned()).or_default();
                self.answer_record(target, role, &id, called.body, records)
            }
        }
    }

    fn create(
        &self,
        target: Target<'_>,
        path: &str,
        body: &Value,
        records: &mut IndexMap<String, Value>,
    ) -> Option<Outcome> {
        let resource = target.resource;
        let shape = self.shape_of_record(target)?;
        let sample = shape.record()?;
        let mut own = body.as_object().cloned().unwrap_or_default();
        if !own.contains_key(&resource.id) {
            own.insert(
                resource.id.clone(),
                new_id(shape, &resource.id, sample, records),
            );
        }
        let record = shape.compose(sample, &own);
        let id = plain(record.get(&resource.id)?);
        if records.contains_key(&id) {
            let message = format!("there is `{id}` already");
            return Some(Outcome::Refused(ClientErrorStatusCode::CONFLICT, message));
        }
        let location = format!("{path}/{}", encode_segment(&id));
        records.insert(id, record.clone());
        let body = self.show(target, &record);
        Some(Outcome::Made {
            body,
            location: Some(location),
        })
    }

    fn list(
        &self,
        Target {
            operation,
            resource,
            ..
        }: Target<'_>,
        called: &Called<'_>,
        records: Option<&IndexMap<String, Value>>,
    ) -> Option<Outcome> {
        let shape = self.shape(operation)?;
        let wanted = records
            .into_iter()
            .flat_map(IndexMap::values)
            .filter(|record| {
                called.query.iter().all(|(name, wanted)| {
                    wanted.is_null()
                        || match record.get(name) {
                            Some(value) => plain(value) == plain(wanted),
                            None => !shape.declares(name),
                        }
                })
            });
        let total = wanted.clone().count();
        let (begin, limit) = page(&called.query, || {
            wanted
                .clone()
                .map(|record| record.get(&resource.id).map(plain).unwrap_or_default())
        });
        let body = shape.show_all(wanted.skip(begin).take(limit), total);
        Some(Outcome::Made {
            body: Some(body),
            location: None,
        })
    }

    fn answer_record(
        &self,
        target: Target<'_>,
        role: Role,
        id: &str,
        body: &Value,
        records: &mut IndexMap<String, Value>,
    ) -> Option<Outcome> {
        let missing = || {
            Outcome::Refused(
                ClientErrorStatusCode::NOT_FOUND,
                format!("there is no `{id}`"),
            )
        };
        let known = records.get(id);
        let creates = (target.index, Role::Create);
        let has_create = self.resources.roles.values().any(|it| *it == creates);
        let can_create = role == Role::Replace && !has_create;
        if known.is_none() && !can_create {
            return Some(missing());
        }
        let record = match role {
            Role::Read => known?.clone(),
            Role::Delete => records.shift_remove(id)?,
            _ => {
                let property = &target.resource.id;
                let shape = self.shape_of_record(target)?;
                let sample = known
                    .and_then(Value::as_object)
                    .or_else(|| shape.record())?;
                let given = body.as_object()?;
                let mut own = given.clone();
                if role == Role::Change {
                    own = sample.clone();
                    merge(&mut own, given);
                }
                own.insert(property.clone(), like(sample.get(property)?, id));
                let record = shape.compose(sample, &own);
                // What is not in the responses at all, such as a password, is taken and not kept.
                let kept = |name: &str| record.get(name).is_none_or(|it| Some(it) == own.get(name));
                if let Some(name) = given.keys().find(|name| !kept(name)) {
                    let message = format!("the property `{name}` would make the record invalid");
                    return Some(Outcome::Refused(
                        ClientErrorStatusCode::UNPROCESSABLE_ENTITY,
                        message,
                    ));
                }
                records.insert(id.to_owned(), record.clone());
                record
            }
        };
        let body = self.show(target, &record);
        Some(Outcome::Made {
            body,
            location: None,
        })
    }

    /// The response that shows a record as it is kept: that of the operation that reads one, or else of this one.
    fn shape_of_record(&self, target: Target<'_>) -> Option<&Shape> {
        let wanted = (target.index, Role::Read);
        let mut roles = self.resources.roles.iter();
        let reads = roles.find(|(_, role)| **role == wanted);
        self.shape(reads.map_or(target.operation, |(reads, _)| *reads))
    }

    fn shape(&self, operation: usize) -> Option<&Shape> {
        let (index, role) = self.resources.roles.get(&operation)?;
        let make = || {
            let response = self.answers.json_of_success(operation)?;
            let envelope = self.resources.all[*index].envelope.as_deref();
            match role {
                Role::List => Shape::of_list(response),
                _ => Shape::of_record(response, envelope),
            }
        };
        self.shapes.get(&operation)?.get_or_init(make).as_ref()
    }

    /// The response that shows a record; `None` if it has no body for one.
    fn show(&self, target: Target<'_>, record: &Value) -> Option<Value> {
        Some(self.shape(target.operation)?.show(record))
    }
}

/// An id that no record has: the next number, a UUID, or a text like the sample with another number.
fn new_id(
    shape: &Shape,
    property: &str,
    sample: &Map<String, Value>,
    records: &IndexMap<String, Value>,
) -> Value {
    let next = (1..).find(|number: &u64| !records.contains_key(&number.to_string()));
    let next = next.unwrap_or_default();
    let old = sample.get(property).cloned().unwrap_or_default();
    let stem = plain(&old);
    let stem = stem.trim_end_matches(|it: char| it.is_ascii_digit());
    let numbered = (records.len() + 1..).map(|number| format!("{stem}{number}"));
    let numbered = numbered.into_iter().find(|id| !records.contains_key(id));
    let choices = [
        Value::from(next),
        Value::from(Uuid::new_v4().to_string()),
        Value::from(next.to_string()),
        Value::from(numbered.unwrap_or_default()),
    ];
    let fits = |id: &Value| {
        let mut record = Value::Object(sample.clone());
        record[property] = id.clone();
        shape.takes(record)
    };
    choices.into_iter().find(fits).unwrap_or(old)
}

/// An id of a path as a value of the same type as another one.
fn like(other: &Value, id: &str) -> Value {
    match other {
        Value::Number(_) => id.parse().map_or_else(|_| Value::from(id), Value::Number),
        _ => Value::from(id),
    }
}
