//! Components that came or went together with all that refers to them.

use super::Session;
use super::edit::{Edit, Sort};
use crate::tree::Id;

/// The sections whose components stand for themselves wherever they are used. A schema does not: a property of its type
/// is an edit of the object.
const SECTIONS: [&str; 4] = ["headers", "parameters", "requestBodies", "responses"];

impl Session<'_> {
    /// The edit of the component, where something was added or removed by a `$ref` to one that only one document has:
    /// however many places refer to it, they change as one.
    pub(super) fn at_component(&self, edit: Edit) -> Edit {
        let (base, revision) = (&self.base.tree, &self.revision.tree);
        let (tree, other, id) = match edit.sort {
            Sort::Changed => return edit,
            Sort::Added => (revision, base, edit.revision),
            Sort::Removed => (base, revision, edit.base),
        };
        let component = tree.resolve(id);
        let stands_for_itself = |(section, _): &(&str, &str)| SECTIONS.contains(section);
        let found = tree.component(component).filter(stands_for_itself);
        let Some((section, name)) = found.filter(|_| component != id) else {
            return edit;
        };
        let list = other.components(section);
        if list.and_then(|list| other.get(list, name)).is_some() {
            return edit;
        }
        let list = list.unwrap_or(Id::ROOT);
        // One component may stand for several statuses.
        let item = format!("{}{}", edit.item, tree.key(id));
        match edit.sort {
            Sort::Removed => Edit::removed(component, list),
            _ => Edit::added(list, component),
        }
        .item(item)
    }
}
