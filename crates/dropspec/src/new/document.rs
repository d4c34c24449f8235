//! What a new service takes from its document beside the generated code: its title, plans and keys.

use serde_json::Value;

/// The facts of a document that a new service is configured by.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Facts {
    /// The title of the document.
    pub(super) title: String,
    /// The names of the plans of `x-rate-limits` for the first key and for requests without a key; `None` without plans.
    pub(super) plans: Option<(String, String)>,
    /// The first characters of API keys.
    pub(super) key_mark: String,
    /// A sentence that says how keys are sent.
    pub(super) keys: String,
    /// All security schemes of the document.
    pub(super) schemes: Vec<Scheme>,
}

/// A security scheme.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Scheme {
    /// The name in the document.
    pub(super) name: String,
    /// How a key is sent by it; `None` if no operation uses it.
    pub(super) way: Option<String>,
    /// Whether it takes user and password.
    pub(super) is_basic: bool,
}

impl Facts {
    /// Reads the facts of a document for the service `name`.
    pub(super) fn read(document: &Value, name: &str) -> Facts {
        let title = document.pointer("/info/title").and_then(Value::as_str);
        let letters = name.chars().filter(char::is_ascii_alphanumeric);
        let mark: String = letters.take(MARK_LENGTH).collect();
        let schemes = read_schemes(document);
        Facts {
            title: title.unwrap_or(name).to_owned(),
            plans: find_plans(document),
            key_mark: format!("{mark}_"),
            keys: describe_keys(&schemes),
            schemes,
        }
    }
}

/// The largest and the smallest plan that has limits.
fn find_plans(document: &Value) -> Option<(String, String)> {
    let plans = document.get("x-rate-limits")?.as_object()?;
    let limit = |plan: &Value| plan.get("per-minute").and_then(Value::as_u64);
    let limited = plans
        .iter()
        .filter_map(|(name, plan)| Some((limit(plan)?, name)));
    let (_, first) = limited.clone().max_by_key(|(limit, _)| *limit)?;
    let (_, anonymous) = limited.min_by_key(|(limit, _)| *limit)?;
    Some((first.clone(), anonymous.clone()))
}

/// The largest number of letters of a service's name in its keys.
const MARK_LENGTH: usize = 12;

/// Reads the security schemes of a document.
fn read_schemes(document: &Value) -> Vec<Scheme> {
    let root = document.get("security").into_iter();
    let operations = document.get("paths").and_then(Value::as_object);
    let operations = operations.into_iter().flat_map(|paths| paths.values());
    let operations = operations.filter_map(Value::as_object).flatten();
    let own = operations.filter_map(|(_, operation)| operation.get("security"));
    let used: Vec<&String> = root
        .chain(own)
        .filter_map(Value::as_array)
        .flatten()
        .filter_map(Value::as_object)
        .flat_map(|schemes| schemes.keys())
        .collect();
    let schemes = document.pointer("/components/securitySchemes");
    let schemes = schemes.and_then(Value::as_object).into_iter().flatten();
    let read = schemes.map(|(id, scheme)| {
        let scheme = spec_schema::resolve(document, scheme).unwrap_or(scheme);
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        let (name, authentication) = (text("name"), text("scheme"));
        let way = match (text("type"), text("in")) {
            ("apiKey", "query") => format!("the query parameter `{name}`"),
            ("apiKey", "cookie") => format!("the cookie `{name}`"),
            ("apiKey", _) => format!("the header `{name}`"),
            ("http", _) if authentication.eq_ignore_ascii_case("basic") => {
                "the user name of HTTP Basic, with any password".to_owned()
            }
            ("http", _) if !authentication.eq_ignore_ascii_case("bearer") => {
                format!("`Authorization: {authentication} KEY`")
            }
            _ => "`Authorization: Bearer KEY`".to_owned(),
        };
        Scheme {
            name: id.clone(),
            way: used.contains(&id).then_some(way),
            is_basic: authentication.eq_ignore_ascii_case("basic"),
        }
    });
    read.collect()
}

/// How a key is sent by the security schemes that the document uses, as a sentence. Where a scheme needs user and password,
/// the user is the key.
fn describe_keys(schemes: &[Scheme]) -> String {
    let mut ways: Vec<&str> = Vec::new();
    for way in schemes.iter().filter_map(|scheme| scheme.way.as_deref()) {
        if !ways.contains(&way) {
            ways.push(way);
        }
    }
    if ways.is_empty() {
        "No operation of the document requires a key: it has no `security`.".to_owned()
    } else {
        format!(
            "As the document's security schemes say, a key is sent as {}. Where an operation requires several schemes at once, the \
             same key is sent by each.",
            ways.join(", or as ")
        )
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;

    #[test]
    fn document_without_extensions_has_own_plans_and_no_keys() {
        let facts = Facts::read(&json!({"info": {"title": "Books"}}), "book-store");
        assert_eq!(facts.plans, None);
        assert_eq!(facts.title, "Books");
        assert_eq!(facts.key_mark, "bookstore_");
        assert!(facts.keys.starts_with("No operation"), "{}", facts.keys);
        let long = Facts::read(&json!({}), "a-very-long-name-of-a-service");
        assert_eq!(long.key_mark, "averylongnam_");
    }

    #[test]
    fn plans_are_those_of_the_document() {
        let plans = json!({"x-rate-limits": {
            "free": {"per-minute": 60, "per-day": 1000},
            "pro": {"per-minute": 600, "per-day": 9000},
            "own": {"custom": true},
        }});
        let facts = Facts::read(&plans, "a");
        assert_eq!(facts.plans, Some(("pro".to_owned(), "free".to_owned())));
    }

    #[test]
    fn keys_are_sent_as_the_schemes_that_are_used_say() {
        let ways = |security| {
            let document = json!({
                "paths": {"/a": {"get": {"security": security}}},
                "components": {"securitySchemes": {
                    "header": {"type": "apiKey", "in": "header", "name": "X-Key"},
                    "query": {"type": "apiKey", "in": "query", "name": "key"},
                    "cookie": {"type": "apiKey", "in": "cookie", "name": "sid"},
                    "bearer": {"type": "http", "scheme": "Bearer"},
                    "basic": {"type": "http", "scheme": "basic"},
                    "other": {"type": "http", "scheme": "Token"},
                    "oauth": {"type": "oauth2", "flows": {}},
                }},
            });
            let text = Facts::read(&document, "a").keys;
            let (_, ways) = text.split_once("is sent as ").unwrap();
            let (ways, _) = ways.split_once(" Where an operation").unwrap();
            ways.to_owned()
        };
        for (name, expected) in [
            ("header", "the header `X-Key`."),
            ("query", "the query parameter `key`."),
            ("cookie", "the cookie `sid`."),
            ("bearer", "`Authorization: Bearer KEY`."),
            ("basic", "the user name of HTTP Basic, with any password."),
            ("other", "`Authorization: Token KEY`."),
            ("oauth", "`Authorization: Bearer KEY`."),
        ] {
            assert_eq!(ways(json!([{ name: [] }])), expected);
        }
        assert_eq!(
            ways(json!([{"header": []}, {"oauth": [], "bearer": []}])),
            "the header `X-Key`, or as `Authorization: Bearer KEY`."
        );
    }
}
