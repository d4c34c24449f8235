//! Formats JSON as columns of text.

use std::io;

use comfy_table::presets::NOTHING;
use comfy_table::{ContentArrangement, Row, Table};
use serde_json::{Map, Value};

use crate::sanitize;
use crate::times::Times;

/// The width of the terminal that standard output is. `None` if it is a file or a program, which take lines of any length.
pub(crate) fn columns_of_stdout() -> Option<u16> {
    let (terminal_size::Width(columns), _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(columns).filter(|columns| *columns > 0)
}

/// Formats a list as a table with a header row, and a single record as one line per field. `id` comes first; an empty
/// list gives no text. Times are written for people. The cells of a list that is too wide are cut to `columns`; a single record is complete.
pub(crate) fn format_table(value: &Value, times: &Times, columns: Option<u16>) -> String {
    let cell = |name: &str, value: &Value| {
        let property = name.rsplit('.').next().unwrap_or(name);
        let time = times.format(property, value);
        time.unwrap_or_else(|| format_cell(value))
    };
    match value {
        Value::Array(records) => {
            let grid = Grid::new(records);
            let lines = grid.records.iter().map(|record| {
                let cells = grid.head.iter().map(|name| {
                    let value = record.get(name);
                    value.map(|value| cell(name, value)).unwrap_or_default()
                });
                cells.collect()
            });
            let head = grid.head.iter().map(|name| name.to_uppercase()).collect();
            let head = Some(head).filter(|head: &Vec<String>| !head.is_empty());
            align(head.into_iter().chain(lines), 2, |table| {
                if let Some(columns) = columns {
                    table.set_width(columns);
                }
            })
        }
        record => {
            let fields = flatten(record);
            let lines = fields
                .iter()
                .map(|(name, value)| vec![name.clone(), cell(name, value)]);
            align(lines, 2, |_| {})
        }
    }
}

/// Records without nested objects, and the names of all their fields in the order of the service.
pub(crate) struct Grid {
    pub(crate) head: Vec<String>,
    pub(crate) records: Vec<Map<String, Value>>,
}

impl Grid {
    pub(crate) fn new(records: &[Value]) -> Self {
        let records: Vec<Map<String, Value>> = records.iter().map(flatten).collect();
        let mut head: Vec<String> = Vec::new();
        for name in records.iter().flat_map(Map::keys) {
            if !head.contains(name) {
                head.push(name.clone());
            }
        }
        Self { head, records }
    }
}

/// The fields of a record, `id` first; those of nested objects are named by their path, such as `minute.limit`.
fn flatten(record: &Value) -> Map<String, Value> {
    let mut fields = Map::new();
    let Value::Object(members) = record else {
        fields.insert("value".to_owned(), record.clone());
        return fields;
    };
    if let Some(id) = members.get("id") {
        fields.insert("id".to_owned(), id.clone());
    }
    for (name, member) in members {
        if member.is_object() {
            let nested = flatten(member).into_iter();
            fields.extend(nested.map(|(inner, value)| (format!("{name}.{inner}"), value)));
        } else {
            fields.insert(name.clone(), member.clone());
        }
    }
    fields
}

/// Formats a JSON value as the text of one table cell, in one line.
pub(crate) fn format_cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => sanitize::escape_line(text),
        other => other.to_string(),
    }
}

/// Lines of cells in columns, with a gap between them. A cell that does not fit into a width that `limit` sets is cut, which `…`
/// shows.
pub(crate) fn align(
    lines: impl IntoIterator<Item = Vec<String>>,
    gap: u16,
    limit: impl FnOnce(&mut Table),
) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_truncation_indicator("…");
    for line in lines {
        let mut row = Row::from(line);
        row.max_height(1);
        table.add_row(row);
    }
    let last = table.column_count().saturating_sub(1);
    for (index, column) in table.column_iter_mut().enumerate() {
        column.set_padding((0, if index < last { gap } else { 0 }));
    }
    limit(&mut table);
    if table.is_empty() {
        String::new()
    } else {
        table.trim_fmt() + "\n"
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn lists_are_columns_and_a_record_is_a_line_per_field() {
        for (value, table) in [
            (
                json!([
                    { "categoryId": 3, "id": 1, "name": "Mittens", "status": "available" },
                    { "categoryId": 3, "id": 20, "name": "Bo" },
                ]),
                "ID  CATEGORYID  NAME     STATUS\n1   3           Mittens  available\n20  3           Bo\n",
            ),
            (
                json!({ "plan": "free", "minute": { "limit": 60, "remaining": 59 } }),
                "plan              free\nminute.limit      60\nminute.remaining  59\n",
            ),
            (
                json!([{ "name": "a\u{1b}[2Jb\nc" }]),
                "NAME\na\\u{1b}[2Jb\\nc\n",
            ),
            // By the width on the terminal.
            (
                json!([{ "name": "猫", "status": "sold" }, { "name": "Re\u{301}ne\u{301}", "status": "sold" }]),
                "NAME  STATUS\n猫    sold\nRe\u{301}ne\u{301}  sold\n",
            ),
            (json!([]), ""),
        ] {
            assert_eq!(format_table(&value, &Times::default(), None), table);
        }
    }

    #[test]
    fn list_fits_the_terminal_and_a_record_is_complete() {
        let text = "a description that is longer than the terminal is wide";
        let record = json!({ "id": 1, "name": "Cat", "description": text });
        let table = format_table(&json!([record]), &Times::default(), Some(30));
        assert_eq!(
            table,
            "ID  NAME  DESCRIPTION\n1   Cat   a description that…\n"
        );
        let lines = format_table(&record, &Times::default(), Some(30));
        assert!(lines.contains(text), "{lines}");
    }
}
