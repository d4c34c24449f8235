//! Compares security requirements, those at the root and those of operations.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::security_schemes;
use crate::edit::{Edit, take_matches};
use crate::rules::{RuleId, presence, rule};
use crate::session::Session;
use crate::tree::{Id, Tree};

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
pub(crate) struct GlobalSecurity {
    old: Requirements,
    new: Requirements,
    /// The first edit of them.
    edit: Option<Edit>,
    /// Schemes of the revision that were renamed, with their names in the base.
    renamed: HashMap<String, String>,
}

/// The rules for removed and added requirements, and for removed and added scopes.
type Rules = [[RuleId; 2]; 2];

const GLOBAL: Rules = [
    presence!("api-global-security"),
    presence!("api-global-security-scope"),
];
const OPERATION: Rules = [presence!("api-security"), presence!("api-security-scope")];

/// Compares `security` at the root and the security schemes.
pub(crate) fn compare_root(session: &mut Session<'_>) -> GlobalSecurity {
    let renamed = security_schemes::compare(session);
    let none = HashMap::new();
    let old = read(&session.base.tree, Id::ROOT, &none).unwrap_or_default();
    let new = read(&session.revision.tree, Id::ROOT, &renamed).unwrap_or_default();
    let edit = compare(session, GLOBAL, &old, &new, (Id::ROOT, Id::ROOT));
    GlobalSecurity {
        old,
        new,
        edit,
        renamed,
    }
}

/// Compares `security` of an operation, and reports if it rejects callers whom it admitted before.
pub(crate) fn compare_operation(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    global: &GlobalSecurity,
) {
    let old = read(&session.base.tree, base, &HashMap::new());
    let new = read(&session.revision.tree, revision, &global.renamed);
    let inherits = old.is_none() && new.is_none();
    let old = old.unwrap_or_else(|| global.old.clone());
    let new = new.unwrap_or_else(|| global.new.clone());
    let edit = if inherits {
        global.edit.clone()
    } else {
        compare(session, OPERATION, &old, &new, (base, revision))
    };
    if let Some(edit) = edit
        && !new.admits_all_of(&old)
    {
        let message = "the operation rejects callers whom it admitted before".to_owned();
        session.report(rule!("api-security-tightened"), edit, message);
    }
}

impl Requirements {
    /// Whether these requirements admit every caller whom `others` admit.
    fn admits_all_of(&self, others: &Requirements) -> bool {
        let anyone = Alternative::new();
        let mut credentials: Vec<&Alternative> = others.list.iter().map(|(a, _)| a).collect();
        if credentials.is_empty() {
            credentials.push(&anyone);
        }
        let suffices = |sent: &Alternative, required: &Alternative| {
            required.iter().all(|(scheme, scopes)| {
                let sent = sent.get(scheme);
                sent.is_some_and(|sent| scopes.is_subset(sent))
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
    if let [(only, _)] = list.as_slice()
        && only.is_empty()
    {
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
    holders: (Id, Id),
) -> Option<Edit> {
    let lists = (old.site.unwrap_or(holders.0), new.site.unwrap_or(holders.1));
    let mut first = None;
    let mut report = |session: &mut Session<'_>, rules, edit: Edit, subject: &str| {
        first.get_or_insert(edit.clone());
        session.report_presence(rules, edit, subject);
    };
    let describe = |alternative: &Alternative| {
        let all = old.list.iter().chain(&new.list);
        let mut namesakes = all.filter(|(other, _)| has_same_schemes(alternative, other));
        let is_only = namesakes.all(|(other, _)| other == alternative);
        describe(alternative, is_only)
    };
    let mut removed: Vec<&Entry> = old.list.iter().collect();
    let mut added: Vec<&Entry> = new.list.iter().collect();
    take_matches(&mut removed, &mut added, |(a, _), (b, _)| a == b);
    for ((alternative, site), (other, other_site)) in take_closest(&mut removed, &mut added) {
        for ((scheme, scopes), others) in alternative.iter().zip(other.values()) {
            let removed = scopes.difference(others);
            let removed = removed.map(|scope| (scope, Edit::removed(*site, *other_site)));
            let added = others.difference(scopes);
            let added = added.map(|scope| (scope, Edit::added(*site, *other_site)));
            for (scope, edit) in removed.chain(added) {
                let subject = format!("the required scope `{scope}` of {scheme}");
                report(session, scope_rules, edit.item(scope), &subject);
            }
        }
    }
    for (alternative, site) in removed {
        let name = describe(alternative);
        let edit = Edit::removed(*site, lists.1).item(&name);
        report(session, rules, edit, &format!("the requirement of {name}"));
    }
    for (alternative, site) in added {
        let name = describe(alternative);
        let edit = Edit::added(lists.0, *site).item(&name);
        report(session, rules, edit, &format!("the requirement of {name}"));
    }
    first
}

/// Whether two alternatives differ in nothing but scopes.
fn has_same_schemes(one: &Alternative, other: &Alternative) -> bool {
    one.keys().eq(other.keys())
}

/// Takes pairs of alternatives with the same schemes out of both lists: those with the fewest different scopes first.
fn take_closest<'r>(
    old: &mut Vec<&'r Entry>,
    new: &mut Vec<&'r Entry>,
) -> Vec<(&'r Entry, &'r Entry)> {
    let distance = |one: &Alternative, other: &Alternative| {
        let pairs = one.values().zip(other.values());
        let distance = pairs.map(|(a, b)| a.symmetric_difference(b).count()).sum();
        Some(distance).filter(|_: &usize| has_same_schemes(one, other))
    };
    let mut pairs = Vec::new();
    loop {
        let distances = old.iter().flat_map(|(a, _)| {
            let new = new.iter();
            new.filter_map(move |(b, _)| distance(a, b))
        });
        let Some(closest) = distances.min() else {
            return pairs;
        };
        pairs.extend(take_matches(old, new, |(a, _), (b, _)| {
            distance(a, b) == Some(closest)
        }));
    }
}

/// The schemes of an alternative, and its scopes where others with the same schemes require other ones.
fn describe(alternative: &Alternative, is_only: bool) -> String {
    if alternative.is_empty() {
        return "nothing".to_owned();
    }
    let schemes = alternative.iter().map(|(scheme, scopes)| {
        if is_only || scopes.is_empty() {
            return scheme.clone();
        }
        let scopes: Vec<String> = scopes.iter().map(|scope| format!("`{scope}`")).collect();
        format!("{scheme} with {}", scopes.join(", "))
    });
    schemes.collect::<Vec<_>>().join(" and ")
}
