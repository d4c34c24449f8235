//! A request as a command of curl, for a POSIX shell.

use dropspec_client::{Parts, SecurityScheme};
use dropspec_schema::wire::Part;

use crate::request::{Content, Request};
use crate::schemes::Scheme;

/// Renders the command in one line. The environment variables of the schemes stand for credentials, so that the command can be
/// shown.
pub(crate) fn render(request: &Request, schemes: &[Scheme], cacert: Option<&str>) -> String {
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
    if let Some(file) = cacert {
        add("--cacert", quote(file));
    }
    for (name, value) in &request.parts.headers {
        add("-H", quote(&format!("{name}: {value}")));
    }
    for (position, scheme) in request.credentials.schemes() {
        let variable = &schemes[position].variable;
        match scheme {
            SecurityScheme::Header(name) => add("-H", quote_before(&format!("{name}: "), variable)),
            SecurityScheme::Query(name) => {
                // curl encodes the value, not the name.
                let mut pair = Parts::default();
                pair.push_query(name, "");
                add("--url-query", quote_before(&pair.query, variable));
            }
            SecurityScheme::Cookie(name) => add("-b", quote_before(&format!("{name}="), variable)),
            SecurityScheme::BASIC => add("-u", quote_before("", variable)),
            SecurityScheme::Authorization(word) => {
                let header = format!("Authorization: {word} ");
                add("-H", quote_before(&header, variable));
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
            for (part, file) in parts {
                let (option, field) = form_field(part, file.as_deref());
                add(option, quote(&field));
            }
        }
        None => {}
    }
    words.join(" ")
}

/// The option of a part and its value. Where curl reads syntax in the value, quotation marks hide that of the content.
fn form_field(part: &Part, file: Option<&str>) -> (&'static str, String) {
    let text = String::from_utf8_lossy(&part.content);
    let content = match (file, &part.media_type) {
        (None, None) => return ("--form-string", format!("{}={text}", part.name)),
        (None, Some(_)) => quote_field(&text),
        (Some(path), _) => format!("@{}", quote_field(path)),
    };
    let media_type = part.media_type.iter().map(|it| format!(";type={it}"));
    let media_type: String = media_type.collect();
    ("-F", format!("{}={content}{media_type}", part.name))
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
    use dropspec_client::Credentials;

    use super::*;
    use crate::document::Interface;
    use crate::settings::Settings;

    #[test]
    fn request_becomes_words_that_a_shell_reads_as_they_are() {
        let document = r#"
paths: {}
components:
  securitySchemes:
    a: {type: apiKey, in: header, name: X-$HOME`}
    b: {type: apiKey, in: query, name: 'my key"'}
    c: {type: apiKey, in: cookie, name: session}
    d: {type: http, scheme: basic}
    e: {type: oauth2}
"#;
        let settings = Settings {
            variables: "P".to_owned(),
            ..Settings::default()
        };
        let interface = Interface::read(document, settings).expect("a document");
        let mut credentials = Credentials::default();
        for (position, scheme) in interface.schemes.iter().enumerate() {
            credentials.set(position, scheme.kind, "secret");
        }
        let request = Request {
            method: "POST".to_owned(),
            base_url: "http://127.0.0.1:8080/".to_owned(),
            parts: Parts {
                path: "/pets".to_owned(),
                query: "filter[a]=1&b=2".to_owned(),
                headers: vec![("X-A".to_owned(), "it's".to_owned())],
                cookies: "x=1".to_owned(),
            },
            credentials,
            body: Some(Content::Bytes {
                media_type: "application/json".to_owned(),
                bytes: br#"{"name":"Bo"}"#.to_vec(),
            }),
        };
        let expected = r#"curl -X POST -g 'http://127.0.0.1:8080/pets?filter[a]=1&b=2' --cacert 'my ca.pem' -H "X-A: it's" -H "X-\$HOME\`: $P_A" --url-query "my%20key%22=$P_B" -b "session=$P_C" -u "$P_D" -H "Authorization: Bearer $P_E" -b 'x=1' -H 'Content-Type: application/json' --data-raw '{"name":"Bo"}'"#;
        assert_eq!(
            render(&request, &interface.schemes, Some("my ca.pem")),
            expected
        );
    }

    #[test]
    fn parts_of_a_multipart_body_are_fields_that_read_no_other_files() {
        let part = |media_type: Option<&str>, text: &str| Part {
            name: "a".to_owned(),
            media_type: media_type.map(str::to_owned),
            file_name: None,
            content: text.into(),
        };
        let json = part(Some("application/json"), r#"["<\n"]"#);
        for (part, file, expected) in [
            (
                part(Some("text/csv"), ""),
                Some("a b;c.csv"),
                ("-F", r#"a=@"a b;c.csv";type=text/csv"#),
            ),
            (
                part(None, "@/etc/passwd"),
                None,
                ("--form-string", "a=@/etc/passwd"),
            ),
            (
                json,
                None,
                ("-F", r#"a="[\"<\\n\"]";type=application/json"#),
            ),
        ] {
            let (option, field) = form_field(&part, file);
            assert_eq!((option, field.as_str()), expected);
        }
    }
}
