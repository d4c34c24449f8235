//! What was created: records that operations list, read, replace, change and delete.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use dropshot::ClientErrorStatusCode as Status;
use dropspec_schema::wire::{encode_segment, fill_template, plain, template_parameters};
use indexmap::IndexMap;
use serde_json::Value;

use super::answer::{Answers, Made, tag_of};
use super::called::{Called, defaults, id_like};
use super::ids::new_id;
use super::paging::Page;
use super::places::Place;
use super::resources::{Resource, Resources, Role};
use super::shape::Shape;
use super::tables::Tables;

/// The records of a resource below each path, which has these values of its parameters, by their ids.
type Records = HashMap<(usize, Vec<String>), IndexMap<String, Value>>;

/// The records of a mock.
pub(super) struct State {
    resources: Resources,
    answers: Arc<Answers>,
    /// The responses for success of the operations on records, and of those that create one, made at the first request; `None`
    /// if it has no place for them.
    shapes: BTreeMap<(usize, Option<bool>), OnceLock<Option<Shape>>>,
    records: Mutex<Records>,
}

/// An operation, and the resource that it concerns.
#[derive(Clone, Copy)]
struct Target<'a> {
    operation: usize,
    index: usize,
    resource: &'a Resource,
}

/// A response, or the status and the message of an error.
pub(super) type Outcome = Result<Made, (Status, String)>;

impl State {
    /// An interface without records.
    pub(super) fn new(resources: Resources, answers: Arc<Answers>) -> State {
        let operations = resources.roles.keys();
        let responses =
            operations.flat_map(|it| [None, Some(false), Some(true)].map(|by| (*it, by)));
        State {
            shapes: responses.map(|it| (it, OnceLock::new())).collect(),
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
        let names = template_parameters(Tables::operations()[operation].path);
        let values = names.map(|name| called.parameters.get(name).map(plain));
        let mut values: Vec<String> = values.collect::<Option<_>>()?;
        let mut records = self.records.lock().unwrap_or_else(PoisonError::into_inner);
        for parent in resource
            .parents
            .iter()
            .map(|it| (*it, &self.resources.all[*it]))
        {
            let above = &values[..template_parameters(parent.1.path).count()];
            let (id, rest) = above.split_last()?;
            let known = records.get(&(parent.0, rest.to_vec()));
            if !known.is_some_and(|it| it.contains_key(id)) {
                let message = format!("there is no `{id}` in {}", parent.1.collection);
                return Some(Err((Status::NOT_FOUND, message)));
            }
        }
        match role {
            Role::Create => {
                let known = records.entry((index, values.clone())).or_default();
                self.create(target, &values, called, known)
            }
            Role::List => self.list(target, called, records.get(&(index, values))),
            _ => {
                let id = values.pop()?;
                let known = records.entry((index, values.clone())).or_default();
                let outcome = self.answer_record(target, role, &id, called, known);
                if role == Role::Delete && matches!(outcome, Some(Ok(_))) {
                    values.push(id);
                    records.retain(|(other, above), _| {
                        let parents = &self.resources.all[*other].parents;
                        !(parents.contains(&index) && above.starts_with(&values))
                    });
                }
                outcome
            }
        }
    }

    fn create(
        &self,
        target: Target<'_>,
        values: &[String],
        called: &Called<'_>,
        records: &mut IndexMap<String, Value>,
    ) -> Option<Outcome> {
        let property = &target.resource.id;
        let shape = self.shape_of_record(target)?;
        let sample = shape.record()?;
        let mut own = called.properties(shape, property);
        for (name, default) in defaults(target.operation) {
            // The default of an id would be the same for all.
            if name != property && shape.declares(name) {
                own.entry(name).or_insert(default);
            }
        }
        if own.get(property).is_none_or(Value::is_null) {
            let is_free = |id: &str| !records.contains_key(id);
            let Some(id) = new_id(shape, property, sample, is_free) else {
                let message = format!(
                    "no further value of `{property}` was found that its schema allows: send one, or delete a record"
                );
                return Some(Err((Status::CONFLICT, message)));
            };
            own.insert(property.clone(), id);
        }
        let record = shape.compose(sample, &own);
        let id = plain(record.get(property)?);
        if records.contains_key(&id) {
            let message = format!("there is `{id}` already");
            return Some(Err((Status::CONFLICT, message)));
        }
        let path = target.resource.path;
        let filled = values.iter().chain([&id]);
        let filled = filled.map(|it| encode_segment(it).into_owned());
        let filled: Vec<_> = template_parameters(path).zip(filled).collect();
        records.insert(id, record.clone());
        Some(Ok(Made {
            location: fill_template(path, &filled).ok(),
            ..self.show(target, record, true)
        }))
    }

    fn list(
        &self,
        Target { operation, .. }: Target<'_>,
        called: &Called<'_>,
        records: Option<&IndexMap<String, Value>>,
    ) -> Option<Outcome> {
        let shape = self.shape(operation, None)?;
        let texts = |value: &Value| match value {
            Value::Array(items) => items.iter().map(plain).collect(),
            value => vec![plain(value)],
        };
        let fits = |record: &Value, (name, wanted): (&String, &Value)| {
            let name = name.trim_end_matches("[]");
            match record.get(name).map(texts) {
                _ if wanted.is_null() => true,
                Some(own) => texts(wanted).iter().any(|it| own.contains(it)),
                None => !shape.declares(name),
            }
        };
        let wanted = records.into_iter().flatten();
        let wanted = wanted.filter(|(_, record)| called.query.iter().all(|it| fits(record, it)));
        let ids: Vec<String> = wanted.clone().map(|(id, _)| id.clone()).collect();
        let mut query = called.query.clone();
        query.retain(|name, _| !shape.declares(name));
        let page = Page::of_query(operation, &query, &ids);
        let limit = page.limit.unwrap_or(usize::MAX);
        let body = shape.show_all(wanted.skip(page.begin).take(limit), &page);
        Some(Ok(Made {
            body: Some(body),
            ..Made::default()
        }))
    }

    fn answer_record(
        &self,
        target: Target<'_>,
        role: Role,
        id: &str,
        called: &Called<'_>,
        records: &mut IndexMap<String, Value>,
    ) -> Option<Outcome> {
        let known = records.get(id);
        let creates = (target.index, Role::Create);
        let has_create = self.resources.roles.values().any(|it| *it == creates);
        let can_create = role == Role::Replace && !has_create;
        let shape = self.shape_of_record(target)?;
        if let Some(tags) = &called.if_match {
            let tag = known.map(|it| tag_of(&shape.show(it)));
            let is_meant = |it: &str| *it == *"*" || tag.as_deref() == Some(it);
            if tag.is_none() || !tags.split(',').map(str::trim).any(is_meant) {
                let message = format!("`{id}` has not the entity tag of If-Match");
                return Some(Err((Status::PRECONDITION_FAILED, message)));
            }
        }
        if known.is_none() && !can_create {
            let message = format!("there is no `{id}`");
            return Some(Err((Status::NOT_FOUND, message)));
        }
        let is_new = known.is_none();
        let record = match role {
            Role::Read => known?.clone(),
            Role::Delete => records.shift_remove(id)?,
            // Without a body nothing is said of its properties.
            _ if called.body.is_null() && !is_new => known?.clone(),
            _ => {
                let property = &target.resource.id;
                let known = known.and_then(Value::as_object);
                let sample = known.or_else(|| shape.record())?;
                let mut own = match role {
                    Role::Change => match called.change(shape, known?) {
                        Ok(changed) => changed,
                        Err(refused) => return Some(Err(refused)),
                    },
                    _ => called.properties(shape, property),
                };
                own.insert(property.clone(), id_like(sample.get(property)?, id));
                let record = shape.compose(sample, &own);
                // What is not in the responses at all, such as a password, is taken and not kept.
                let is_lost = |name: &&String| {
                    let kept = record.get(*name);
                    let is_asked = role == Role::Replace || own.get(*name) != sample.get(*name);
                    is_asked && kept.is_some_and(|it| Some(it) != own.get(*name))
                };
                let names = own.keys();
                let removed = sample.keys().filter(|_| role == Role::Change);
                if let Some(name) = names.chain(removed).find(is_lost) {
                    let message = format!("the property `{name}` would make the record invalid");
                    return Some(Err((Status::UNPROCESSABLE_ENTITY, message)));
                }
                records.insert(id.to_owned(), record.clone());
                record
            }
        };
        Some(Ok(self.show(target, record, is_new)))
    }

    /// The response that shows a record as it is kept.
    fn shape_of_record(&self, target: Target<'_>) -> Option<&Shape> {
        self.shape(target.resource.shows, None)
    }

    fn shape(&self, operation: usize, creates: Option<bool>) -> Option<&Shape> {
        let (index, role) = self.resources.roles.get(&operation)?;
        let resource = &self.resources.all[*index];
        let make = || {
            let (whole, schema) = self.answers.json_of_success(operation, creates)?;
            let record = (&resource.place.schema, resource.id.as_str());
            let is_read = creates.is_none() || *role == Role::Read;
            let place = if operation == resource.shows && is_read {
                resource.place.clone()
            } else {
                Place::find((&whole, schema), record, *role == Role::List)?
            };
            Shape::new((whole, schema), place)
        };
        let made = self.shapes.get(&(operation, creates))?;
        made.get_or_init(make).as_ref()
    }

    /// The response that shows a record.
    fn show(&self, target: Target<'_>, record: Value, creates: bool) -> Made {
        let shape = self.shape(target.operation, Some(creates));
        Made {
            body: shape.map(|shape| shape.show(&record)),
            record: self.shape_of_record(target).map(|it| it.show(&record)),
            location: None,
            creates,
        }
    }
}
