//! What users of a deprecated operation are told: until when it works, and what replaces it.

use crate::model::Operation;
use crate::names;

/// The note for a deprecated operation, such as ``it may be removed after 2027-06-30; use `list_pets` ``. `None` if it is
/// not deprecated. The successor is called by its method.
pub(crate) fn note(operation: &Operation) -> Option<String> {
    if !operation.deprecated {
        return None;
    }
    let deprecation = operation.extensions.deprecation.clone().unwrap_or_default();
    let end = match deprecation.sunset {
        Some(sunset) => format!("it may be removed after {sunset}"),
        None => "it may be removed".to_owned(),
    };
    Some(match deprecation.successor {
        Some(successor) => format!("{end}; use `{}`", method(&successor)),
        None => end,
    })
}

/// The client's method for the operation with this id.
fn method(id: &str) -> String {
    names::method_name(id).unwrap_or_else(|| id.to_owned())
}
