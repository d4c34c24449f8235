//! Compares the parameters of an operation, its own and those of its path.

mod form;

use std::collections::BTreeMap;

use super::content;
use super::operations::keyword_edit;
use super::paths::Operation;
use super::remainder::Expected;
use crate::canonical;
use crate::lifecycle::{self, Lifecycle, PARAMETER, removal};
use crate::schema_diff::{Role, Setting};
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// Headers that OpenAPI describes elsewhere; as parameters they mean nothing.
const IGNORED_HEADERS: [&str; 3] = ["accept", "content-type", "authorization"];

/// What makes two parameters the same one: where it stands, and its name, or in a path its position.
type Key = (String, String);

struct Parameter {
    id: Id,
    location: String,
    name: String,
    /// Whether it stands at the path and not at the operation.
    shared: bool,
}

pub(crate) fn compare(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let old = read(&session.base.tree, base);
    let new = read(&session.revision.tree, revision);
    for (key, parameter) in &old {
        match new.get(key) {
            Some(other) => compare_one(session, parameter, other),
            None => removed(session, parameter, revision),
        }
    }
    for (key, parameter) in &new {
        if !old.contains_key(key) {
            added(session, parameter, base);
        }
    }
}

/// Parameters of a path that each of its operations has its own in place of reach nobody, and are compared as they stand.
pub(crate) fn compare_unused(session: &mut Session<'_>, pairs: &[(Operation, Operation)]) {
    let [(base, revision), ..] = pairs else {
        return;
    };
    let unused = |tree: &Tree<'_>, item: Id, operations: Vec<&Operation>| -> Vec<Id> {
        let items = tree.list(item, "parameters").iter();
        let items = items.map(|item| tree.resolve(*item));
        let reaches = |id: &Id| {
            let used = |operation: &&Operation| read(tree, operation).values().any(|p| p.id == *id);
            operations.iter().any(used)
        };
        items.filter(|id| !reaches(id)).collect()
    };
    let old = unused(
        &session.base.tree,
        base.item,
        pairs.iter().map(|(o, _)| o).collect(),
    );
    let new = unused(
        &session.revision.tree,
        revision.item,
        pairs.iter().map(|(_, o)| o).collect(),
    );
    let mut texts: (Vec<u64>, Vec<u64>) = (
        old.iter().map(|id| session.base.normal(*id)).collect(),
        new.iter().map(|id| session.revision.normal(*id)).collect(),
    );
    texts.0.sort_unstable();
    texts.1.sort_unstable();
    if texts.0 != texts.1 {
        let edit = keyword_edit(session, base.item, revision.item, &["parameters"]).item("unused");
        let message = format!(
            "a parameter of the path `{}` changed, which no operation uses",
            revision.path
        );
        session.report("unused-component-changed", edit, message);
    }
}

fn read(tree: &Tree<'_>, operation: &Operation) -> BTreeMap<Key, Parameter> {
    let mut parameters = BTreeMap::new();
    for (holder, shared) in [(operation.item, true), (operation.id, false)] {
        for item in tree.list(holder, "parameters") {
            let id = tree.resolve(*item);
            let (Some(location), Some(name)) = (tree.text(id, "in"), tree.text(id, "name")) else {
                let text = canonical::text(tree.node(id));
                let parameter = Parameter {
                    id,
                    location: String::new(),
                    name: text.clone(),
                    shared,
                };
                parameters.insert((String::new(), text), parameter);
                continue;
            };
            let name_key = match location {
                "header" => name.to_ascii_lowercase(),
                "path" => match operation.names.iter().position(|own| own == name) {
                    Some(position) => format!("{{{position}}}"),
                    None => name.to_owned(),
                },
                _ => name.to_owned(),
            };
            if location == "header" && IGNORED_HEADERS.contains(&name_key.as_str()) {
                continue;
            }
            let parameter = Parameter {
                id,
                location: location.to_owned(),
                name: name.to_owned(),
                shared,
            };
            parameters.insert((location.to_owned(), name_key), parameter);
        }
    }
    parameters
}

impl Parameter {
    fn subject(&self) -> String {
        format!("{} parameter `{}`", self.location, self.name)
    }

    /// The list of an operation, or of its path, that it stands in or would stand in.
    fn list(&self, tree: &Tree<'_>, operation: &Operation) -> Id {
        let holder = match self.shared {
            true => operation.item,
            false => operation.id,
        };
        tree.container(holder, "parameters")
    }

    fn is_readable(&self) -> bool {
        !self.location.is_empty()
    }
}

fn removed(session: &mut Session<'_>, parameter: &Parameter, operation: &Operation) {
    // Gone from the path, it is gone from all its operations at once.
    let list = parameter.list(&session.revision.tree, operation);
    let edit = Edit::removed(parameter.id, list);
    if !parameter.is_readable() {
        session.report(
            "unclassified-change",
            edit,
            "a parameter without a name is gone".into(),
        );
        return;
    }
    let life = Lifecycle::of(&session.base.tree, parameter.id);
    let policy = session.policy;
    let subject = format!("the {}", parameter.subject());
    // A parameter needs no notice of its own: without a sunset it goes with its deprecation.
    let (end, message) = removal(&life, 0, policy.today, &subject);
    let rule = match end {
        "removed-without-deprecation" => "request-parameter-removed".to_owned(),
        end => format!("request-parameter-{end}"),
    };
    session.report(&rule, edit, message);
}

fn added(session: &mut Session<'_>, parameter: &Parameter, operation: &Operation) {
    let list = parameter.list(&session.base.tree, operation);
    let edit = Edit::added(list, parameter.id);
    if !parameter.is_readable() {
        session.report(
            "unclassified-change",
            edit,
            "a parameter without a name is new".into(),
        );
        return;
    }
    let required = session.revision.tree.flag(parameter.id, "required");
    let (rule, word) = match (parameter.location.as_str(), required, parameter.shared) {
        ("path", _, _) => ("new-request-path-parameter", ""),
        (_, true, true) => (
            "new-required-request-default-parameter-to-existing-path",
            "required ",
        ),
        (_, false, true) => (
            "new-optional-request-default-parameter-to-existing-path",
            "optional ",
        ),
        (_, true, false) => ("new-required-request-parameter", "required "),
        (_, false, false) => ("new-optional-request-parameter", "optional "),
    };
    let subject = parameter.subject();
    session.report(rule, edit.clone(), format!("the {word}{subject} is new"));
    let life = Lifecycle::of(&session.revision.tree, parameter.id);
    if let Some((rule, what)) =
        lifecycle::arrival(&PARAMETER, &life, session.promised(), session.policy)
    {
        session.report(rule, edit, format!("the {subject} {what}"));
    }
}

fn compare_one(session: &mut Session<'_>, old: &Parameter, new: &Parameter) {
    let (base, revision) = (old.id, new.id);
    if !old.is_readable() {
        return;
    }
    let subject = new.subject();
    if old.name != new.name && old.location == "path" {
        let edit = keyword_edit(session, base, revision, &["name"]);
        let message = format!(
            "the path parameter `{}` is called `{}` now",
            old.name, new.name
        );
        session.report("path-parameter-renamed", edit, message);
    }
    let required = |tree: &Tree<'_>, id| tree.flag(id, "required") || old.location == "path";
    let was = required(&session.base.tree, base);
    let is = required(&session.revision.tree, revision);
    if was != is {
        let edit = keyword_edit(session, base, revision, &["required"]);
        let (rule, what) = match is {
            true => ("request-parameter-became-required", "is required now"),
            false => (
                "request-parameter-became-optional",
                "is not required any more",
            ),
        };
        session.report(rule, edit, format!("the {subject} {what}"));
    }
    let told = life(session, base, revision, &subject);
    let form = form::compare(session, old, new, &subject);
    let setting = Setting {
        repeated: form.is_repeated(),
        required: was && is,
        in_header: old.location == "header",
        ..Setting::of(Role::Parameter, session.promised())
    };
    let rule = "request-parameter-content-changed";
    content::compare_value(session, base, revision, setting, &subject, rule);
    let mut known = vec![
        ("name", Expected::Text),
        ("in", Expected::Text),
        ("required", Expected::Flag),
        ("deprecated", Expected::Flag),
        ("style", Expected::Text),
        ("explode", Expected::Flag),
        ("allowReserved", Expected::Flag),
        ("allowEmptyValue", Expected::Flag),
        ("schema", Expected::Object),
        ("content", Expected::Object),
    ];
    known.extend(told.iter().map(|keyword| (*keyword, Expected::Any)));
    session.remainder(base, revision, &known);
}

fn life(session: &mut Session<'_>, base: Id, revision: Id, subject: &str) -> Vec<&'static str> {
    let old = Lifecycle::of(&session.base.tree, base);
    let new = Lifecycle::of(&session.revision.tree, revision);
    let policy = session.policy;
    let notice = policy.notice(old.promised().min(session.promised()));
    let event = lifecycle::deprecation(&PARAMETER, &old, &new, notice, policy.today);
    let Some(event) = event else {
        return Vec::new();
    };
    let edit = keyword_edit(session, base, revision, event.keywords);
    let message = format!("the {subject}: {}", event.what);
    session.report(event.change, edit, message);
    event.covers.to_vec()
}
