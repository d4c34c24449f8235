//! The outline of a document in HTML: what the reference page shows until its script has drawn the document, and without
//! JavaScript.

use std::fmt::Write;

use dropspec_runtime::{OperationInfo, tags};
use serde_json::Value;

use crate::message_page::escape;

/// Renders title, description and operations of a document whose pages are below `base`.
pub(super) fn render(
    title: &str,
    document: &Value,
    operations: &[OperationInfo],
    base: &str,
) -> String {
    let info = &document["info"];
    let [version, description] =
        ["version", "description"].map(|name| info[name].as_str().unwrap_or_default());
    let mut html = format!(
        "<h1>{} <small>{}</small></h1>\n",
        escape(title),
        escape(version)
    );
    html.extend(description.split("\n\n").map(paragraph));
    html += &format!(
        "<p>All of it, with parameters, bodies and responses, is in <a href=\"{base}/openapi.yaml\">{base}/openapi.yaml</a>.</p>\n"
    );
    for (title, list) in group(document, operations) {
        _ = write!(html, "<h2>{}</h2>\n<ul>\n{list}</ul>\n", escape(title));
    }
    html
}

/// The items of the operations under each tag, in the order of the operations.
fn group<'d>(document: &'d Value, operations: &'d [OperationInfo]) -> Vec<(&'d str, String)> {
    let mut groups: Vec<(&str, String)> = Vec::new();
    for operation in operations {
        let value = document.pointer(&operation.pointer());
        let tag = value.and_then(|value| tags::of_operation(document, value));
        let title = tag.map_or("Operations", |tag| tags::title(document, tag));
        let summary = value.and_then(|value| value["summary"].as_str());
        let item = format!(
            "<li><code>{} {}</code> {}</li>\n",
            operation.method,
            escape(operation.path),
            escape(summary.unwrap_or(operation.operation_id))
        );
        match groups.iter_mut().find(|(known, _)| *known == title) {
            Some((_, items)) => items.push_str(&item),
            None => groups.push((title, item)),
        }
    }
    groups
}

/// A paragraph of Markdown: a heading, lines of a list or table as they are, or text. Of what is in it, only code is marked.
fn paragraph(text: &str) -> String {
    let text = text.trim();
    let mut html = String::new();
    let escaped = escape(text.trim_start_matches('#').trim());
    let last = escaped.matches('`').count();
    for (index, part) in escaped.split('`').enumerate() {
        html += match (index, index % 2) {
            (0, _) => "",
            // The last of an odd number opens nothing.
            (_, 1) if index == last => "`",
            (_, 1) => "<code>",
            _ => "</code>",
        };
        html += part;
    }
    match text.chars().next() {
        None => html,
        Some('#') => format!("<h2>{html}</h2>\n"),
        Some('-' | '*' | '|' | '1') => format!("<p class=\"lines\">{html}</p>\n"),
        Some(_) => format!("<p>{html}</p>\n"),
    }
}

#[cfg(test)]
mod tests {
    use dropspec_runtime::Method;
    use serde_json::json;

    use super::*;

    #[test]
    fn outline_has_description_and_operations_under_their_tags() {
        let document = json!({
            "info": { "version": "1.2", "description": "Cats & `<dogs>`.\n\n## More\n\n- a\n- b\n\nA ` sign" },
            "tags": [{ "name": "pets", "summary": "Pets" }],
            "paths": {
                "/pets": { "get": { "tags": ["pets"], "summary": "List <pets>" } },
                "/health": { "get": {} },
            }
        });
        let operations = [("listPets", "/pets"), ("health", "/health")];
        let operations = operations.map(|(id, path)| OperationInfo::new(id, Method::Get, path));
        let expected = "<h1>Store <small>1.2</small></h1>\n\
            <p>Cats &amp; <code>&lt;dogs&gt;</code>.</p>\n\
            <h2>More</h2>\n\
            <p class=\"lines\">- a\n- b</p>\n\
            <p>A ` sign</p>\n\
            <p>All of it, with parameters, bodies and responses, is in <a href=\"/v1/openapi.yaml\">/v1/openapi.yaml</a>.</p>\n\
            <h2>Pets</h2>\n<ul>\n<li><code>GET /pets</code> List &lt;pets&gt;</li>\n</ul>\n\
            <h2>Operations</h2>\n<ul>\n<li><code>GET /health</code> health</li>\n</ul>\n";
        assert_eq!(render("Store", &document, &operations, "/v1"), expected);
    }
}
