//! Prints the body of a response: JSON in the chosen format, or bytes as they are. Says on a terminal that a list is empty.

use std::io::{self, IsTerminal};

use clap::ArgMatches;
use serde_json::Value;

use crate::failure::Failure;
use crate::format::{Format, describe_empty, format_value};
use crate::send::{self, Response};
use crate::times::Times;
use crate::width::Width;

/// Prints a response of the command with this name, or writes it to the file of `--output-file`. `note` takes a line for people.
///
/// # Errors
/// It cannot be written.
pub(crate) fn print_response(
    response: Response,
    command: &str,
    matches: &ArgMatches,
    note: impl Fn(&str),
) -> Result<(), Failure> {
    if let Some(path) = matches.get_one::<String>("output-file") {
        return std::fs::write(path, &response.bytes)
            .map_err(|error| Failure::Usage(format!("cannot write {path}: {error}")));
    }
    let format = matches.get_one::<Format>("output").copied();
    let format = format.unwrap_or(Format::Table);
    let Some(value) = json_of(&response) else {
        return send::print(&response.bytes);
    };
    let times = Times {
        now: Some(chrono::Utc::now()),
        unix_seconds: Vec::new(),
    };
    send::print(format_value(&value, format, &times, Width::of_stdout()).as_bytes())?;
    if let Some(text) = describe_empty(&value, format, command)
        && io::stderr().is_terminal()
    {
        note(&text);
    }
    Ok(())
}

/// The JSON of a response. Everything else is printed as it is.
fn json_of(response: &Response) -> Option<Value> {
    let essence = response.media_type.split(';').next().unwrap_or_default();
    let is_json = essence.trim().to_ascii_lowercase().ends_with("json");
    serde_json::from_slice(&response.bytes)
        .ok()
        .filter(|_| is_json)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_json_is_formatted() {
        let read = |media_type: &str, body: &str| {
            json_of(&Response {
                media_type: media_type.to_owned(),
                bytes: body.as_bytes().to_vec(),
            })
        };
        let json = "application/json; charset=utf-8";
        assert_eq!(read(json, r#"[{"id":1}]"#), Some(json!([{ "id": 1 }])));
        assert_eq!(read(json, "{"), None);
        assert_eq!(read("text/csv", "1"), None);
    }
}
