//! Paths that no request has, and paths that match the same requests: their operations move to another path.

use std::collections::{HashMap, HashSet};

use dropspec_model::{Kind, Method, Node, ObjectType, PathTemplate};
use dropspec_schema::pointer;
use serde_json::{Value, json};

use super::{Mend, Site};

/// An entry of `paths`, and the path that its requests have.
struct Move<'s> {
    site: &'s Site<'s>,
    item: &'s Node,
    from: &'s str,
    /// Its path without what no request has.
    path: &'s PathTemplate,
    to: &'s PathTemplate,
    /// What it says of the query: names, each with a value or the `{name}` of a parameter.
    query: Vec<(&'s str, &'s str)>,
}

pub(super) fn list_wrong_paths(site: &Site<'_>) -> Vec<Mend> {
    let is_paths = site.kind == Kind::Object(ObjectType::Paths);
    let keys = site.keys(site.at).into_iter();
    let keys = keys.filter(|key| is_paths && !key.starts_with("x-"));
    let paths = keys.filter_map(|key| Some((key, PathTemplate::parse(&split(key).0).ok()?)));
    let paths: Vec<(&str, PathTemplate)> = paths.collect();
    // Of paths that match the same requests, the first stays.
    let mut staying: HashMap<String, &PathTemplate> = HashMap::new();
    for (_, path) in paths.iter().filter(|(key, path)| path.raw == *key) {
        staying.entry(path.shape()).or_insert(path);
    }
    let mut coming = HashSet::new();
    let found = paths.iter().filter_map(|(from, path)| {
        let target = staying.get(&path.shape()).copied();
        // Where another one is coming, it is there the next time.
        let waits = target.is_none() && !coming.insert(path.shape());
        let moving = Move {
            site,
            item: site.node.get(from)?,
            from,
            path,
            to: target.unwrap_or(path),
            query: read_query(split(from).1),
        };
        // Operations that are elsewhere cannot be changed here.
        let is_elsewhere = moving.item.get("$ref").is_some() && !moving.is_renamed_only();
        (moving.to.raw != *from && !waits && !is_elsewhere).then(|| moving.mend())
    });
    found.collect()
}

/// The path of requests to a path, and what it says of their query.
fn split(written: &str) -> (String, &str) {
    let written = written.trim_start();
    let mut within = false;
    let end = written.find(|c| {
        within = c == '{' || within && c != '}';
        !within && matches!(c, '?' | '#')
    });
    let (path, rest) = written.split_at(end.unwrap_or(written.len()));
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => path.strip_prefix('/').unwrap_or(path),
    };
    let query = rest.strip_prefix('?').unwrap_or_default();
    let (query, _) = query.split_once('#').unwrap_or((query, ""));
    (format!("/{path}"), query)
}

/// The parameters of a query such as `a=1&b={b}&{c}`.
fn read_query(query: &str) -> Vec<(&str, &str)> {
    let pairs = query.split('&').filter(|pair| !pair.is_empty());
    let pairs = pairs.map(|pair| match pair.split_once('=') {
        Some(pair) => pair,
        None if pair.starts_with('{') => (pair.trim_matches(['{', '}']), pair),
        None => (pair, ""),
    });
    pairs.collect()
}

impl Move<'_> {
    /// Whether all else stays as it is.
    fn is_renamed_only(&self) -> bool {
        self.site.node.get(&self.to.raw).is_none() && self.query.is_empty()
    }

    fn mend(&self) -> Mend {
        let Move { site, from, to, .. } = self;
        let own = site.member(from);
        let message = if *from == self.path.raw {
            format!("the path matches the same requests as `{to}`")
        } else {
            format!("no request has the path `{from}`")
        };
        let mend = site.mend(&own, message).moving();
        let methods = site.keys(&own).into_iter();
        let methods = methods.filter(|key| Method::of_key(key).is_some());
        let target = site.node.get(&to.raw);
        let is_there = |method: &&str| target.is_some_and(|it| it.get(method).is_some());
        let (both, free): (Vec<&str>, Vec<&str>) = methods.partition(is_there);
        let all = [&both[..], &free].concat();
        if !both.is_empty() {
            let list = both.join(", ");
            let other = site.member(&to.raw);
            let removed = both
                .iter()
                .map(|it| site.remove(&pointer::join(&other, it)));
            let replaced = removed.chain(self.actions(&all)).collect();
            let mend = mend.or(format!("`{to}` says what {list} does"), self.actions(&free));
            return mend.or(format!("`{from}` says what {list} does"), replaced);
        }
        if from.is_empty() || from.contains("://") {
            return mend.or(format!("`{to}` is meant"), self.actions(&all));
        }
        mend.by(
            format!("Its requests have the path `{to}`."),
            self.actions(&all),
        )
    }

    /// Moves these operations, and removes what else the path has.
    fn actions(&self, methods: &[&str]) -> Vec<Value> {
        let Move { site, from, to, .. } = self;
        let (own, other) = (site.member(from), site.member(&to.raw));
        let remove = site.remove(&own);
        if self.is_renamed_only() {
            let [create, copy] = site.copy(&own, site.at, &to.raw);
            return vec![create, copy, remove];
        }
        let mut actions = Vec::new();
        if !methods.is_empty() && site.node.get(&to.raw).is_none() {
            actions.push(site.update(site.at, json!({ &to.raw: {} })));
        }
        for method in methods {
            let at = pointer::join(&own, method);
            let list = self.parameters(method);
            let written = pointer::join(&at, "parameters");
            let written = site.document.pointer(&written).map(Node::to_json);
            let written = written.as_ref().and_then(Value::as_array);
            let written = written.map_or(&[][..], |list| list);
            let mut fields = json!({});
            match list.strip_prefix(written) {
                Some([]) => {}
                Some(added) => fields["parameters"] = json!(added),
                None => {
                    actions.push(site.remove(&pointer::join(&at, "parameters")));
                    fields["parameters"] = json!(list);
                }
            }
            let servers = self.item.get("servers");
            if let Some(servers) = servers.filter(|_| !site.keys(&at).contains(&"servers")) {
                fields["servers"] = servers.to_json();
            }
            if fields != json!({}) {
                actions.push(site.update(&at, fields));
            }
            actions.extend(site.copy(&at, &other, method));
        }
        actions.push(remove);
        actions
    }

    /// The parameters of an operation in the other path: its own, those of its path, and those of the query.
    fn parameters(&self, method: &str) -> Vec<Value> {
        let names = self.path.parameters().zip(self.to.parameters());
        let names: HashMap<&str, &str> = names.filter(|(own, other)| own != other).collect();
        let mut ids = HashSet::new();
        let mut list = Vec::new();
        for holder in [self.item.get(method), Some(self.item)]
            .into_iter()
            .flatten()
        {
            let holder = Site {
                node: holder,
                ..*self.site
            };
            let written = holder.node.get("parameters").and_then(Node::as_array);
            for (written, node) in written
                .into_iter()
                .flatten()
                .zip(holder.items("parameters"))
            {
                let mut parameter = node.to_json();
                let name = node.get("name").and_then(Node::as_str).unwrap_or_default();
                let is_in_path = parameter["in"] == "path";
                if !ids.insert((name, parameter["in"].to_string())) {
                    continue;
                }
                let value = format!("{{{name}}}");
                let query = self.query.iter().find(|(_, it)| is_in_path && *it == value);
                if let Some((name, _)) = query {
                    parameter["name"] = json!(name);
                    parameter["in"] = json!("query");
                } else if let Some(name) = names.get(name).filter(|_| is_in_path) {
                    parameter["name"] = json!(name);
                } else {
                    parameter = written.to_json();
                }
                list.push(parameter);
            }
        }
        for (name, value) in &self.query {
            let is_declared = |it: &Value| it["name"] == *name && it["in"] == "query";
            let mut schema = json!({ "type": "string" });
            if !value.starts_with('{') {
                schema["enum"] = json!([value]);
            }
            if !list.iter().any(is_declared) {
                list.push(
                    json!({ "name": name, "in": "query", "required": true, "schema": schema }),
                );
            }
        }
        list
    }
}
