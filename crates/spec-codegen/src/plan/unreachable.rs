//! Warns of what no request reaches: paths below the base path of a server, and pages of the generated server whose paths the
//! document uses.

use std::collections::BTreeSet;

use spec_model::{Node, PathItem, PathPart, Place, Spec};
use spec_schema::pointer;

use crate::plan::problems::Problems;

/// Warns once of each base path in the `servers` of the document: the generated server routes by the keys of `paths`.
pub(super) fn warn_of_base_paths(spec: &Spec, problems: &Problems<'_>) {
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

/// A page of a generated server: its path, what it is, and whether only servers whose operations need credentials have it.
/// `/`, which leads to the reference page, is not among them: a document that has it means it. A test of the server compares
/// them with its pages.
const PAGES: [(&str, &str, bool); 7] = [
    ("/docs", "reference page", false),
    ("/docs/scalar.js", "script of the reference page", false),
    ("/docs/start.js", "script of the reference page", false),
    (
        "/docs/openapi.json",
        "document of the reference page",
        false,
    ),
    ("/openapi.json", "document", false),
    ("/openapi.yaml", "document", false),
    ("/tail", "stream of requests", true),
];

/// The paths of the pages that a generated server has beside the operations, without `/`.
pub fn page_paths() -> impl Iterator<Item = &'static str> {
    PAGES.into_iter().map(|(page, ..)| page)
}

/// Warns of paths that take the place of a page of the server, whatever their methods are.
pub(super) fn warn_of_replaced_pages(spec: &Spec, problems: &Problems<'_>) {
    let needs_credentials = spec.operations.iter().any(|operation| {
        let alternatives = spec.security_of(operation);
        alternatives.iter().any(|it| !it.schemes.is_empty())
    });
    for PathItem { at, path, .. } in &spec.paths {
        let is_at = |page: &str| {
            let mut names = page.split('/').skip(1);
            let fits = path.segments.iter().all(|segment| {
                names.next().is_some_and(|name| match segment.as_slice() {
                    [PathPart::Literal(text)] => text == name,
                    [PathPart::Parameter(_)] => true,
                    _ => false,
                })
            });
            fits && names.next().is_none()
        };
        let pages = PAGES.iter().filter(|(page, ..)| is_at(page));
        for (page, what, _) in pages.filter(|(_, _, protected)| needs_credentials || !protected) {
            problems.warn(
                at,
                format!("the path `{path}` takes the place of the {what} of the generated server at `{page}`"),
                format!("choose another path, such as `/api{path}`, if the {what} shall be there"),
            );
        }
    }
}
