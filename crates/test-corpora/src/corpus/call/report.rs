//! What `cargo xtask corpus --call` prints.

use std::fmt::Write;

use test_echo::Report;

use crate::corpus::generated::{Generated, sum_by_folder};

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
    let rows = sum_by_folder(documents, Sum::add);
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
    for (name, row) in &rows {
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
    let all = rows.last().map(|(_, all)| &all.report.taken_by_types);
    let taken: Vec<String> = all
        .into_iter()
        .flatten()
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
