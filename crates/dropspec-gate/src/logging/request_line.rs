//! The line of a request, and what it shows of the path of one that selects no operation: a client can have written anything
//! there.

use std::fmt;
use std::net::IpAddr;
use std::time::Duration;

use slog::Level;

use crate::logging::line::{Line, LineFormat};

/// The longest segment that is shown. API keys and ids at random are longer.
const MAX_SEGMENT: usize = 24;

/// The longest path that is shown, in bytes.
const MAX_PATH: usize = 80;

/// The line of a request.
#[derive(Clone, Copy, Debug)]
pub struct RequestLine<'a> {
    /// The id that the response has, too.
    pub request_id: &'a str,
    /// The HTTP method.
    pub method: &'a str,
    /// The path template of the operation, or the path of a page; `None` if the request selects neither.
    pub route: Option<&'a str>,
    /// The operation, or the name of another target.
    pub operation: &'static str,
    /// The HTTP status of the response.
    pub status: u16,
    /// The time from the head of the request to its response.
    pub latency: Duration,
    /// The prefix of the key, if the request had a valid one.
    pub key: Option<&'a str>,
    /// The number of requests before this one that have no line.
    pub left_out: u64,
    /// The address of the client, if it is logged.
    pub client: Option<IpAddr>,
    /// The path as it was sent, if it is logged or there is no route.
    pub path: Option<&'a str>,
    /// The trace to which the request belongs, if requests are traced.
    pub trace_id: Option<u128>,
}

/// Displays a path with `…` in the place of each segment that does not look like a name or a number, and of a long end.
struct ShownPath<'a>(&'a str);

impl RequestLine<'_> {
    /// Begins the line. People read in its message of what the request was; programs have the operation.
    pub(super) fn begin<'o>(&self, format: LineFormat, out: &'o mut Vec<u8>) -> Line<'o> {
        let begin =
            |out, message: &fmt::Arguments<'_>| Line::begin(format, out, Level::Info, message);
        let method = self.method;
        match (format, self.route) {
            (LineFormat::Json, _) => begin(out, &format_args!("request")),
            (LineFormat::Text { .. }, Some(route)) => {
                begin(out, &format_args!("request {method} {route}"))
            }
            (LineFormat::Text { .. }, None) => {
                let path = ShownPath(self.path.unwrap_or_default());
                begin(out, &format_args!("request {method} {path}"))
            }
        }
    }
}

impl fmt::Display for ShownPath<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut room = MAX_PATH;
        for (index, segment) in self.0.split('/').enumerate() {
            let shown = if is_plain(segment) { segment } else { "…" };
            f.write_str(if index > 0 { "/" } else { "" })?;
            let Some(rest) = room.checked_sub(shown.len() + 1) else {
                return f.write_str("…");
            };
            room = rest;
            f.write_str(shown)?;
        }
        Ok(())
    }
}

fn is_plain(segment: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
    segment.len() <= MAX_SEGMENT && segment.bytes().all(is_plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_are_shown_and_nothing_else() {
        let long = format!("/{}", "pets/".repeat(40));
        let cut = format!("/{}…", "pets/".repeat(15));
        for (path, shown) in [
            ("/v2/pets/17/photo.png", "/v2/pets/17/photo.png"),
            ("/", "/"),
            ("//a/", "//a/"),
            ("*", "…"),
            ("/keys/pst_0123456789abcdef0123456789", "/keys/…"),
            ("/mail/ada@example.org/x", "/mail/…/x"),
            ("/a%0ab/\u{1b}[31m/é", "/…/…/…"),
            (&long, &cut),
        ] {
            assert_eq!(ShownPath(path).to_string(), shown, "{path}");
        }
    }
}
