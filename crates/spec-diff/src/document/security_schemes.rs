//! Compares the security schemes: API keys, HTTP authentication, OpenID Connect, OAuth flows.

use std::collections::{BTreeMap, HashMap};

use super::fields::FieldKind::{Any, Object, Text};
use super::fields::Known;
use crate::canonical;
use crate::edit::{Edit, EditKind, outer_join};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares `components/securitySchemes`; returns the new names of renamed schemes, with the old ones.
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
    let text = |tree: &Tree<'_>, id: Id| canonical::to_text(tree.node(id));
    let mut renamed = HashMap::new();
    for (name, id) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let own = text(&session.base.tree, *id);
        let same = new.iter().find(|(other, other_id)| {
            text(&session.revision.tree, **other_id) == own
                && !old.contains_key(*other)
                && !renamed.contains_key(*other)
        });
        renamed.extend(same.map(|(other, _)| (other.clone(), name.clone())));
    }
    let lists = session.component_lists("securitySchemes");
    let rules = presence!("api-security-component");
    for (name, base, revision) in outer_join(&old, &new) {
        let subject = format!("the security scheme `{name}`");
        let edit = Edit::between(base, revision, lists);
        if edit.kind == EditKind::Changed {
            compare_scheme(session, &subject, edit.base, edit.revision);
        } else if !renamed.contains_key(name) && !renamed.values().any(|old| old == name) {
            session.report_presence(rules, edit, &subject);
        }
    }
    renamed
}

/// Reports that a field changed.
fn report_field(
    session: &mut Session<'_>,
    rule: RuleId,
    (base, revision): (Id, Id),
    key: &str,
    subject: &str,
) {
    let edit = session.keyword_edit(base, revision, &[key]);
    session.report(rule, edit, format!("{subject}: `{key}` changed"));
}

fn compare_scheme(session: &mut Session<'_>, subject: &str, base: Id, revision: Id) {
    let text = |tree: &Tree<'_>, id, key: &str| {
        let value = tree.get(id, key);
        value.map(|id| canonical::to_text(tree.node(id)))
    };
    let differs = |session: &Session<'_>, key: &str| {
        text(&session.base.tree, base, key) != text(&session.revision.tree, revision, key)
    };
    let nodes = (base, revision);
    if differs(session, "type") {
        // A scheme of another type has other fields. This is one edit, and it locks out all users of the scheme.
        for rule in [
            rule!("api-security-component-type-changed"),
            rule!("api-security-component-changed"),
        ] {
            report_field(session, rule, nodes, "type", subject);
        }
    } else {
        let changed = rule!("api-security-component-changed");
        for (key, rule) in [
            ("name", changed),
            ("in", changed),
            ("scheme", changed),
            ("openIdConnectUrl", changed),
            ("bearerFormat", rule!("documentation-changed")),
        ] {
            if differs(session, key) {
                report_field(session, rule, nodes, key, subject);
            }
        }
        compare_flows(session, subject, base, revision);
    }
    let known: Known<'_> = &[
        (
            Any,
            &[
                "type",
                "name",
                "in",
                "scheme",
                "openIdConnectUrl",
                "bearerFormat",
            ],
        ),
        (Object, &["flows"]),
    ];
    session.compare_other_fields(base, revision, known);
}

fn compare_flows(session: &mut Session<'_>, subject: &str, base: Id, revision: Id) {
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let old = old.entries(old.get(base, "flows"));
    let new = new.entries(new.get(revision, "flows"));
    if !old.keys().eq(new.keys()) {
        let rule = rule!("api-security-component-oauth-flow-changed");
        report_field(session, rule, (base, revision), "flows", subject);
    }
    let token_url = rule!("api-security-component-oauth-token-url-changed");
    let urls = [
        (
            "authorizationUrl",
            rule!("api-security-component-oauth-url-changed"),
        ),
        ("tokenUrl", token_url),
        ("refreshUrl", token_url),
    ];
    for (_, base, revision) in outer_join(&old, &new) {
        let (Some(base), Some(revision)) = (base, revision) else {
            continue;
        };
        for (key, rule) in urls {
            if session.base.tree.text(base, key) != session.revision.tree.text(revision, key) {
                report_field(session, rule, (base, revision), key, subject);
            }
        }
        compare_scopes(session, subject, base, revision);
        let known: Known<'_> = &[
            (Text, &["authorizationUrl", "tokenUrl", "refreshUrl"]),
            (Object, &["scopes"]),
        ];
        session.compare_other_fields(base, revision, known);
    }
}

fn compare_scopes(session: &mut Session<'_>, subject: &str, base: Id, revision: Id) {
    let (old, new) = (&session.base.tree, &session.revision.tree);
    let old = old.entries(old.get(base, "scopes"));
    let new = new.entries(new.get(revision, "scopes"));
    let rules = presence!("api-security-component-oauth-scope");
    for (scope, a, b) in outer_join(&old, &new) {
        let subject = format!("the scope `{scope}` of {subject}");
        let edit = Edit::between(a, b, (base, revision));
        if edit.kind != EditKind::Changed {
            session.report_presence(rules, edit, &subject);
            continue;
        }
        let was = canonical::to_text(session.base.tree.node(edit.base));
        if was != canonical::to_text(session.revision.tree.node(edit.revision)) {
            let rule = rule!("api-security-component-oauth-scope-changed");
            session.report(rule, edit, format!("the description of {subject} changed"));
        }
    }
}
