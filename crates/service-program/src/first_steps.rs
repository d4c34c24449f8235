//! What the first start of a program prints: a request that can be sent at once, with its API key if it needs one.

use std::path::Path;

use serde_json::Value;
use spec_runtime::{
    ApiKeyLocation, Document, Interface, Method, OperationInfo, SchemeUse, SecuritySchemeInfo,
    SecuritySchemeKind,
};

/// A page that every service has, for interfaces without a request that is simple enough.
const PAGE: &str = "/docs";

/// Where the first API key is.
#[derive(Clone, Copy, Debug)]
pub(super) enum FirstKey<'k> {
    /// It is this one, and shown here only.
    Shown(&'k str),
    /// In a file.
    InFile(&'k Path),
    /// None was made, as nobody would learn of it. This command makes one.
    ToBeMade(&'k str),
}

/// Describes a first request to the service at `base_url`, with the first API key if one was made.
pub(super) fn describe<I: Interface>(base_url: &str, key: Option<FirstKey<'_>>) -> String {
    let requests = Requests {
        operations: I::operations(),
        schemes: I::security_schemes(),
        document: I::document(),
    };
    requests.describe(base_url, key)
}

/// The operations that an example can be of.
struct Requests<'i> {
    operations: &'i [OperationInfo],
    schemes: &'i [SecuritySchemeInfo],
    document: &'i Document,
}

impl Requests<'_> {
    fn describe(&self, base_url: &str, key: Option<FirstKey<'_>>) -> String {
        let (protected, public): (Vec<_>, Vec<_>) = self
            .operations
            .iter()
            .partition(|operation| !operation.is_public());
        let is_simple = |operation: &&&OperationInfo| self.is_simple(operation);
        let public = public.iter().find(is_simple);
        let public = public.map_or(PAGE, |operation| operation.path);
        let (reason, text) = match key {
            Some(FirstKey::Shown(key)) => (
                "This is the first API key; it is not shown again:".to_owned(),
                key.to_owned(),
            ),
            Some(FirstKey::InFile(file)) => (
                "The first API key is in the file that you named:".to_owned(),
                format!("$(cat {})", quote(&file.to_string_lossy())),
            ),
            Some(FirstKey::ToBeMade(command)) => (
                format!(
                    "There is no API key, as standard output is no terminal. Make one, and put it in the place of KEY:\n\n    {command}"
                ),
                "KEY".to_owned(),
            ),
            None if protected.is_empty() => {
                ("No operation requires credentials:".to_owned(), String::new())
            }
            None => (
                "The service verifies credentials of its own, so that no API key was made. Without credentials:".to_owned(),
                String::new(),
            ),
        };
        let (path, security) = match key {
            Some(_) => {
                let simple = protected.iter().find(is_simple);
                let any = simple.or(protected.first());
                (
                    simple.map_or(PAGE, |operation| operation.path),
                    any.map_or(&[][..], |operation| smallest(operation)),
                )
            }
            None => (public, &[][..]),
        };
        let quote = match key {
            Some(FirstKey::InFile(_)) => quote_with_command,
            _ => quote,
        };
        let schemes = security.iter().map(|of| self.schemes[of.scheme].kind);
        let command = curl(schemes, &text, base_url, path, quote);
        format!("\n{reason}\n\n    {command}\n\n")
    }

    /// Whether an operation can be tried without knowing the document: a GET without required parameters.
    fn is_simple(&self, operation: &OperationInfo) -> bool {
        let pointer = operation.pointer();
        let item = pointer.rsplit_once('/').map_or("", |(item, _)| item);
        let owners = [item, &pointer].map(|at| self.document.find(at));
        let mut parameters = owners
            .into_iter()
            .flatten()
            .filter_map(|owner| owner.get("parameters")?.as_array())
            .flatten();
        let is_required = |parameter: &Value| {
            let parameter = self.document.resolve(parameter).unwrap_or(parameter);
            parameter.get("required") == Some(&Value::Bool(true))
        };
        operation.method == Method::Get && !parameters.any(is_required)
    }
}

/// The alternative of an operation's security with the fewest schemes.
fn smallest(operation: &OperationInfo) -> &'static [SchemeUse] {
    let alternatives = operation.security.iter().copied();
    alternatives.min_by_key(|it| it.len()).unwrap_or_default()
}

/// The command of `curl` for a GET, with a key in the place of each of the schemes. A key has no character that needs to
/// be encoded. `quote` makes words of a shell.
fn curl(
    schemes: impl Iterator<Item = SecuritySchemeKind>,
    key: &str,
    base_url: &str,
    path: &str,
    quote: fn(&str) -> String,
) -> String {
    let mut words = vec!["curl".to_owned()];
    let mut url = format!("{base_url}{path}");
    for scheme in schemes {
        let (option, value) = match scheme {
            SecuritySchemeKind::ApiKey { location, name } => match location {
                ApiKeyLocation::Header => ("-H", format!("{name}: {key}")),
                ApiKeyLocation::Cookie => ("-b", format!("{name}={key}")),
                ApiKeyLocation::Query => {
                    let separator = if url.contains('?') { '&' } else { '?' };
                    let name: String = form_urlencoded::byte_serialize(name.as_bytes()).collect();
                    url.push_str(&format!("{separator}{name}={key}"));
                    continue;
                }
            },
            SecuritySchemeKind::Basic => ("-u", format!("{key}:")),
            kind => {
                let scheme = kind.authentication_scheme().unwrap_or_default();
                ("-H", format!("Authorization: {scheme} {key}"))
            }
        };
        let value = quote(&value);
        if !words.contains(&value) {
            words.extend([option.to_owned(), value]);
        }
    }
    words.push(quote(&url));
    words.join(" ")
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
    use std::sync::LazyLock;

    use super::*;

    static DOCUMENT: LazyLock<Document> = LazyLock::new(|| {
        Document::from_json(
            r##"{"paths": {
                "/search": {"get": {"parameters": [{"$ref": "#/components/parameters/q"}]}},
                "/a(1)": {"get": {"parameters": [{"name": "p", "in": "query"}]}},
                "/both": {"parameters": [], "get": {}},
                "/books/{id}": {"parameters": [{"name": "id", "in": "path", "required": true}], "get": {}}
            }, "components": {"parameters": {"q": {"name": "q", "in": "query", "required": true}}}}"##,
        )
    });
    const SCHEMES: [SecuritySchemeInfo; 6] = [
        key("header", ApiKeyLocation::Header, "X-Key"),
        key("query", ApiKeyLocation::Query, "my key"),
        key("cookie", ApiKeyLocation::Cookie, "sid"),
        scheme("basic", SecuritySchemeKind::Basic),
        scheme("bearer", SecuritySchemeKind::Bearer),
        scheme("oauth", SecuritySchemeKind::OAuth2),
    ];

    const fn scheme(name: &'static str, kind: SecuritySchemeKind) -> SecuritySchemeInfo {
        SecuritySchemeInfo { name, kind }
    }

    const fn key(
        name: &'static str,
        location: ApiKeyLocation,
        wire: &'static str,
    ) -> SecuritySchemeInfo {
        let kind = SecuritySchemeKind::ApiKey {
            location,
            name: wire,
        };
        scheme(name, kind)
    }

    const fn get(path: &'static str, security: &'static [&'static [SchemeUse]]) -> OperationInfo {
        OperationInfo {
            security,
            ..OperationInfo::new(path, Method::Get, path)
        }
    }

    /// The reason and the command of the first request.
    fn describe(operations: &[OperationInfo], key: Option<FirstKey<'_>>) -> (String, String) {
        let requests = Requests {
            operations,
            schemes: &SCHEMES,
            document: &DOCUMENT,
        };
        let text = requests.describe("http://h:1", key);
        let (reason, command) = text.split_once("\n\n    ").unwrap_or_default();
        (reason.trim().to_owned(), command.trim().to_owned())
    }

    const HEADER: SchemeUse = SchemeUse::new(0, &[]);
    const ALL: &[&[SchemeUse]] = &[
        &[HEADER, HEADER, HEADER, HEADER, HEADER, HEADER, HEADER],
        &[
            HEADER,
            SchemeUse::new(1, &[]),
            SchemeUse::new(2, &[]),
            SchemeUse::new(3, &[]),
            SchemeUse::new(4, &[]),
            SchemeUse::new(5, &[]),
        ],
    ];

    #[test]
    fn key_is_sent_by_all_schemes_that_the_operation_requires() {
        let operations = [
            get("/both", &[]),
            get("/search", &[&[HEADER]]),
            get("/a(1)", ALL),
        ];
        let (reason, command) = describe(&operations, Some(FirstKey::Shown("k_1")));
        assert!(reason.starts_with("This is the first API key"), "{reason}");
        assert_eq!(
            command,
            "curl -H 'X-Key: k_1' -b 'sid=k_1' -u k_1: -H 'Authorization: Bearer k_1' 'http://h:1/a(1)?my+key=k_1'"
        );
        let (_, command) = describe(&operations[..2], Some(FirstKey::Shown("k_1")));
        assert_eq!(command, "curl -H 'X-Key: k_1' http://h:1/docs");
        let to_be_made = FirstKey::ToBeMade("books keys create");
        let (reason, commands) = describe(&operations[..2], Some(to_be_made));
        assert!(reason.contains("put it in the place of KEY"), "{reason}");
        assert_eq!(
            commands,
            "books keys create\n\n    curl -H 'X-Key: KEY' http://h:1/docs"
        );
        let file = FirstKey::InFile(Path::new("a key"));
        let (reason, command) = describe(&operations[..2], Some(file));
        assert!(reason.contains("in the file"), "{reason}");
        assert_eq!(command, "curl -H \"X-Key: $(cat 'a key')\" http://h:1/docs");
    }

    #[test]
    fn request_without_a_key_is_one_that_needs_no_credentials() {
        let path = [get("/books/{id}", &[]), get("/search", &[])];
        let (reason, command) = describe(&path, None);
        assert_eq!(reason, "No operation requires credentials:");
        assert_eq!(command, "curl http://h:1/docs");
        let mixed = [get("/a(1)", &[&[HEADER]]), get("/both", &[&[], &[HEADER]])];
        let (reason, command) = describe(&mixed, None);
        assert!(reason.contains("no API key was made"), "{reason}");
        assert_eq!(command, "curl http://h:1/both");
    }
}
