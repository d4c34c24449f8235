//! The output formats: what a JSON value is as a table, as JSON, as JSON lines and as CSV.

use std::str::FromStr;

use clap::ValueEnum;
use serde_json::Value;

use crate::sanitize::{escape_json, escape_line};
use crate::table::{Grid, format_cell, format_table};
use crate::times::Times;

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    #[default]
    /// Columns, for people, with times in UTC; what is no table is JSON
    Table,
    /// JSON with the properties in the order of the service, indented
    Json,
    /// JSON, each record in a line of its own
    Jsonl,
    /// Comma-separated values with a header line (RFC 4180)
    Csv,
}

impl FromStr for Format {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        ValueEnum::from_str(text, false)
    }
}

/// A value as text of this format. A text of the service does not steer the terminal in any of them. `columns`: the width of a table.
pub(crate) fn format_value(
    value: &Value,
    format: Format,
    times: &Times,
    columns: Option<u16>,
) -> String {
    match format {
        Format::Table if is_table(value) => format_table(value, times, columns),
        Format::Table | Format::Json => format!("{}\n", escape_json(&format!("{value:#}"))),
        Format::Jsonl => {
            let line = |record: &Value| format!("{}\n", escape_json(&record.to_string()));
            match value {
                Value::Array(records) => records.iter().map(line).collect(),
                record => line(record),
            }
        }
        Format::Csv => format_csv(value),
    }
}

/// One of several records that are printed as they come. CSV has a header line before the first, and where the fields are others
/// than before. `head`: the last one.
pub(crate) fn format_next(value: &Value, format: Format, head: &mut String) -> String {
    let text = format_value(value, format, &Times::default(), None);
    let own = text.split_once('\n').filter(|_| format == Format::Csv);
    match own {
        Some((own, row)) if own == head => row.to_owned(),
        own => {
            own.map_or("", |(own, _)| own).clone_into(head);
            text
        }
    }
}

/// What is said beside the output of a command if that is an empty list: `no pets` for `list-pets`. JSON shows it by itself.
pub(crate) fn describe_empty(value: &Value, format: Format, command: &str) -> Option<String> {
    let is_empty = value.as_array().is_some_and(Vec::is_empty);
    let records = command.strip_prefix("list-").unwrap_or("records");
    (is_empty && format != Format::Json).then(|| format!("no {}", records.replace('-', " ")))
}

/// Whether a value is a record, or a list of records, without lists of objects in it.
fn is_table(value: &Value) -> bool {
    let is_flat = |record: &Value| {
        let members = record.as_object().into_iter().flatten();
        let mut members = members.map(|(_, member)| member);
        record.is_object() && !members.any(holds_objects)
    };
    match value {
        Value::Array(records) => records.iter().all(is_flat),
        record => is_flat(record),
    }
}

fn holds_objects(value: &Value) -> bool {
    match value {
        Value::Array(items) => items.iter().any(|item| item.is_object() || item.is_array()),
        Value::Object(members) => members.values().any(holds_objects),
        _ => false,
    }
}

/// A list of records, or one record, as a header line and a line for each. Lists in a record are JSON.
fn format_csv(value: &Value) -> String {
    let records = match value {
        Value::Array(records) => records.as_slice(),
        record => std::slice::from_ref(record),
    };
    let grid = Grid::new(records);
    let header = grid.head.iter().map(|name| quote(&escape_line(name)));
    let header: Vec<String> = header.collect();
    let lines = grid.records.iter().map(|record| {
        let cells = grid.head.iter().map(|name| {
            let cell = record.get(name).map(format_cell);
            quote(&cell.unwrap_or_default())
        });
        cells.collect::<Vec<_>>()
    });
    let lines = [header]
        .into_iter()
        .filter(|it| !it.is_empty())
        .chain(lines);
    lines
        .map(|cells| format!("{}\r\n", cells.join(",")))
        .collect()
}

fn quote(cell: &str) -> String {
    if cell.contains([',', '"', '\n', '\r']) {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(value: &Value, format: Format) -> String {
        format_value(value, format, &Times::default(), None)
    }

    #[test]
    fn lists_of_flat_records_are_tables_and_others_are_json() {
        let list = json!([{ "id": 1, "name": "Bo" }]);
        assert_eq!(printed(&list, Format::Table), "ID  NAME\n1   Bo\n");
        let nested = json!({ "items": [{ "id": 1 }] });
        let indented = "{\n  \"items\": [\n    {\n      \"id\": 1\n    }\n  ]\n}\n";
        assert_eq!(printed(&nested, Format::Table), indented);
        assert_eq!(printed(&nested, Format::Json), indented);
    }

    #[test]
    fn json_lines_have_one_record_each() {
        let list = json!([{ "id": 1, "tags": ["a"] }, { "id": 2 }]);
        assert_eq!(
            printed(&list, Format::Jsonl),
            "{\"id\":1,\"tags\":[\"a\"]}\n{\"id\":2}\n"
        );
        assert_eq!(printed(&json!({ "id": 1 }), Format::Jsonl), "{\"id\":1}\n");
        assert_eq!(printed(&json!([]), Format::Jsonl), "");
    }

    #[test]
    fn csv_has_header_quotes_and_paths_of_nested_objects() {
        let list = json!([
            { "id": 1, "name": "Bo, \"the\" cat", "owner": { "city": "Bonn" } },
            { "id": 2, "sold": true },
        ]);
        let csv = "id,name,owner.city,sold\r\n1,\"Bo, \"\"the\"\" cat\",Bonn,\r\n2,,,true\r\n";
        assert_eq!(printed(&list, Format::Csv), csv);
        assert_eq!(printed(&json!({ "id": 1 }), Format::Csv), "id\r\n1\r\n");
        assert_eq!(printed(&json!([]), Format::Csv), "");
    }

    #[test]
    fn empty_list_is_named_by_its_command() {
        let said = |value: Value, format, command| describe_empty(&value, format, command);
        let table = Format::Table;
        assert_eq!(
            said(json!([]), table, "list-pets").as_deref(),
            Some("no pets")
        );
        assert_eq!(
            said(json!([]), Format::Csv, "find").as_deref(),
            Some("no records")
        );
        assert_eq!(said(json!([]), Format::Json, "list-pets"), None);
        assert_eq!(said(json!([1]), table, "list-pets"), None);
        assert_eq!(said(json!({}), table, "get-pet"), None);
    }

    #[test]
    fn no_format_steers_the_terminal() {
        let list = json!([{ "name": "a\u{1b}[2Jb" }]);
        for format in Format::value_variants() {
            assert!(!printed(&list, *format).contains('\u{1b}'), "{format:?}");
        }
    }
}
