//! The error of reading a text as one of a fixed list of values.

use crate::message::shorten;

/// A text that is none of the values of an enum.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{found}` is not one of the known values")]
pub struct UnknownValue {
    found: String,
}

impl UnknownValue {
    /// The text that was found, shortened if it is long.
    #[must_use]
    pub fn new(found: &str) -> Self {
        Self {
            found: shorten(found).to_string(),
        }
    }
}
