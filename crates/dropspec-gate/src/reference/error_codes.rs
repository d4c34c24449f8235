//! The error codes of a document as a table in Markdown, each with its status and what it means.

use std::collections::HashMap;
use std::fmt::Write;

use http::StatusCode;
use serde_json::{Map, Value};

/// Codes of the gate that no operation has, with what they mean.
const WITHOUT_OPERATION: [(&str, &str); 2] = [
    ("route_not_found", "No operation has this path."),
    (
        "method_not_allowed",
        "The path has no operation with this method.",
    ),
];

/// Describes `x-error-codes`; `None` if the document has no codes. What a code means is the summary of its example, or else the
/// name of its status.
pub(super) fn describe(document: &Value) -> Option<String> {
    let codes = document["x-error-codes"].as_object()?;
    let mut summaries = HashMap::from(WITHOUT_OPERATION);
    collect(document, document, codes, &mut summaries);
    let mut text = "## Error codes\n\nPrograms tell errors apart by their code. A later version may have more codes: \
        treat one that you do not know by its status.\n\n| code | status | meaning |\n| --- | ---: | --- |\n"
        .to_owned();
    for (code, status) in codes {
        let status = status
            .as_u64()
            .and_then(|status| u16::try_from(status).ok());
        let status = status.and_then(|status| StatusCode::from_u16(status).ok())?;
        let name = status.canonical_reason().unwrap_or_default();
        let summary = summaries.get(code.as_str()).copied().unwrap_or(name);
        let summary = summary.replace('|', "\\|").replace('\n', " ");
        // Writing to a string cannot fail.
        _ = writeln!(text, "| `{code}` | {} | {summary} |", status.as_str());
    }
    Some(text)
}

/// Adds the summaries of the examples in a value that have the name of a code, the first one of each.
fn collect<'d>(
    document: &'d Value,
    value: &'d Value,
    codes: &Map<String, Value>,
    summaries: &mut HashMap<&'d str, &'d str>,
) {
    let members = value.as_object();
    let examples = members.and_then(|members| members.get("examples")?.as_object());
    for (name, example) in examples.into_iter().flatten() {
        let target = example["$ref"].as_str();
        let target = target.and_then(|reference| document.pointer(reference.strip_prefix('#')?));
        let summary = target.unwrap_or(example)["summary"].as_str();
        if let Some(summary) = summary.filter(|_| codes.contains_key(name)) {
            summaries.entry(name).or_insert(summary);
        }
    }
    let items = value.as_array().into_iter().flatten();
    for part in members.into_iter().flat_map(Map::values).chain(items) {
        collect(document, part, codes, summaries);
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn codes_have_their_statuses_and_the_summaries_of_their_examples() {
        let document = json!({
            "x-error-codes": { "no_pet": 404, "sold": 409, "route_not_found": 404, "busy": 503 },
            "paths": { "/a": { "get": { "responses": { "404": { "content": { "application/json": { "examples": {
                "no_pet": { "$ref": "#/components/examples/NoPet" },
                "sold": { "summary": "It is sold | gone." },
                "other": { "summary": "No code." },
            } } } } } } } },
            "components": { "examples": { "NoPet": { "summary": "No pet has this id." } } },
        });
        let text = describe(&document).unwrap_or_default();
        let (_, table) = text.split_once("| ---: | --- |\n").unwrap_or_default();
        let expected = "| `no_pet` | 404 | No pet has this id. |\n\
            | `sold` | 409 | It is sold \\| gone. |\n\
            | `route_not_found` | 404 | No operation has this path. |\n\
            | `busy` | 503 | Service Unavailable |\n";
        assert_eq!(table, expected);
        assert_eq!(describe(&json!({ "paths": {} })), None);
    }
}
