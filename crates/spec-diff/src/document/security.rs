//! Compares what a caller must show: the requirements of all operations and of one. The schemes behind them are elsewhere.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::security_schemes;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// Schemes with the scopes that each needs; all of them together let a caller in.
type Alternative = BTreeMap<String, BTreeSet<String>>;

/// A list of alternatives, any of which lets a caller in.
#[derive(Default, Clone)]
struct Requirements {
    list: Vec<(Alternative, Id)>,
    site: Option<Id>,
}

/// What the root asks for, for operations that say nothing themselves.
pub(crate) struct Global {
    old: Requirements,
    new: Requirements,
    /// Where it changed first.
    edit: Option<Edit>,
    /// Names of schemes in the revision that are only another name for one of the base.
    renamed: HashMap<String, String>,
}

/// Compares `security` at the root and the schemes.
pub(crate) fn compare_root(session: &mut Session<'_>) -> Global {
    let renamed = security_schemes::compare(session);
    let none = HashMap::new();
    let old = read(&session.base.tree, Id::ROOT, &none).unwrap_or_default();
    let new = read(&session.revision.tree, Id::ROOT, &renamed).unwrap_or_default();
    let edit = report(
        session,
        "api-global-security",
        &old,
        &new,
        (Id::ROOT, Id::ROOT),
    );
    Global {
        old,
        new,
        edit,
        renamed,
    }
}

/// Compares `security` of an operation, and whether all who were let in still are.
pub(crate) fn compare_operation(
    session: &mut Session<'_>,
    base: Id,
    revision: Id,
    global: &Global,
) {
    let old = read(&session.base.tree, base, &HashMap::new());
    let new = read(&session.revision.tree, revision, &global.renamed);
    let inherits = old.is_none() && new.is_none();
    let old = old.unwrap_or_else(|| global.old.clone());
    let new = new.unwrap_or_else(|| global.new.clone());
    let edit = match inherits {
        true => global.edit.clone(),
        false => report(session, "api-security", &old, &new, (base, revision)),
    };
    if let Some(edit) = edit
        && !old.admits_no_more_than(&new)
    {
        let message = "a caller who was let in is let in no more".to_owned();
        session.report("api-security-tightened", edit, message);
    }
}

impl Requirements {
    /// Whether whoever these let in is let in by `others`, too.
    fn admits_no_more_than(&self, others: &Requirements) -> bool {
        let anyone = Alternative::new();
        let own: Vec<&Alternative> = match self.list.is_empty() {
            true => vec![&anyone],
            false => self
                .list
                .iter()
                .map(|(alternative, _)| alternative)
                .collect(),
        };
        let enough = |shown: &Alternative, asked: &Alternative| {
            asked.iter().all(|(scheme, scopes)| {
                shown
                    .get(scheme)
                    .is_some_and(|shown| scopes.is_subset(shown))
            })
        };
        others.list.is_empty()
            || own
                .iter()
                .all(|shown| others.list.iter().any(|(asked, _)| enough(shown, asked)))
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
    let mut list: Vec<(Alternative, Id)> = list.collect();
    // Nothing else to choose from, nothing is asked for.
    if let [(only, _)] = list.as_slice()
        && only.is_empty()
    {
        list.clear();
    }
    Some(Requirements {
        list,
        site: Some(site),
    })
}

/// Reports alternatives and scopes that came or went; the first edit, if there is any.
fn report(
    session: &mut Session<'_>,
    prefix: &str,
    old: &Requirements,
    new: &Requirements,
    holders: (Id, Id),
) -> Option<Edit> {
    let names = |alternative: &Alternative| {
        let names: Vec<&str> = alternative.keys().map(String::as_str).collect();
        match names.is_empty() {
            true => "nothing".to_owned(),
            false => names.join(" and "),
        }
    };
    let base_list = old.site.unwrap_or(holders.0);
    let revision_list = new.site.unwrap_or(holders.1);
    let mut first = None;
    let mut tell = |session: &mut Session<'_>, end: &str, edit: Edit, message: String| {
        first.get_or_insert(edit.clone());
        session.report(&format!("{prefix}-{end}"), edit, message);
    };
    for (alternative, site) in &old.list {
        let twin = new
            .list
            .iter()
            .find(|(other, _)| names(other) == names(alternative));
        let Some((other, other_site)) = twin else {
            let name = names(alternative);
            let edit = Edit::removed(*site, revision_list).item(&name);
            tell(
                session,
                "removed",
                edit,
                format!("{name} is asked for no more"),
            );
            continue;
        };
        for (scheme, scopes) in alternative {
            let Some(others) = other.get(scheme) else {
                continue;
            };
            for scope in scopes.difference(others) {
                let edit = Edit::removed(*site, *other_site).item(scope);
                let message = format!("{scheme} needs the scope `{scope}` no more");
                tell(session, "scope-removed", edit, message);
            }
            for scope in others.difference(scopes) {
                let edit = Edit::added(*site, *other_site).item(scope);
                let message = format!("{scheme} needs the scope `{scope}` now");
                tell(session, "scope-added", edit, message);
            }
        }
    }
    for (alternative, site) in &new.list {
        if !old
            .list
            .iter()
            .any(|(other, _)| names(other) == names(alternative))
        {
            let name = names(alternative);
            let edit = Edit::added(base_list, *site).item(&name);
            tell(session, "added", edit, format!("{name} is asked for now"));
        }
    }
    first
}
