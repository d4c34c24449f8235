//! Merges the edits of a component that was added or removed together with all references to it.

use super::Session;
use crate::edit::{Edit, EditKind};
use crate::tree::Id;

/// The sections whose components mean the same wherever they are used. Schemas are not among them: a property whose type
/// is a component is an edit of the object.
const MERGED_SECTIONS: [&str; 4] = ["headers", "parameters", "requestBodies", "responses"];

impl Session<'_> {
    /// Replaces the addition or removal of a `$ref` by that of its component, if only one document has the component.
    pub(super) fn to_component_edit(&self, edit: Edit) -> Edit {
        let (base, revision) = (&self.base.tree, &self.revision.tree);
        let (tree, other, id) = match edit.kind {
            EditKind::Changed => return edit,
            EditKind::Added => (revision, base, edit.revision),
            EditKind::Removed => (base, revision, edit.base),
        };
        let component = tree.resolve(id);
        let found = tree.component(component);
        let Some((section, name)) =
            found.filter(|(section, _)| component != id && MERGED_SECTIONS.contains(section))
        else {
            return edit;
        };
        let list = other.components(section);
        if list.and_then(|list| other.get(list, name)).is_some() {
            return edit;
        }
        let list = list.unwrap_or(Id::ROOT);
        // One component may define several statuses.
        let item = format!("{}{}", edit.item, tree.key(id));
        match edit.kind {
            EditKind::Removed => Edit::removed(component, list),
            _ => Edit::added(list, component),
        }
        .item(item)
    }
}
