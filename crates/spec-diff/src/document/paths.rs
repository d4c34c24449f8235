//! Pairs the operations of two documents. Paths that match the same requests are the same path, whatever their parameters
//! are called.

use std::collections::HashSet;

use super::remainder::Expected;
use crate::lifecycle::{self, Lifecycle, OPERATION, Sunset, removal};
use crate::policy::Stability;
use crate::session::{Edit, Reached, Session};
use crate::tree::{Id, Tree};

/// The methods that a path item can have.
const METHODS: [&str; 8] = [
    "get", "put", "post", "delete", "options", "head", "patch", "trace",
];

/// One operation of one document.
#[derive(Debug, Clone)]
pub(crate) struct Operation {
    /// The operation object.
    pub(crate) id: Id,
    /// The path item it stands in.
    pub(crate) item: Id,
    pub(crate) method: &'static str,
    pub(crate) path: String,
    /// The names of the path's parameters, in their order.
    pub(crate) names: Vec<String>,
}

struct Path {
    item: Id,
    /// The entry of `paths`, whose key is the path.
    entry: Id,
    template: String,
    shape: String,
    names: Vec<String>,
}

impl Operation {
    pub(crate) fn label(&self) -> String {
        format!("{} {}", self.method.to_uppercase(), self.path)
    }
}

/// Reports operations that came or went; hands back those that are in both documents.
pub(crate) fn compare(session: &mut Session<'_>) -> Vec<(Operation, Operation)> {
    let old = read(&session.base.tree);
    let new = read(&session.revision.tree);
    let mut taken = HashSet::new();
    let mut pairs = Vec::new();
    for path in &old {
        match twin(path, &new, &taken) {
            Some(index) => {
                taken.insert(index);
                compare_items(session, path, &new[index], &mut pairs);
            }
            None => path_removed(session, path),
        }
    }
    for (index, path) in new.iter().enumerate() {
        if !taken.contains(&index) {
            path_added(session, path);
        }
    }
    let paths = (
        session.base.tree.get(Id::ROOT, "paths"),
        session.revision.tree.get(Id::ROOT, "paths"),
    );
    if let (Some(base), Some(revision)) = paths {
        let known: Vec<(&str, Expected)> = old
            .iter()
            .chain(&new)
            .map(|path| (path.template.as_str(), Expected::Any))
            .collect();
        session.remainder(base, revision, &known);
    }
    pairs
}

fn read(tree: &Tree<'_>) -> Vec<Path> {
    let Some(paths) = tree.get(Id::ROOT, "paths") else {
        return Vec::new();
    };
    let entries = tree
        .members(paths)
        .filter(|(path, _)| !path.starts_with("x-"));
    entries
        .map(|(template, entry)| {
            let (shape, names) = shape(template);
            Path {
                item: tree.resolve(entry),
                entry,
                template: template.to_owned(),
                shape,
                names,
            }
        })
        .collect()
}

/// The path without the names of its parameters, and the names.
fn shape(template: &str) -> (String, Vec<String>) {
    let mut shape = String::new();
    let mut names = Vec::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let Some((name, behind)) = after.split_once('}') else {
            break;
        };
        shape.push_str(before);
        shape.push_str("{}");
        names.push(name.to_owned());
        rest = behind;
    }
    shape.push_str(rest);
    (shape, names)
}

fn twin(path: &Path, others: &[Path], taken: &HashSet<usize>) -> Option<usize> {
    let same = others
        .iter()
        .position(|other| other.template == path.template);
    same.or_else(|| {
        let mut indexed = others.iter().enumerate();
        let like =
            indexed.find(|(index, other)| !taken.contains(index) && other.shape == path.shape);
        like.map(|(index, _)| index)
    })
}

fn operation(tree: &Tree<'_>, path: &Path, method: &'static str) -> Option<Operation> {
    let id = tree.get(path.item, method)?;
    tree.node(id).as_object()?;
    Some(Operation {
        id,
        item: path.item,
        method,
        path: path.template.clone(),
        names: path.names.clone(),
    })
}

fn compare_items(
    session: &mut Session<'_>,
    old: &Path,
    new: &Path,
    pairs: &mut Vec<(Operation, Operation)>,
) {
    let mut any = false;
    let first = pairs.len();
    for method in METHODS {
        let base = operation(&session.base.tree, old, method);
        let revision = operation(&session.revision.tree, new, method);
        any |= base.is_some() || revision.is_some();
        match (base, revision) {
            (Some(base), Some(revision)) => pairs.push((base, revision)),
            (Some(base), None) => removed(
                session,
                &base,
                Edit::removed(base.id, new.item),
                Scope::Operation,
            ),
            (None, Some(revision)) => added(session, &revision, Edit::added(old.item, revision.id)),
            (None, None) => {}
        }
    }
    super::parameters::compare_unused(session, &pairs[first..]);
    let mut known: Vec<(&str, Expected)> = METHODS
        .iter()
        .map(|method| (*method, Expected::Object))
        .collect();
    // Without operations, parameters and servers reach nobody, and are compared as they stand.
    if any {
        known.push(("parameters", Expected::Array));
        known.push(("servers", Expected::Array));
    }
    session.remainder(old.item, new.item, &known);
}

#[derive(Clone, Copy, PartialEq)]
enum Scope {
    Operation,
    Path,
}

fn path_removed(session: &mut Session<'_>, path: &Path) {
    let list = session.revision.tree.container(Id::ROOT, "paths");
    let edit = Edit::removed(path.entry, list);
    let operations = METHODS
        .iter()
        .filter_map(|method| operation(&session.base.tree, path, method));
    let operations: Vec<Operation> = operations.collect();
    for operation in &operations {
        removed(session, operation, edit.clone(), Scope::Path);
    }
    if operations.is_empty() {
        let message = format!(
            "the path `{}`, which had no operations, is gone",
            path.template
        );
        session.report("unclassified-change", edit, message);
    }
}

fn path_added(session: &mut Session<'_>, path: &Path) {
    let list = session.base.tree.container(Id::ROOT, "paths");
    let edit = Edit::added(list, path.entry);
    let operations = METHODS
        .iter()
        .filter_map(|method| operation(&session.revision.tree, path, method));
    let operations: Vec<Operation> = operations.collect();
    for operation in &operations {
        added(session, operation, edit.clone());
    }
    if operations.is_empty() {
        let message = format!(
            "the path `{}`, which has no operations, is new",
            path.template
        );
        session.report("unclassified-change", edit, message);
    }
}

fn removed(session: &mut Session<'_>, operation: &Operation, edit: Edit, scope: Scope) {
    let life = Lifecycle::of(&session.base.tree, operation.id);
    let notice = session.policy.notice(life.promised());
    let label = operation.label();
    let (end, message) = removal(&life, notice, session.policy.today, &label);
    let rule = match (end, scope) {
        // A sunset that cannot be read has one rule for both.
        ("sunset-parse", _) => "api-path-sunset-parse".to_owned(),
        (end, Scope::Path) => format!("api-path-{end}"),
        (end, Scope::Operation) => format!("api-{end}"),
    };
    let reached = Reached {
        label,
        stability: life.promised(),
    };
    session.within(reached, |session| session.report(&rule, edit, message));
}

/// An operation that is deprecated from its first day names its sunset, even where no notice is asked for.
fn added_deprecated(session: &mut Session<'_>, life: &Lifecycle, label: &str, at: Edit) {
    let (rule, what) = match lifecycle::arrival(&OPERATION, life, life.promised(), session.policy) {
        _ if life.deprecated && life.sunset == Sunset::None => (
            "endpoint-added-deprecated",
            "is new and deprecated already, without a sunset".to_owned(),
        ),
        Some(found) => found,
        None => return,
    };
    session.report(rule, at, format!("{label} {what}"));
}

fn added(session: &mut Session<'_>, operation: &Operation, edit: Edit) {
    let life = Lifecycle::of(&session.revision.tree, operation.id);
    let label = operation.label();
    let id = operation.id;
    // A new operation promises nothing that the base did; a mistake in it counts in full.
    let reached = Reached {
        label: label.clone(),
        stability: Stability::Stable,
    };
    session.within(reached, |session| {
        session.report("endpoint-added", edit, format!("{label} is new"));
        let at = Edit::added(session.base.tree.container(Id::ROOT, "paths"), id);
        added_deprecated(session, &life, &label, at.clone().item("deprecated"));
        super::operations::invalid_stability(session, &life, at);
    });
}
