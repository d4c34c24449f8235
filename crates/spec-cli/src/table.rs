//! Formats JSON as columns of text.

use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr;

use crate::sanitize;
use crate::times::Times;

/// Formats a list as a table with a header row, and a single record as one line per field. `id` comes first; an empty
/// list gives no text. Times are written for people.
pub fn format_table(value: &Value, times: &Times) -> String {
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
            align_columns(&head.into_iter().chain(lines).collect::<Vec<_>>())
        }
        record => {
            let fields = flatten(record);
            let lines = fields
                .iter()
                .map(|(name, value)| vec![name.clone(), cell(name, value)]);
            align_columns(&lines.collect::<Vec<_>>())
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

fn align_columns(lines: &[Vec<String>]) -> String {
    let mut widths: Vec<usize> = Vec::new();
    for line in lines {
        widths.resize(widths.len().max(line.len()), 0);
        for (width, cell) in widths.iter_mut().zip(line) {
            *width = cell.width().max(*width);
        }
    }
    let mut text = String::new();
    for line in lines {
        let cells = line.iter().zip(&widths).map(|(cell, width)| {
            let missing = width.saturating_sub(cell.width());
            format!("{cell}{}", " ".repeat(missing))
        });
        let line = cells.collect::<Vec<_>>().join("  ");
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn formats_list_as_table() {
        let pets = json!([
            { "categoryId": 3, "id": 1, "name": "Mittens", "status": "available" },
            { "categoryId": 3, "id": 20, "name": "Bo" },
        ]);
        let table = "ID  CATEGORYID  NAME     STATUS\n1   3           Mittens  available\n20  3           Bo\n";
        assert_eq!(format_table(&pets, &Times::default()), table);
    }

    #[test]
    fn formats_record_as_one_line_per_field() {
        let limits = json!({ "plan": "free", "minute": { "limit": 60, "remaining": 59 } });
        let lines = "plan              free\nminute.limit      60\nminute.remaining  59\n";
        assert_eq!(format_table(&limits, &Times::default()), lines);
    }

    #[test]
    fn escapes_control_characters() {
        let pets = json!([{ "name": "a\u{1b}[2Jb\nc" }]);
        assert_eq!(
            format_table(&pets, &Times::default()),
            "NAME\na\\u{1b}[2Jb\\nc\n"
        );
    }

    #[test]
    fn aligns_columns_by_display_width() {
        let pets = json!([
            { "name": "猫", "status": "sold" },
            { "name": "Re\u{301}ne\u{301}", "status": "sold" },
        ]);
        let table = "NAME  STATUS\n猫    sold\nRe\u{301}ne\u{301}  sold\n";
        assert_eq!(format_table(&pets, &Times::default()), table);
    }

    #[test]
    fn formats_empty_list_as_no_text() {
        assert_eq!(format_table(&json!([]), &Times::default()), "");
    }
}
