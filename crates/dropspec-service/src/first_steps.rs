//! What the first start of a program prints: a request that can be sent at once, with its API key if it needs one.

use std::path::Path;

use dropspec_runtime::{
    Document, Interface, Method, OperationInfo, SecurityScheme, SecuritySchemeInfo,
};
use serde_json::Value;

/// A page that every service has, for interfaces without a request that is simple enough.
const PAGE: &str = "/docs";

/// Where the first API key is.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstKeyPlace<'k> {
    /// It is this one, and shown here only.
    Shown(&'k str),
    /// In a file.
    InFile(&'k Path),
    /// None was made, as nobody would learn of it. This command makes one.
    ToBeMade(&'k str),
}

/// Describes a first request to the service at `base_url`, with the first API key if one was made.
pub(super) fn describe<I: Interface>(base_url: &str, key: Option<FirstKeyPlace<'_>>) -> String {
    describe_request(
        I::operations(),
        I::security_schemes(),
        I::document(),
        base_url,
        key,
    )
}

fn describe_request(
    operations: &[OperationInfo],
    schemes: &[SecuritySchemeInfo],
    document: &Document,
    base_url: &str,
    key: Option<FirstKeyPlace<'_>>,
) -> String {
    let (reason, text) = match key {
        Some(FirstKeyPlace::Shown(key)) => (
            "This is the first API key; it is not shown again:".to_owned(),
            key.to_owned(),
        ),
        Some(FirstKeyPlace::InFile(file)) => (
            "The first API key is in the file that you named:".to_owned(),
            format!("$(cat {})", quote(&file.to_string_lossy())),
        ),
        Some(FirstKeyPlace::ToBeMade(command)) => (
            format!(
                "There is no API key, as standard output is no terminal. Make one, and put it in the place of KEY:\n\n    {command}"
            ),
            "KEY".to_owned(),
        ),
        None => (
            "No API key was made. Without credentials:".to_owned(),
            String::new(),
        ),
    };
    let command = match key {
        None => {
            let mut public = operations.iter().filter(|it| it.is_public());
            let public = public.find(|it| is_simple(it, document));
            curl(base_url, public.map_or(PAGE, |it| it.path), &[])
        }
        Some(_) => {
            let mut protected = operations.iter().filter(|it| !it.is_public());
            let first = protected.clone().next();
            let simple = protected.find(|it| is_simple(it, document));
            let alternatives = simple.or(first).into_iter().flat_map(|it| it.security);
            let smallest = alternatives.min_by_key(|uses| uses.len());
            let kinds = smallest.into_iter().copied().flatten();
            let kinds = kinds.map(|uses| schemes[uses.scheme].kind);
            let path = simple.map_or(PAGE, |it| it.path);
            curl_with_key(base_url, path, kinds, &text)
        }
    };
    format!("\n{reason}\n\n    {command}\n\n")
}

/// Whether an operation can be tried without knowing the document: a GET without required parameters.
fn is_simple(operation: &OperationInfo, document: &Document) -> bool {
    let parameters = document
        .find(&operation.pointer())
        .and_then(|it| it.get("parameters")?.as_array());
    let is_required = |parameter: &Value| {
        let parameter = document.resolve(parameter).unwrap_or(parameter);
        parameter.get("required") == Some(&Value::Bool(true))
    };
    operation.method == Method::Get
        && !operation.path.contains('{')
        && !parameters.is_some_and(|list| list.iter().any(is_required))
}

/// The command of `curl` for a GET with a key for each of these schemes. A key has no character that needs to be encoded.
fn curl_with_key(
    base_url: &str,
    path: &str,
    schemes: impl Iterator<Item = SecurityScheme<'static>>,
    key: &str,
) -> String {
    let mut path = path.to_owned();
    let mut options = Vec::new();
    for scheme in schemes {
        let (option, value) = match scheme {
            SecurityScheme::Header(name) => ("-H", format!("{name}: {key}")),
            SecurityScheme::Cookie(name) => ("-b", format!("{name}={key}")),
            SecurityScheme::Query(name) => {
                let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
                let separator = if path.contains('?') { '&' } else { '?' };
                path.push_str(&format!("{separator}{name}={key}"));
                continue;
            }
            SecurityScheme::BASIC => ("-u", format!("{key}:")),
            SecurityScheme::Authorization(name) => ("-H", format!("Authorization: {name} {key}")),
        };
        options.extend([option.to_owned(), value]);
    }
    let options: Vec<&str> = options.iter().map(String::as_str).collect();
    curl(base_url, &path, &options)
}

fn curl(base_url: &str, path: &str, options: &[&str]) -> String {
    let url = format!("{base_url}{path}");
    let words = [&["curl"], options, &[url.as_str()]].concat();
    let quoted: Vec<String> = words.into_iter().map(quote_with_command).collect();
    quoted.join(" ")
}

/// A word of a shell.
pub(super) fn quote(text: &str) -> String {
    // Only a text with a zero byte cannot be quoted, and no shell takes it either.
    shlex::try_quote(text).map_or_else(|_| text.to_owned(), Into::into)
}

/// A word of a shell in which a command is replaced by its output.
fn quote_with_command(text: &str) -> String {
    if text.contains("$(") {
        format!("\"{text}\"")
    } else {
        quote(text)
    }
}

#[cfg(test)]
mod tests {
    use dropspec_runtime::SchemeUse;

    use super::*;

    const SOURCE: &str = r##"{"paths": {
        "/search": {"get": {"parameters": [{"$ref": "#/components/parameters/q"}]}},
        "/a(1)": {"get": {"parameters": [{"name": "p", "in": "query"}]}}
    }, "components": {"parameters": {"q": {"name": "q", "in": "query", "required": true}}}}"##;
    const SCHEMES: [SecuritySchemeInfo; 5] = [
        scheme("header", SecurityScheme::Header("X-Key")),
        scheme("query", SecurityScheme::Query("my key")),
        scheme("cookie", SecurityScheme::Cookie("sid")),
        scheme("basic", SecurityScheme::BASIC),
        scheme("bearer", SecurityScheme::BEARER),
    ];
    /// By which of the schemes the operation is called.
    const USES: [&[&[SchemeUse]]; 6] = [
        &[&[SchemeUse::new(0, &[])]],
        &[&[SchemeUse::new(1, &[])]],
        &[&[SchemeUse::new(2, &[])]],
        &[&[SchemeUse::new(3, &[])]],
        &[&[SchemeUse::new(4, &[])]],
        &[&[SchemeUse::new(0, &[]), SchemeUse::new(1, &[])]],
    ];

    const fn scheme(name: &'static str, kind: SecurityScheme<'static>) -> SecuritySchemeInfo {
        SecuritySchemeInfo { name, kind }
    }

    const fn get(path: &'static str, security: &'static [&'static [SchemeUse]]) -> OperationInfo {
        OperationInfo {
            security,
            ..OperationInfo::new(path, Method::Get, path)
        }
    }

    fn describe(operations: &[OperationInfo], key: Option<FirstKeyPlace<'_>>) -> String {
        let document = Document::from_json(SOURCE);
        describe_request(operations, &SCHEMES, &document, "http://h:1", key)
    }

    #[test]
    fn key_is_sent_by_the_schemes_of_the_first_simple_operation() {
        for (uses, command) in USES.into_iter().zip([
            "curl -H 'X-Key: k_1' 'http://h:1/a(1)'",
            "curl 'http://h:1/a(1)?my+key=k_1'",
            "curl -b 'sid=k_1' 'http://h:1/a(1)'",
            "curl -u k_1: 'http://h:1/a(1)'",
            "curl -H 'Authorization: Bearer k_1' 'http://h:1/a(1)'",
            "curl -H 'X-Key: k_1' 'http://h:1/a(1)?my+key=k_1'",
        ]) {
            let operations = [
                get("/{id}", USES[0]),
                get("/search", USES[0]),
                get("/a(1)", uses),
            ];
            let text = describe(&operations, Some(FirstKeyPlace::Shown("k_1")));
            assert!(text.starts_with("\nThis is the first API key"), "{text}");
            assert!(text.ends_with(&format!("\n    {command}\n\n")), "{text}");
        }
        let by_id = [get("/{id}", USES[0])];
        let text = describe(&by_id, Some(FirstKeyPlace::Shown("k_1")));
        assert!(
            text.contains("curl -H 'X-Key: k_1' http://h:1/docs\n"),
            "{text}"
        );
        let operations = [get("/a", USES[0])];
        let file = describe(&operations, Some(FirstKeyPlace::InFile(Path::new("a key"))));
        assert!(
            file.contains("curl -H \"X-Key: $(cat 'a key')\" http://h:1/a\n"),
            "{file}"
        );
        let to_be_made = describe(&operations, Some(FirstKeyPlace::ToBeMade("keys create")));
        let commands = "KEY:\n\n    keys create\n\n    curl -H 'X-Key: KEY' http://h:1/a\n";
        assert!(to_be_made.contains(commands), "{to_be_made}");
    }

    #[test]
    fn request_without_a_key_is_one_that_needs_no_credentials() {
        let text = describe(&[get("/a", USES[0]), get("/search", &[])], None);
        assert!(text.ends_with("curl http://h:1/docs\n\n"), "{text}");
        let text = describe(&[get("/a", USES[0]), get("/b", &[])], None);
        assert!(text.ends_with("curl http://h:1/b\n\n"), "{text}");
    }
}
