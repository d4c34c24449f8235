//! Compares components that no operation uses, and finds schemas that were removed.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::canonical;
use crate::edit::Edit;
use crate::rules::rule;
use crate::schema::{Aspect, SetId, find_subtypes, mapping_target, same_schema};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// The sections other than `schemas`, and `securitySchemes`, which `security_schemes` compares.
const SECTIONS: [&str; 7] = [
    "parameters",
    "headers",
    "requestBodies",
    "responses",
    "examples",
    "links",
    "callbacks",
];

/// The nodes that operations use, in both documents.
struct Used {
    base: HashSet<Id>,
    revision: HashSet<Id>,
}

pub(crate) fn compare(session: &mut Session<'_>) {
    let used = Used {
        base: find_used(&session.base.tree),
        revision: find_used(&session.revision.tree),
    };
    compare_schemas(session, &used);
    for section in SECTIONS {
        compare_section(session, section, &used);
    }
}

/// Finds all nodes that operations use, directly or through references.
fn find_used(tree: &Tree<'_>) -> HashSet<Id> {
    let mut used = HashSet::new();
    let subtypes = find_subtypes(tree);
    let mut waiting: Vec<Id> = tree.get(Id::ROOT, "paths").into_iter().collect();
    while let Some(id) = waiting.pop() {
        if !used.insert(id) {
            continue;
        }
        // One step: a component that only refers to another one is used, too.
        waiting.extend(tree.text(id, "$ref").and_then(|to| tree.target(to)));
        if let Some(mapping) = tree.get(id, "mapping") {
            for (_, entry) in tree.members(mapping) {
                let written = tree.node(entry).as_str().unwrap_or_default();
                waiting.extend(mapping_target(tree, written));
            }
        }
        waiting.extend(subtypes.get(&id).into_iter().flatten().map(|(_, id)| *id));
        waiting.extend(tree.members(id).map(|(_, member)| member));
        waiting.extend(tree.items(id));
    }
    used
}

fn entries<'d>(tree: &Tree<'d>, section: &str) -> BTreeMap<&'d str, Id> {
    tree.entries(tree.components(section))
}

fn compare_schemas(session: &mut Session<'_>, used: &Used) {
    let old = entries(&session.base.tree, "schemas");
    let new = entries(&session.revision.tree, "schemas");
    let lists = session.component_lists("schemas");
    let mut added: Vec<(&str, Id, u64)> = Vec::new();
    for (name, id) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let set = session.revision.at(*id);
        added.push((name, *id, session.revision.digest(set, Aspect::Everything)));
    }
    let counterparts = session.counterparts();
    for (name, id) in &old {
        let Some(other) = new.get(name) else {
            let set = session.base.at(*id);
            let digest = session.base.digest(set, Aspect::Everything);
            let renamed = added.iter().position(|(_, _, other)| *other == digest);
            if let Some(renamed) = renamed {
                added.remove(renamed);
            } else if !used.base.contains(id)
                || !is_unchanged_where_used(session, *id, &counterparts)
            {
                let edit = Edit::removed(*id, lists.1);
                let message = format!("the schema `{name}` was removed");
                session.report(rule!("api-schema-removed"), edit, message);
            }
            continue;
        };
        if is_unused_and_edited(session, *id, *other, used) {
            let (a, b) = (session.base.at(*id), session.revision.at(*other));
            let (base, revision) = (&mut session.base, &mut session.revision);
            if !same_schema(base, a, revision, b, Aspect::Everything) {
                let edit = Edit::changed(*id, *other).item("unused");
                let message = format!("the unused schema `{name}` changed");
                session.report(rule!("unused-component-changed"), edit, message);
            }
        }
    }
    for (name, id, _) in added {
        if !used.revision.contains(&id) {
            let message = format!("the unused schema `{name}` was added");
            let edit = Edit::added(lists.0, id);
            session.report(rule!("api-schema-added"), edit, message);
        }
    }
}

/// Whether the text of a component changed that either document does not use. Elements that it refers to are compared
/// where they are defined.
fn is_unused_and_edited(session: &Session<'_>, base: Id, revision: Id, used: &Used) -> bool {
    let text = |tree: &Tree<'_>, id| canonical::to_text(tree.node(id));
    let is_used = used.base.contains(&base) && used.revision.contains(&revision);
    !is_used && text(&session.base.tree, base) != text(&session.revision.tree, revision)
}

/// Whether a removed schema was only inlined or renamed wherever it was used.
fn is_unchanged_where_used(
    session: &mut Session<'_>,
    id: Id,
    counterparts: &HashMap<SetId, HashSet<SetId>>,
) -> bool {
    let set = session.base.at(id);
    let digest = session.base.digest(set, Aspect::Everything);
    counterparts.get(&set).is_some_and(|others| {
        let mut others = others.iter();
        others.all(|other| session.revision.digest(*other, Aspect::Everything) == digest)
    })
}

fn compare_section(session: &mut Session<'_>, section: &str, used: &Used) {
    let old = entries(&session.base.tree, section);
    let new = entries(&session.revision.tree, section);
    let lists = session.component_lists(section);
    let rule = rule!("unused-component-changed");
    let mut added: Vec<(&str, Id)> = new
        .iter()
        .filter(|(name, id)| !old.contains_key(*name) && !used.revision.contains(id))
        .map(|(name, id)| (*name, *id))
        .collect();
    for (name, id) in &old {
        let (edit, what) = if let Some(other) = new.get(name) {
            let edited = is_unused_and_edited(session, *id, *other, used);
            if !edited || !session.elements_differ(Some(*id), Some(*other)) {
                continue;
            }
            (Edit::changed(*id, *other), "changed")
        } else if used.base.contains(id) {
            continue;
        } else {
            let renamed = added
                .iter()
                .position(|(_, other)| !session.elements_differ(Some(*id), Some(*other)));
            if let Some(renamed) = renamed {
                added.remove(renamed);
                continue;
            }
            (Edit::removed(*id, lists.1), "was removed")
        };
        let message = format!("the unused component `{section}/{name}` {what}");
        session.report(rule, edit.item("unused"), message);
    }
    for (name, id) in added {
        let message = format!("the unused component `{section}/{name}` was added");
        session.report(rule, Edit::added(lists.0, id).item("unused"), message);
    }
}
