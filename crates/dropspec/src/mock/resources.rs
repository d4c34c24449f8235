//! Which operations of a document create, list, read, replace, change and delete the same records, as far as their paths and
//! schemas show it.

use std::collections::BTreeMap;

use dropspec_runtime::{Method, OperationInfo};
use serde_json::{Map, Value};

use super::places::{Kind, Place};
use crate::add::name::derive_singular;
use crate::letters::letters;

/// Records below a path: `/pets` with `/pets/{petId}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resource {
    /// The path of all records, a template.
    pub(super) collection: &'static str,
    /// The path of a record, a template.
    pub(super) path: &'static str,
    /// The property of a record that has the value of the path's last parameter.
    pub(super) id: String,
    /// The operation whose response shows a record as it is kept.
    pub(super) shows: usize,
    /// Where the record is in that response.
    pub(super) place: Place,
    /// The resources below whose records these are.
    pub(super) parents: Vec<usize>,
}

/// What an operation does with the records of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    Create,
    List,
    Read,
    Replace,
    Change,
    Delete,
}

/// The resources of an interface.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Resources {
    pub(super) all: Vec<Resource>,
    /// What operations do, and with which resource, by their indexes.
    pub(super) roles: BTreeMap<usize, (usize, Role)>,
    /// Paths whose records cannot be kept, each with the reason.
    pub(super) unclear: Vec<(String, &'static str)>,
}

impl Resources {
    /// Finds the resources of an interface. `sample` is the JSON of the response of an operation's success, and its schema.
    pub(super) fn find(
        operations: &[OperationInfo],
        sample: impl Fn(usize) -> Option<(Value, &'static Value)>,
    ) -> Resources {
        let mut resources = Resources::default();
        let forms: Vec<_> = operations.iter().map(|it| PathForm::of(it.path)).collect();
        let collections = operations.iter().filter_map(|it| split(it.path));
        let collections: Vec<_> = collections.map(|(it, _)| PathForm::of(it)).collect();
        let mut seen = Vec::new();
        for (path, form) in operations.iter().map(|it| it.path).zip(&forms) {
            let split = split(path).filter(|_| !seen.contains(&form));
            let Some((collection, parameter)) = split else {
                continue;
            };
            seen.push(form);
            let all = PathForm::of(collection);
            // `/users` may have the records of `/user/{id}`, unless there is `/user` or `/users/{id}`.
            let is_there = forms.contains(&all);
            let is_like = |it: &PathForm| it.singular == all.singular && !collections.contains(it);
            let is_of_all = |it: &PathForm| *it == all || (!is_there && is_like(it));
            let at = |method, is_meant: &dyn Fn(&PathForm) -> bool| {
                let mut all = operations.iter().zip(&forms);
                all.position(|(it, form)| it.method == method && it.generated && is_meant(form))
            };
            let is_of_one = |it: &PathForm| it == form;
            let roles = [
                (at(Method::Post, &is_of_all), Role::Create),
                (at(Method::Get, &is_of_all), Role::List),
                (at(Method::Get, &is_of_one), Role::Read),
                (at(Method::Put, &is_of_one), Role::Replace),
                (at(Method::Patch, &is_of_one), Role::Change),
                (at(Method::Delete, &is_of_one), Role::Delete),
            ];
            let of = |role| roles.iter().find_map(|(at, it)| at.filter(|_| *it == role));
            let mut refuse = |path: &str, reason| resources.unclear.push((path.to_owned(), reason));
            let Some(creates) = of(Role::Create).or(of(Role::Replace)) else {
                refuse(path, "no operation creates them");
                continue;
            };
            let shows = of(Role::Read).unwrap_or(creates);
            let Some((Value::Object(shown), schema)) = sample(shows) else {
                refuse(path, "no response shows one as a JSON object");
                continue;
            };
            let found = find_id(&shown, collection, parameter);
            let Some((place, id)) = found.and_then(|(envelope, id)| {
                let envelope = Vec::from_iter(envelope);
                let mut places = Place::all(&shown.into(), schema).into_iter();
                let is_meant = |it: &Place| it.kind == Kind::Record && it.path == envelope;
                Some((places.find(is_meant)?, id))
            }) else {
                refuse(
                    path,
                    "no property of the response has the value of the path's parameter",
                );
                continue;
            };
            let has_list = of(Role::List).is_some_and(|list| {
                let found = sample(list);
                let record = (&place.schema, id.as_str());
                found.is_some_and(|(sample, it)| Place::find((&sample, it), record, true).is_some())
            });
            let written = of(Role::Create).or(of(Role::List));
            let collection = written.map_or(collection, |it| operations[it].path);
            if of(Role::List).is_some() && !has_list {
                let path = format!("GET {collection}");
                refuse(&path, "its response has no list of such records");
            }
            let index = resources.all.len();
            resources.all.push(Resource {
                collection,
                path,
                id,
                shows,
                place,
                parents: Vec::new(),
            });
            let kept = roles
                .into_iter()
                .filter(|(_, role)| has_list || *role != Role::List);
            let roles = kept.filter_map(|(at, role)| Some((at?, (index, role))));
            resources.roles.extend(roles);
        }
        resources.find_parents();
        resources.find_other_changes(operations, &forms);
        resources
    }

    fn find_parents(&mut self) {
        let forms: Vec<_> = self.all.iter().map(|it| PathForm::of(it.path)).collect();
        for (resource, form) in self.all.iter_mut().zip(&forms) {
            let parents = forms.iter().enumerate();
            let parents = parents.filter(|(_, parent)| form.is_below(parent));
            resource.parents = parents.map(|(index, _)| index).collect();
        }
    }

    /// Adds the paths of operations that change something, and of which nothing is said yet.
    fn find_other_changes(&mut self, operations: &[OperationInfo], forms: &[PathForm]) {
        let kept = self.all.iter().flat_map(|it| [it.path, it.collection]);
        let kept: Vec<_> = kept.map(PathForm::of).collect();
        let said = self.unclear.iter().map(|(known, _)| known.as_str());
        let said = said.flat_map(|it| [it, split(it).map_or(it, |(all, _)| all)]);
        let mut said: Vec<_> = said.map(PathForm::of).collect();
        for (index, (operation, form)) in operations.iter().zip(forms).enumerate() {
            let is_safe = matches!(
                operation.method,
                Method::Get | Method::Head | Method::Options
            );
            if !operation.generated || is_safe || self.roles.contains_key(&index) {
                continue;
            }
            let path = operation.path;
            if kept.contains(form) {
                let path = format!("{} {path}", operation.method.as_str());
                let reason = "it is not known what it does with a record, so that it answers with the sample";
                self.unclear.push((path, reason));
            } else if !said.contains(form) {
                let reason =
                    "no path of one record is below it, so that it answers with the sample";
                self.unclear.push((path.to_owned(), reason));
                said.push(form.clone());
            }
        }
    }
}

/// A path for the comparison with others: without the names of parameters and a slash at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
struct PathForm {
    segments: Vec<String>,
    /// The same with words in the singular.
    singular: Vec<String>,
}

impl PathForm {
    fn of(path: &str) -> PathForm {
        let segments = path.trim_end_matches('/').split('/');
        let without_name = |part| str::split_once(part, '}').map_or(part, |(_, rest)| rest);
        let segments =
            segments.map(|it| Vec::from_iter(it.split('{').map(without_name)).join("{}"));
        let segments: Vec<String> = segments.collect();
        let singular = segments.iter().map(|it| to_singular(it.to_lowercase()));
        PathForm {
            singular: singular.collect(),
            segments,
        }
    }

    fn is_below(&self, other: &PathForm) -> bool {
        self.singular.len() > other.singular.len() && self.singular.starts_with(&other.singular)
    }
}

fn to_singular(word: String) -> String {
    derive_singular(&word).unwrap_or(word)
}

/// The path of the records and the parameter, of the path of a record.
fn split(path: &str) -> Option<(&str, &str)> {
    let (collection, last) = path.trim_end_matches('/').rsplit_once('/')?;
    let parameter = last.strip_prefix('{')?.strip_suffix('}')?;
    (!collection.is_empty() && !parameter.contains(['{', '}'])).then_some((collection, parameter))
}

/// The property with the value of the parameter, in a response or in an object of it.
fn find_id(
    shown: &Map<String, Value>,
    collection: &str,
    parameter: &str,
) -> Option<(Option<String>, String)> {
    let inner = shown
        .iter()
        .filter_map(|(name, value)| Some((Some(name), value.as_object()?)));
    let objects = [(None, shown)].into_iter().chain(inner);
    let candidates = objects.flat_map(|(envelope, members)| {
        let scalars = members
            .iter()
            .filter(|(_, value)| value.is_string() || value.is_number());
        scalars.filter_map(move |(name, _)| {
            let rank = rank(name, collection, parameter)?;
            Some((
                (rank, envelope.is_some()),
                (envelope.cloned(), name.clone()),
            ))
        })
    });
    let best = candidates.min_by_key(|(rank, _)| *rank);
    best.map(|(_, found)| found)
}

/// How well the name of a property fits a parameter, 0 best.
fn rank(property: &str, collection: &str, parameter: &str) -> Option<u8> {
    let records = letters(collection.rsplit('/').next().unwrap_or_default());
    let record = to_singular(records);
    let (property, parameter) = (letters(property), letters(parameter));
    match () {
        () if property == parameter => Some(0),
        // `petName` and `name`, `id` and `petId`.
        () if format!("{record}{property}") == parameter => Some(1),
        () if format!("{record}{parameter}") == property => Some(2),
        () if property == "id" && (parameter.ends_with("id") || parameter == record) => Some(3),
        () => None,
    }
}
