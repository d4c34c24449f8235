//! Which operations of a document create, list, read, replace, change and delete the same records, as far as their paths and
//! schemas show it.

use std::collections::BTreeMap;

use dropspec_runtime::{Method, OperationInfo};
use serde_json::{Map, Value};

use crate::add::name::derive_singular;
use crate::letters::letters;

/// Records below a path: `/pets` with `/pets/{petId}`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Resource {
    /// The path of the records, a template.
    pub(super) collection: &'static str,
    /// The parameter of the path of a record.
    pub(super) parameter: &'static str,
    /// The property of a record that has the value of the parameter.
    pub(super) id: String,
    /// The property of a response that has the record; `None` if it is the response.
    pub(super) envelope: Option<String>,
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
    pub(super) unclear: Vec<(&'static str, &'static str)>,
}

impl Resources {
    /// Finds the resources of an interface. `sample` is the JSON of the response of an operation's success.
    pub(super) fn find(
        operations: &[OperationInfo],
        sample: impl Fn(usize) -> Option<Value>,
    ) -> Resources {
        let mut resources = Resources::default();
        let at = |path: &str, method: Method| {
            operations
                .iter()
                .position(|it| it.path == path && it.method == method && it.generated)
        };
        let mut seen = Vec::new();
        for path in operations.iter().map(|it| it.path) {
            let Some((collection, parameter)) = split(path).filter(|_| !seen.contains(&path))
            else {
                continue;
            };
            seen.push(path);
            let roles = [
                (at(collection, Method::Post), Role::Create),
                (at(collection, Method::Get), Role::List),
                (at(path, Method::Get), Role::Read),
                (at(path, Method::Put), Role::Replace),
                (at(path, Method::Patch), Role::Change),
                (at(path, Method::Delete), Role::Delete),
            ];
            let of = |role| roles.iter().find_map(|(at, it)| at.filter(|_| *it == role));
            let creates = of(Role::Create).or(of(Role::Replace));
            let Some(creates) = creates else {
                resources.unclear.push((path, "no operation creates them"));
                continue;
            };
            let shows = of(Role::Read).or(of(Role::Create)).unwrap_or(creates);
            let Some(Value::Object(shown)) = sample(shows) else {
                resources
                    .unclear
                    .push((path, "no response shows one as a JSON object"));
                continue;
            };
            let Some((envelope, id)) = find_id(&shown, collection, parameter) else {
                resources.unclear.push((
                    path,
                    "no property of the response has the value of the path's parameter",
                ));
                continue;
            };
            let index = resources.all.len();
            resources.all.push(Resource {
                collection,
                parameter,
                id,
                envelope,
            });
            let roles = roles
                .into_iter()
                .filter_map(|(at, role)| Some((at?, (index, role))));
            resources.roles.extend(roles);
        }
        for (index, operation) in operations.iter().enumerate() {
            let path = operation.path;
            let is_of = |known: &str| {
                known == path || split(known).is_some_and(|(collection, _)| collection == path)
            };
            let changes = !matches!(
                operation.method,
                Method::Get | Method::Head | Method::Options
            );
            let is_said = resources.unclear.iter().any(|(known, _)| is_of(known));
            if operation.generated && changes && !is_said && !resources.roles.contains_key(&index) {
                let reason =
                    "no path of one record is below it, so that it answers with the sample";
                resources.unclear.push((path, reason));
            }
        }
        resources
    }
}

/// The path of the records and the parameter, of the path of a record.
fn split(path: &str) -> Option<(&str, &str)> {
    let (collection, last) = path.rsplit_once('/')?;
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
    let record = derive_singular(&records).unwrap_or(records);
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
