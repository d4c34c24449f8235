//! Security requirements whose scheme is not declared.

use dropspec_model::{Kind, Node, ObjectType};
use serde_json::{Value, json};

use super::fields::same_letters;
use super::{Mend, Site};

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

fn find_wrong_requirement(site: &Site<'_>, name: &str, scopes: &Node) -> Option<Mend> {
    let at = site.member(name);
    if scopes.as_array().is_none() {
        let mend = site.mend(&at, format!("`{name}` must be a list of scopes"));
        return Some(mend.by("It lists none.", site.replace(name, json!([]))));
    }
    let declared = site.keys("/components/securitySchemes");
    if declared.contains(&name) {
        return None;
    }
    let mend = site.mend(&at, format!("the security scheme `{name}` is not declared"));
    if let Some(same) = same_letters(name, &declared) {
        let text = format!("Only `{same}` has these letters.");
        let rename = [
            site.update(site.at, json!({ same: scopes.to_json() })),
            site.remove(&at),
        ];
        return Some(mend.by(text, rename.into()));
    }
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
