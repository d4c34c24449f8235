//! Compares the security schemes: API keys, HTTP authentication, OpenID Connect, OAuth flows.

use std::collections::{BTreeMap, HashMap, HashSet};

use dropspec_model::Node;
use serde_json::Value;

use super::pairs::{FieldComparison, pair_up};
use crate::canonical;
use crate::edit::EditKind;
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Pair, ROOTS, Tree};

const CHANGED: RuleId = rule!("api-security-component-changed");
const URL: RuleId = rule!("api-security-component-oauth-url-changed");
const TOKEN_URL: RuleId = rule!("api-security-component-oauth-token-url-changed");

const DOCUMENTED: FieldComparison<'_> = FieldComparison::Value(rule!("documentation-changed"));

/// The fields of a scheme.
const SCHEME: [(&str, FieldComparison<'_>); 9] = [
    ("type", FieldComparison::Elsewhere),
    ("flows", FieldComparison::Elsewhere),
    ("name", FieldComparison::Value(CHANGED)),
    ("in", FieldComparison::Value(CHANGED)),
    ("scheme", FieldComparison::Value(CHANGED)),
    ("openIdConnectUrl", FieldComparison::Value(URL)),
    ("oauth2MetadataUrl", FieldComparison::Value(URL)),
    ("deprecated", DOCUMENTED),
    ("bearerFormat", DOCUMENTED),
];

const FLOW: [(&str, FieldComparison<'_>); 5] = [
    ("scopes", FieldComparison::Elsewhere),
    ("authorizationUrl", FieldComparison::Value(URL)),
    ("deviceAuthorizationUrl", FieldComparison::Value(URL)),
    ("tokenUrl", FieldComparison::Value(TOKEN_URL)),
    ("refreshUrl", FieldComparison::Value(TOKEN_URL)),
];

/// The names of the base for schemes by which the same is sent.
#[derive(Default)]
pub(super) struct SameSchemes {
    /// For a scheme that only the revision has.
    pub(super) renamed: HashMap<String, String>,
    /// For a scheme of the base: the first one that is the same.
    pub(super) first: HashMap<String, String>,
    /// Schemes of the base that both documents have and that changed.
    pub(super) changed: BTreeMap<String, Vec<Pair>>,
}

/// Compares `components/securitySchemes`.
pub(super) fn compare(session: &mut Session<'_>) -> SameSchemes {
    let (mut old, mut new) = session.both(ROOTS, |tree, _| tree.components_of("securitySchemes"));
    let trees = (&session.base.tree, &session.revision.tree);
    old.values_mut().for_each(|id| *id = trees.0.resolve(*id));
    new.values_mut().for_each(|id| *id = trees.1.resolve(*id));
    let digest = |tree: &Tree<'_>, id: Id| digest_sent(&tree.node(id).to_json());
    let known = old.iter().map(|(name, id)| (name, digest(trees.0, *id)));
    let known: Vec<(&String, u64)> = known.collect();
    let mut same = SameSchemes::default();
    for (name, sent) in &known {
        let written = |name: &String| {
            trees
                .0
                .node(old[name])
                .get("description")
                .map(Node::to_json)
        };
        // Two that are still declared, and described otherwise, are for other callers.
        let is_same = |other: &String| !new.contains_key(*name) || written(other) == written(name);
        let mut equal = known.iter().filter(|(_, other)| other == sent);
        let first = equal.find(|(other, _)| is_same(other));
        same.first
            .extend(first.map(|(other, _)| ((*name).clone(), (*other).clone())));
    }
    for (name, id) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        let sent = digest(trees.1, *id);
        let equal = || known.iter().filter(|(_, other)| *other == sent);
        // Rather one whose name is gone.
        let gone = equal().find(|(other, _)| !new.contains_key(*other));
        let found = gone.or(equal().next());
        same.renamed
            .extend(found.map(|(other, _)| (name.clone(), (*other).clone())));
    }
    let moved = same
        .renamed
        .iter()
        .filter(|(_, other)| !new.contains_key(*other));
    let moved: Vec<(&String, &String)> = moved.collect();
    let pairs = moved
        .iter()
        .map(|(name, other)| (*other, (old[*other], new[*name])));
    let kept = old
        .iter()
        .filter_map(|(name, id)| Some((name, (*id, *new.get(name)?))));
    let pairs: Vec<(String, Pair)> = pairs
        .chain(kept)
        .map(|(name, pair)| (name.clone(), pair))
        .collect();
    let moved = moved.into_iter().flat_map(|(new, old)| [new, old]);
    let moved: HashSet<String> = moved.cloned().collect();
    for scheme in pair_up(session.component_lists("securitySchemes"), (old, new)) {
        let name = &scheme.name;
        let subject = format!("the security scheme `{name}`");
        if !moved.contains(name) {
            let rules = presence!("api-security-component");
            session.report_presence(rules, scheme.edit, &subject);
        }
    }
    for (name, pair) in pairs {
        compare_scheme(session, &name, pair);
        if session.texts_differ(pair) {
            same.changed.entry(name).or_default().push(pair);
        }
    }
    same
}

/// What decides which credentials requests carry and where they are from.
fn digest_sent(scheme: &Value) -> u64 {
    let mut sent = scheme.clone();
    if let Some(fields) = sent.as_object_mut() {
        fields.retain(|key, _| {
            key != "bearerFormat" && key != "description" && !key.starts_with("x-")
        });
        let name = if fields.get("in").is_some_and(|it| it == "header") {
            "name"
        } else {
            "scheme"
        };
        if let Some(Value::String(text)) = fields.get_mut(name) {
            text.make_ascii_lowercase();
        }
        let flows = fields.get_mut("flows").and_then(Value::as_object_mut);
        for flow in flows.into_iter().flat_map(|flows| flows.values_mut()) {
            // The descriptions of scopes.
            let scopes = flow.get_mut("scopes").and_then(Value::as_object_mut);
            scopes
                .into_iter()
                .flat_map(|it| it.values_mut())
                .for_each(|it| *it = Value::Null);
        }
    }
    canonical::hash(&sent)
}

/// Compares a scheme of this name in the base.
pub(super) fn compare_scheme(session: &mut Session<'_>, name: &str, pair: Pair) {
    let subject = &format!("the security scheme `{name}`");
    let (old, new) = session.both(pair, |tree, id| tree.text(id, "type"));
    if old == new {
        compare_flows(session, subject, pair);
        let (old, new) = session.both(pair, |tree, id| digest_sent(&tree.node(id).to_json()));
        let fields = SCHEME.map(|(key, field)| match field {
            // Only the case of its letters.
            FieldComparison::Value(_) if old == new => (key, DOCUMENTED),
            _ => (key, field),
        });
        return session.compare_all_fields(pair, subject, &fields);
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
