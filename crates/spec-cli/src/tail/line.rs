//! Prints requests one by one: as lines of a table, or in another format.

use std::io::{self, Write};

use serde_json::Value;

use crate::format::{Format, format_value};
use crate::sanitize::escape_line;
use crate::times::Times;

/// The columns of the table with their widths. Longer values push the others to the right, as nobody knows the next ones.
const COLUMNS: [(&str, usize); 8] = [
    ("TIME", 12),
    ("METHOD", 7),
    ("STATUS", 6),
    ("DURATION", 9),
    ("LEFT", 12),
    ("OPERATION", 20),
    ("PATH", 24),
    ("CODE", 0),
];

/// Prints requests.
pub(super) struct Printer<W> {
    format: Format,
    out: W,
    /// Whether the next line has a header before it.
    is_first: bool,
}

impl<W: Write> Printer<W> {
    pub(super) fn new(format: Format, out: W) -> Printer<W> {
        Printer {
            format,
            out,
            is_first: true,
        }
    }

    /// Prints a request at once.
    pub(super) fn print(&mut self, request: &Value) -> io::Result<()> {
        let is_first = std::mem::take(&mut self.is_first);
        let text = match self.format {
            Format::Table => {
                let head = is_first.then(|| align(COLUMNS.map(|(name, _)| name.to_owned())));
                head.unwrap_or_default() + &align(cells(request))
            }
            format => format_value(request, format, &Times::default()),
        };
        let text = match (self.format, text.split_once('\n')) {
            (Format::Csv, Some((_, row))) if !is_first => row,
            _ => &text,
        };
        self.out.write_all(text.as_bytes())?;
        self.out.flush()
    }
}

fn cells(request: &Value) -> [String; 8] {
    let text = |name: &str| match &request[name] {
        Value::Null => String::new(),
        Value::String(text) => escape_line(text),
        other => other.to_string(),
    };
    let time = text("time");
    // The day is that of the reader.
    let time = time.split_once('T').map_or(&time[..], |(_, time)| time);
    let duration = request["duration_us"].as_f64();
    let duration = duration.map(|micros| format!("{:.1} ms", micros / 1000.0));
    let left = match (&request["remaining"], &request["limit"]) {
        (Value::Null, _) => String::new(),
        (remaining, limit) => format!("{remaining}/{limit}"),
    };
    // To find the request in the log of the service.
    let code = match text("code") {
        code if code.is_empty() => code,
        code => format!("{code} ({})", text("request_id")),
    };
    [
        time.trim_end_matches('Z').to_owned(),
        text("method"),
        text("status"),
        duration.unwrap_or_default(),
        left,
        text("operation"),
        text("path"),
        code,
    ]
}

fn align(cells: [String; 8]) -> String {
    let mut line = String::new();
    for (cell, (_, width)) in cells.iter().zip(COLUMNS) {
        line.push_str(&format!("{cell:width$}  "));
    }
    format!("{}\n", line.trim_end())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(format: Format) -> String {
        let requests = [
            json!({
                "time": "2026-11-23T12:00:00.250Z", "method": "GET", "path": "/pets/7", "operation": "getPet", "status": 200,
                "code": null, "duration_us": 1234, "limit": 60, "remaining": 59, "request_id": "r1",
            }),
            json!({
                "time": "2026-11-23T12:00:01.000Z", "method": "DELETE", "path": "/pets/\u{1b}[2J", "operation": "deletePet",
                "status": 404, "code": "pet_not_found", "duration_us": 900, "limit": null, "remaining": null, "request_id": "r2",
            }),
        ];
        let mut out = Vec::new();
        let mut printer = Printer::new(format, &mut out);
        for request in &requests {
            printer.print(request).expect("it is written");
        }
        String::from_utf8(out).expect("text")
    }

    #[test]
    fn table_has_one_header_and_no_control_characters() {
        let expected = "\
TIME          METHOD   STATUS  DURATION   LEFT          OPERATION             PATH                      CODE
12:00:00.250  GET      200     1.2 ms     59/60         getPet                /pets/7
12:00:01.000  DELETE   404     0.9 ms                   deletePet             /pets/\\u{1b}[2J           pet_not_found (r2)
";
        assert_eq!(printed(Format::Table), expected);
    }

    #[test]
    fn other_formats_have_every_member() {
        let lines = printed(Format::Jsonl);
        let first: Value =
            serde_json::from_str(lines.lines().next().expect("a line")).expect("JSON");
        assert_eq!(
            (lines.lines().count(), &first["request_id"]),
            (2, &json!("r1"))
        );
        let csv = printed(Format::Csv);
        assert_eq!(csv.lines().count(), 3, "{csv}");
        assert!(csv.starts_with("time,method,path,"), "{csv}");
    }
}
