//! What a new service takes from its document beside the generated code: its plans, and how keys are sent.

use dropspec_model::credential_variables;
use dropspec_schema::SecurityScheme;
use serde_json::Value;

/// The names of the largest and the smallest plan of `x-rate-limits`: for the first key, and for requests without a key.
pub(crate) fn find_plans(document: &Value) -> Option<(&str, &str)> {
    let plans = document.get("x-rate-limits")?.as_object()?;
    let limit = |plan: &Value| plan.get("per-minute").and_then(Value::as_u64);
    let limited = plans.iter();
    let limited = limited.filter_map(|(name, plan)| Some((limit(plan)?, name.as_str())));
    let (_, first) = limited.clone().max_by_key(|(limit, _)| *limit)?;
    let (_, anonymous) = limited.min_by_key(|(limit, _)| *limit)?;
    Some((first, anonymous))
}

/// The lines of a shell that set the credentials of each security scheme that an operation uses, by variables that begin
/// with `prefix`.
pub(super) fn exports(document: &Value, prefix: &str) -> String {
    let operations = document.get("paths").and_then(Value::as_object);
    let operations = operations.into_iter().flat_map(|paths| paths.values());
    let operations = operations.filter_map(Value::as_object).flatten();
    let own = operations.map(|(_, operation)| operation);
    let security = [document].into_iter().chain(own);
    let security = security.filter_map(|it| it.get("security")?.as_array());
    let used = security.flatten().filter_map(Value::as_object);
    let used: Vec<&String> = used.flat_map(|schemes| schemes.keys()).collect();
    let schemes = document.pointer("/components/securitySchemes");
    let schemes = schemes.and_then(Value::as_object).into_iter().flatten();
    let keys = schemes.clone().map(|(id, _)| id.as_str());
    let variables = credential_variables(prefix, keys);
    let lines = schemes.zip(variables);
    let lines = lines.filter(|((id, _), _)| used.contains(id));
    let lines = lines.filter_map(|((_, scheme), variable)| {
        let scheme = dropspec_schema::resolve(document, scheme).unwrap_or(scheme);
        let (value, way) = describe(scheme)?;
        Some(format!("export {variable}='{value}'   # sent as {way}\n"))
    });
    lines.collect()
}

/// What a security scheme makes of an API key: the credentials, and how they are sent; `None` if a request does not show it.
fn describe(scheme: &Value) -> Option<(&'static str, String)> {
    let way = match SecurityScheme::of_definition(scheme)? {
        SecurityScheme::Header(name) => format!("the header `{name}`"),
        SecurityScheme::Query(name) => format!("the query parameter `{name}`"),
        SecurityScheme::Cookie(name) => format!("the cookie `{name}`"),
        SecurityScheme::BASIC => {
            let way = "the user name of HTTP Basic, with any password";
            return Some(("KEY:", way.to_owned()));
        }
        SecurityScheme::Authorization(name) => format!("`Authorization: {name} KEY`"),
    };
    Some(("KEY", way))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plans_are_the_largest_and_the_smallest_of_the_document() {
        let plans = json!({"x-rate-limits": {
            "free": {"per-minute": 60, "per-day": 1000},
            "pro": {"per-minute": 600, "per-day": 9000},
            "own": {"custom": true},
        }});
        assert_eq!(find_plans(&plans), Some(("pro", "free")));
        assert_eq!(find_plans(&json!({})), None);
    }

    #[test]
    fn keys_are_sent_as_the_schemes_that_are_used_say() {
        let document = json!({
            "security": [{"header": []}, {"oauth": [], "query": []}],
            "paths": {"/a": {"get": {"security": [{"basic": []}, {"bearer": []}, {"other": []}]}}},
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
        let expected = "export A_HEADER='KEY'   # sent as the header `X-Key`
export A_QUERY='KEY'   # sent as the query parameter `key`
export A_BEARER='KEY'   # sent as `Authorization: Bearer KEY`
export A_BASIC='KEY:'   # sent as the user name of HTTP Basic, with any password
export A_OTHER='KEY'   # sent as `Authorization: Token KEY`
export A_OAUTH='KEY'   # sent as `Authorization: Bearer KEY`
";
        assert_eq!(exports(&document, "A"), expected);
    }
}
