//! Compares security requirements, those at the root and those of operations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::security_schemes::{self, SameSchemes};
use crate::canonical;
use crate::edit::{Edit, take_closest, take_matches_by};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Pair, ROOTS, Tree};

/// The schemes that admit a caller together, each with its required scopes.
type Alternative = BTreeMap<String, BTreeSet<String>>;

/// An alternative and its node.
type ListedAlternative = (Alternative, Id);

/// Alternatives, each of which admits a caller. An empty list admits everybody.
#[derive(Default, Clone)]
struct Requirements {
    list: Vec<ListedAlternative>,
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
    let used: BTreeSet<&String> = old.list.iter().flat_map(|(it, _)| it.keys()).collect();
    for name in used {
        for pair in global.schemes.changed.get(name).into_iter().flatten() {
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
        // By one of the schemes that it requires, as only who sends this can be admitted. Who requires none admits everybody.
        let mut by_scheme: HashMap<Option<&String>, Vec<&Alternative>> = HashMap::new();
        for (required, _) in &self.list {
            let scheme = required.keys().next().map(|it| first(same, it));
            by_scheme.entry(scheme).or_default().push(required);
        }
        let admits = |sent: &&Alternative| {
            let mut by_first: HashMap<&String, Vec<&BTreeSet<String>>> = HashMap::new();
            for (name, scopes) in *sent {
                by_first.entry(first(same, name)).or_default().push(scopes);
            }
            let suffices = |required: &&Alternative| {
                required.iter().all(|(scheme, scopes)| {
                    let mut sent = by_first.get(first(same, scheme)).into_iter().flatten();
                    sent.any(|sent| scopes.is_subset(sent))
                })
            };
            let schemes = by_first.keys().map(|name| Some(*name)).chain([None]);
            let mut required = schemes.filter_map(|it| by_scheme.get(&it)).flatten();
            required.any(suffices)
        };
        self.list.is_empty() || credentials.iter().all(admits)
    }
}

/// The first of the schemes that are the same as a scheme.
fn first<'n>(same: &'n HashMap<String, String>, name: &'n String) -> &'n String {
    same.get(name).unwrap_or(name)
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
    let mut list: Vec<ListedAlternative> = list.collect();
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
    let mut same_schemes: BTreeMap<Vec<&String>, BTreeSet<&Alternative>> = BTreeMap::new();
    for (alternative, _) in old.list.iter().chain(&new.list) {
        let alike = same_schemes
            .entry(alternative.keys().collect())
            .or_default();
        alike.insert(alternative);
    }
    let describe = |alternative: &Alternative| {
        let alike = same_schemes.get(&alternative.keys().collect::<Vec<_>>());
        describe(alternative, alike.is_some_and(|alike| alike.len() > 1))
    };
    let mut removed: Vec<&ListedAlternative> = old.list.iter().collect();
    let mut added: Vec<&ListedAlternative> = new.list.iter().collect();
    let key = |(it, _): &&ListedAlternative| canonical::hash(it);
    take_matches_by((&mut removed, &mut added), (key, key), |(a, _), (b, _)| {
        a == b
    });
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
fn describe(alternative: &Alternative, shows_scopes: bool) -> String {
    if alternative.is_empty() {
        return "nothing".to_owned();
    }
    let schemes = alternative.iter().map(|(scheme, scopes)| {
        if scopes.is_empty() || !shows_scopes {
            return scheme.clone();
        }
        let scopes: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
        format!("{scheme} with {}", scopes.join(", "))
    });
    schemes.collect::<Vec<_>>().join(" and ")
}
