//! Compares the parameters of an operation, including those of its path.

mod style;

use std::collections::BTreeMap;

use spec_schema::header::Ignored;

use super::operation::Operation;
use super::value;
use crate::canonical;
use crate::edit::{Edit, take_matches};
use crate::lifecycle::{self, Lifecycle, PARAMETER, RemovalRules};
use crate::rules::{Role, change, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// What identifies a parameter: `in`, and the name or the position in the path.
type Key = (String, String);

struct Parameter {
    id: Id,
    /// `in`; empty if the parameter has no `in` or no name.
    location: String,
    name: String,
    /// Whether it is a parameter of the path.
    is_shared: bool,
}

/// Compares the parameters of an operation.
pub(crate) fn compare(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    for (key, parameter) in &old {
        match new.get(key) {
            Some(other) => compare_parameter(session, parameter, other),
            None => report_removed(session, parameter, revision),
        }
    }
    for (key, parameter) in &new {
        if !old.contains_key(key) {
            report_added(session, parameter, base);
        }
    }
}

/// Compares the parameters of a path that all its operations replace by their own.
pub(crate) fn compare_unused(session: &mut Session<'_>, pairs: &[(Operation, Operation)]) {
    let [(base, revision), ..] = pairs else {
        return;
    };
    let find_unused = |tree: &Tree<'_>, item: Id, operations: Vec<&Operation>| -> Vec<Id> {
        let uses = |id: &Id| {
            let uses = |operation: &&Operation| read(tree, operation).values().any(|p| p.id == *id);
            operations.iter().any(uses)
        };
        let items = tree.list(item, "parameters").iter();
        let items = items.map(|item| tree.resolve(*item));
        items.filter(|id| !uses(id)).collect()
    };
    let old = pairs.iter().map(|(old, _)| old).collect();
    let mut removed = find_unused(&session.base.tree, base.item, old);
    let new = pairs.iter().map(|(_, new)| new).collect();
    let mut added = find_unused(&session.revision.tree, revision.item, new);
    take_matches(&mut removed, &mut added, |old, new| {
        !session.elements_differ(Some(*old), Some(*new))
    });
    if !removed.is_empty() || !added.is_empty() {
        let edit = session.keyword_edit(base.item, revision.item, &["parameters"]);
        let path = &revision.path;
        let message = format!("an unused parameter of the path `{path}` changed");
        session.report(
            rule!("unused-component-changed"),
            edit.item("unused"),
            message,
        );
    }
}

fn read(tree: &Tree<'_>, operation: &Operation) -> BTreeMap<Key, Parameter> {
    let mut parameters = BTreeMap::new();
    for (holder, is_shared) in [(operation.item, true), (operation.id, false)] {
        for item in tree.list(holder, "parameters") {
            let id = tree.resolve(*item);
            let (location, name) = match (tree.text(id, "in"), tree.text(id, "name")) {
                (Some(location), Some(name)) => (location, name.to_owned()),
                _ => ("", canonical::to_text(tree.node(id))),
            };
            let key = match location {
                "header" => name.to_ascii_lowercase(),
                "path" => match operation.names.iter().position(|own| *own == name) {
                    Some(position) => format!("{{{position}}}"),
                    None => name.clone(),
                },
                _ => name.clone(),
            };
            if location == "header" && Ignored::find(&name).is_some() {
                continue;
            }
            let parameter = Parameter {
                id,
                location: location.to_owned(),
                name,
                is_shared,
            };
            parameters.insert((location.to_owned(), key), parameter);
        }
    }
    parameters
}

impl Parameter {
    fn subject(&self) -> String {
        format!("{} parameter `{}`", self.location, self.name)
    }

    /// The list of an operation, or of its path, that contains or would contain the parameter.
    fn list(&self, tree: &Tree<'_>, operation: &Operation) -> Id {
        let holder = if self.is_shared {
            operation.item
        } else {
            operation.id
        };
        tree.container(holder, "parameters")
    }

    fn is_readable(&self) -> bool {
        !self.location.is_empty()
    }
}

const REMOVED: RemovalRules = RemovalRules {
    without_deprecation: rule!("request-parameter-removed"),
    with_deprecation: rule!("request-parameter-removed-with-deprecation"),
    before_sunset: rule!("request-parameter-removed-before-sunset"),
    sunset_unreadable: rule!("request-parameter-sunset-parse"),
};

/// The subject of messages about parameters that have no `in` or no name.
const UNREADABLE: &str = "a parameter without `in` or `name`";

fn report_removed(session: &mut Session<'_>, parameter: &Parameter, operation: &Operation) {
    // A parameter of a path is removed from all operations at once.
    let list = parameter.list(&session.revision.tree, operation);
    let edit = Edit::removed(parameter.id, list);
    if !parameter.is_readable() {
        session.report_presence([rule!("unclassified-change"); 2], edit, UNREADABLE);
        return;
    }
    let life = Lifecycle::from_node(&session.base.tree, parameter.id);
    let today = session.policy.today;
    let subject = format!("the {}", parameter.subject());
    // A deprecated parameter without a sunset may be removed.
    let (rule, message) = lifecycle::check_removed(&REMOVED, &life, 0, today, &subject);
    session.report(rule, edit, message);
}

fn report_added(session: &mut Session<'_>, parameter: &Parameter, operation: &Operation) {
    let list = parameter.list(&session.base.tree, operation);
    let edit = Edit::added(list, parameter.id);
    if !parameter.is_readable() {
        session.report_presence([rule!("unclassified-change"); 2], edit, UNREADABLE);
        return;
    }
    let required = session.revision.tree.flag(parameter.id, "required");
    let (rule, word) = match (parameter.location.as_str(), required, parameter.is_shared) {
        ("path", _, _) => (rule!("new-request-path-parameter"), ""),
        (_, true, true) => (
            rule!("new-required-request-default-parameter-to-existing-path"),
            "required ",
        ),
        (_, false, true) => (
            rule!("new-optional-request-default-parameter-to-existing-path"),
            "optional ",
        ),
        (_, true, false) => (rule!("new-required-request-parameter"), "required "),
        (_, false, false) => (rule!("new-optional-request-parameter"), "optional "),
    };
    let subject = parameter.subject();
    let message = format!("the {word}{subject} was added");
    session.report(rule, edit.clone(), message);
    let life = Lifecycle::from_node(&session.revision.tree, parameter.id);
    let found = lifecycle::check_added(&PARAMETER, &life, session.stability(), session.policy);
    if let Some((rule, what)) = found {
        session.report(rule, edit, format!("the {subject} {what}"));
    }
}

fn compare_parameter(session: &mut Session<'_>, old: &Parameter, new: &Parameter) {
    let (base, revision) = (old.id, new.id);
    if !old.is_readable() {
        return;
    }
    let subject = new.subject();
    if old.name != new.name && old.location == "path" {
        let edit = session.keyword_edit(base, revision, &["name"]);
        let message = format!("the path parameter `{}` became `{}`", old.name, new.name);
        session.report(rule!("path-parameter-renamed"), edit, message);
    }
    let is_required = |tree: &Tree<'_>, id| tree.flag(id, "required") || old.location == "path";
    let was = is_required(&session.base.tree, base);
    let is = is_required(&session.revision.tree, revision);
    if was != is {
        let edit = session.keyword_edit(base, revision, &["required"]);
        let (rule, what) = if is {
            (Role::Parameter.rule(change!("became-required")), "required")
        } else {
            (Role::Parameter.rule(change!("became-optional")), "optional")
        };
        session.report(rule, edit, format!("the {subject} became {what}"));
    }
    let prefix = format!("the {subject}: ");
    let reported = session.compare_lifecycle(&PARAMETER, base, revision, &prefix);
    let style = style::compare(session, old, new, &subject);
    let context = SchemaContext {
        repeated: style.is_repeated(),
        required: was && is,
        in_header: old.location == "header",
        ..SchemaContext::new(Role::Parameter, session.stability())
    };
    let rule = rule!("request-parameter-content-changed");
    value::compare_value(session, base, revision, context, &subject, rule);
    let mut known = reported;
    known.extend(["name", "in", "style", "explode", "schema", "content"]);
    known.extend(["required", "deprecated", "allowReserved", "allowEmptyValue"]);
    session.compare_other_fields(base, revision, &known);
}
