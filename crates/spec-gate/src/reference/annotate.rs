//! Translates extensions of the document to those that Scalar understands. Everything else stays as it is.

use serde_json::{Map, Value, json};

/// Adds to a document what Scalar, the script of the reference page, needs to show it:
///
/// - its only server is the one that serves the page;
/// - `x-stability` becomes a badge, `Beta` or `Experimental`;
/// - `x-deprecated-sunset` becomes a badge, `Sunset` and the date.
///
/// `x-hideTryItPanel` is not translated: the script reads it itself.
pub(super) fn annotate(mut document: Value) -> Value {
    document["servers"] =
        json!([{ "url": "/", "description": "The server that this page comes from." }]);
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for item in paths.into_iter().flat_map(Map::values_mut) {
        let members = item.as_object_mut();
        for operation in members.into_iter().flat_map(Map::values_mut) {
            // A path item has lists and strings, too; only operations have these extensions.
            if let Some(operation) = operation.as_object_mut() {
                let badges = badges(operation);
                if !badges.is_empty() {
                    operation.insert("x-badges".to_owned(), badges.into());
                }
            }
        }
    }
    document
}

fn badges(operation: &Map<String, Value>) -> Vec<Value> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let stability = match text("x-stability") {
        Some("beta") => Some("Beta"),
        Some("experimental") => Some("Experimental"),
        _ => None,
    };
    let stability = stability.map(|name| json!({ "name": name }));
    let sunset =
        text("x-deprecated-sunset").map(|date| json!({ "name": format!("Sunset {date}") }));
    stability.into_iter().chain(sunset).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn annotated(operation: Value) -> Value {
        let document = json!({
            "servers": [{ "url": "{base_url}", "variables": { "base_url": { "default": "http://a" } } }],
            "tags": [{ "name": "Pets" }],
            "paths": { "/pets": { "parameters": [], "summary": "Pets", "get": operation } }
        });
        annotate(document)["paths"]["/pets"]["get"].take()
    }

    #[test]
    fn stability_and_sunset_become_badges() {
        let cases = [
            (
                json!({ "x-stability": "beta" }),
                json!([{ "name": "Beta" }]),
            ),
            (
                json!({ "x-stability": "experimental" }),
                json!([{ "name": "Experimental" }]),
            ),
            (
                json!({ "deprecated": true, "x-deprecated-sunset": "2027-06-30" }),
                json!([{ "name": "Sunset 2027-06-30" }]),
            ),
            (
                json!({ "x-stability": "beta", "deprecated": true, "x-deprecated-sunset": "2027-06-30" }),
                json!([
                    { "name": "Beta" },
                    { "name": "Sunset 2027-06-30" }
                ]),
            ),
        ];
        for (operation, badges) in cases {
            assert_eq!(
                annotated(operation.clone())["x-badges"],
                badges,
                "{operation}"
            );
        }
    }

    #[test]
    fn operation_without_extensions_is_unchanged() {
        let operation = json!({ "operationId": "listPets", "x-hideTryItPanel": true });
        assert_eq!(annotated(operation.clone()), operation);
    }

    #[test]
    fn only_server_is_that_of_the_page() {
        let document = annotate(json!({ "servers": [{ "url": "{base_url}" }] }));
        assert_eq!(document["servers"][0]["url"], json!("/"));
        assert_eq!(document["servers"][0].get("variables"), None);
    }
}
