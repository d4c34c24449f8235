//! Compares security requirements, those at the root and those of operations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::security_schemes::{self, SameSchemes};
use crate::edit::{Edit, take_closest, take_matches};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Pair, ROOTS, Tree};

/// The schemes that admit a caller together, each with its required scopes.
type Alternative = BTreeMap<String, BTreeSet<String>>;

/// An alternative and its node.
type Entry = (Alternative, Id);

/// Alternatives, each of which admits a caller. An empty list admits everybody.
#[derive(Default, Clone)]
struct Requirements {
    list: Vec<Entry>,
    site: Option<Id>,
}

/// The requirements at the root, for operations without `security`.
pub(super) struct GlobalSecurity {
    old: Requirements,
    new: Requirements,
    /// The first edit of them.
    edit: Option<Edit>,
    schemes: SameSchemes,
}

/// The rules for removed and added requirements, and for removed and added scopes.
type Rules = [[RuleId; 2]; 2];

const GLOBAL: Rules = [
    presence!("api-global-security"),
    presence!("api-global-security-scope"),
];
const OPERATION: Rules = [presence!("api-security"), presence!("api-security-scope")];

/// Compares `security` at the root and the security schemes.
pub(super) fn compare_root(session: &mut Session<'_>) -> GlobalSecurity {
    let schemes = security_schemes::compare(session);
    let old = read(&session.base.tree, Id::ROOT, &HashMap::new()).unwrap_or_default();
    let new = read(&session.revision.tree, Id::ROOT, &schemes.renamed).unwrap_or_default();
    let edit = compare(session, GLOBAL, &old, &new, ROOTS);
    GlobalSecurity {
        old,
        new,
        edit,
        schemes,
    }
}

/// Compares `security` of an operation, and reports if it rejects callers whom it admitted before.
pub(super) fn compare_operation(session: &mut Session<'_>, pair: Pair, global: &GlobalSecurity) {
    let old = read(&session.base.tree, pair.0, &HashMap::new());
    let new = read(&session.revision.tree, pair.1, &global.schemes.renamed);
    let inherits = old.is_none() && new.is_none();
    let old = old.unwrap_or_else(|| global.old.clone());
    // An edit of a scheme reaches the operations that use it.
    for (name, pair) in &global.schemes.changed {
        if old.list.iter().any(|(it, _)| it.contains_key(name)) {
            security_schemes::compare_scheme(session, name, *pair);
        }
    }
    let new = new.unwrap_or_else(|| global.new.clone());
    let edit = if inherits {
        global.edit.clone()
    } else {
        compare(session, OPERATION, &old, &new, pair)
    };
    if let Some(edit) = edit.filter(|_| !new.admits_all_of(&old, &global.schemes.first)) {
        let message = "the operation rejects callers whom it admitted before";
        session.report(rule!("api-security-tightened"), edit, message);
    }
}

impl Requirements {
    /// Whether these requirements admit every caller whom `others` admit, given the schemes that are the same as others.
    fn admits_all_of(&self, others: &Requirements, same: &HashMap<String, String>) -> bool {
        let anyone = Alternative::new();
        let mut credentials: Vec<&Alternative> = others.list.iter().map(|(a, _)| a).collect();
        if credentials.is_empty() {
            credentials.push(&anyone);
        }
        let suffices = |sent: &Alternative, required: &Alternative| {
            required.iter().all(|(scheme, scopes)| {
                let first = |name| same.get(name).unwrap_or(name);
                let mut sent = sent.iter().filter(|(name, _)| first(name) == first(scheme));
                sent.any(|(_, sent)| scopes.is_subset(sent))
            })
        };
        let admits = |sent: &&Alternative| self.list.iter().any(|(a, _)| suffices(sent, a));
        self.list.is_empty() || credentials.iter().all(admits)
    }
}

fn read(tree: &Tree<'_>, id: Id, renamed: &HashMap<String, String>) -> Option<Requirements> {
    let site = tree.get(id, "security")?;
    let list = tree.items(site).iter().map(|item| {
        let schemes = tree.members(*item).map(|(scheme, scopes)| {
            let scopes = tree.items(scopes).iter();
            let scopes = scopes.filter_map(|scope| tree.node(*scope).as_str());
            let name = renamed.get(scheme).map_or(scheme, String::as_str);
            (name.to_owned(), scopes.map(str::to_owned).collect())
        });
        (schemes.collect(), *item)
    });
    let mut list: Vec<Entry> = list.collect();
    // `[{}]` admits everybody, as `[]` does.
    if matches!(&list[..], [(only, _)] if only.is_empty()) {
        list.clear();
    }
    // A second equal alternative admits nobody else.
    let mut seen = BTreeSet::new();
    list.retain(|(alternative, _)| seen.insert(alternative.clone()));
    Some(Requirements {
        list,
        site: Some(site),
    })
}

/// Compares two lists of requirements; returns the first edit.
fn compare(
    session: &mut Session<'_>,
    [rules, scope_rules]: Rules,
    old: &Requirements,
    new: &Requirements,
    holders: Pair,
) -> Option<Edit> {
    let lists = (old.site.unwrap_or(holders.0), new.site.unwrap_or(holders.1));
    let mut first = None;
    let mut report = |rules, edit: Edit, item: &str, subject: String| {
        let edit = edit.item(item);
        first.get_or_insert(edit.clone());
        session.report_presence(rules, edit, &subject);
    };
    let describe = |alternative: &Alternative| {
        let mut all = old.list.iter().chain(&new.list);
        let has_namesakes =
            all.any(|(it, _)| it != alternative && it.keys().eq(alternative.keys()));
        describe(alternative, has_namesakes)
    };
    let mut removed: Vec<&Entry> = old.list.iter().collect();
    let mut added: Vec<&Entry> = new.list.iter().collect();
    take_matches(&mut removed, &mut added, |(a, _), (b, _)| a == b);
    // Of the others, those that differ least from each other in nothing but scopes.
    let pairs = take_closest(&mut removed, &mut added, |(a, _), (b, _)| {
        let scopes = a.values().zip(b.values());
        let distance: usize = scopes.map(|(a, b)| a.symmetric_difference(b).count()).sum();
        a.keys().eq(b.keys()).then_some(distance)
    });
    for ((alternative, site), (other, other_site)) in pairs {
        for ((scheme, scopes), others) in alternative.iter().zip(other.values()) {
            for scope in scopes.symmetric_difference(others) {
                let edit = if scopes.contains(scope) {
                    Edit::removed(*site, *other_site)
                } else {
                    Edit::added(*site, *other_site)
                };
                let subject = format!("the required scope `{scope}` of {scheme}");
                report(scope_rules, edit, scope, subject);
            }
        }
    }
    let removed = removed
        .iter()
        .map(|(it, site)| (it, Edit::removed(*site, lists.1)));
    let added = added
        .iter()
        .map(|(it, site)| (it, Edit::added(lists.0, *site)));
    for (alternative, edit) in removed.chain(added) {
        let name = describe(alternative);
        report(rules, edit, &name, format!("the requirement of {name}"));
    }
    first
}

/// The schemes of an alternative, and its scopes where others with the same schemes require other ones.
fn describe(alternative: &Alternative, has_namesakes: bool) -> String {
    if alternative.is_empty() {
        return "nothing".to_owned();
    }
    let schemes = alternative.iter().map(|(scheme, scopes)| {
        if scopes.is_empty() || !has_namesakes {
            return scheme.clone();
        }
        let scopes: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
        format!("{scheme} with {}", scopes.join(", "))
    });
    schemes.collect::<Vec<_>>().join(" and ")
}
