//! Compares components that no operation uses, and finds schemas that were removed.

use std::collections::HashSet;

use super::pairs::{PairedEntry, pair_up};
use crate::edit::{EditKind, take_matches_by};
use crate::rules::{presence, rule};
use crate::schema::{Aspect, Schemas, find_subtypes, mapping_target, same_schema};
use crate::session::Session;
use crate::tree::{Id, ROOTS, Tree};

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

/// The nodes that operations use, in the base and in the revision.
type Used = (HashSet<Id>, HashSet<Id>);

/// Compares all components except security schemes.
pub(super) fn compare(session: &mut Session<'_>) {
    let used = session.both(ROOTS, |tree, _| find_used(tree));
    for section in SECTIONS {
        compare_section(session, section, &used);
    }
}

/// Finds all nodes that operations use, directly or through references.
fn find_used(tree: &Tree<'_>) -> HashSet<Id> {
    let mut used = HashSet::new();
    let subtypes = find_subtypes(tree);
    let roots = ["paths", "webhooks"].into_iter();
    let mut waiting: Vec<Id> = roots.filter_map(|key| tree.get(Id::ROOT, key)).collect();
    while let Some(id) = waiting.pop() {
        if !used.insert(id) {
            continue;
        }
        // One step: a component that only refers to another one is used, too.
        waiting.extend(tree.text(id, "$ref").and_then(|to| tree.target(to)));
        for (_, entry) in tree.members_of(id, "mapping") {
            let written = tree.node(entry).as_str().unwrap_or_default();
            waiting.extend(mapping_target(tree, written));
        }
        waiting.extend(subtypes.get(&id).into_iter().flatten().map(|(_, id)| *id));
        waiting.extend(tree.members(id).map(|(_, member)| member));
        waiting.extend(tree.items(id));
    }
    used
}

fn compare_section(session: &mut Session<'_>, section: &str, (old_used, new_used): &Used) {
    let is_schema = section == "schemas";
    let changed = rule!("unused-component-changed");
    let (item, rules) = match section {
        "schemas" => ("", presence!("api-schema")),
        _ => ("unused", [changed; 2]),
    };
    let subject = |name: &str| format!("the unused component `{section}/{name}`");
    let (mut removed, mut added) = (Vec::new(), Vec::new());
    let components = session.both(ROOTS, |tree, _| tree.components_of(section));
    for entry in pair_up(session.component_lists(section), components) {
        let (base, revision) = (entry.edit.base, entry.edit.revision);
        match entry.edit.kind {
            EditKind::Removed if is_schema || !old_used.contains(&base) => removed.push(entry),
            EditKind::Added if is_schema || !new_used.contains(&revision) => added.push(entry),
            EditKind::Added | EditKind::Removed => {}
            EditKind::Changed => {
                // Elements that it refers to are compared where they are defined.
                let is_used = old_used.contains(&base) && new_used.contains(&revision);
                if !is_used
                    && session.texts_differ((base, revision))
                    && differ(session, is_schema, base, revision)
                {
                    let message = format!("{} changed", subject(&entry.name));
                    session.report(changed, entry.edit.item("unused"), message);
                }
            }
        }
    }
    let base = &mut session.base;
    let key = |it: PairedEntry| (digest(base, is_schema, it.edit.base), it);
    let mut removed = removed.into_iter().map(key).collect();
    let revision = &mut session.revision;
    let key = |it: PairedEntry| (digest(revision, is_schema, it.edit.revision), it);
    let mut added = added.into_iter().map(key).collect();
    let key = |(digest, _): &(u64, PairedEntry)| *digest;
    take_matches_by((&mut removed, &mut added), (key, key), |(_, a), (_, b)| {
        !differ(session, is_schema, a.edit.base, b.edit.revision)
    });
    for (_, PairedEntry { name, edit }) in removed {
        if !old_used.contains(&edit.base) {
            session.report_presence(rules, edit.item(item), &subject(&name));
        } else if !is_unchanged_where_used(session, edit.base) {
            session.report_presence(rules, edit, &format!("the schema `{name}`"));
        }
    }
    for (_, PairedEntry { name, edit }) in added {
        if !new_used.contains(&edit.revision) {
            session.report_presence(rules, edit.item(item), &subject(&name));
        }
    }
}

/// What is equal for schemas of equal meaning. Other components have none.
fn digest(schemas: &mut Schemas<'_>, is_schema: bool, id: Id) -> u64 {
    if !is_schema {
        return 0;
    }
    let set = schemas.set_at(id);
    schemas.digest(set, Aspect::Everything)
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

/// Whether a removed schema was only inlined or renamed wherever it was used.
fn is_unchanged_where_used(session: &mut Session<'_>, id: Id) -> bool {
    let set = session.base.set_at(id);
    let digest = session.base.digest(set, Aspect::Everything);
    let others = session.counterparts(set);
    let revision = &mut session.revision;
    let mut others = others.iter().peekable();
    others.peek().is_some()
        && others.all(|other| revision.digest(*other, Aspect::Everything) == digest)
}
