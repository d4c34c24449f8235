//! Compares the security schemes: API keys, HTTP authentication, OpenID Connect, OAuth flows.

use std::collections::HashMap;

use super::pairs::{FieldComparison, pair_up};
use crate::edit::EditKind;
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Pair, ROOTS};

const CHANGED: RuleId = rule!("api-security-component-changed");
const URL: RuleId = rule!("api-security-component-oauth-url-changed");
const TOKEN_URL: RuleId = rule!("api-security-component-oauth-token-url-changed");

/// The fields of a scheme.
const SCHEME: [(&str, FieldComparison<'_>); 9] = [
    ("type", FieldComparison::Elsewhere),
    ("flows", FieldComparison::Elsewhere),
    ("name", FieldComparison::Value(CHANGED)),
    ("in", FieldComparison::Value(CHANGED)),
    ("scheme", FieldComparison::Value(CHANGED)),
    ("openIdConnectUrl", FieldComparison::Value(CHANGED)),
    ("oauth2MetadataUrl", FieldComparison::Value(CHANGED)),
    (
        "deprecated",
        FieldComparison::Value(rule!("documentation-changed")),
    ),
    (
        "bearerFormat",
        FieldComparison::Value(rule!("documentation-changed")),
    ),
];

const FLOW: [(&str, FieldComparison<'_>); 5] = [
    ("scopes", FieldComparison::Elsewhere),
    ("authorizationUrl", FieldComparison::Value(URL)),
    ("deviceAuthorizationUrl", FieldComparison::Value(URL)),
    ("tokenUrl", FieldComparison::Value(TOKEN_URL)),
    ("refreshUrl", FieldComparison::Value(TOKEN_URL)),
];

/// Compares `components/securitySchemes`; returns the new names of renamed schemes, with the old ones.
pub(super) fn compare(session: &mut Session<'_>) -> HashMap<String, String> {
    let (mut old, mut new) = session.both(ROOTS, |tree, _| tree.components_of("securitySchemes"));
    let trees = (&session.base.tree, &session.revision.tree);
    old.values_mut().for_each(|id| *id = trees.0.resolve(*id));
    new.values_mut().for_each(|id| *id = trees.1.resolve(*id));
    let mut renamed = HashMap::new();
    for (name, id) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let same = new.iter().find(|(other, other_id)| {
            !session.texts_differ((*id, **other_id))
                && !old.contains_key(*other)
                && !renamed.contains_key(*other)
        });
        renamed.extend(same.map(|(other, _)| (other.clone(), name.clone())));
    }
    for scheme in pair_up(session.component_lists("securitySchemes"), (old, new)) {
        let name = &scheme.name;
        let subject = format!("the security scheme `{name}`");
        if let Some(pair) = scheme.pair() {
            compare_scheme(session, &subject, pair);
        } else if !renamed.contains_key(name) && !renamed.values().any(|old| old == name) {
            let rules = presence!("api-security-component");
            session.report_presence(rules, scheme.edit, &subject);
        }
    }
    renamed
}

fn compare_scheme(session: &mut Session<'_>, subject: &str, pair: Pair) {
    let (old, new) = session.both(pair, |tree, id| tree.text(id, "type"));
    if old == new {
        compare_flows(session, subject, pair);
        return session.compare_all_fields(pair, subject, &SCHEME);
    }
    // A scheme of another type has other fields. This is one edit, and it locks out all users of the scheme.
    for rule in [rule!("api-security-component-type-changed"), CHANGED] {
        let message = format!("{subject}: `type` changed");
        session.report_keyword(rule, pair, "type", message);
    }
    let fields = SCHEME.map(|(key, _)| (key, FieldComparison::Elsewhere));
    session.compare_all_fields(pair, subject, &fields);
}

fn compare_flows(session: &mut Session<'_>, subject: &str, pair: Pair) {
    let flows = session.members(pair, "flows");
    if flows.iter().any(|flow| flow.edit.kind != EditKind::Changed) {
        let rule = rule!("api-security-component-oauth-flow-changed");
        session.report_keyword(rule, pair, "flows", format!("{subject}: `flows` changed"));
    }
    for pair in flows.iter().filter_map(|flow| flow.pair()) {
        session.compare_all_fields(pair, subject, &FLOW);
        for scope in session.members(pair, "scopes") {
            let mut subject = format!("the scope `{}` of {subject}", scope.name);
            if scope.pair().is_some() {
                subject = format!("the description of {subject}");
            }
            let rules = presence!("api-security-component-oauth-scope");
            let changed = rule!("api-security-component-oauth-scope-changed");
            session.report_entry(scope, rules, changed, &subject);
        }
    }
}
