//! A request as a command of curl, for a POSIX shell.

use spec_client::Parts;

use crate::request::{Content, Credential, Part, Request};
use crate::schemes::Kind;

/// Renders the command in one line. Environment variables stand for credentials, so that the command can be shown.
pub(crate) fn render(request: &Request) -> String {
    let mut words = vec!["curl".to_owned(), "-X".to_owned(), request.method.clone()];
    let url = request.url();
    // Without the option curl takes brackets and braces for patterns of several URLs.
    if url.contains(['[', ']', '{', '}']) {
        words.push("-g".to_owned());
    }
    words.push(quote(&url));
    let mut add = |option: &str, value: String| {
        words.push(option.to_owned());
        words.push(value);
    };
    for (name, value) in &request.parts.headers {
        add("-H", quote(&format!("{name}: {value}")));
    }
    for Credential { kind, variable, .. } in &request.credentials {
        match kind {
            Kind::Header(name) => add("-H", quote_before(&format!("{name}: "), variable)),
            Kind::Query(name) => {
                // curl encodes the value, not the name.
                let mut pair = Parts::default();
                pair.push_query(name, "");
                add("--url-query", quote_before(&pair.query, variable));
            }
            Kind::Cookie(name) => add("-b", quote_before(&format!("{name}="), variable)),
            Kind::Basic => add("-u", quote_before("", variable)),
            Kind::Token(word) => {
                add(
                    "-H",
                    quote_before(&format!("Authorization: {word} "), variable),
                );
            }
        }
    }
    if !request.parts.cookies.is_empty() {
        add("-b", quote(&request.parts.cookies));
    }
    match &request.body {
        Some(Content::Bytes { media_type, bytes }) => {
            add("-H", quote(&format!("Content-Type: {media_type}")));
            // Not `--data-binary`, which reads a file if the text begins with `@`.
            add("--data-raw", quote(&String::from_utf8_lossy(bytes)));
        }
        Some(Content::Multipart(parts)) => {
            for part in parts {
                let (option, field) = form_field(part);
                add(option, quote(&field));
            }
        }
        None => {}
    }
    words.join(" ")
}

/// The option of a part and its value. Where curl reads syntax in the value, quotation marks hide that of the content.
fn form_field(part: &Part) -> (&'static str, String) {
    let text = String::from_utf8_lossy(&part.bytes);
    match (&part.file, &part.media_type) {
        (None, None) => ("--form-string", format!("{}={text}", part.name)),
        (None, Some(media_type)) => {
            let field = format!("{}={};type={media_type}", part.name, quote_field(&text));
            ("-F", field)
        }
        (Some(path), media_type) => {
            let media_type = media_type.iter().map(|it| format!(";type={it}"));
            let media_type: String = media_type.collect();
            (
                "-F",
                format!("{}=@{}{media_type}", part.name, quote_field(path)),
            )
        }
    }
}

/// A content in quotation marks, as curl reads it in `-F`.
fn quote_field(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', r"\\").replace('"', "\\\""))
}

/// A word of a shell: a text as it is, and then the value of a variable.
fn quote_before(text: &str, variable: &str) -> String {
    let mut word = String::from("\"");
    for c in text.chars() {
        if matches!(c, '"' | '\\' | '$' | '`') {
            word.push('\\');
        }
        word.push(c);
    }
    word + "$" + variable + "\""
}

/// A word of a shell.
fn quote(text: &str) -> String {
    // Only a text with a zero byte cannot be quoted, and no shell takes it either.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}

#[cfg(test)]
mod tests {
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
            credentials: Vec::new(),
            body,
        }
    }

    #[test]
    fn request_becomes_words_that_a_shell_reads_as_they_are() {
        let mut request = request(Some(Content::Bytes {
            media_type: "application/json".to_owned(),
            bytes: br#"{"name":"Bo"}"#.to_vec(),
        }));
        request.credentials = [
            Kind::Header("X-Key".to_owned()),
            Kind::Query("key".to_owned()),
            Kind::Cookie("session".to_owned()),
            Kind::Basic,
            Kind::Token("Bearer".to_owned()),
        ]
        .map(|kind| Credential {
            kind,
            value: "secret".to_owned(),
            variable: "PETS_KEY".to_owned(),
        })
        .into();
        let expected = r#"curl -X POST 'http://127.0.0.1:8080/pets?a=1&b=2' -H "X-A: it's" -H "X-Key: $PETS_KEY" --url-query "key=$PETS_KEY" -b "session=$PETS_KEY" -u "$PETS_KEY" -H "Authorization: Bearer $PETS_KEY" -H 'Content-Type: application/json' --data-raw '{"name":"Bo"}'"#;
        assert_eq!(render(&request), expected);
    }

    #[test]
    fn brackets_are_no_patterns_and_names_no_syntax() {
        let mut request = request(None);
        request.parts.query = "filter[a]=1".to_owned();
        request.credentials = [
            Kind::Header("X-$HOME`".to_owned()),
            Kind::Query("my key\"".to_owned()),
        ]
        .map(|kind| Credential {
            kind,
            value: "secret".to_owned(),
            variable: "PETS_KEY".to_owned(),
        })
        .into();
        let expected = r#"curl -X POST -g 'http://127.0.0.1:8080/pets?filter[a]=1' -H "X-A: it's" -H "X-\$HOME\`: $PETS_KEY" --url-query "my%20key%22=$PETS_KEY""#;
        assert_eq!(render(&request), expected);
    }

    #[test]
    fn parts_of_a_multipart_body_are_fields_that_read_no_other_files() {
        let part = |media_type: Option<&str>, file: Option<&str>, text: &str| Part {
            name: "a".to_owned(),
            media_type: media_type.map(str::to_owned),
            file: file.map(str::to_owned),
            bytes: text.into(),
        };
        for (part, expected) in [
            (
                part(Some("text/csv"), Some("a b;c.csv"), ""),
                r#" -F 'a=@"a b;c.csv";type=text/csv'"#,
            ),
            (
                part(None, None, "@/etc/passwd"),
                " --form-string 'a=@/etc/passwd'",
            ),
            (
                part(Some("application/json"), None, r#"["<\n"]"#),
                r#" -F "a=\"[\\\"<\\\\n\\\"]\";type=application/json""#,
            ),
        ] {
            let command = render(&request(Some(Content::Multipart(vec![part]))));
            assert!(command.ends_with(expected), "{expected}: {command}");
        }
    }
}
