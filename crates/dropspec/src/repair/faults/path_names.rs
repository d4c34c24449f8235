//! Path parameters whose name is not in their path.

use dropspec_model::{Kind, Method, Node, ObjectType, PathTemplate};
use dropspec_schema::pointer;
use serde_json::json;

use super::{Mend, Site};

/// Those of an entry of `paths`, and of its operations.
pub(super) fn list_wrong_names(site: &Site<'_>) -> Vec<Mend> {
    let is_item = site.kind == Kind::Object(ObjectType::PathItem);
    let path = site
        .at
        .strip_prefix("/paths/")
        .filter(|path| is_item && !path.contains('/'));
    let path = path
        .map(pointer::unescape)
        .filter(|path| !path.contains(['?', '#']));
    let Some(template) = path.and_then(|path| PathTemplate::parse(&path).ok()) else {
        return Vec::new();
    };
    let methods = site
        .keys(site.at)
        .into_iter()
        .filter(|key| Method::of_key(key).is_some());
    let holders = methods.map(|key| site.member(key));
    // The lists of parameters: first that of the path, which apply to all operations.
    let lists = [site.at.to_owned()].into_iter().chain(holders).map(|at| {
        let node = site.document.pointer(&at).unwrap_or(site.node);
        let items = Site { node, ..*site }.items("parameters");
        (at, items.into_iter().map(path_name).collect::<Vec<_>>())
    });
    let lists: Vec<(String, Vec<Option<&str>>)> = lists.collect();
    let mut found = Vec::new();
    for (holder, names) in &lists {
        let others = lists
            .iter()
            .filter(|(at, _)| *holder == site.at || at == site.at);
        let declared: Vec<&str> = others
            .flat_map(|(_, it)| it)
            .chain(names)
            .flatten()
            .copied()
            .collect();
        let missing = template.parameters().filter(|it| !declared.contains(it));
        let missing: Vec<&str> = missing.collect();
        let is_extra = |name: &&str| !template.parameters().any(|it| it == *name);
        let extra = names.iter().enumerate();
        let extra = extra.filter_map(|(index, name)| Some((index, name.filter(is_extra)?)));
        let extra: Vec<(usize, &str)> = extra.collect();
        for (index, name) in &extra {
            let at = format!("{holder}/parameters/{index}");
            let mend = site.mend(&at, format!("the path `{template}` has no `{{{name}}}`"));
            let is_shared = site.document.pointer(&format!("{at}/$ref")).is_some();
            found.push(match missing[..] {
                [new] if extra.len() == 1 && !is_shared => {
                    let update = site.update(&at, json!({ "name": new }));
                    mend.by(
                        format!("It is the `{{{new}}}`: no request has the name."),
                        vec![update],
                    )
                }
                _ => mend
                    .by("No request has a place for it.", vec![site.remove(&at)])
                    .moving(),
            });
        }
    }
    found
}

fn path_name(parameter: &Node) -> Option<&str> {
    let text = |key: &str| parameter.get(key).and_then(Node::as_str);
    text("name").filter(|_| text("in") == Some("path"))
}
