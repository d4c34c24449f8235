//! Formats requests one by one: as lines of a table, or in another format.

use comfy_table::{ColumnConstraint, Width};
use serde_json::Value;

use crate::format::{Format, format_next};
use crate::sanitize::escape_line;
use crate::table;

/// The columns of the table with their widths: nobody knows the next values.
const COLUMNS: [(&str, u16); 9] = [
    ("TIME", 8),
    ("METHOD", 7),
    ("STATUS", 6),
    ("DURATION", 9),
    ("LEFT", 7),
    ("PATH", 14),
    ("CODE", 19),
    ("OPERATION", 18),
    ("REQUEST", 36),
];

/// The gap between two columns.
const GAP: u16 = 1;

/// The column that is as wide as the others leave room for.
const FLEXIBLE: &str = "PATH";

/// The columns that a narrow terminal has no room for, the first to be left out first. Other formats have them all.
const LEFT_OUT: [&str; 5] = ["REQUEST", "OPERATION", "LEFT", "DURATION", "CODE"];

/// Formats requests.
pub(super) struct Printer {
    format: Format,
    /// The width of the terminal, which people change.
    width: fn() -> Option<u16>,
    /// The last header; empty before the first line.
    head: String,
}

impl Printer {
    pub(super) fn new(format: Format) -> Printer {
        Printer {
            format,
            width: table::columns_of_stdout,
            head: String::new(),
        }
    }

    /// The lines of a request.
    pub(super) fn format(&mut self, request: &Value) -> String {
        if self.format != Format::Table {
            return format_next(request, self.format, &mut self.head);
        }
        let columns = columns((self.width)());
        let row = align(&columns, |name| cell(request, name));
        if !self.head.is_empty() {
            return row;
        }
        self.head = align(&columns, str::to_owned);
        self.head.clone() + &row
    }
}

/// The columns for which a terminal has room. Without a terminal they are all of them.
fn columns(width: Option<u16>) -> Vec<(&'static str, u16)> {
    let mut columns = COLUMNS.to_vec();
    let total = |columns: &[(&str, u16)]| {
        let widths = columns.iter().map(|(_, width)| width + GAP);
        widths.sum::<u16>() - GAP
    };
    for name in LEFT_OUT {
        if width.is_none_or(|width| total(&columns) <= width) {
            break;
        }
        columns.retain(|(column, _)| *column != name);
    }
    let rest = width.map_or(16, |width| width.saturating_sub(total(&columns)));
    for (name, width) in &mut columns {
        if *name == FLEXIBLE {
            *width += rest;
        }
    }
    columns
}

fn cell(request: &Value, column: &str) -> String {
    let text = |name: &str| match &request[name] {
        Value::Null => String::new(),
        Value::String(text) => escape_line(text),
        other => other.to_string(),
    };
    match column {
        // The day is that of the reader.
        "TIME" => {
            let time = text("time");
            let time = time.split_once('T').map_or(&time[..], |(_, time)| time);
            time.chars().take(8).collect()
        }
        "DURATION" => {
            let duration = request["duration_us"].as_f64();
            let duration = duration.map(|micros| format!("{:.1} ms", micros / 1000.0));
            duration.unwrap_or_default()
        }
        "LEFT" => text("remaining"),
        "REQUEST" => text("request_id"),
        other => text(&other.to_lowercase()),
    }
}

/// A line with a cell for each column. What is too long is cut, so that each value stands in its own column.
fn align(columns: &[(&str, u16)], cell: impl Fn(&str) -> String) -> String {
    let cells = columns.iter().map(|(name, _)| cell(name)).collect();
    table::align([cells], GAP, |table| {
        for (column, (_, width)) in table.column_iter_mut().zip(columns) {
            let width = Width::Fixed(width + column.padding_width());
            column.set_constraint(ColumnConstraint::Absolute(width));
        }
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(format: Format, width: fn() -> Option<u16>) -> String {
        let requests = [
            json!({
                "time": "2026-11-23T12:00:00.250Z", "method": "GET", "path": "/pets/7", "operation": "getPet", "status": 200,
                "code": null, "duration_us": 1234, "limit": 60, "remaining": 59, "request_id": "r1",
            }),
            json!({
                "time": "2026-11-23T12:00:01.000Z", "method": "DELETE", "path": "/pets/\u{1b}[2J/of/a/long/path", "operation": "deletePet",
                "status": 404, "code": "pet_not_found", "duration_us": 900, "limit": null, "remaining": null,
                "request_id": "0198c0de-0000-7000-8000-000000000000",
            }),
        ];
        let mut printer = Printer {
            width,
            ..Printer::new(format)
        };
        requests.iter().map(|it| printer.format(it)).collect()
    }

    #[test]
    fn table_fits_80_columns_without_control_characters() {
        let table = printed(Format::Table, || Some(80));
        let expected = "\
TIME     METHOD  STATUS DURATION  LEFT    PATH               CODE
12:00:00 GET     200    1.2 ms    59      /pets/7
12:00:01 DELETE  404    0.9 ms            /pets/\\u{1b}[2J/o… pet_not_found
";
        assert_eq!(table, expected);
    }

    #[test]
    fn table_is_never_wider_than_the_terminal_and_complete_without_one() {
        let narrow = printed(Format::Table, || Some(40));
        assert!(
            narrow.lines().all(|line| line.chars().count() <= 40),
            "{narrow}"
        );
        let all = printed(Format::Table, || None);
        for (name, _) in COLUMNS {
            assert!(all.contains(name), "{name}: {all}");
        }
        assert!(
            all.contains(" 0198c0de-0000-7000-8000-000000000000\n"),
            "{all}"
        );
    }

    #[test]
    fn other_formats_have_every_member() {
        let lines = printed(Format::Jsonl, || Some(80));
        let first: Value =
            serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
        assert_eq!(
            (lines.lines().count(), &first["request_id"]),
            (2, &json!("r1"))
        );
        let csv = printed(Format::Csv, || Some(80));
        assert_eq!(csv.lines().count(), 3, "{csv}");
        assert!(csv.starts_with("time,method,path,"), "{csv}");
    }
}
