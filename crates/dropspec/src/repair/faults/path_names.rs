//! Path parameters whose name is not in their path.

use dropspec_model::{Kind, Method, Node, ObjectType, PathTemplate};
use dropspec_schema::pointer;
use serde_json::json;

use super::written_path::split;
use super::{Mend, Site};
use crate::letters::letters;

/// Those of an entry of `paths`, and of its operations.
pub(super) fn list_wrong_names(site: &Site<'_>) -> Vec<Mend> {
    let is_item = site.kind == Kind::Object(ObjectType::PathItem);
    let path = site
        .at
        .strip_prefix("/paths/")
        .filter(|path| is_item && !path.contains('/'));
    let path = path
        .map(pointer::unescape)
        // Others move to the path of their requests first.
        .filter(|path| split(path).0 == *path);
    let Some(template) = path.and_then(|path| PathTemplate::parse(&path).ok()) else {
        return Vec::new();
    };
    let methods = site
        .keys(site.at)
        .into_iter()
        .filter(|key| Method::of_key(key).is_some());
    let others = site.member("additionalOperations");
    let additional = site.keys(&others).into_iter();
    let additional = additional.map(|key| pointer::join(&others, key));
    let holders = methods.map(|key| site.member(key)).chain(additional);
    // The lists of parameters: first that of the path, which apply to all operations.
    let lists = [site.at.to_owned()].into_iter().chain(holders).map(|at| {
        let node = site.document.pointer(&at).unwrap_or(site.node);
        let items = Site { node, ..*site }.items("parameters");
        (at, items.into_iter().map(path_name).collect::<Vec<_>>())
    });
    let lists: Vec<(String, Vec<Option<&str>>)> = lists.collect();
    let mut found = Vec::new();
    let ((_, of_path), of_operations) = lists.split_first().expect("the list of the path");
    for (holder, names) in &lists {
        // What the path declares holds where an operation does not declare it itself.
        let is_elsewhere = |name: &str| {
            let declares = |(_, names): &(String, Vec<_>)| names.contains(&Some(name));
            if *holder != site.at {
                return of_path.contains(&Some(name));
            }
            !of_operations.is_empty() && of_operations.iter().all(declares)
        };
        let missing = template.parameters();
        let missing = missing.filter(|it| !names.contains(&Some(it)) && !is_elsewhere(it));
        let missing: Vec<&str> = missing.collect();
        let is_extra = |name: &&str| !template.parameters().any(|it| it == *name);
        let extra = names.iter().enumerate();
        let extra = extra.filter_map(|(index, name)| Some((index, name.filter(is_extra)?)));
        let extra: Vec<(usize, &str)> = extra.collect();
        for (index, name) in &extra {
            let at = format!("{holder}/parameters/{index}");
            let mend = site.mend(&at, format!("the path `{template}` has no `{{{name}}}`"));
            let mut same = missing.iter().filter(|it| letters(it) == letters(name));
            let meant = match missing[..] {
                [new] if extra.len() == 1 => Some(new),
                _ => same.next().copied().filter(|_| same.next().is_none()),
            };
            let Some(new) = meant else {
                let mend = mend.by("No request has a place for it.", vec![site.remove(&at)]);
                found.push(mend.moving());
                continue;
            };
            let reference = format!("{at}/$ref");
            let mut actions = Vec::new();
            let mut named = json!({});
            if site.document.pointer(&reference).is_some() {
                // Others may refer to it under its own name.
                let node = site.document.pointer(holder).unwrap_or(site.node);
                named = Site { node, ..*site }.items("parameters")[*index].to_json();
                actions.push(site.remove(&reference));
            }
            named["name"] = json!(new);
            actions.push(site.update(&at, named));
            let text = format!("It is the `{{{new}}}`: no request has the name.");
            found.push(mend.by(text, actions));
        }
    }
    found
}

fn path_name(parameter: &Node) -> Option<&str> {
    let text = |key: &str| parameter.get(key).and_then(Node::as_str);
    text("name").filter(|_| text("in") == Some("path"))
}
