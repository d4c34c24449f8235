//! Compares the security schemes: what a key, a token or an OAuth flow is.

use std::collections::{BTreeMap, HashMap};

use super::operations::keyword_edit;
use super::remainder::Expected;
use crate::canonical;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// Compares `components/securitySchemes`; schemes that are the same by another name are handed back.
pub(crate) fn compare(session: &mut Session<'_>) -> HashMap<String, String> {
    let read = |tree: &Tree<'_>| -> BTreeMap<String, Id> {
        let schemes = tree.entries(tree.components("securitySchemes"));
        schemes
            .into_iter()
            .map(|(name, id)| (name.to_owned(), tree.resolve(id)))
            .collect()
    };
    let old = read(&session.base.tree);
    let new = read(&session.revision.tree);
    let mut renamed = HashMap::new();
    for (name, id) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let text = canonical::text(session.base.tree.node(*id));
        let twin = new.iter().find(|(other, other_id)| {
            let same = canonical::text(session.revision.tree.node(**other_id)) == text;
            same && !old.contains_key(*other) && !renamed.contains_key(*other)
        });
        if let Some((other, _)) = twin {
            renamed.insert(other.clone(), name.clone());
        }
    }
    let lists = session.component_lists("securitySchemes");
    for (name, id) in &old {
        match new.get(name) {
            Some(other) => scheme(session, name, *id, *other),
            None if renamed.values().any(|old| old == name) => {}
            None => {
                let message = format!("the security scheme `{name}` is gone");
                let edit = Edit::removed(*id, lists.1);
                session.report("api-security-component-removed", edit, message);
            }
        }
    }
    for (name, id) in &new {
        if !old.contains_key(name) && !renamed.contains_key(name) {
            let message = format!("the security scheme `{name}` is new");
            let edit = Edit::added(lists.0, *id);
            session.report("api-security-component-added", edit, message);
        }
    }
    renamed
}

fn scheme(session: &mut Session<'_>, name: &str, base: Id, revision: Id) {
    let text =
        |tree: &Tree<'_>, id, key: &str| tree.get(id, key).map(|id| canonical::text(tree.node(id)));
    let differs = |session: &Session<'_>, key: &str| {
        text(&session.base.tree, base, key) != text(&session.revision.tree, revision, key)
    };
    if differs(session, "type") {
        // A scheme of another type has other fields. That is one edit, and it locks out whoever used the scheme.
        let edit = keyword_edit(session, base, revision, &["type"]);
        let message = format!("the security scheme `{name}` is of another type");
        for rule in [
            "api-security-component-type-changed",
            "api-security-component-changed",
        ] {
            session.report(rule, edit.clone(), message.clone());
        }
    } else {
        used_otherwise(session, name, base, revision, differs);
        flows(session, name, base, revision);
    }
    session.remainder(
        base,
        revision,
        &[
            ("type", Expected::Any),
            ("name", Expected::Any),
            ("in", Expected::Any),
            ("scheme", Expected::Any),
            ("openIdConnectUrl", Expected::Any),
            ("bearerFormat", Expected::Any),
            ("flows", Expected::Object),
        ],
    );
}

/// Where a key stands, how a token is sent.
fn used_otherwise(
    session: &mut Session<'_>,
    name: &str,
    base: Id,
    revision: Id,
    differs: impl Fn(&Session<'_>, &str) -> bool,
) {
    for key in ["name", "in", "scheme", "openIdConnectUrl"] {
        if differs(session, key) {
            let edit = keyword_edit(session, base, revision, &[key]);
            let message = format!("the security scheme `{name}`: `{key}` changed");
            session.report("api-security-component-changed", edit, message);
        }
    }
    if differs(session, "bearerFormat") {
        let edit = keyword_edit(session, base, revision, &["bearerFormat"]);
        let message = format!("the security scheme `{name}`: `bearerFormat` changed");
        session.report("documentation-changed", edit, message);
    }
}

fn flows(session: &mut Session<'_>, name: &str, base: Id, revision: Id) {
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let old = old.entries(old.get(base, "flows"));
    let new = new.entries(new.get(revision, "flows"));
    if !old.keys().eq(new.keys()) {
        let edit = keyword_edit(session, base, revision, &["flows"]);
        let message = format!("the security scheme `{name}` offers other flows");
        session.report("api-security-component-oauth-flow-changed", edit, message);
    }
    for (kind, base) in &old {
        let Some(revision) = new.get(kind) else {
            continue;
        };
        let (base, revision) = (*base, *revision);
        let urls = [
            ("authorizationUrl", "oauth-url"),
            ("tokenUrl", "oauth-token-url"),
            ("refreshUrl", "oauth-token-url"),
        ];
        for (key, end) in urls {
            if session.base.tree.text(base, key) != session.revision.tree.text(revision, key) {
                let edit = keyword_edit(session, base, revision, &[key]);
                let message = format!("the security scheme `{name}`: `{key}` changed");
                session.report(
                    &format!("api-security-component-{end}-changed"),
                    edit,
                    message,
                );
            }
        }
        scopes(session, name, base, revision);
        session.remainder(
            base,
            revision,
            &[
                ("authorizationUrl", Expected::Text),
                ("tokenUrl", Expected::Text),
                ("refreshUrl", Expected::Text),
                ("scopes", Expected::Object),
            ],
        );
    }
}

fn scopes(session: &mut Session<'_>, name: &str, base: Id, revision: Id) {
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let old = old.entries(old.get(base, "scopes"));
    let new = new.entries(new.get(revision, "scopes"));
    for (scope, id) in &old {
        let (end, edit) = match new.get(scope) {
            None => ("removed", Edit::removed(*id, revision)),
            Some(other) => {
                let text = canonical::text(session.base.tree.node(*id));
                if text == canonical::text(session.revision.tree.node(*other)) {
                    continue;
                }
                ("changed", Edit::changed(*id, *other))
            }
        };
        let message = format!("the security scheme `{name}`: the scope `{scope}` was {end}");
        session.report(
            &format!("api-security-component-oauth-scope-{end}"),
            edit,
            message,
        );
    }
    for (scope, id) in new.iter().filter(|(scope, _)| !old.contains_key(*scope)) {
        let message = format!("the security scheme `{name}`: the scope `{scope}` was added");
        let edit = Edit::added(base, *id);
        session.report("api-security-component-oauth-scope-added", edit, message);
    }
}
