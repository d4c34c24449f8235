//! Compares what dropshot emits from the generated interface of each document of a corpus with the document.

mod difference;
mod emit;
mod older;

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dropspec::output::print;

use self::difference::compare;
use super::report::render_sums;

/// The columns of the table. `older` counts the equal documents that an older dropshot wrote.
const COLUMNS: [&str; 3] = ["documents", "equal", "older"];

/// Compares all documents, prints what differs in each, `shown` differences at most, and a table of the folders. Returns
/// whether all are equal.
pub fn run(documents: &[PathBuf], shown: usize) -> anyhow::Result<bool> {
    let mut counts = Vec::new();
    for path in documents {
        let outcome = RoundTrip::run(path).map_err(|error| format!("{error:#}"));
        print(render_document(path, &outcome, shown))?;
        let equal = outcome.as_ref().ok().filter(|done| done.is_equal());
        let is_older = equal.is_some_and(|done| !done.old_forms.is_empty());
        let count = [1, usize::from(equal.is_some()), usize::from(is_older)];
        counts.push((path.as_path(), count));
    }
    let all_equal = counts.iter().all(|(_, [_, equal, _])| *equal == 1);
    print(render_sums(&COLUMNS, counts.into_iter()))?;
    Ok(all_equal)
}

/// How the document that dropshot emits from the generated trait compares with the document that it was generated from.
#[derive(Debug, Clone, PartialEq)]
struct RoundTrip {
    /// What the document writes as older versions of dropshot did, each with the number of its places.
    old_forms: Vec<(&'static str, usize)>,
    /// The differences: what the document says, and what dropshot emits.
    differences: Vec<String>,
}

impl RoundTrip {
    /// Generates the interface of a document, builds it, and compares what dropshot emits with the document.
    fn run(path: &Path) -> anyhow::Result<RoundTrip> {
        let (mut document, emitted) = emit::emit(path)?;
        let old_forms = older::modernize(&mut document);
        Ok(RoundTrip {
            old_forms,
            differences: compare("", &document, &emitted),
        })
    }

    fn is_equal(&self) -> bool {
        self.differences.is_empty()
    }
}

/// What a round trip ends with: the comparison, or the error of a document that cannot be used.
type Outcome = Result<RoundTrip, String>;

fn render_document(path: &Path, outcome: &Outcome, shown: usize) -> String {
    let mut text = match outcome {
        Ok(done) if done.is_equal() && done.old_forms.is_empty() => return String::new(),
        Ok(done) if done.is_equal() => format!("{}: equal\n", path.display()),
        Ok(done) => {
            let count = done.differences.len();
            format!("{}: differences: {count}\n", path.display())
        }
        Err(error) => format!("{}: {error}\n", path.display()),
    };
    if let Ok(done) = outcome {
        for (form, places) in &done.old_forms {
            let _ = writeln!(text, "    of an older dropshot, places: {places}: {form}");
        }
        for difference in done.differences.iter().take(shown) {
            let _ = writeln!(text, "    {difference}");
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn dropshot_emits_the_document_that_it_made_in_the_form_of_today() {
        let errors = json!({ "$ref": "#/components/responses/Error" });
        let text = json!({ "type": "string" });
        let mut document = json!({
            "openapi": "3.0.3",
            "info": { "title": "Shelf", "version": "1.2.3" },
            "paths": { "/books/{isbn}": { "get": {
                "description": "Get a book.",
                "operationId": "book_get",
                "parameters": [{ "in": "path", "name": "isbn", "required": true, "style": "simple", "schema": text }],
                "responses": {
                    "200": {
                        "description": "successful operation",
                        "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Book" } } }
                    },
                    "4XX": errors,
                    "5XX": errors
                }
            } } },
            "components": {
                "schemas": {
                    "Book": {
                        "description": "A book.",
                        "type": "object",
                        "properties": { "title": text, "pages": { "type": "integer", "format": "uint32", "minimum": 0 } },
                        "required": ["pages", "title"]
                    },
                    "Error": {
                        "description": "Error information from a response.",
                        "type": "object",
                        "properties": { "error_code": text, "message": text, "request_id": text },
                        "required": ["message", "request_id"]
                    }
                },
                "responses": { "Error": {
                    "description": "Error",
                    "content": { "application/json": { "schema": { "$ref": "#/components/schemas/Error" } } }
                } }
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("openapi.json");
        std::fs::write(&file, document.to_string()).unwrap();
        let done = RoundTrip::run(&file).unwrap();
        let forms = [
            ("a description without a summary", 1),
            ("a style that is the default", 1),
        ];
        assert_eq!((done.old_forms, done.differences), (forms.to_vec(), vec![]));
        document["paths"]["/books/{isbn}"]["get"]["responses"]["200"]["description"] =
            json!("The book.");
        std::fs::write(&file, document.to_string()).unwrap();
        let done = RoundTrip::run(&file).unwrap();
        let expected = "/paths/~1books~1{isbn}/get/responses/200/description: \"The book.\" became \"successful operation\"";
        assert_eq!(done.differences, [expected]);
    }
}
