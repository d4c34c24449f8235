//! What `cargo xtask corpus` prints.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::call::report::render_failures;
use super::generated::{Generated, Rejected, sum_by_folder};

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
            let part = match part {
                Rejected::Interface => "interface",
                Rejected::Client => "client",
                Rejected::Calls => "program that calls it",
            };
            let count = rendered.len();
            let _ = writeln!(text, "    the {part} does not compile, {count} errors");
            for line in rendered.iter().take(errors).flat_map(|error| error.lines()) {
                let _ = writeln!(text, "        {line}");
            }
        }
        text.push_str(&render_failures(document, errors));
    }
    text
}

/// A table of the folders and of all documents.
pub fn render_folders(documents: &[Generated], compiled: bool) -> String {
    let mut text = format!(
        "{:<20} {:>9} {:>9} {:>10} {:>9} {:>7}",
        "folder", "documents", "complete", "operations", "generated", "share"
    );
    text += if compiled { "  compiled\n" } else { "\n" };
    for (name, row) in sum_by_folder(documents, Row::add) {
        let _ = write!(
            text,
            "{name:<20} {:>9} {:>9} {:>10} {:>9} {:>6.1}%",
            row.documents,
            row.complete,
            row.operations,
            row.generated,
            row.percent(row.generated),
        );
        if compiled {
            let percent = row.percent(row.compiled);
            let _ = write!(text, "  {} ({percent:.1}%)", row.compiled);
        }
        text.push('\n');
    }
    text
}

/// The errors without names, by the number of documents that have them.
pub fn render_causes(documents: &[Generated]) -> String {
    let mut causes: BTreeMap<String, (BTreeSet<&str>, usize)> = BTreeMap::new();
    for document in documents {
        for error in &document.errors {
            let (found_in, count) = causes.entry(without_names(error)).or_default();
            found_in.insert(&document.name);
            *count += 1;
        }
    }
    let mut causes: Vec<_> = causes.into_iter().collect();
    causes.sort_by_key(|(_, (documents, count))| std::cmp::Reverse((documents.len(), *count)));
    let mut text = "\ndocuments  errors  cause\n".to_owned();
    for (cause, (documents, count)) in causes {
        let _ = writeln!(text, "{:>9}  {count:>6}  {cause}", documents.len());
    }
    text.push('\n');
    text
}

/// An error without its place, and with `…` for each name in backticks.
fn without_names(error: &str) -> String {
    let message = error.splitn(4, ':').last().unwrap_or(error).trim();
    let parts = message.split('`').enumerate();
    let parts = parts.map(|(index, part)| if index % 2 == 1 { "`…`" } else { part });
    parts.collect()
}

/// The numbers of one folder.
#[derive(Default)]
struct Row {
    documents: usize,
    complete: usize,
    operations: usize,
    generated: usize,
    compiled: usize,
}

impl Row {
    fn add(&mut self, document: &Generated) {
        self.documents += 1;
        self.complete += usize::from(document.is_complete());
        self.operations += document.operations;
        self.generated += document.generated;
        self.compiled += document.compiled();
    }

    fn percent(&self, part: usize) -> f64 {
        part as f64 * 100.0 / self.operations.max(1) as f64
    }
}
