//! Pairs the paths and operations of two documents. Paths that match the same requests are the same path, whatever the
//! names of their parameters.

use std::collections::{HashMap, HashSet};

use dropspec_model::Stability;
use dropspec_schema::METHODS;

use super::operation_node::Operation;
use super::parameters;
use crate::edit::{Edit, EditKind};
use crate::lifecycle::{self, Lifecycle, OPERATION, RemovalRules, Sunset};
use crate::rules::rule;
use crate::session::Session;
use crate::template::split_template;
use crate::tree::{Id, ROOTS, Tree};

struct Path {
    /// The path item, `$ref`s followed.
    item: Id,
    /// The member of `paths`.
    entry: Id,
    template: String,
    /// The template behind what moved between the servers and the paths.
    address: String,
    /// The address without the names of its parameters.
    shape: String,
    names: Vec<String>,
}

impl Path {
    fn operation(&self, tree: &Tree<'_>, method: &'static str) -> Option<Operation> {
        let id = tree.get(self.item, method)?;
        tree.node(id).as_object()?;
        Some(Operation {
            id,
            item: self.item,
            method,
            path: self.template.clone(),
            names: self.names.clone(),
        })
    }
}

/// Reports operations that were added or removed; returns those that both documents have.
pub(super) fn compare(session: &mut Session<'_>) -> Vec<(Operation, Operation)> {
    let [moved_from, moved_to] = session.moved_prefixes;
    let old = read(&session.base.tree, moved_from);
    let new = read(&session.revision.tree, moved_to);
    let lists = session.containers(ROOTS, "paths");
    let mut by_address = HashMap::new();
    let (mut by_shape, mut by_reach) = (HashMap::<_, Vec<_>>::new(), HashMap::<_, Vec<_>>::new());
    for (index, path) in new.iter().enumerate() {
        by_address.entry(path.address.as_str()).or_insert(index);
        by_shape.entry(path.shape.as_str()).or_default().push(index);
        by_reach.entry(reach(path)).or_default().push(index);
    }
    let mut taken = HashSet::new();
    let mut pairs = Vec::new();
    for path in &old {
        let same = by_address.get(path.address.as_str()).copied();
        let of_shape = by_shape.get(path.shape.as_str()).into_iter().flatten();
        let mut alike = of_shape.chain(by_reach.get(&reach(path)).into_iter().flatten());
        let counterpart = same.or_else(|| alike.find(|it| !taken.contains(*it)).copied());
        match counterpart {
            Some(index) => {
                taken.insert(index);
                compare_item(session, path, &new[index], &mut pairs);
            }
            None => report_path(session, path, Edit::removed(path.entry, lists.1)),
        }
    }
    let with_parameters: HashMap<&str, &Path> = old
        .iter()
        .filter(|path| by_shape.contains_key(path.shape.as_str()))
        .map(|path| (path.shape.as_str(), path))
        .collect();
    for (index, path) in new.iter().enumerate() {
        if !taken.contains(&index) {
            let edit = Edit::added(lists.0, path.entry);
            report_path(session, path, edit.clone());
            report_taken_requests(session, path, &with_parameters, edit.item("taken"));
        }
    }
    let paths = old.iter().chain(&new);
    let paths: Vec<&str> = paths.map(|path| path.template.as_str()).collect();
    session.compare_other_fields_of(ROOTS, "paths", &paths);
    pairs
}

fn read(tree: &Tree<'_>, moved: &str) -> Vec<Path> {
    let entries = tree.members_of(Id::ROOT, "paths");
    entries
        .filter(|(path, _)| !path.starts_with("x-"))
        .map(|(template, entry)| {
            let address = format!("{moved}{template}");
            let (shape, names) = split_template(&address);
            Path {
                item: tree.resolve(entry),
                entry,
                template: template.to_owned(),
                address,
                shape,
                names,
            }
        })
        .collect()
}

/// The shape in which a parameter that may have several segments is as one that has one: it matches all of its requests.
fn reach(path: &Path) -> String {
    path.shape.replace("{+}", "{}")
}

fn compare_item(
    session: &mut Session<'_>,
    old: &Path,
    new: &Path,
    pairs: &mut Vec<(Operation, Operation)>,
) {
    let mut is_empty = true;
    let first = pairs.len();
    for method in METHODS {
        let base = old.operation(&session.base.tree, method);
        let revision = new.operation(&session.revision.tree, method);
        is_empty &= base.is_none() && revision.is_none();
        match (base, revision) {
            (Some(base), Some(revision)) => pairs.push((base, revision)),
            (Some(base), None) => {
                let edit = Edit::removed(base.id, new.item);
                report_removed(session, &base, edit, &REMOVED_OPERATION);
            }
            (None, Some(revision)) => {
                let edit = Edit::added(old.item, revision.id);
                report_added(session, &revision, edit);
            }
            (None, None) => {}
        }
    }
    if old.shape != new.shape && !is_empty {
        let (rule, what) = if new.shape.contains("{+}") {
            (rule!("request-parameter-reserved-allowed"), "became one of")
        } else {
            (
                rule!("request-parameter-reserved-forbidden"),
                "is no longer one of",
            )
        };
        let message = format!(
            "the path parameter of `{}` {what} several segments (`{{+name}}`)",
            new.template
        );
        for (_, operation) in &pairs[first..] {
            let tree = &session.revision.tree;
            let life = Lifecycle::from_node(tree, operation.id);
            let reached = operation.reached(tree, operation.id, life.stability);
            let edit = Edit::changed(old.entry, new.entry).item("{+}");
            let message = message.clone();
            session.within(reached, |session| session.report(rule, edit, message));
        }
    }
    parameters::compare_unused(session, &pairs[first..]);
    let mut known = METHODS.to_vec();
    // Operations compare parameters and servers. Without operations, they are compared here.
    if !is_empty {
        known.extend(["parameters", "servers"]);
    }
    session.compare_other_fields((old.item, new.item), &known);
}

/// Reports the requests that a new path takes from one that has a parameter where the new path has a name: the name goes
/// before the parameter.
fn report_taken_requests(
    session: &mut Session<'_>,
    path: &Path,
    others: &HashMap<&str, &Path>,
    edit: Edit,
) {
    let segments: Vec<&str> = path.shape.split('/').collect();
    let named = segments.iter().enumerate();
    for (index, name) in named.filter(|(_, it)| !it.is_empty() && !it.contains('{')) {
        let mut shape = segments.clone();
        shape[index] = "{}";
        let Some(other) = others.get(shape.join("/").as_str()) else {
            continue;
        };
        let position = segments[..index].concat().matches("{}").count();
        for method in METHODS {
            let Some(operation) = other.operation(&session.base.tree, method) else {
                continue;
            };
            let parameters = parameters::read(&session.base.tree, &operation);
            let parameter = parameters.get(&("path".to_owned(), format!("{{{position}}}")));
            let schema = parameter.and_then(|it| session.base.tree.get(it.id, "schema"));
            if !schema.is_none_or(|schema| session.base_accepts_text(schema, name)) {
                continue;
            }
            let (tree, parameter) = (&session.base.tree, &other.names[position]);
            let stability = Lifecycle::from_node(tree, operation.id).stability;
            let reached = operation.reached(tree, operation.id, stability);
            let message = format!(
                "the path `{}` takes the requests of `{}` in which `{parameter}` is `{name}`",
                path.template, other.template
            );
            let rule = rule!("path-added-over-parameter");
            session.within(reached, |session| {
                session.report(rule, edit.clone(), message)
            });
        }
    }
}

const REMOVED_OPERATION: RemovalRules = RemovalRules {
    without_deprecation: rule!("api-removed-without-deprecation"),
    with_deprecation: rule!("api-removed-with-deprecation"),
    before_sunset: rule!("api-removed-before-sunset"),
    sunset_unreadable: rule!("api-path-sunset-parse"),
};

const REMOVED_PATH: RemovalRules = RemovalRules {
    without_deprecation: rule!("api-path-removed-without-deprecation"),
    with_deprecation: rule!("api-path-removed-with-deprecation"),
    before_sunset: rule!("api-path-removed-before-sunset"),
    sunset_unreadable: rule!("api-path-sunset-parse"),
};

/// Reports the operations of a path that was added or removed.
fn report_path(session: &mut Session<'_>, path: &Path, edit: Edit) {
    let tree = match edit.kind {
        EditKind::Removed => &session.base.tree,
        _ => &session.revision.tree,
    };
    let operations = METHODS.iter().filter_map(|it| path.operation(tree, it));
    let operations: Vec<Operation> = operations.collect();
    for operation in &operations {
        match edit.kind {
            EditKind::Removed => report_removed(session, operation, edit.clone(), &REMOVED_PATH),
            _ => report_added(session, operation, edit.clone()),
        }
    }
    if operations.is_empty() {
        let subject = format!("the path `{}` without operations", path.template);
        session.report_presence([rule!("unclassified-change"); 2], edit, &subject);
    }
}

fn report_removed(
    session: &mut Session<'_>,
    operation: &Operation,
    edit: Edit,
    rules: &RemovalRules,
) {
    let life = Lifecycle::from_node(&session.base.tree, operation.id);
    let stability = life.stability;
    let (notice, today) = (session.policy.notice(stability), session.policy.today);
    let (rule, what) = lifecycle::check_removed(rules, &life, notice, today);
    let message = format!("{} {what}", operation.label());
    let reached = operation.reached(&session.base.tree, operation.id, stability);
    session.within(reached, |session| session.report(rule, edit, message));
}

fn report_added(session: &mut Session<'_>, operation: &Operation, edit: Edit) {
    let life = Lifecycle::from_node(&session.revision.tree, operation.id);
    let label = operation.label();
    // Its stability lowers no level: the base promised nothing.
    let reached = operation.reached(&session.revision.tree, operation.id, Stability::Stable);
    session.within(reached, |session| {
        session.report(rule!("endpoint-added"), edit, format!("{label} was added"));
        let edit = Edit::added(session.containers(ROOTS, "paths").0, operation.id);
        let found = if life.deprecated && life.sunset == Sunset::None {
            // Also required where deprecations need no sunset.
            let what = "was added and is already deprecated, without a sunset";
            Some((rule!("endpoint-added-deprecated"), what.to_owned()))
        } else {
            let stability = life.stability;
            lifecycle::check_added(&OPERATION, &life, stability, session.policy)
        };
        if let Some((rule, what)) = found {
            let edit = edit.clone().item("deprecated");
            session.report(rule, edit, format!("{label} {what}"));
        }
        if let Some(text) = &life.unknown_stability {
            let message = lifecycle::describe_unknown_stability(text);
            let edit = edit.item("stability");
            session.report(rule!("api-invalid-stability-level"), edit, message);
        }
    });
}
