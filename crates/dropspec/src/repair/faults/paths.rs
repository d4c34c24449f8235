//! Paths that no request has, and paths that match the same requests: their operations move to another path.

use std::collections::{HashMap, HashSet};

use dropspec_model::{Kind, Method, Node, ObjectType, PathTemplate};
use dropspec_schema::wire::Location;
use dropspec_schema::{pointer, pointer_of_reference};
use serde_json::{Value, json};

use super::written_path::{read_query, split, template_of};
use super::{Mend, Site};

/// An entry of `paths`, and the path that its requests have.
struct Move<'s> {
    site: &'s Site<'s>,
    item: &'s Node,
    from: &'s str,
    /// Its path without what no request has.
    path: &'s PathTemplate,
    to: &'s PathTemplate,
    /// What it says of the query: names, each with a value or the `{name}` of a parameter. What may be absent has none.
    query: Vec<(&'s str, Option<&'s str>)>,
}

/// What a path says of all its operations, besides its parameters.
const PATH_FIELDS: [&str; 3] = ["summary", "description", "servers"];

fn is_path_field(key: &str) -> bool {
    key.starts_with("x-") || PATH_FIELDS.contains(&key)
}

pub(super) fn list_wrong_paths(site: &Site<'_>) -> Vec<Mend> {
    let is_paths = site.kind == Kind::Object(ObjectType::Paths);
    let keys = site.keys(site.at).into_iter();
    let keys = keys.filter(|key| is_paths && !key.starts_with("x-"));
    let paths = keys.filter_map(|key| Some((key, template_of(key)?)));
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
        if moving.to.raw == *from || waits {
            return None;
        }
        // Operations that are elsewhere cannot be changed here.
        let mut ends = [*from, moving.to.raw.as_str()].into_iter();
        let reference = |path| Some((path, site.node.get(path)?.get("$ref")?.as_str()?));
        match ends.find_map(reference) {
            Some((path, reference)) if !moving.is_renamed_only() => take_in(site, path, reference),
            _ => Some(moving.mend()),
        }
    });
    found.collect()
}

/// Puts what a `$ref` leads to into its path.
fn take_in(site: &Site<'_>, path: &str, reference: &str) -> Option<Mend> {
    let target = pointer_of_reference(reference)?;
    site.document.pointer(&target)?;
    let own = site.member(path);
    let message =
        format!("operations move to or from `{path}`, which is a `$ref` to `{reference}`");
    let mut actions = vec![site.remove(&pointer::join(&own, "$ref"))];
    actions.extend(site.copy(&target, site.at, &pointer::join("", path)));
    let mend = site.mend(&own, message);
    Some(mend.by("The path takes in what is there.", actions))
}

/// A reference into a path that is there under the name of its requests.
pub(super) fn find_moved_target(site: &Site<'_>) -> Option<Mend> {
    let is_there = |key: &&str| site.text(key).is_some() && site.kind != Kind::Any;
    let key = ["$ref", "operationRef"].into_iter().find(is_there)?;
    let text = site.text(key)?;
    let target = pointer_of_reference(text)?;
    if site.document.pointer(&target).is_some() {
        return None;
    }
    let rest = target.strip_prefix("/paths/")?;
    let (path, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
    let shape = template_of(&pointer::unescape(path))?.shape();
    let has_shape = |key: &&str| template_of(key).is_some_and(|it| it.shape() == shape);
    let same = site.keys("/paths").into_iter().find(has_shape)?;
    let target = format!("{}{rest}", pointer::join("/paths", same));
    site.document.pointer(&target)?;
    let message = format!("the target of the `{key}` to `{text}` does not exist");
    let update = site.update(site.at, json!({ key: format!("#{target}") }));
    let mend = site.mend(&site.member(key), message);
    Some(mend.by(format!("The path is `{same}`."), vec![update]))
}

impl Move<'_> {
    /// Whether all else stays as it is.
    fn is_renamed_only(&self) -> bool {
        self.site.node.get(&self.to.raw).is_none() && self.query.is_empty()
    }

    /// The pointers of the operations, from their path.
    fn operations(&self) -> Vec<String> {
        let keys = |holder: Option<&Node>| {
            let members = holder.and_then(Node::as_object).into_iter().flatten();
            members.map(|(key, _)| key.clone()).collect::<Vec<_>>()
        };
        let own = keys(Some(self.item)).into_iter();
        let own = own.filter(|key| Method::of_key(key).is_some());
        let others = keys(self.item.get("additionalOperations")).into_iter();
        let others = others.map(|key| pointer::join("/additionalOperations", &key));
        own.map(|key| pointer::join("", &key))
            .chain(others)
            .collect()
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
        let target = site.node.get(&to.raw);
        let is_there = |at: &String| target.is_some_and(|it| it.pointer(at).is_some());
        let (both, free): (Vec<_>, Vec<_>) = self.operations().into_iter().partition(is_there);
        let all = [&both[..], &free].concat();
        if !both.is_empty() {
            let methods = both.iter().filter_map(|it| it.rsplit('/').next());
            let list = methods.collect::<Vec<_>>().join(", ");
            let other = site.member(&to.raw);
            let removed = both.iter().map(|it| site.remove(&format!("{other}{it}")));
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
    fn actions(&self, operations: &[String]) -> Vec<Value> {
        let Move { site, from, to, .. } = self;
        let (own, other) = (site.member(from), site.member(&to.raw));
        let remove = site.remove(&own);
        if self.is_renamed_only() {
            let [create, copy] = site.copy(&own, site.at, &pointer::join("", &to.raw));
            return vec![create, copy, remove];
        }
        let mut actions = Vec::new();
        match site.node.get(&to.raw) {
            _ if operations.is_empty() => {}
            None => actions.push(site.update(site.at, json!({ &to.raw: {} }))),
            Some(item) => {
                let target = Move {
                    item,
                    from: &to.raw,
                    path: to,
                    query: Vec::new(),
                    ..*self
                };
                actions.extend(target.move_fields_into_operations(operations));
            }
        }
        for operation in operations {
            actions.extend(self.add_path_fields(operation));
            actions.extend(site.copy(&format!("{own}{operation}"), &other, operation));
        }
        actions.push(remove);
        actions
    }

    /// Lets the operations of a path say what the path says, all but those that are replaced, so that it does not hold for others.
    fn move_fields_into_operations(&self, replaced: &[String]) -> Vec<Value> {
        let keys = self.item.as_object().into_iter().flatten();
        let said = keys.filter(|(key, _)| *key == "parameters" || is_path_field(key));
        let own = self.site.member(self.from);
        let said = said.map(|(key, _)| self.site.remove(&pointer::join(&own, key)));
        let said: Vec<Value> = said.collect();
        let mut operations = self.operations();
        operations.retain(|it| !said.is_empty() && !replaced.contains(it));
        let completed = operations.iter().flat_map(|it| self.add_path_fields(it));
        completed.chain(said).collect()
    }

    /// Lets an operation say what its path says, which holds for its operations.
    fn add_path_fields(&self, operation: &str) -> Vec<Value> {
        let site = self.site;
        let at = format!("{}{operation}", site.member(self.from));
        let list = self.parameters(operation);
        let written = pointer::join(&at, "parameters");
        let written = site.document.pointer(&written).map(Node::to_json);
        let written = written.as_ref().and_then(Value::as_array);
        let written = written.map_or(&[][..], |list| list);
        let (mut actions, mut fields) = (Vec::new(), json!({}));
        match list.strip_prefix(written) {
            Some([]) => {}
            Some(added) => fields["parameters"] = json!(added),
            None => {
                actions.push(site.remove(&pointer::join(&at, "parameters")));
                fields["parameters"] = json!(list);
            }
        }
        let said = self.item.as_object().into_iter().flatten();
        for (key, member) in said.filter(|(key, _)| is_path_field(key)) {
            if !site.keys(&at).contains(&key.as_str()) {
                fields[key] = member.node.to_json();
            }
        }
        if fields != json!({}) {
            actions.push(site.update(&at, fields));
        }
        actions
    }

    /// The parameters of an operation in the other path: its own, those of its path, and those of the query.
    fn parameters(&self, operation: &str) -> Vec<Value> {
        let names = self.path.parameters().zip(self.to.parameters());
        let names: HashMap<&str, &str> = names.filter(|(own, other)| own != other).collect();
        let mut ids = HashSet::new();
        let mut list = Vec::new();
        for holder in [self.item.pointer(operation), Some(self.item)]
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
                let mut query = self.query.iter();
                let query = query.find(|(_, it)| is_in_path && *it == Some(&value));
                if let Some((query_name, _)) = query {
                    let mut moved = parameter.clone();
                    moved["name"] = json!(query_name);
                    moved["in"] = json!("query");
                    list.push(moved);
                    if !self.path.parameters().any(|it| it == name) {
                        continue;
                    }
                }
                if let Some(name) = names.get(name).filter(|_| is_in_path) {
                    parameter["name"] = json!(name);
                } else {
                    parameter = written.to_json();
                }
                list.push(parameter);
            }
        }
        for (name, value) in &self.query {
            let text =
                |raw| dropspec_schema::wire::decode(Location::Query, raw).unwrap_or(raw.into());
            let name = text(name);
            let is_declared = |it: &Value| it["name"] == *name && it["in"] == "query";
            let mut schema = json!({ "type": "string" });
            if let Some(value) = value.filter(|it| !it.starts_with('{')) {
                schema["enum"] = json!([text(value)]);
            }
            if !list.iter().any(is_declared) {
                let required = value.is_some();
                list.push(
                    json!({ "name": name, "in": "query", "required": required, "schema": schema }),
                );
            }
        }
        list
    }
}
