//! Prints the body of a response: JSON in the chosen format, or bytes as they are. Says beside it what the body does not.

use std::io::{self, IsTerminal};

use reqwest::StatusCode;
use reqwest::header::ETAG;

use crate::console::{self, Failure, note};
use crate::format::{describe_empty, format_value};
use crate::invocation::Invocation;
use crate::options::{ALL, SHOW_ETAG};
use crate::send::Response;
use crate::table;
use crate::times::Times;

/// Prints the response of an operation, or writes it to the file of `--output-file`. `command`: the name of the operation's.
pub(crate) fn print_response(
    response: &Response,
    command: &str,
    has_next_page: bool,
    invocation: &Invocation<'_>,
) -> Result<(), Failure> {
    if response.status == StatusCode::NOT_MODIFIED {
        note("not modified");
        return Ok(());
    }
    if let Some(path) = invocation.text("output-file") {
        return std::fs::write(path, &response.bytes)
            .map_err(|error| Failure::Usage(format!("cannot write {path}: {error}")));
    }
    let format = invocation.format()?;
    match response.json() {
        Some(value) => {
            let times = Times {
                now: Some(chrono::Utc::now()),
                unix_seconds: invocation.interface.settings.unix_seconds.clone(),
            };
            let text = format_value(&value, format, &times, table::columns_of_stdout());
            console::print(text.as_bytes())?;
            if let Some(text) = describe_empty(&value, format, command)
                && io::stderr().is_terminal()
            {
                note(&text);
            }
        }
        None => console::print(&response.bytes)?,
    }
    if has_next_page && !invocation.is_on(ALL) {
        note("the list has more pages; use --all for all records");
    }
    let etag = response.header(ETAG.as_str());
    if invocation.is_on(SHOW_ETAG) && !etag.is_empty() {
        console::print_line(&format!("ETag: {etag}"));
    }
    Ok(())
}
