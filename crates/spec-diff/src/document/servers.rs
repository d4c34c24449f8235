//! Compares where the interface is served.

use std::collections::BTreeMap;

use super::paths::Operation;
use crate::canonical;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// A server, and what its entry says beside its address.
struct Server {
    id: Id,
    variables: String,
    rest: String,
}

/// Compares `servers` at the root.
pub(crate) fn compare_root(session: &mut Session<'_>) {
    let old = read(&session.base.tree, Id::ROOT);
    let new = read(&session.revision.tree, Id::ROOT);
    compare(session, (Id::ROOT, Id::ROOT), old, new);
}

/// Compares `servers` of an operation or its path, which stand in the place of those at the root.
pub(crate) fn compare_operation(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
    let own = |tree: &Tree<'_>, operation: &Operation| {
        let holders = [operation.id, operation.item];
        holders
            .into_iter()
            .find(|id| tree.get(*id, "servers").is_some())
    };
    let old = own(&session.base.tree, base);
    let new = own(&session.revision.tree, revision);
    if old.is_none() && new.is_none() {
        return;
    }
    let holders = (old.unwrap_or(base.id), new.unwrap_or(revision.id));
    let old = read(&session.base.tree, old.unwrap_or(Id::ROOT));
    let new = read(&session.revision.tree, new.unwrap_or(Id::ROOT));
    compare(session, holders, old, new);
}

fn read(tree: &Tree<'_>, holder: Id) -> BTreeMap<String, Server> {
    let items = tree.list(holder, "servers").iter().copied();
    let text = |id| canonical::text(tree.node(id));
    let servers = items.map(|id| {
        let rest = tree
            .members(id)
            .filter(|(key, _)| !["url", "variables"].contains(key));
        let mut rest: Vec<String> = rest
            .map(|(key, id)| format!("{key}:{}", text(id)))
            .collect();
        rest.sort_unstable();
        let server = Server {
            id,
            variables: tree
                .get(id, "variables")
                .map(text)
                .filter(|variables| variables != "{}")
                .unwrap_or_default(),
            rest: rest.join(","),
        };
        let url = tree
            .text(id, "url")
            .map(|url| url.trim_end_matches('/').to_owned());
        (url.unwrap_or_else(|| text(id)), server)
    });
    let mut servers: BTreeMap<String, Server> = servers.collect();
    // Without servers, the interface is served where the document is.
    if servers.is_empty() {
        let id = tree.container(holder, "servers");
        let (variables, rest) = (String::new(), String::new());
        servers.insert(
            String::new(),
            Server {
                id,
                variables,
                rest,
            },
        );
    }
    servers
}

fn compare(
    session: &mut Session<'_>,
    holders: (Id, Id),
    old: BTreeMap<String, Server>,
    new: BTreeMap<String, Server>,
) {
    let shown = |url: &str| match url {
        "" => "/".to_owned(),
        url => url.to_owned(),
    };
    let (base_list, revision_list) = session.containers(holders.0, holders.1, "servers");
    for (url, server) in &old {
        let Some(other) = new.get(url) else {
            let edit = Edit::removed(server.id, revision_list).item(url);
            let message = format!("the server `{}` is gone", shown(url));
            session.report("server-removed", edit, message);
            continue;
        };
        let edit = Edit::changed(server.id, other.id).item(url);
        if server.variables != other.variables {
            let message = format!("the variables of the server `{}` changed", shown(url));
            session.report("server-changed", edit.clone(), message);
        }
        if server.rest != other.rest {
            let message = format!("the server `{}` is described otherwise", shown(url));
            session.report("documentation-changed", edit, message);
        }
    }
    for (url, server) in new.iter().filter(|(url, _)| !old.contains_key(*url)) {
        let edit = Edit::added(base_list, server.id).item(url);
        session.report(
            "server-added",
            edit,
            format!("the server `{}` is new", shown(url)),
        );
    }
}
