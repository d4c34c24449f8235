//! An exchange as people read it for `--verbose`: lines with `>` were sent, lines with `<` received. Credentials are not
//! shown.

use std::fmt::Write;

use crate::sanitize::escape_line;

/// A value that stands for one that is not shown.
pub const NOT_SHOWN: &str = "(not shown)";

/// The headers whose values are not shown, in lower case.
const SECRET: [&str; 5] = [
    "authorization",
    "cookie",
    "proxy-authorization",
    "set-cookie",
    "x-api-key",
];

/// The most bytes of a body that are shown.
const MAX_BODY: usize = 4096;

/// A request: method and URL, headers, and the body if it is text.
pub fn describe_request<'a>(
    method: &str,
    url: &str,
    headers: impl IntoIterator<Item = (&'a str, String)>,
    body: Option<&[u8]>,
) -> String {
    let mut text = format!("> {} {}\n", escape_line(method), escape_line(url));
    describe_headers(&mut text, '>', headers);
    let Some(body) = body.filter(|body| !body.is_empty()) else {
        return text;
    };
    match std::str::from_utf8(body) {
        Ok(shown) if body.len() <= MAX_BODY => {
            for line in shown.lines() {
                let _ = writeln!(text, "> {}", escape_line(line));
            }
        }
        _ => {
            let _ = writeln!(text, "> ({} bytes)", body.len());
        }
    }
    text
}

/// A response: status and headers, or why there was none.
pub fn describe_response<'a>(
    status: &str,
    headers: impl IntoIterator<Item = (&'a str, String)>,
) -> String {
    let mut text = format!("< {}\n", escape_line(status));
    describe_headers(&mut text, '<', headers);
    text
}

fn describe_headers<'a>(
    text: &mut String,
    mark: char,
    headers: impl IntoIterator<Item = (&'a str, String)>,
) {
    for (name, value) in headers {
        let value = if SECRET.contains(&name) {
            NOT_SHOWN
        } else {
            value.as_str()
        };
        let _ = writeln!(text, "{mark} {name}: {}", escape_line(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_what_was_sent_and_received() {
        let headers = [("x-api-key", "secret".to_owned())];
        let request = describe_request("POST", "http://a/pets", headers, Some(b"{\n \"a\": 1}"));
        assert_eq!(
            request,
            "> POST http://a/pets\n> x-api-key: (not shown)\n> {\n>  \"a\": 1}\n"
        );
        let response = describe_response("201 Created", [("etag", "\"a\u{1b}\"".to_owned())]);
        assert_eq!(response, "< 201 Created\n< etag: \"a\\u{1b}\"\n");
    }

    #[test]
    fn long_and_binary_bodies_are_counted() {
        let long = describe_request("PUT", "u", [], Some(&[b'a'; 5000]));
        assert_eq!(long, "> PUT u\n> (5000 bytes)\n");
        let binary = describe_request("PUT", "u", [], Some(&[0xff, 0]));
        assert_eq!(binary, "> PUT u\n> (2 bytes)\n");
    }
}
