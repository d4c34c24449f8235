//! Merges the value of an action into a value of the document.

use dropspec_model::{Node, Position, Value};
use dropspec_schema::pointer;

/// Two values that cannot be merged: the position of the one in the overlay, and the reason.
pub(crate) struct Mismatch {
    pub(crate) at: Position,
    pub(crate) message: String,
}

/// Merges `value` into `target`, whose JSON pointer is `place`: objects by their members, arrays by appending; other
/// values are replaced.
pub(crate) fn merge(target: &mut Node, value: &Node, place: &str) -> Result<(), Mismatch> {
    match (&mut target.value, &value.value) {
        (Value::Object(members), Value::Object(new)) => {
            for (key, member) in new {
                match members.get_mut(key) {
                    Some(old) => merge(&mut old.node, &member.node, &pointer::join(place, key))?,
                    None => {
                        members.insert(key.clone(), member.clone());
                    }
                }
            }
            Ok(())
        }
        (Value::Array(items), Value::Array(new)) => {
            items.extend(new.iter().cloned());
            Ok(())
        }
        (Value::Object(_) | Value::Array(_), _) | (_, Value::Object(_) | Value::Array(_)) => {
            let (old, new) = (target.kind(), value.kind());
            let place = match place {
                "" => "the document",
                place => place,
            };
            Err(Mismatch {
                at: value.position,
                message: format!("{new} cannot be merged into {old} ({place})"),
            })
        }
        _ => {
            target.clone_from(value);
            Ok(())
        }
    }
}
