//! Prints the body of a response: JSON, a table, or bytes as they are.

use clap::ArgMatches;
use serde_json::Value;

use crate::command::Format;
use crate::failure::Failure;
use crate::sanitize::escape_json;
use crate::send::{self, Response};
use crate::table::format_table;

/// Prints a response, or writes it to the file of `--output-file`.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print_response(response: Response, matches: &ArgMatches) -> Result<(), Failure> {
    if let Some(path) = matches.get_one::<String>("output-file") {
        return std::fs::write(path, &response.bytes)
            .map_err(|error| Failure::Usage(format!("cannot write {path}: {error}")));
    }
    let format = matches.get_one::<Format>("output");
    send::print(&render(response, format.copied().unwrap_or(Format::Table)))
}

fn render(response: Response, format: Format) -> Vec<u8> {
    let essence = response.media_type.split(';').next().unwrap_or_default();
    if !essence.trim().to_ascii_lowercase().ends_with("json") {
        return response.bytes;
    }
    let Ok(value) = serde_json::from_slice::<Value>(&response.bytes) else {
        return response.bytes;
    };
    match format {
        Format::Table if is_table(&value) => format_table(&value).into_bytes(),
        _ => format!("{}\n", escape_json(&format!("{value:#}"))).into_bytes(),
    }
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

#[cfg(test)]
mod tests {
    use super::*;

    fn printed(media_type: &str, body: &str, format: Format) -> String {
        let response = Response {
            media_type: media_type.to_owned(),
            bytes: body.as_bytes().to_vec(),
        };
        String::from_utf8_lossy(&render(response, format)).into_owned()
    }

    #[test]
    fn lists_of_flat_records_are_tables_and_others_are_json() {
        let list = r#"[{"id":1,"name":"Bo"}]"#;
        let json = "application/json; charset=utf-8";
        assert_eq!(printed(json, list, Format::Table), "ID  NAME\n1   Bo\n");
        let nested = r#"{"items":[{"id":1}]}"#;
        let indented = "{\n  \"items\": [\n    {\n      \"id\": 1\n    }\n  ]\n}\n";
        assert_eq!(printed(json, nested, Format::Table), indented);
        assert_eq!(printed(json, nested, Format::Json), indented);
        assert_eq!(printed("text/csv", "a,b\n", Format::Table), "a,b\n");
    }
}
