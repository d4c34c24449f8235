//! Compares what dropshot emits from the generated interface of each document of a corpus with the document.

mod difference;
mod emit;
mod older;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::{Path, PathBuf};

use dropspec::output::print;

use self::difference::compare;
use self::older::OldForm;

/// Compares all documents, prints what differs in each, `shown` differences at most, and a table of the folders. Returns
/// whether all are equal.
///
/// # Errors
/// The output cannot be written.
pub fn run(documents: &[PathBuf], shown: usize) -> anyhow::Result<bool> {
    let mut folders: BTreeMap<String, Row> = BTreeMap::new();
    let mut all = Row::default();
    for path in documents {
        let outcome = RoundTrip::run(path).map_err(|error| format!("{error:#}"));
        print(render_document(path, &outcome, shown))?;
        let folder = path.parent().and_then(Path::file_name).unwrap_or_default();
        let row = folders.entry(folder.display().to_string()).or_default();
        row.add(&outcome);
        all.add(&outcome);
    }
    print(render_folders(&folders, &all))?;
    Ok(all.equal == all.documents)
}

/// How the document that dropshot emits from the generated trait compares with the document that it was generated from.
#[derive(Debug, Clone, PartialEq)]
struct RoundTrip {
    /// What the document writes as older versions of dropshot did, each with the number of its places.
    old_forms: Vec<(OldForm, usize)>,
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

/// A table of the folders and of all documents.
fn render_folders(folders: &BTreeMap<String, Row>, all: &Row) -> String {
    let mut text = format!(
        "{:<20} {:>9} {:>9} {:>9}\n",
        "folder", "documents", "equal", "older"
    );
    let rows = folders.iter().map(|(name, row)| (name.as_str(), row));
    for (name, row) in rows.chain([("all", all)]) {
        let Row {
            documents,
            equal,
            older,
        } = row;
        let _ = writeln!(text, "{name:<20} {documents:>9} {equal:>9} {older:>9}");
    }
    text
}

/// The numbers of one folder.
#[derive(Default)]
struct Row {
    documents: usize,
    /// Those that dropshot emits.
    equal: usize,
    /// Those of them that an older dropshot wrote.
    older: usize,
}

impl Row {
    fn add(&mut self, outcome: &Outcome) {
        let equal = outcome.as_ref().ok().filter(|done| done.is_equal());
        self.documents += 1;
        self.equal += usize::from(equal.is_some());
        self.older += usize::from(equal.is_some_and(|done| !done.old_forms.is_empty()));
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

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
            (OldForm::DescriptionWithoutSummary, 1),
            (OldForm::DefaultStyle, 1),
        ];
        assert_eq!((done.old_forms, done.differences), (forms.to_vec(), vec![]));
        document["paths"]["/books/{isbn}"]["get"]["responses"]["200"]["description"] =
            json!("The book.");
        std::fs::write(&file, document.to_string()).unwrap();
        let done = RoundTrip::run(&file).unwrap();
        let expected = "/paths/~1books~1{isbn}/get/responses/200/description: \"The book.\" became \"successful operation\"";
        assert_eq!(done.differences, [expected]);
    }

    fn outcome(old_forms: Vec<(OldForm, usize)>, is_equal: bool) -> Outcome {
        let difference = compare("", &1.into(), &2.into());
        Ok(RoundTrip {
            old_forms,
            differences: if is_equal { Vec::new() } else { difference },
        })
    }

    #[test]
    fn documents_with_a_remark_are_named_and_all_are_counted() {
        let outcomes = [
            outcome(Vec::new(), true),
            outcome(vec![(OldForm::DefaultStyle, 2)], true),
            outcome(Vec::new(), false),
            Err("a.json:1:1: no".to_owned()),
        ];
        let mut row = Row::default();
        let mut text = String::new();
        for outcome in &outcomes {
            row.add(outcome);
            text += &render_document(Path::new("d/a.json"), outcome, 3);
        }
        text += &render_folders(&BTreeMap::new(), &row);
        let expected = "\
d/a.json: equal
    of an older dropshot, places: 2: a style that is the default
d/a.json: differences: 1
    the document: 1 became 2
d/a.json: a.json:1:1: no
folder               documents     equal     older
all                          4         2         1
";
        assert_eq!(text, expected);
    }
}
