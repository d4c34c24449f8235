//! Compares components that no operation uses, and finds schemas that were removed.

use std::collections::{BTreeMap, HashSet};

use crate::canonical;
use crate::edit::Edit;
use crate::rules::{presence, rule};
use crate::schema::{Aspect, find_subtypes, mapping_target, same_schema};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// The sections except `securitySchemes`, which `security_schemes` compares.
pub(super) const SECTIONS: [&str; 8] = [
    "schemas",
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

/// Compares all components except security schemes.
pub(crate) fn compare(session: &mut Session<'_>) {
    let used = Used {
        base: find_used(&session.base.tree),
        revision: find_used(&session.revision.tree),
    };
    for section in SECTIONS {
        compare_section(session, section, &used);
    }
}

/// Finds all nodes that operations use, directly or through references.
fn find_used(tree: &Tree<'_>) -> HashSet<Id> {
    let mut used = HashSet::new();
    let subtypes = find_subtypes(tree);
    let mut waiting: Vec<Id> = ["paths", "webhooks"]
        .iter()
        .filter_map(|section| tree.get(Id::ROOT, section))
        .collect();
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

fn compare_section(session: &mut Session<'_>, section: &str, used: &Used) {
    let (base_tree, revision_tree) = (&session.base.tree, &session.revision.tree);
    let old = base_tree.entries(base_tree.components(section));
    let new = revision_tree.entries(revision_tree.components(section));
    let lists = session.component_lists(section);
    let is_schema = section == "schemas";
    let changed = rule!("unused-component-changed");
    let (item, rules) = if is_schema {
        ("", presence!("api-schema"))
    } else {
        ("unused", [changed; 2])
    };
    let mut added: BTreeMap<&str, Id> = new
        .iter()
        .filter(|(name, _)| !old.contains_key(*name))
        .map(|(name, id)| (*name, *id))
        .collect();
    if !is_schema {
        added.retain(|_, id| !used.revision.contains(id));
    }
    for (name, id) in &old {
        let subject = format!("the unused component `{section}/{name}`");
        if let Some(other) = new.get(name) {
            if is_unused_and_edited(session, *id, *other, used)
                && differ(session, is_schema, *id, *other)
            {
                let edit = Edit::changed(*id, *other).item("unused");
                session.report(changed, edit, format!("{subject} changed"));
            }
            continue;
        }
        let is_used = used.base.contains(id);
        if is_used && !is_schema {
            continue;
        }
        let mut candidates = added.iter();
        let renamed = candidates.find(|(_, other)| !differ(session, is_schema, *id, **other));
        if let Some(renamed) = renamed.map(|(name, _)| *name) {
            added.remove(renamed);
        } else if !is_used {
            let edit = Edit::removed(*id, lists.1).item(item);
            session.report_presence(rules, edit, &subject);
        } else if !is_unchanged_where_used(session, *id) {
            let edit = Edit::removed(*id, lists.1);
            session.report_presence(rules, edit, &format!("the schema `{name}`"));
        }
    }
    for (name, id) in added {
        if !used.revision.contains(&id) {
            let subject = format!("the unused component `{section}/{name}`");
            let edit = Edit::added(lists.0, id).item(item);
            session.report_presence(rules, edit, &subject);
        }
    }
}

/// Whether two components differ in meaning.
fn differ(session: &mut Session<'_>, is_schema: bool, base: Id, revision: Id) -> bool {
    if !is_schema {
        return session.elements_differ(Some(base), Some(revision));
    }
    let (a, b) = (session.base.set_at(base), session.revision.set_at(revision));
    let (schemas, others) = (&mut session.base, &mut session.revision);
    !same_schema(schemas, a, others, b, Aspect::Everything)
}

/// Whether the text of a component changed that either document does not use. Elements that it refers to are compared
/// where they are defined.
fn is_unused_and_edited(session: &Session<'_>, base: Id, revision: Id, used: &Used) -> bool {
    let text = |tree: &Tree<'_>, id| canonical::to_text(tree.node(id));
    let is_used = used.base.contains(&base) && used.revision.contains(&revision);
    !is_used && text(&session.base.tree, base) != text(&session.revision.tree, revision)
}

/// Whether a removed schema was only inlined or renamed wherever it was used.
fn is_unchanged_where_used(session: &mut Session<'_>, id: Id) -> bool {
    let set = session.base.set_at(id);
    let digest = session.base.digest(set, Aspect::Everything);
    let others = session.counterparts(set);
    let revision = &mut session.revision;
    let mut digests = others
        .iter()
        .map(|other| revision.digest(*other, Aspect::Everything));
    !others.is_empty() && digests.all(|other| other == digest)
}
