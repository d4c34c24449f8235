//! Compares the parameters of an operation, including those of its path.

use std::collections::BTreeMap;

use dropspec_schema::header::Ignored;

use super::operation_node::Operation;
use super::pairs::FieldComparison;
use super::value;
use crate::canonical;
use crate::edit::{Edit, EditKind, outer_join, take_matches};
use crate::lifecycle::{self, Lifecycle, LifecycleRules, RemovalRules};
use crate::rules::{Role, change, rule};
use crate::schema_diff::SchemaContext;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// What identifies a parameter: `in`, and the name or the position in the path.
type Key = (String, String);

#[derive(Clone, Copy)]
pub(super) struct Parameter<'d> {
    pub(super) id: Id,
    /// `in`; empty if the parameter has no `in` or no name.
    location: &'d str,
    name: &'d str,
    /// Whether it is a parameter of the path.
    is_shared: bool,
}

/// Compares the parameters of an operation.
pub(super) fn compare(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    for ((_, key), old, new) in outer_join(&old, &new) {
        match (old, new) {
            (Some(old), Some(new)) => {
                let segment = format!("{{{}}}", old.name);
                let is_segment = base.path.split('/').any(|it| it == segment);
                compare_parameter(session, old, new, is_segment);
            }
            // A parameter of a path is removed from all operations at once.
            (Some(old), None) => {
                let list = old.list(&session.revision.tree, revision);
                report_presence(session, old, key, Edit::removed(old.id, list));
            }
            (None, Some(new)) => {
                let list = new.list(&session.base.tree, base);
                report_presence(session, new, key, Edit::added(list, new.id));
            }
            (None, None) => {}
        }
    }
}

/// Compares the parameters of a path that all its operations replace by their own.
pub(super) fn compare_unused(session: &mut Session<'_>, pairs: &[(Operation, Operation)]) {
    let [(base, revision), ..] = pairs else {
        return;
    };
    let find_unused = |tree: &Tree<'_>, item: Id, operations: Vec<&Operation>| -> Vec<Id> {
        let used = operations
            .iter()
            .flat_map(|it| read(tree, it).into_values());
        let used: Vec<Id> = used.map(|parameter| parameter.id).collect();
        let items = tree.list(item, "parameters").iter();
        let items = items.map(|item| tree.resolve(*item));
        items.filter(|id| !used.contains(id)).collect()
    };
    let (old, new) = pairs.iter().map(|(old, new)| (old, new)).unzip();
    let mut removed = find_unused(&session.base.tree, base.item, old);
    let mut added = find_unused(&session.revision.tree, revision.item, new);
    take_matches(&mut removed, &mut added, |old, new| {
        !session.elements_differ(Some(*old), Some(*new))
    });
    if !removed.is_empty() || !added.is_empty() {
        let edit = session.keyword_edit((base.item, revision.item), &["parameters"]);
        let path = &revision.path;
        let message = format!("an unused parameter of the path `{path}` changed");
        session.report(
            rule!("unused-component-changed"),
            edit.item("unused"),
            message,
        );
    }
}

pub(super) fn read<'d>(tree: &Tree<'d>, operation: &Operation) -> BTreeMap<Key, Parameter<'d>> {
    let mut parameters = BTreeMap::new();
    for (holder, is_shared) in [(operation.item, true), (operation.id, false)] {
        for item in tree.list(holder, "parameters") {
            let id = tree.resolve(*item);
            let (location, name, key) = match (tree.text(id, "in"), tree.text(id, "name")) {
                (Some("header"), Some(name)) if Ignored::find(name).is_some() => continue,
                (Some("header"), Some(name)) => ("header", name, name.to_ascii_lowercase()),
                (Some("path"), Some(name)) => {
                    let position = operation.names.iter().position(|own| own == name);
                    let key = position.map(|position| format!("{{{position}}}"));
                    ("path", name, key.unwrap_or_else(|| name.to_owned()))
                }
                // The parameter is the whole query string: nobody sends its name.
                (Some("querystring"), Some(name)) => ("querystring", name, String::new()),
                (Some(location), Some(name)) => (location, name, name.to_owned()),
                _ => ("", "", canonical::to_text(tree.node(id))),
            };
            let parameter = Parameter {
                id,
                location,
                name,
                is_shared,
            };
            parameters.insert((location.to_owned(), key), parameter);
        }
    }
    parameters
}

impl Parameter<'_> {
    pub(super) fn subject(&self) -> String {
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
}

const REMOVED: RemovalRules = RemovalRules {
    without_deprecation: rule!("request-parameter-removed"),
    with_deprecation: rule!("request-parameter-removed-with-deprecation"),
    before_sunset: rule!("request-parameter-removed-before-sunset"),
    sunset_unreadable: rule!("request-parameter-sunset-parse"),
};

/// Reports a parameter that was added or removed.
fn report_presence(session: &mut Session<'_>, parameter: Parameter<'_>, key: &str, edit: Edit) {
    if parameter.location.is_empty() {
        let rules = [rule!("unclassified-change"); 2];
        return session.report_presence(rules, edit, "a parameter without `in` or `name`");
    }
    let subject = parameter.subject();
    if edit.kind == EditKind::Removed {
        let life = Lifecycle::from_node(&session.base.tree, parameter.id);
        let today = session.policy.today;
        // A deprecated parameter without a sunset may be removed.
        let (rule, what) = lifecycle::check_removed(&REMOVED, &life, 0, today);
        return session.report(rule, edit, format!("the {subject} {what}"));
    }
    if key.starts_with('{') {
        // Requests had it before: the path of both documents has a place for it.
        let message = format!("the {subject} was declared, which the path had before");
        return session.report_harmless(rule!("new-request-path-parameter"), edit, message);
    }
    let required = session.revision.tree.flag(parameter.id, "required");
    let (rule, word) = match (required, parameter.is_shared) {
        _ if parameter.location == "path" => (rule!("new-request-path-parameter"), ""),
        (true, true) => (
            rule!("new-required-request-default-parameter-to-existing-path"),
            "required ",
        ),
        (false, true) => (
            rule!("new-optional-request-default-parameter-to-existing-path"),
            "optional ",
        ),
        (true, false) => (rule!("new-required-request-parameter"), "required "),
        (false, false) => (rule!("new-optional-request-parameter"), "optional "),
    };
    session.report(rule, edit.clone(), format!("the {word}{subject} was added"));
    let life = Lifecycle::from_node(&session.revision.tree, parameter.id);
    let rules = LifecycleRules::for_parameter();
    let found = lifecycle::check_added(&rules, &life, session.stability(), session.policy);
    if let Some((rule, what)) = found {
        session.report(rule, edit, format!("the {subject} {what}"));
    }
}

fn compare_parameter(
    session: &mut Session<'_>,
    old: Parameter<'_>,
    new: Parameter<'_>,
    is_segment: bool,
) {
    let pair = (old.id, new.id);
    if old.location.is_empty() {
        return;
    }
    let subject = new.subject();
    if old.name != new.name && ["path", "querystring"].contains(&old.location) {
        let message = format!("the {} became `{}`", old.subject(), new.name);
        session.report_keyword(rule!("path-parameter-renamed"), pair, "name", message);
    }
    let (was, is) = session.both(pair, |tree, id| {
        tree.flag(id, "required") || old.location == "path"
    });
    if was != is {
        let (change, what) = if is {
            (change!("became-required"), "required")
        } else {
            (change!("became-optional"), "optional")
        };
        let message = format!("the {subject} became {what}");
        session.report_keyword(Role::Parameter.rule(change), pair, "required", message);
    }
    let rules = LifecycleRules::for_parameter();
    let mut fields = session.compare_lifecycle(&rules, pair, &format!("the {subject}: "));
    let ((old_style, was_exploded), (style, explode)) = session.both(pair, value::style);
    if old_style != style {
        let message = format!("the {subject}: `style` {old_style} → {style}");
        session.report_keyword(
            rule!("request-parameter-style-changed"),
            pair,
            "style",
            message,
        );
    } else if was_exploded != explode {
        let message = format!("the {subject}: `explode` {was_exploded} → {explode}");
        let mut rule = rule!("request-parameter-explode-changed");
        if !value::depends_on_explode(&mut session.base, old.id, &style) {
            rule = rule!("keyword-without-effect-changed");
        }
        session.report_keyword(rule, pair, "explode", message);
    }
    let context = SchemaContext {
        repeated: style == "form" && explode,
        required: was && is,
        in_header: old.location == "header",
        is_segment: is_segment && old.location == "path" && style == "simple",
        ..SchemaContext::new(Role::Parameter, session.stability())
    };
    let rule = rule!("request-parameter-content-changed");
    value::compare_value(session, pair, context, &subject, rule);
    let elsewhere = ["name", "in", "style", "explode", "schema", "content"];
    let elsewhere = elsewhere.iter().chain(&["required", "deprecated"]);
    fields.extend(elsewhere.map(|key| (*key, FieldComparison::Elsewhere)));
    let reserved = [
        rule!("request-parameter-reserved-forbidden"),
        rule!("request-parameter-reserved-allowed"),
    ];
    let empty = [
        rule!("request-parameter-empty-value-forbidden"),
        rule!("request-parameter-empty-value-allowed"),
    ];
    fields.push(("allowReserved", FieldComparison::Flag(reserved)));
    fields.push(("allowEmptyValue", FieldComparison::Flag(empty)));
    session.compare_all_fields(pair, &format!("the {subject}"), &fields);
}
