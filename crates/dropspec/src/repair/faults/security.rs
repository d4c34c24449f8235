//! Security requirements whose scheme is not declared, or that are no list, and schemes whose type is one of HTTP.

use dropspec_model::{Kind, Node, ObjectType, Value as Written};
use dropspec_schema::pointer;
use serde_json::{Value, json};

use super::{Mend, Site};

const SCHEMES: &str = "/components/securitySchemes";

/// The requirements of the document or of an operation whose scheme is not declared.
pub(super) fn list_undeclared(site: &Site<'_>) -> Vec<Mend> {
    let has_security = matches!(
        site.kind,
        Kind::DOCUMENT | Kind::Object(ObjectType::Operation)
    );
    let security = site.node.get("security").filter(|_| has_security);
    let Some(security) = security else {
        return Vec::new();
    };
    if let Some(mend) = find_wrong_list(site, security) {
        return vec![mend];
    }
    let at = site.member("security");
    let mut found = Vec::new();
    for (index, node) in security.as_array().into_iter().flatten().enumerate() {
        let at = format!("{at}/{index}");
        for (name, scopes) in node.as_object().into_iter().flatten() {
            let site = Site {
                node,
                at: &at,
                ..*site
            };
            found.extend(find_wrong_requirement(&site, name, &scopes.node));
        }
    }
    found
}

/// A `security` that is no list, or a list of names.
fn find_wrong_list(site: &Site<'_>, security: &Node) -> Option<Mend> {
    let requirement = |node: &Node| match node.as_str() {
        Some(name) => json!({ name: [] }),
        None => node.to_json(),
    };
    let at = site.member("security");
    let mend = site.mend(&at, "`security` must be a list of requirements");
    let meant: Vec<Value> = match &security.value {
        Written::Array(items) if items.iter().any(|it| it.as_str().is_some()) => {
            items.iter().map(requirement).collect()
        }
        Written::Object(_) | Written::String(_) => vec![requirement(security)],
        Written::Null
            if site
                .document
                .pointer("/security")
                .is_none_or(|it| it == security) =>
        {
            return Some(mend.by("It says nothing.", vec![site.remove(&at)]));
        }
        Written::Null => {
            let mend = mend.or("that of the document holds", vec![site.remove(&at)]);
            let public = site.replace("security", json!([]));
            return Some(mend.or("everybody may send requests", public));
        }
        _ => return None,
    };
    Some(mend.by(
        "This says the same.",
        site.replace("security", json!(meant)),
    ))
}

/// A type of security scheme that is a scheme of HTTP.
pub(super) fn find_scheme_of_http(site: &Site<'_>) -> Option<Mend> {
    let is_scheme = site.kind == Kind::Object(ObjectType::SecurityScheme);
    let written = site.text("type").filter(|_| is_scheme)?;
    let scheme = written.trim().to_lowercase();
    if !["basic", "bearer"].contains(&scheme.as_str()) || site.node.get("scheme").is_some() {
        return None;
    }
    let message = format!("`{written}` is not a type of security scheme");
    let update = site.update(site.at, json!({ "type": "http", "scheme": scheme }));
    let mend = site.mend(&site.member("type"), message);
    Some(mend.by("It is a scheme of HTTP.", vec![update]))
}

/// Where a scheme is declared that is not in its place, such as `securityDefinitions` of Swagger 2.0.
fn find_declared_elsewhere(site: &Site<'_>, name: &str) -> Option<String> {
    let sections = ["", "/components"].into_iter().flat_map(|object| {
        let keys = site.keys(object).into_iter();
        let keys = keys.filter(|key| key.to_lowercase().starts_with("security"));
        keys.map(move |key| pointer::join(&pointer::join(object, key), name))
    });
    let is_scheme = |at: &String| {
        site.document
            .pointer(at)
            .is_some_and(|it| it.get("type").is_some())
    };
    sections.into_iter().find(is_scheme)
}

fn find_wrong_requirement(site: &Site<'_>, name: &str, scopes: &Node) -> Option<Mend> {
    let at = site.member(name);
    if scopes.as_array().is_none() {
        let mend = site.mend(&at, format!("`{name}` must be a list of scopes"));
        let scopes: Vec<&str> = scopes.as_str().into_iter().collect();
        return Some(mend.by("This says the same.", site.replace(name, json!(scopes))));
    }
    if site.keys(SCHEMES).contains(&name) {
        return None;
    }
    let mend = site.mend(&at, format!("the security scheme `{name}` is not declared"));
    let rename = |meant: &str| {
        let update = site.update(site.at, json!({ meant: scopes.to_json() }));
        vec![update, site.remove(&at)]
    };
    if let Some(from) = find_declared_elsewhere(site, name) {
        let place = pointer::join(SCHEMES, name);
        let copy = site.copy(&from, "", &place).into();
        return Some(mend.by(format!("It is declared in `{from}`."), copy));
    }
    // Some write a reference to it.
    let last = name.rsplit('/').next().unwrap_or(name);
    if let Some(same) = site.find_same_letters(SCHEMES, last) {
        return Some(mend.by(format!("Only `{same}` has these letters."), rename(&same)));
    }
    let mend = match site.find_similar(SCHEMES, name) {
        Some(other) => mend.or(format!("`{other}` is meant"), rename(&other)),
        None => mend,
    };
    let lower = name.to_lowercase();
    // A name such as `X-Api-Key` is that of the header.
    let header = if lower.starts_with("x-") {
        name
    } else {
        "X-API-Key"
    };
    let token = json!({ "type": "http", "scheme": "bearer" });
    let key = json!({ "type": "apiKey", "in": "header", "name": header });
    let user = json!({ "type": "http", "scheme": "basic" });
    let mut forms = [
        (
            "a token in `Authorization` proves who sends a request".to_owned(),
            token,
        ),
        (
            format!("a key in `{header}` proves who sends a request"),
            key,
        ),
        (
            "a user name and a password prove who sends a request".to_owned(),
            user,
        ),
    ];
    // The form that the name says comes first.
    if lower.contains("basic") {
        forms.rotate_right(1);
    } else if lower.contains("key") || lower.starts_with("x-") {
        forms.swap(0, 1);
    }
    let declare = |scheme: Value| {
        let schemes = json!({ "securitySchemes": { name: scheme } });
        vec![site.update("", json!({ "components": schemes }))]
    };
    let forms = forms.into_iter();
    Some(forms.fold(mend, |mend, (text, scheme)| mend.or(text, declare(scheme))))
}
