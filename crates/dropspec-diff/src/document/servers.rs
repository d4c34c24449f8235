//! Compares `servers`.

use std::collections::{BTreeMap, BTreeSet};

use dropspec_schema::METHODS;

use super::operation_node::Operation;
use super::pairs::pair_up;
use crate::canonical;
use crate::edit::EditKind;
use crate::rules::{presence, rule};
use crate::session::Session;
use crate::template::split_template;
use crate::tree::{Id, Pair, ROOTS, Tree};

/// More URLs of one server are not listed.
const MOST_URLS: usize = 100;

/// What the paths of all servers share, in the base and in the revision, if operations have the same address by it: `/v1` with
/// `/pets`, and `/v1/pets` without.
pub(super) fn find_moved_prefixes<'d>(session: &Session<'d>) -> [&'d str; 2] {
    let paths = session.both(ROOTS, |tree, _| {
        let shared = find_shared_path(tree)?;
        let paths = tree.members_of(Id::ROOT, "paths");
        let shapes: BTreeSet<String> = paths
            .map(|(path, _)| split_template(&format!("{shared}{path}")).0)
            .collect();
        Some((shared, shapes))
    });
    match paths {
        (Some((old, addresses)), Some((new, others)))
            if old != new && !addresses.is_disjoint(&others) =>
        {
            [old, new]
        }
        _ => [""; 2],
    }
}

/// The path of the URLs of all servers; none if they differ, or a variable is in it.
fn find_shared_path<'d>(tree: &Tree<'d>) -> Option<&'d str> {
    let items = tree
        .members_of(Id::ROOT, "paths")
        .map(|(_, item)| tree.resolve(item));
    let own = items.flat_map(|item| {
        let operations = METHODS.iter().filter_map(move |it| tree.get(item, it));
        operations.chain([item])
    });
    let root = Some(Id::ROOT).filter(|_| has_users(tree));
    let default = root
        .filter(|root| tree.list(*root, "servers").is_empty())
        .map(|_| "");
    let servers = own
        .chain(root)
        .flat_map(|holder| tree.list(holder, "servers"));
    let urls = servers.map(|server| tree.text(*server, "url"));
    let paths = urls.chain(default.map(Some)).map(|url| {
        let url = url?.trim_end_matches('/');
        let path = match url.split_once("://") {
            Some((_, rest)) => rest.find('/').map_or("", |start| &rest[start..]),
            None => url,
        };
        let is_plain = path.is_empty() || path.starts_with('/') && !path.contains('{');
        is_plain.then_some(path)
    });
    let paths: Option<BTreeSet<&str>> = paths.collect();
    let mut paths = paths?.into_iter();
    paths.next().filter(|_| paths.next().is_none())
}

/// Compares `servers` at the root. Nobody uses them where every operation has its own; if that is so in one document only, the
/// operations are compared.
pub(super) fn compare_root(session: &mut Session<'_>) {
    match session.both(ROOTS, |tree, _| has_users(tree)) {
        (true, true) => return compare(session, ROOTS, ROOTS),
        (false, false) => {}
        _ => return,
    }
    let (old, new) = session.both(ROOTS, |tree, id| tree.get(id, "servers"));
    if session.elements_differ(old, new) {
        let message = "the list of unused servers changed";
        session.report_keyword(rule!("unused-servers-changed"), ROOTS, "servers", message);
    }
}

/// Whether an operation uses the servers at the root. A document without operations may be used by others.
fn has_users(tree: &Tree<'_>) -> bool {
    let has_own = |id: Id| tree.get(id, "servers").is_some();
    let items = tree.members_of(Id::ROOT, "paths");
    let mut operations = items.flat_map(|(_, item)| {
        let item = tree.resolve(item);
        let operations = METHODS.iter().filter_map(move |it| tree.get(item, it));
        operations.map(move |operation| has_own(item) || has_own(operation))
    });
    operations.next() != Some(true) || operations.any(|has_own| !has_own)
}

/// Compares `servers` of an operation or its path. They replace those at the root.
pub(super) fn compare_operation(session: &mut Session<'_>, base: &Operation, revision: &Operation) {
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
    let [moved_from, moved_to] = session.moved_prefixes;
    let servers = (
        read(&session.base.tree, effective.0, moved_from),
        read(&session.revision.tree, effective.1, moved_to),
    );
    let tree = &session.revision.tree;
    let templates = servers.1.values();
    let templates = templates.filter_map(|id| read_template(tree, *id, moved_to));
    let templates: Vec<Template<'_>> = templates.collect();
    for server in pair_up(session.containers(holders, "servers"), servers) {
        let url = server.name.as_str();
        let subject = format!("the server `{}`", if url.is_empty() { "/" } else { url });
        let edit = server.edit.item(url);
        let template = read_template(&session.base.tree, edit.base, moved_from);
        let is_served = |url: &String| templates.iter().any(|it| matches(it, url));
        let are_served = || list_urls(template.as_ref()?).map(|it| it.iter().all(is_served));
        if edit.kind != EditKind::Changed {
            // Where other entries serve all URLs of one that was removed, they are reported as added.
            if edit.kind == EditKind::Added || are_served() != Some(true) {
                session.report_presence(presence!("server"), edit, &subject);
            }
            continue;
        }
        let (old, new) = session.both((edit.base, edit.revision), read_fields);
        if old.0 != new.0 {
            let narrowed = read_template(&session.revision.tree, edit.revision, moved_to);
            let narrowed = template.as_ref().zip(narrowed.as_ref());
            let has_fewer = narrowed.is_some_and(|(old, new)| is_narrower(old, new));
            let (rule, what) = if has_fewer && are_served() != Some(true) {
                (rule!("server-removed"), "have fewer values")
            } else {
                (rule!("server-changed"), "changed")
            };
            let message = format!("the variables of {subject} {what}");
            session.report(rule, edit.clone(), message);
        }
        if old.1 != new.1 {
            let message = format!("the description of {subject} changed");
            session.report(rule!("documentation-changed"), edit, message);
        }
    }
}

/// The URL of a server without a slash at the end, and without what moved.
fn read_url<'d>(tree: &Tree<'d>, server: Id, moved: &str) -> Option<&'d str> {
    let url = tree.text(server, "url")?.trim_end_matches('/');
    Some(url.strip_suffix(moved).unwrap_or(url))
}

/// The servers by URL.
fn read(tree: &Tree<'_>, holder: Id, moved: &str) -> BTreeMap<String, Id> {
    let servers = tree.list(holder, "servers").iter().map(|id| {
        let url = read_url(tree, *id, moved).map(str::to_owned);
        let url = url.unwrap_or_else(|| canonical::to_text(tree.node(*id)));
        (url, *id)
    });
    let mut servers: BTreeMap<String, Id> = servers.collect();
    // The default is one server with the URL `/`.
    if servers.is_empty() {
        servers.insert(String::new(), tree.container(holder, "servers"));
    }
    servers
}

/// The fields of the variables of a server, whose values have no order, and all other fields except the URL.
#[allow(clippy::type_complexity)]
fn read_fields<'d>(
    tree: &Tree<'d>,
    server: Id,
) -> (
    BTreeMap<(&'d str, &'d str), Vec<String>>,
    BTreeMap<&'d str, String>,
) {
    let text = |id: Id| canonical::to_text(tree.node(id));
    let (mut variables, mut others) = (BTreeMap::new(), BTreeMap::new());
    // The default server is no entry of a list.
    let list = tree.parent(server).map(|list| tree.items(list));
    if !list.is_some_and(|list| list.contains(&server)) {
        return (variables, others);
    }
    for (name, variable) in tree.members_of(server, "variables") {
        variables.insert((name, ""), Vec::new());
        for (key, id) in tree.members(variable) {
            let mut texts: Vec<String> = match key {
                "enum" => tree.items(id).iter().map(|value| text(*value)).collect(),
                _ => vec![text(id)],
            };
            texts.sort_unstable();
            variables.insert((name, key), texts);
        }
    }
    let members = tree.members(server);
    let members = members.filter(|(key, _)| !["url", "variables"].contains(key));
    others.extend(members.map(|(key, id)| (key, text(id))));
    (variables, others)
}

/// The parts of a URL, each with its alternatives; `None` if a part may be anything.
type Template<'d> = Vec<Option<Vec<&'d str>>>;

/// The URL of a server with its variables; none if it has no URL, or a variable is not declared.
fn read_template<'d>(tree: &Tree<'d>, server: Id, moved: &str) -> Option<Template<'d>> {
    let mut parts = read_url(tree, server, moved)?.split('{');
    let mut template = vec![Some(vec![parts.next()?])];
    for part in parts {
        let (name, text) = part.split_once('}')?;
        let mut variables = tree.members_of(server, "variables");
        let (_, variable) = variables.find(|(own, _)| *own == name)?;
        let listed = tree.list(variable, "enum").iter();
        let listed: Option<Vec<&str>> = listed.map(|id| tree.node(*id).as_str()).collect();
        template.extend([listed.filter(|it| !it.is_empty()), Some(vec![text])]);
    }
    Some(template)
}

/// Whether a variable of the same URL has fewer values than before.
fn is_narrower(old: &Template<'_>, new: &Template<'_>) -> bool {
    let lacks = |old: &Vec<&str>, new: &[&str]| old.iter().any(|value| !new.contains(value));
    old.iter().zip(new).any(|(old, new)| {
        let new = new.as_ref();
        new.is_some_and(|new| old.as_ref().is_none_or(|old| lacks(old, new)))
    })
}

/// All URLs of a server; none if they cannot be listed.
fn list_urls(template: &Template<'_>) -> Option<Vec<String>> {
    let mut urls = vec![String::new()];
    for part in template {
        let values = part.as_ref()?;
        if urls.len() * values.len() > MOST_URLS {
            return None;
        }
        let longer = urls
            .iter()
            .flat_map(|url| values.iter().map(move |it| format!("{url}{it}")));
        urls = longer.collect();
    }
    Some(urls)
}

/// Whether a URL consists of these parts.
fn matches(parts: &[Option<Vec<&str>>], url: &str) -> bool {
    match parts.split_first() {
        None => url.is_empty(),
        Some((Some(values), others)) => {
            let mut rests = values.iter().filter_map(|it| url.strip_prefix(it));
            rests.any(|rest| matches(others, rest))
        }
        Some((None, others)) => {
            let mut ends = (1..=url.len()).filter(|end| url.is_char_boundary(*end));
            ends.any(|end| matches(others, &url[end..]))
        }
    }
}
