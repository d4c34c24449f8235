//! JSON as columns of text.

use serde_json::{Map, Value};
use unicode_width::UnicodeWidthStr;

use crate::plain;

/// A list as a table with a head, one record as a line for each of its fields. An `id` comes first; no records are no
/// text.
pub fn of(value: &Value) -> String {
    match value {
        Value::Array(records) => {
            let records: Vec<Map<String, Value>> = records.iter().map(flat).collect();
            of_records(&records)
        }
        record => {
            let fields = flat(record);
            let lines = fields
                .iter()
                .map(|(name, value)| vec![name.clone(), cell(value)]);
            aligned(&lines.collect::<Vec<_>>())
        }
    }
}

fn of_records(records: &[Map<String, Value>]) -> String {
    let mut head: Vec<String> = Vec::new();
    for name in records.iter().flat_map(Map::keys) {
        if !head.contains(name) {
            head.push(name.clone());
        }
    }
    let line = |record: &Map<String, Value>| {
        let cells = head
            .iter()
            .map(|name| record.get(name).map(cell).unwrap_or_default());
        cells.collect()
    };
    let mut lines: Vec<Vec<String>> = records.iter().map(line).collect();
    if !head.is_empty() {
        lines.insert(0, head.iter().map(|name| name.to_uppercase()).collect());
    }
    aligned(&lines)
}

/// A record whose nested records are fields of its own: `minute.limit`.
fn flat(record: &Value) -> Map<String, Value> {
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
            let nested = flat(member).into_iter();
            fields.extend(nested.map(|(inner, value)| (format!("{name}.{inner}"), value)));
        } else {
            fields.insert(name.clone(), member.clone());
        }
    }
    fields
}

/// A value in one line.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => plain::line(text),
        other => other.to_string(),
    }
}

fn aligned(lines: &[Vec<String>]) -> String {
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
    fn a_list_is_a_table() {
        let pets = json!([
            { "categoryId": 3, "id": 1, "name": "Mittens", "status": "available" },
            { "categoryId": 3, "id": 20, "name": "Bo" },
        ]);
        let table = "ID  CATEGORYID  NAME     STATUS\n1   3           Mittens  available\n20  3           Bo\n";
        assert_eq!(of(&pets), table);
    }

    #[test]
    fn a_record_is_a_line_for_each_field() {
        let standing = json!({ "plan": "free", "minute": { "limit": 60, "remaining": 59 } });
        let lines = "plan              free\nminute.limit      60\nminute.remaining  59\n";
        assert_eq!(of(&standing), lines);
    }

    #[test]
    fn names_do_not_steer_the_terminal() {
        let pets = json!([{ "name": "a\u{1b}[2Jb\nc" }]);
        assert_eq!(of(&pets), "NAME\na\\u{1b}[2Jb\\nc\n");
    }

    #[test]
    fn columns_stand_under_each_other_whatever_the_script() {
        let pets = json!([
            { "name": "猫", "status": "sold" },
            { "name": "Re\u{301}ne\u{301}", "status": "sold" },
        ]);
        let table = "NAME  STATUS\n猫    sold\nRe\u{301}ne\u{301}  sold\n";
        assert_eq!(of(&pets), table);
    }

    #[test]
    fn no_records_are_no_text() {
        assert_eq!(of(&json!([])), "");
    }
}
