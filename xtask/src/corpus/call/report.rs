//! What `cargo xtask corpus --call` prints.

use std::collections::BTreeMap;
use std::fmt::Write;

use spec_echo::Report;

use crate::corpus::generated::Generated;

/// The lines about the calls of a document that went wrong, indented.
pub fn render_failures(document: &Generated, most: usize) -> String {
    let mut text = String::new();
    match &document.calls {
        None => {}
        Some(Err(problem)) => {
            let _ = writeln!(text, "    {problem}");
        }
        Some(Ok(report)) => {
            for failure in report.failures.iter().take(most) {
                let _ = writeln!(text, "    {}: {}", failure.operation, failure.reason);
            }
            let more = report.failures.len().saturating_sub(most);
            if more > 0 {
                let _ = writeln!(text, "    and {more} more failures");
            }
        }
    }
    text
}

/// A table of the calls by folder, and what the types alone would take.
pub fn render(documents: &[Generated]) -> String {
    let mut folders: BTreeMap<String, Sum> = BTreeMap::new();
    let mut all = Sum::default();
    for document in documents {
        let folder = document.folder().file_name().unwrap_or_default();
        let row = folders.entry(folder.display().to_string()).or_default();
        row.add(document);
        all.add(document);
    }
    let mut text = format!(
        "\n{:<20} {:>9} {:>7} {:>9} {:>8} {:>7} {:>8} {:>8} {:>7} {:>10} {:>8}\n",
        "folder",
        "generated",
        "called",
        "responses",
        "covered",
        "calls",
        "values",
        "refused",
        "denied",
        "unsendable",
        "failures"
    );
    let rows = folders.iter().map(|(name, row)| (name.as_str(), row));
    for (name, row) in rows.chain([("all", &all)]) {
        let report = &row.report;
        let _ = writeln!(
            text,
            "{name:<20} {:>9} {:>7} {:>9} {:>8} {:>7} {:>8} {:>8} {:>7} {:>10} {:>8}",
            row.generated,
            report.called,
            report.responses,
            report.covered,
            report.calls,
            report.values,
            report.refused,
            report.denied,
            report.unsendable,
            row.failures,
        );
    }
    let taken: Vec<String> = all
        .report
        .taken_by_types
        .iter()
        .map(|(keyword, count)| format!("{keyword} {count}"))
        .collect();
    if !taken.is_empty() {
        let _ = writeln!(
            text,
            "\ninvalid bodies that the types alone would take: {}",
            taken.join(", ")
        );
    }
    text
}

/// The numbers of several documents.
#[derive(Default)]
struct Sum {
    generated: usize,
    failures: usize,
    report: Report,
}

impl Sum {
    fn add(&mut self, document: &Generated) {
        self.generated += document.generated;
        let report = match &document.calls {
            Some(Ok(report)) => report,
            Some(Err(_)) => {
                self.failures += 1;
                return;
            }
            None => return,
        };
        self.failures += report.failures.len();
        let sum = &mut self.report;
        sum.called += report.called;
        sum.responses += report.responses;
        sum.covered += report.covered;
        sum.calls += report.calls;
        sum.values += report.values;
        sum.refused += report.refused;
        sum.denied += report.denied;
        sum.unsendable += report.unsendable;
        for (keyword, count) in &report.taken_by_types {
            *sum.taken_by_types.entry(keyword.clone()).or_default() += count;
        }
    }
}
