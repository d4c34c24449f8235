//! Says what of a document of OpenAPI 3.1 is not understood, if the documents differ: no finding means no difference.

use spec_model::{Kind, Value};

use crate::canonical;
use crate::edit::Edit;
use crate::rules::rule;
use crate::session::Session;
use crate::tree::{Id, Tree};

/// The dialects whose keywords are compared.
const DIALECTS: [&str; 2] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
];

/// Reports each kind of thing that is not understood once, where it is first.
pub(super) fn report(session: &mut Session<'_>) {
    let trees = [&session.base.tree, &session.revision.tree];
    if trees.iter().all(|tree| !tree.document().uses_json_schema()) {
        return;
    }
    let [old, new] = trees.map(|tree| canonical::to_text(tree.node(Id::ROOT)));
    if old == new {
        return;
    }
    let [old, new] = trees.map(find);
    for (index, (keyword, reason)) in UNREAD.iter().enumerate() {
        let edit = match (old[index], new[index]) {
            (Some(base), Some(revision)) => Edit::changed(base, revision),
            (Some(base), None) => Edit::changed(base, Id::ROOT),
            (None, Some(revision)) => Edit::changed(Id::ROOT, revision),
            (None, None) => continue,
        };
        let (tree, site) = match new[index] {
            Some(site) => (&session.revision.tree, site),
            None => (&session.base.tree, edit.base),
        };
        let value = tree.node(site).as_str().unwrap_or_default();
        let message = format!("`{keyword}: {value}` was not compared exactly: {reason}");
        session.report(rule!("not-compared"), edit.item(*keyword), message);
    }
}

/// The keywords, and why they are not understood.
const UNREAD: [(&str, &str); 4] = [
    (
        "$dynamicRef",
        "which schema it means depends on where it is used from",
    ),
    ("$ref", "the document has no such place"),
    ("$schema", "it is another dialect than JSON Schema 2020-12"),
    (
        "jsonSchemaDialect",
        "it is another dialect than JSON Schema 2020-12",
    ),
];

/// The first node of each of [`UNREAD`].
fn find(tree: &Tree<'_>) -> [Option<Id>; 4] {
    let mut found = [None; 4];
    let is_foreign = |id: &Id| {
        let dialect = tree.node(*id).as_str().unwrap_or_default();
        !DIALECTS.contains(&dialect.trim_end_matches('#'))
    };
    if !tree.document().uses_json_schema() {
        return found;
    }
    found[3] = tree.get(Id::ROOT, "jsonSchemaDialect").filter(is_foreign);
    let mut waiting = vec![(Id::ROOT, Kind::Document)];
    while let Some((id, kind)) = waiting.pop() {
        if kind == Kind::Literal {
            continue;
        }
        if kind == Kind::Schema {
            let dangling = tree.get(id, "$ref").filter(|_| tree.resolve(id) == id);
            let dynamic = ["$dynamicRef", "$recursiveRef"];
            let dynamic = dynamic.iter().find_map(|keyword| tree.get(id, keyword));
            let dialect = tree.get(id, "$schema").filter(is_foreign);
            for (index, own) in [dynamic, dangling, dialect].into_iter().enumerate() {
                found[index] = found[index].or(own);
            }
        }
        match tree.node(id).value {
            Value::Object(_) => {
                let members = tree.members(id);
                waiting.extend(members.map(|(key, member)| (member, kind.of_member(key))));
            }
            _ => {
                let items = tree.items(id).iter();
                waiting.extend(items.map(|item| (*item, kind.of_item())));
            }
        }
    }
    found
}
