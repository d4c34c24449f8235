//! What `cargo xtask corpus` prints.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::path::Path;

use super::generated::Generated;

/// A line for each document that is not complete, with its first errors below.
pub fn render_documents(documents: &[Generated], errors: usize) -> String {
    let mut text = String::new();
    for document in documents.iter().filter(|it| !it.is_complete()) {
        let _ = writeln!(
            text,
            "{}: {} of {} operations in {:.1} s, {} errors",
            document.path.display(),
            document.generated,
            document.operations,
            document.took.as_secs_f64(),
            document.errors.len(),
        );
        for error in document.errors.iter().take(errors) {
            let _ = writeln!(text, "    {error}");
        }
        for (part, rendered) in &document.rejected {
            let _ = writeln!(text, "    the {part} does not compile");
            for line in rendered.iter().take(errors).flat_map(|error| error.lines()) {
                let _ = writeln!(text, "        {line}");
            }
        }
        match &document.calls {
            None => {}
            Some(Err(problem)) => {
                let _ = writeln!(text, "    {problem}");
            }
            Some(Ok(report)) => {
                for failure in report.failures.iter().take(errors) {
                    let _ = writeln!(text, "    {}: {}", failure.operation, failure.reason);
                }
            }
        }
    }
    text
}

/// The columns of the table: of all documents, of those that are compiled, and of those that are called.
const COLUMNS: [&str; 16] = [
    "documents",
    "complete",
    "operations",
    "generated",
    "compiled",
    "called",
    "responses",
    "covered",
    "calls",
    "values",
    "refused",
    "denied",
    "unsendable",
    "mocked",
    "listed",
    "failures",
];

/// The numbers of a document, one for each column.
fn count(document: &Generated) -> [usize; COLUMNS.len()] {
    let report = document
        .calls
        .as_ref()
        .and_then(|calls| calls.as_ref().ok());
    let of_report = |number: fn(&test_echo::Report) -> usize| report.map_or(0, number);
    [
        1,
        usize::from(document.is_complete()),
        document.operations,
        document.generated,
        document.compiled(),
        of_report(|of| of.called),
        of_report(|of| of.responses),
        of_report(|of| of.covered),
        of_report(|of| of.calls),
        of_report(|of| of.values),
        of_report(|of| of.refused),
        of_report(|of| of.denied),
        of_report(|of| of.unsendable),
        of_report(|of| of.mocked),
        document.listed,
        match &document.calls {
            Some(Err(_)) => 1,
            _ => of_report(|of| of.failures.len()),
        },
    ]
}

/// The number of the columns that a run fills.
pub const GENERATED: usize = 4;
pub const COMPILED: usize = 5;
pub const CALLED: usize = COLUMNS.len();

/// A table of the folders and of all documents, with the first columns.
pub fn render_table(documents: &[Generated], columns: usize) -> String {
    let rows = documents.iter().map(|it| (it.path.as_path(), count(it)));
    render_sums(&COLUMNS[..columns], rows)
}

/// A table of sums: for each folder, and for all documents.
pub fn render_sums<'d, const COUNT: usize>(
    columns: &[&str],
    documents: impl Iterator<Item = (&'d Path, [usize; COUNT])>,
) -> String {
    let mut folders: BTreeMap<String, [usize; COUNT]> = BTreeMap::new();
    let mut all = [0; COUNT];
    for (path, numbers) in documents {
        let folder = path.parent().and_then(Path::file_name);
        let folder = folder.unwrap_or_default().display().to_string();
        for row in [&mut all, folders.entry(folder).or_insert([0; COUNT])] {
            for (sum, number) in row.iter_mut().zip(numbers) {
                *sum += number;
            }
        }
    }
    let mut text = format!("{:<20}", "folder");
    for column in columns {
        let _ = write!(text, " {column:>10}");
    }
    for (name, row) in folders.into_iter().chain([("all".to_owned(), all)]) {
        let _ = write!(text, "\n{name:<20}");
        for number in &row[..columns.len()] {
            let _ = write!(text, " {number:>10}");
        }
    }
    text + "\n"
}
