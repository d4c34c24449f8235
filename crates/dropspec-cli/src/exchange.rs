//! An exchange as people read it for `--verbose`: lines with `>` were sent, lines with `<` received. Credentials are not
//! shown.

use std::fmt::Write;

use dropspec_client::sending::Exchange;
use reqwest::header::{HeaderMap, SET_COOKIE};

use crate::sanitize::escape_line;

/// The most bytes of a body that are shown.
const MAX_BODY: usize = 4096;

/// Both sides of an exchange. `url`: that of the request without credentials.
pub(crate) fn describe(exchange: &Exchange<'_>, url: &str) -> String {
    let request = exchange.request;
    let mut text = format!("> {} {}\n", request.method(), escape_line(url));
    describe_headers(&mut text, '>', request.headers());
    let body = request.body().and_then(|body| body.as_bytes());
    if let Some(body) = body.filter(|body| !body.is_empty()) {
        describe_body(&mut text, body);
    }
    match &exchange.response {
        Ok((status, headers)) => {
            let _ = writeln!(text, "< {status}");
            describe_headers(&mut text, '<', headers);
        }
        Err(reason) => {
            let _ = writeln!(text, "< no response: {}", escape_line(reason));
        }
    }
    text
}

fn describe_body(text: &mut String, body: &[u8]) {
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
}

fn describe_headers(text: &mut String, mark: char, headers: &HeaderMap) {
    for (name, value) in headers {
        let shown = if value.is_sensitive() || name == SET_COOKIE {
            "(not shown)".to_owned()
        } else {
            escape_line(&String::from_utf8_lossy(value.as_bytes()))
        };
        let _ = writeln!(text, "{mark} {name}: {shown}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_and_binary_bodies_are_counted() {
        let shown = |body: &[u8]| {
            let mut text = String::new();
            describe_body(&mut text, body);
            text
        };
        assert_eq!(shown(b"{\n \"a\": 1}"), "> {\n>  \"a\": 1}\n");
        assert_eq!(shown(&[b'a'; 5000]), "> (5000 bytes)\n");
        assert_eq!(shown(&[0xff, 0]), "> (2 bytes)\n");
    }

    #[test]
    fn secret_headers_are_not_shown() {
        let mut headers = HeaderMap::new();
        let mut key = reqwest::header::HeaderValue::from_static("secret");
        key.set_sensitive(true);
        headers.insert("x-api-key", key);
        headers.insert(SET_COOKIE, "a=secret".parse().expect("a value"));
        headers.insert("etag", "\"a\"".parse().expect("a value"));
        let mut text = String::new();
        describe_headers(&mut text, '<', &headers);
        assert_eq!(
            text,
            "< x-api-key: (not shown)\n< set-cookie: (not shown)\n< etag: \"a\"\n"
        );
    }
}
