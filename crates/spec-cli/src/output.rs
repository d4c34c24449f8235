//! Prints the body of a response: JSON in the chosen format, or bytes as they are.

use clap::ArgMatches;
use serde_json::Value;

use crate::failure::Failure;
use crate::format::{Format, format_value};
use crate::send::{self, Response};
use crate::times::Times;

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
    let times = Times {
        now: Some(chrono::Utc::now()),
        unix_seconds: Vec::new(),
    };
    send::print(&render(
        response,
        format.copied().unwrap_or(Format::Table),
        &times,
    ))
}

fn render(response: Response, format: Format, times: &Times) -> Vec<u8> {
    let essence = response.media_type.split(';').next().unwrap_or_default();
    if !essence.trim().to_ascii_lowercase().ends_with("json") {
        return response.bytes;
    }
    match serde_json::from_slice::<Value>(&response.bytes) {
        Ok(value) => format_value(&value, format, times).into_bytes(),
        Err(_) => response.bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_json_is_formatted() {
        let printed = |media_type: &str, body: &str| {
            let response = Response {
                media_type: media_type.to_owned(),
                bytes: body.as_bytes().to_vec(),
            };
            let bytes = render(response, Format::Table, &Times::default());
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let json = "application/json; charset=utf-8";
        assert_eq!(printed(json, r#"[{"id":1}]"#), "ID\n1\n");
        assert_eq!(printed(json, "{"), "{");
        assert_eq!(printed("text/csv", "a,b\n"), "a,b\n");
    }
}
