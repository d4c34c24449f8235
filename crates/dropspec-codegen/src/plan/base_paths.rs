//! Warns of the base paths of servers, below which no request reaches the generated server.

use std::collections::BTreeSet;

use dropspec_model::{Node, Place, Spec};
use dropspec_schema::pointer;

use crate::plan::problems::Problems;

/// Warns once of each base path in the `servers` of the document: the generated server routes by the keys of `paths`.
pub(super) fn warn(spec: &Spec, problems: &Problems<'_>) {
    let servers = spec.document.root().get("servers").and_then(Node::as_array);
    let mut known = BTreeSet::new();
    for (index, server) in servers.into_iter().flatten().enumerate() {
        let base = server.get("url").and_then(|url| Some((url, url.as_str()?)));
        let Some((node, url)) = base else {
            continue;
        };
        let base = base_path(&fill_in(url, server));
        if base.is_empty() || !known.insert(base.clone()) {
            continue;
        }
        let at = Place {
            pointer: pointer::join(&format!("/servers/{index}"), "url"),
            position: node.position,
        };
        problems.warn(
            &at,
            format!("the generated server serves the paths without the base path `{base}` of this URL"),
            format!("start it by `serve --base-path {base}`, or let a proxy in front of it remove `{base}`"),
        );
    }
}

/// A URL with the defaults of its variables.
fn fill_in(url: &str, server: &Node) -> String {
    let variables = server.get("variables").and_then(Node::as_object);
    let variables = variables.into_iter().flatten();
    variables.fold(url.to_owned(), |url, (name, variable)| {
        let default = variable.node.get("default").and_then(Node::as_str);
        url.replace(&format!("{{{name}}}"), default.unwrap_or_default())
    })
}

/// The path of a URL without a slash at the end.
fn base_path(url: &str) -> String {
    // Before `//` is the scheme, unless it is that of the page that shows the document.
    let absolute = url
        .split_once("://")
        .or_else(|| Some(("", url.strip_prefix("//")?)));
    let path = match absolute {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => url,
    };
    let path = path.split(['?', '#']).next().unwrap_or_default();
    match path.trim_matches('/') {
        "" | "." => String::new(),
        path => format!("/{path}"),
    }
}
