//! Undoes one edit in the revision: what is still refused then is not refused because of it.

use dropspec_schema::pointer::{parse_index, unescape};
use serde_json::{Value, json};

use crate::edit::{EditKind, EditedNodes};

/// Lists and objects that are absent if they have no members.
const LISTS: &str = "allOf anyOf content enum headers mapping oneOf parameters properties required responses security";

/// The revision without the edit, if it can be undone.
pub(super) fn undo(base: &Value, revision: &Value, edit: &EditedNodes) -> Option<Value> {
    let mut undone = revision.clone();
    undo_in(&mut undone, base, edit)?;
    Some(undone)
}

/// What `read` says of the revision without the edit. The part around the edit is put back afterwards.
pub(crate) fn undo_within<R>(
    revision: &mut Value,
    base: &Value,
    edit: &EditedNodes,
    read: impl FnOnce(&Value) -> R,
) -> Option<R> {
    // A component, or an operation.
    let (parent, _) = split(&edit.revision)?;
    let around = parent
        .match_indices('/')
        .nth(3)
        .map_or(&*parent, |(end, _)| &parent[..end]);
    let saved = revision.pointer(around)?.clone();
    let read = undo_in(revision, base, edit).map(|()| read(revision));
    *revision.pointer_mut(around)? = saved;
    read
}

fn undo_in(undone: &mut Value, base: &Value, edit: &EditedNodes) -> Option<()> {
    match edit.kind {
        EditKind::Added => {
            let (parent, key) = split(&edit.revision)?;
            match undone.pointer_mut(&parent)? {
                Value::Object(members) => members.shift_remove(&key).map(drop)?,
                Value::Array(items) => {
                    let index = parse_index(&key).filter(|index| *index < items.len())?;
                    items.remove(index);
                }
                _ => return None,
            }
            // The property was required with its addition.
            let object = parent.strip_suffix("/properties");
            if let Some(object) = object.and_then(|it| undone.pointer_mut(it)) {
                require(object, |names| names.retain(|it| *it != key));
            }
        }
        EditKind::Changed => {
            let ((parent, key), (old_parent, old_key)) =
                (split(&edit.revision)?, split(&edit.base)?);
            match parent
                .strip_suffix("/properties")
                .filter(|_| key != old_key)
            {
                Some(object) => {
                    let old = base.pointer(old_parent.strip_suffix("/properties")?)?;
                    rename(undone.pointer_mut(object)?, &key, (old, &old_key))?;
                }
                None => *undone.pointer_mut(&edit.revision)? = base.pointer(&edit.base)?.clone(),
            }
        }
        EditKind::Removed => {
            let node = base.pointer(&edit.base)?.clone();
            let (parent, key) = split(&edit.base)?;
            let is_item = base.pointer(&parent)?.is_array();
            let mut holder = undone.pointer_mut(&edit.revision)?;
            // If the list or the object is gone, it was removed from the node around it.
            let (_, list) = split(&parent).unwrap_or_default();
            let has_list = split(&edit.revision).is_some_and(|(_, own)| own == list);
            if !has_list && LISTS.split(' ').any(|it| it == list) && holder.is_object() {
                let empty = if is_item { json!([]) } else { json!({}) };
                let members = holder.as_object_mut()?;
                holder = members.entry(list).or_insert(empty);
            }
            match holder {
                Value::Object(members) => drop(members.insert(key.clone(), node)),
                Value::Array(items) => items.push(node),
                _ => return None,
            }
            // The property was required until its removal.
            let was = parent
                .strip_suffix("/properties")
                .and_then(|it| base.pointer(it));
            let schema = edit
                .revision
                .strip_suffix("/properties")
                .unwrap_or(&edit.revision);
            if was.is_some_and(|was| required_names(was).iter().any(|it| *it == key))
                && let Some(object) = undone.pointer_mut(schema)
            {
                require(object, |names| names.push(key.into()));
            }
        }
    }
    Some(())
}

/// Changes the list of required properties. An empty list is left out.
fn require(schema: &mut Value, change: impl FnOnce(&mut Vec<Value>)) {
    let mut names = required_names(schema);
    change(&mut names);
    let Some(members) = schema.as_object_mut() else {
        return;
    };
    if !names.is_empty() {
        members.insert("required".to_owned(), names.into());
    } else if members.get("required").is_some_and(Value::is_array) {
        members.shift_remove("required");
    }
}

fn required_names(schema: &Value) -> Vec<Value> {
    schema["required"].as_array().cloned().unwrap_or_default()
}

/// Puts a property of another schema in the place of a property, required or not as it is there.
fn rename(object: &mut Value, name: &str, (old, old_name): (&Value, &str)) -> Option<()> {
    let properties = object["properties"].as_object_mut()?;
    properties.shift_remove(name)?;
    properties.insert(old_name.to_owned(), old["properties"][old_name].clone());
    let is_required = required_names(old).iter().any(|it| it == old_name);
    require(object, |names| {
        names.retain(|it| it != name);
        names.extend(is_required.then(|| old_name.into()));
    });
    Some(())
}

/// The pointer of the parent and the last token.
fn split(pointer: &str) -> Option<(String, String)> {
    let (parent, last) = pointer.rsplit_once('/')?;
    Some((parent.to_owned(), unescape(last)))
}
