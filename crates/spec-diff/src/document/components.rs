//! Compares components that no operation shows: those that nothing uses, and schemas that are gone.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::canonical;
use crate::schema::{Aspect, SetId, heirs, mapping_target, same_schema};
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// Components that hold no schema of their own name; `securitySchemes` are compared where security is.
const SECTIONS: [&str; 7] = [
    "parameters",
    "headers",
    "requestBodies",
    "responses",
    "examples",
    "links",
    "callbacks",
];

pub(crate) fn compare(session: &mut Session<'_>) {
    let used = (used(&session.base.tree), used(&session.revision.tree));
    schemas(session, &used);
    for section in SECTIONS {
        compare_section(session, section, &used);
    }
}

/// Everything that operations lead to.
fn used(tree: &Tree<'_>) -> HashSet<Id> {
    let mut used = HashSet::new();
    let heirs = heirs(tree);
    let mut waiting: Vec<Id> = tree.get(Id::ROOT, "paths").into_iter().collect();
    while let Some(id) = waiting.pop() {
        if !used.insert(id) {
            continue;
        }
        // One step at a time: what only leads on to another component is used as well.
        waiting.extend(tree.text(id, "$ref").and_then(|to| tree.target(to)));
        if let Some(mapping) = tree.get(id, "mapping") {
            for (_, entry) in tree.members(mapping) {
                let written = tree.node(entry).as_str().unwrap_or_default();
                waiting.extend(mapping_target(tree, written));
            }
        }
        waiting.extend(heirs.get(&id).into_iter().flatten().map(|(_, heir)| *heir));
        waiting.extend(tree.members(id).map(|(_, member)| member));
        waiting.extend(tree.items(id));
    }
    used
}

fn entries<'d>(tree: &Tree<'d>, section: &str) -> BTreeMap<&'d str, Id> {
    tree.entries(tree.components(section))
}

fn schemas(session: &mut Session<'_>, used: &(HashSet<Id>, HashSet<Id>)) {
    let old = entries(&session.base.tree, "schemas");
    let new = entries(&session.revision.tree, "schemas");
    let lists = session.component_lists("schemas");
    let digest_base = |session: &mut Session<'_>, id| {
        let set = session.base.at(id);
        session.base.digest(set, Aspect::Everything)
    };
    let digest_revision = |session: &mut Session<'_>, id| {
        let set = session.revision.at(id);
        session.revision.digest(set, Aspect::Everything)
    };
    let mut come: Vec<(&str, Id, u64)> = Vec::new();
    for (name, id) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        come.push((name, *id, digest_revision(session, *id)));
    }
    let partners = session.partners();
    for (name, id) in &old {
        match new.get(name) {
            Some(other) => {
                let seen = used.0.contains(id) && used.1.contains(other);
                let edited = !seen && written_otherwise(session, *id, *other);
                let same = |session: &mut Session<'_>| {
                    let (a, b) = (session.base.at(*id), session.revision.at(*other));
                    let (base, revision) = (&mut session.base, &mut session.revision);
                    same_schema(base, a, revision, b, Aspect::Everything)
                };
                if edited && !same(session) {
                    let edit = Edit::changed(*id, *other).item("unused");
                    let message = format!("the schema `{name}`, which nothing uses, changed");
                    session.report("unused-component-changed", edit, message);
                }
            }
            None => {
                let digest = digest_base(session, *id);
                let twin = come.iter().position(|(_, _, other)| *other == digest);
                if let Some(twin) = twin {
                    // Another name for the same.
                    come.remove(twin);
                } else if !used.0.contains(id) || !unchanged_where_used(session, *id, &partners) {
                    let message = format!("the schema `{name}` is gone");
                    session.report("api-schema-removed", Edit::removed(*id, lists.1), message);
                }
            }
        }
    }
    for (name, id, _) in come {
        if !used.1.contains(&id) {
            let message = format!("the schema `{name}`, which nothing uses, is new");
            session.report("api-schema-added", Edit::added(lists.0, id), message);
        }
    }
}

/// Whether a component itself was edited. What it refers to is compared where it stands, and told once.
fn written_otherwise(session: &Session<'_>, base: Id, revision: Id) -> bool {
    let (base, revision) = (
        session.base.tree.node(base),
        session.revision.tree.node(revision),
    );
    canonical::text(base) != canonical::text(revision)
}

/// Whether a component that is gone was only written out, or named otherwise, wherever it was used.
fn unchanged_where_used(
    session: &mut Session<'_>,
    id: Id,
    partners: &HashMap<SetId, HashSet<SetId>>,
) -> bool {
    let set = session.base.at(id);
    let digest = session.base.digest(set, Aspect::Everything);
    partners.get(&set).is_some_and(|others| {
        let mut others = others.iter();
        others.all(|other| session.revision.digest(*other, Aspect::Everything) == digest)
    })
}

fn compare_section(session: &mut Session<'_>, section: &str, used: &(HashSet<Id>, HashSet<Id>)) {
    let old = entries(&session.base.tree, section);
    let new = entries(&session.revision.tree, section);
    let lists = session.component_lists(section);
    let rule = "unused-component-changed";
    let mut come: Vec<(&str, Id)> = new
        .iter()
        .filter(|(name, id)| !old.contains_key(*name) && !used.1.contains(id))
        .map(|(name, id)| (*name, *id))
        .collect();
    for (name, id) in &old {
        let other = new.get(name);
        if let Some(other) = other {
            let seen = used.0.contains(id) && used.1.contains(other);
            let edited = !seen && written_otherwise(session, *id, *other);
            if edited && session.elements_differ(Some(*id), Some(*other)) {
                let message = format!("`{section}/{name}`, which nothing uses, changed");
                session.report(rule, Edit::changed(*id, *other).item("unused"), message);
            }
        } else if !used.0.contains(id) {
            let twin = come
                .iter()
                .position(|(_, other)| !session.elements_differ(Some(*id), Some(*other)));
            if let Some(twin) = twin {
                come.remove(twin);
                continue;
            }
            let message = format!("`{section}/{name}`, which nothing used, is gone");
            session.report(rule, Edit::removed(*id, lists.1).item("unused"), message);
        }
    }
    for (name, id) in come {
        let message = format!("`{section}/{name}`, which nothing uses, is new");
        session.report(rule, Edit::added(lists.0, id).item("unused"), message);
    }
}
