//! Compares the security schemes: API keys, HTTP authentication, OpenID Connect, OAuth flows.

use std::collections::{BTreeMap, HashMap};

use super::pairs::{Pair, ROOTS, pair_up};
use crate::canonical;
use crate::edit::EditKind;
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

/// Compares `components/securitySchemes`; returns the new names of renamed schemes, with the old ones.
pub(crate) fn compare(session: &mut Session<'_>) -> HashMap<String, String> {
    let schemes = session.both(ROOTS, |tree, _| -> BTreeMap<String, Id> {
        let schemes = tree.entries(tree.components("securitySchemes"));
        let schemes = schemes.into_iter();
        schemes
            .map(|(name, id)| (name.to_owned(), tree.resolve(id)))
            .collect()
    });
    let (old, new) = &schemes;
    let mut renamed = HashMap::new();
    for (name, id) in old.iter().filter(|(name, _)| !new.contains_key(*name)) {
        let same = new.iter().find(|(other, other_id)| {
            !session.texts_differ((*id, **other_id))
                && !old.contains_key(*other)
                && !renamed.contains_key(*other)
        });
        renamed.extend(same.map(|(other, _)| (other.clone(), name.clone())));
    }
    for scheme in pair_up(session.component_lists("securitySchemes"), schemes) {
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

/// Reports that a field changed.
fn report_field(
    session: &mut Session<'_>,
    rule: RuleId,
    (base, revision): Pair,
    key: &str,
    subject: &str,
) {
    let edit = session.keyword_edit(base, revision, &[key]);
    session.report(rule, edit, format!("{subject}: `{key}` changed"));
}

/// Reports each of these fields that changed.
fn compare_fields(session: &mut Session<'_>, pair: Pair, subject: &str, fields: &[(&str, RuleId)]) {
    for (key, rule) in fields {
        let text = |tree: &Tree<'_>, id| Some(canonical::to_text(tree.node(tree.get(id, key)?)));
        let (old, new) = session.both(pair, text);
        if old != new {
            report_field(session, *rule, pair, key, subject);
        }
    }
}

fn compare_scheme(session: &mut Session<'_>, subject: &str, pair: Pair) {
    let changed = rule!("api-security-component-changed");
    let (old, new) = session.both(pair, |tree, id| tree.text(id, "type"));
    if old != new {
        // A scheme of another type has other fields. This is one edit, and it locks out all users of the scheme.
        for rule in [rule!("api-security-component-type-changed"), changed] {
            report_field(session, rule, pair, "type", subject);
        }
    } else {
        let fields = [
            ("name", changed),
            ("in", changed),
            ("scheme", changed),
            ("openIdConnectUrl", changed),
            ("bearerFormat", rule!("documentation-changed")),
        ];
        compare_fields(session, pair, subject, &fields);
        compare_flows(session, subject, pair);
    }
    let mut known = vec!["type", "name", "in", "scheme", "flows"];
    known.extend(["openIdConnectUrl", "bearerFormat"]);
    session.compare_other_fields(pair.0, pair.1, &known);
}

fn compare_flows(session: &mut Session<'_>, subject: &str, pair: Pair) {
    let flows = session.members(pair, "flows");
    if flows.iter().any(|flow| flow.edit.kind != EditKind::Changed) {
        let rule = rule!("api-security-component-oauth-flow-changed");
        report_field(session, rule, pair, "flows", subject);
    }
    let url = rule!("api-security-component-oauth-url-changed");
    let token_url = rule!("api-security-component-oauth-token-url-changed");
    let urls = [
        ("authorizationUrl", url),
        ("tokenUrl", token_url),
        ("refreshUrl", token_url),
    ];
    for pair in flows.iter().filter_map(|flow| flow.pair()) {
        compare_fields(session, pair, subject, &urls);
        compare_scopes(session, subject, pair);
        let known = ["authorizationUrl", "tokenUrl", "refreshUrl", "scopes"];
        session.compare_other_fields(pair.0, pair.1, &known);
    }
}

fn compare_scopes(session: &mut Session<'_>, subject: &str, pair: Pair) {
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
