//! Says what of a document of OpenAPI 3.1 or 3.2 is not understood, if the documents differ: no finding means no difference.

use dropspec_model::{Kind, Value};

use crate::edit::Edit;
use crate::rules::rule;
use crate::session::Session;
use crate::tree::{Id, ROOTS, Tree};

/// The dialects whose keywords are compared.
const DIALECTS: [&str; 2] = [
    "https://spec.openapis.org/oas/3.1/dialect/base",
    "https://json-schema.org/draft/2020-12/schema",
];

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

/// Reports each kind of thing that is not understood once, where it is first.
pub(super) fn report(session: &mut Session<'_>) {
    let newer = session.both(ROOTS, |tree, _| tree.document().uses_json_schema());
    if newer == (false, false) || !session.texts_differ(ROOTS) {
        return;
    }
    let (old, new) = session.both(ROOTS, |tree, _| find(tree));
    for (index, (keyword, reason)) in UNREAD.iter().enumerate() {
        let (tree, site) = match (old[index], new[index]) {
            (_, Some(site)) => (&session.revision.tree, site),
            (Some(site), None) => (&session.base.tree, site),
            (None, None) => continue,
        };
        let value = tree.node(site).as_str().unwrap_or_default();
        let message = format!("`{keyword}: {value}` was not compared exactly: {reason}");
        let [base, revision] = [old, new].map(|found| found[index].unwrap_or(Id::ROOT));
        let edit = Edit::changed(base, revision).item(*keyword);
        session.report(rule!("not-compared"), edit, message);
    }
}

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
    let mut waiting = vec![(Id::ROOT, Kind::DOCUMENT)];
    while let Some((id, kind)) = waiting.pop() {
        if kind == Kind::Any {
            continue;
        }
        if kind == Kind::SCHEMA {
            let dangling = tree.get(id, "$ref").filter(|_| tree.resolve(id) == id);
            let dynamic = ["$dynamicRef", "$recursiveRef"];
            let dynamic = dynamic.iter().find_map(|keyword| tree.get(id, keyword));
            let dialect = tree.get(id, "$schema").filter(is_foreign);
            for (index, own) in [dynamic, dangling, dialect].into_iter().enumerate() {
                found[index] = found[index].or(own);
            }
        }
        if let Value::Object(_) = tree.node(id).value {
            let members = tree.members(id);
            waiting.extend(members.map(|(key, member)| (member, kind.of_member(key))));
        }
        let items = tree.items(id).iter();
        waiting.extend(items.map(|item| (*item, kind.of_item())));
    }
    found
}
