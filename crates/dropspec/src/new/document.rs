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
    /// The request header with the API key.
    pub(super) key_header: String,
}

impl Facts {
    /// Reads the facts of a document for the service `name`.
    pub(super) fn read(document: &Value, name: &str) -> Facts {
        let title = document.pointer("/info/title").and_then(Value::as_str);
        let mark: String = name.chars().filter(char::is_ascii_alphanumeric).collect();
        let (key_header, scheme) = find_key_header(document);
        Facts {
            title: title.unwrap_or(name).to_owned(),
            plans: find_plans(document),
            key_mark: format!("{scheme}{mark}_"),
            key_header,
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

/// The header that the document's first scheme of API keys or bearer tokens uses, and what precedes the key in it.
fn find_key_header(document: &Value) -> (String, &'static str) {
    let schemes = document.pointer("/components/securitySchemes");
    let schemes = schemes.and_then(Value::as_object);
    let found = schemes.into_iter().flatten().find_map(|(_, scheme)| {
        let text = |key: &str| scheme.get(key).and_then(Value::as_str).unwrap_or_default();
        match (text("type"), text("in"), text("scheme")) {
            ("apiKey", "header", _) => Some((text("name").to_owned(), "")),
            ("http", _, scheme) if scheme.eq_ignore_ascii_case("bearer") => {
                Some(("Authorization".to_owned(), "Bearer "))
            }
            ("oauth2" | "openIdConnect", ..) => Some(("Authorization".to_owned(), "Bearer ")),
            _ => None,
        }
    });
    found.unwrap_or_else(|| ("X-API-Key".to_owned(), ""))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn document_without_extensions_has_own_plans_and_the_usual_header() {
        let facts = Facts::read(&json!({"info": {"title": "Books"}}), "book-store");
        assert_eq!(facts.plans, None);
        assert_eq!(facts.title, "Books");
        assert_eq!(facts.key_mark, "bookstore_");
        assert_eq!(facts.key_header, "X-API-Key");
    }

    #[test]
    fn plans_and_headers_are_those_of_the_document() {
        let plans = json!({"x-rate-limits": {
            "free": {"per-minute": 60, "per-day": 1000},
            "pro": {"per-minute": 600, "per-day": 9000},
            "own": {"custom": true},
        }});
        let facts = Facts::read(&plans, "a");
        assert_eq!(facts.plans, Some(("pro".to_owned(), "free".to_owned())));
        for (scheme, header, mark) in [
            (
                json!({"type": "apiKey", "in": "header", "name": "X-Key"}),
                "X-Key",
                "a_",
            ),
            (
                json!({"type": "http", "scheme": "Bearer"}),
                "Authorization",
                "Bearer a_",
            ),
            (
                json!({"type": "apiKey", "in": "query", "name": "key"}),
                "X-API-Key",
                "a_",
            ),
        ] {
            let document = json!({"components": {"securitySchemes": {"s": scheme}}});
            let facts = Facts::read(&document, "a");
            assert_eq!(
                (facts.key_header.as_str(), facts.key_mark.as_str()),
                (header, mark)
            );
        }
    }
}
