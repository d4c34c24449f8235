//! What a path says as it is written: the path of its requests, and their query.

use dropspec_model::PathTemplate;

/// The path of requests to a path.
pub(super) fn template_of(written: &str) -> Option<PathTemplate> {
    PathTemplate::parse(&split(written).0).ok()
}

/// The path of requests to a path, and what follows it: a query, a fragment, or an expression for one of them (RFC 6570).
pub(super) fn split(written: &str) -> (String, &str) {
    let written = written.trim_start();
    let mut within = false;
    let mut signs = written.char_indices();
    let end = signs.find(|(index, sign)| {
        let opens = *sign == '{';
        let is_operator = opens && written[index + 1..].starts_with(['?', '&', '#']);
        within = opens && !is_operator || within && *sign != '}';
        is_operator || !within && matches!(sign, '?' | '#')
    });
    let (path, rest) = written.split_at(end.map_or(written.len(), |(index, _)| index));
    let path = match path.split_once("://") {
        Some((_, rest)) => rest.split_once('/').map_or("", |(_, path)| path),
        None => path
            .strip_prefix("./")
            .or(path.strip_prefix('/'))
            .unwrap_or(path),
    };
    // As gateways write a parameter of several segments.
    let expressions = path.split('{').map(|part| match part.split_once("+}") {
        Some((name, after)) if !name.contains('}') => format!("+{name}}}{after}"),
        _ => part.to_owned(),
    });
    let path = expressions.collect::<Vec<_>>().join("{");
    (format!("/{path}"), rest)
}

/// The parameters of a query such as `?a=1&b={b}&{c}` or `{?d,e}`.
pub(super) fn read_query(rest: &str) -> Vec<(&str, Option<&str>)> {
    let (query, _) = rest.split_once('#').unwrap_or((rest, ""));
    let items = query.split(['?', '&']).map(|it| it.trim_end_matches('{'));
    let read = |item| -> Vec<(&str, Option<&str>)> {
        // What the end of an expression lists may be absent.
        if let Some(names) = str::strip_suffix(item, "}").filter(|it| !it.contains('{')) {
            let names = names.split(',').map(|it| (it.trim_end_matches('*'), None));
            return names.collect();
        }
        let alone = if item.starts_with('{') { item } else { "" };
        let (name, value) = item.split_once('=').unwrap_or((item, alone));
        vec![(name.trim_matches(['{', '}']), Some(value))]
    };
    items.filter(|it| !it.is_empty()).flat_map(read).collect()
}
