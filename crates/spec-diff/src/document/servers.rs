//! Compares `servers`.

mod template;

use std::collections::BTreeMap;

use self::template::Template;
use spec_schema::METHODS;

use super::operation::Operation;
use super::pairs::{Pair, ROOTS, pair_up};
use crate::canonical;
use crate::edit::EditKind;
use crate::rules::{presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares `servers` at the root. Nobody uses them where every operation has its own.
pub(crate) fn compare_root(session: &mut Session<'_>) {
    let (was_used, is_used) = session.both(ROOTS, |tree, _| has_users(tree));
    if was_used || is_used {
        compare(session, ROOTS, ROOTS);
    } else {
        let rule = rule!("unused-servers-changed");
        let subject = "the list of unused servers";
        session.compare_object(Id::ROOT, Id::ROOT, "servers", rule, subject);
    }
}

/// Whether an operation uses the servers at the root. A document without operations may be used by others.
fn has_users(tree: &Tree<'_>) -> bool {
    let items = tree.members_of(Id::ROOT, "paths");
    let mut operations = items.flat_map(|(_, item)| {
        let item = tree.resolve(item);
        let methods = METHODS
            .iter()
            .filter_map(move |method| tree.get(item, method));
        methods.map(move |operation| [item, operation])
    });
    let Some(first) = operations.next() else {
        return true;
    };
    let has_none = |holders: [Id; 2]| holders.iter().all(|id| tree.get(*id, "servers").is_none());
    std::iter::once(first).chain(operations).any(has_none)
}

/// Compares `servers` of an operation or its path. They replace those at the root.
pub(crate) fn compare_operation(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let find_holder = |tree: &Tree<'_>, operation: &Operation| {
        let mut holders = [operation.id, operation.item].into_iter();
        holders.find(|id| tree.get(*id, "servers").is_some())
    };
    let old = find_holder(&session.base.tree, base);
    let new = find_holder(&session.revision.tree, revision);
    if old.is_some() || new.is_some() {
        let holders = (old.unwrap_or(base.id), new.unwrap_or(revision.id));
        let effective = (old.unwrap_or(Id::ROOT), new.unwrap_or(Id::ROOT));
        compare(session, holders, effective);
    }
}

/// Compares the servers of the `effective` nodes. Edits are reported at the `holders`.
fn compare(session: &mut Session<'_>, holders: Pair, effective: Pair) {
    let servers = session.both(effective, read);
    let new: Vec<Id> = servers.1.values().copied().collect();
    let lists = session.containers(holders.0, holders.1, "servers");
    for server in pair_up(lists, servers) {
        let url = server.name.as_str();
        let subject = format!("the server `{}`", if url.is_empty() { "/" } else { url });
        let edit = server.edit.item(url);
        if edit.kind == EditKind::Removed && is_served(session, edit.base, &new) {
            // The entry that serves its URLs is reported as added.
            continue;
        }
        if edit.kind != EditKind::Changed {
            session.report_presence(presence!("server"), edit, &subject);
            continue;
        }
        let pair = (edit.base, edit.revision);
        let (was, is) = session.both(pair, variables);
        if was != is {
            let message = format!("the variables of {subject} changed");
            session.report(rule!("server-changed"), edit.clone(), message);
        }
        let (was, is) = session.both(pair, documentation);
        if was != is {
            let message = format!("the description of {subject} changed");
            session.report(rule!("documentation-changed"), edit, message);
        }
    }
}

/// Whether all URLs of a server of the base are URLs of servers of the revision, which are written in another way.
fn is_served(session: &Session<'_>, base: Id, new: &[Id]) -> bool {
    let (was, is) = (&session.base.tree, &session.revision.tree);
    let Some(urls) = Template::of(was, base).and_then(|it| it.urls()) else {
        return false;
    };
    let templates = new.iter().filter_map(|id| Template::of(is, *id));
    let templates: Vec<Template<'_>> = templates.collect();
    urls.iter()
        .all(|url| templates.iter().any(|it| it.matches(url)))
}

/// The servers by URL, without a slash at the end.
fn read(tree: &Tree<'_>, holder: Id) -> BTreeMap<String, Id> {
    let servers = tree.list(holder, "servers").iter().map(|id| {
        let url = tree.text(*id, "url");
        let url = url.map(|url| url.trim_end_matches('/').to_owned());
        (
            url.unwrap_or_else(|| canonical::to_text(tree.node(*id))),
            *id,
        )
    });
    let mut servers: BTreeMap<String, Id> = servers.collect();
    // The default is one server with the URL `/`.
    if servers.is_empty() {
        servers.insert(String::new(), tree.container(holder, "servers"));
    }
    servers
}

/// Whether a node is an entry of `servers`, and not the default.
fn is_entry(tree: &Tree<'_>, id: Id) -> bool {
    tree.parent(id)
        .is_some_and(|list| tree.items(list).contains(&id))
}

/// The fields of the variables of a server, by the variable's name. The values of an `enum` have no order.
fn variables(tree: &Tree<'_>, server: Id) -> BTreeMap<String, BTreeMap<String, Vec<String>>> {
    if !is_entry(tree, server) {
        return BTreeMap::new();
    }
    let text = |id: Id| canonical::to_text(tree.node(id));
    let fields = |variable: Id| {
        let fields = tree.members(variable).map(|(key, id)| {
            let mut texts: Vec<String> = match key {
                "enum" => tree.items(id).iter().map(|value| text(*value)).collect(),
                _ => vec![text(id)],
            };
            texts.sort_unstable();
            (key.to_owned(), texts)
        });
        fields.collect()
    };
    let variables = tree.members_of(server, "variables");
    variables
        .map(|(name, id)| (name.to_owned(), fields(id)))
        .collect()
}

/// All members except URL and variables.
fn documentation(tree: &Tree<'_>, server: Id) -> BTreeMap<String, String> {
    let members = tree
        .members(server)
        .filter(|(key, _)| is_entry(tree, server) && !["url", "variables"].contains(key));
    members
        .map(|(key, id)| (key.to_owned(), canonical::to_text(tree.node(id))))
        .collect()
}
