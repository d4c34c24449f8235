//! A request as a command of curl, for a POSIX shell.

use crate::request::{Content, Part, Request};

/// Renders the command in one line. Credentials of environment variables are shown as variables.
pub(crate) fn render(request: &Request) -> String {
    let mut words = vec!["curl".to_owned(), "-X".to_owned(), request.method.clone()];
    words.push(quote(&request.url()));
    let mut add = |option: &str, value: String| {
        words.push(option.to_owned());
        words.push(value);
    };
    for (name, value) in &request.parts.headers {
        add("-H", quote(&format!("{name}: {value}")));
    }
    for (name, value, shown) in &request.secrets {
        add(
            "-H",
            match shown.is_empty() {
                true => quote(&format!("{name}: {value}")),
                false => format!("\"{name}: {shown}\""),
            },
        );
    }
    if !request.parts.cookies.is_empty() {
        add("-b", quote(&request.parts.cookies));
    }
    match &request.body {
        Some(Content::Bytes { media_type, bytes }) => {
            add("-H", quote(&format!("Content-Type: {media_type}")));
            add("--data-binary", quote(&String::from_utf8_lossy(bytes)));
        }
        Some(Content::Multipart(parts)) => {
            for part in parts {
                add("-F", quote(&form_field(part)));
            }
        }
        None => {}
    }
    words.join(" ")
}

fn form_field(part: &Part) -> String {
    let value = match &part.file {
        Some(path) => format!("@{path}"),
        None => String::from_utf8_lossy(&part.bytes).into_owned(),
    };
    match &part.media_type {
        Some(media_type) => format!("{}={value};type={media_type}", part.name),
        None => format!("{}={value}", part.name),
    }
}

/// A word of a shell.
fn quote(text: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c);
    match !text.is_empty() && text.chars().all(is_plain) {
        true => text.to_owned(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use spec_client::Parts;

    use super::*;

    fn request(body: Option<Content>) -> Request {
        Request {
            method: "POST".to_owned(),
            base_url: "http://127.0.0.1:8080/".to_owned(),
            parts: Parts {
                path: "/pets".to_owned(),
                query: "a=1&b=2".to_owned(),
                headers: vec![("X-A".to_owned(), "it's".to_owned())],
                cookies: String::new(),
            },
            secrets: Vec::new(),
            body,
        }
    }

    #[test]
    fn request_becomes_words_that_a_shell_reads_as_they_are() {
        let mut request = request(Some(Content::Bytes {
            media_type: "application/json".to_owned(),
            bytes: br#"{"name":"Bo"}"#.to_vec(),
        }));
        request.add_secret_header("X-Key", "secret".to_owned(), "$PETS_KEY");
        let expected = r#"curl -X POST 'http://127.0.0.1:8080/pets?a=1&b=2' -H 'X-A: it'\''s' -H "X-Key: $PETS_KEY" -H 'Content-Type: application/json' --data-binary '{"name":"Bo"}'"#;
        assert_eq!(render(&request), expected);
    }

    #[test]
    fn parts_of_a_multipart_body_are_fields() {
        let request = request(Some(Content::Multipart(vec![Part {
            name: "file".to_owned(),
            media_type: Some("text/csv".to_owned()),
            file: Some("a b.csv".to_owned()),
            bytes: Vec::new(),
        }])));
        assert!(render(&request).ends_with("-F 'file=@a b.csv;type=text/csv'"));
    }
}
