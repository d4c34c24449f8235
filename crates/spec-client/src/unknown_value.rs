//! The error when a text is no value of an enum.

/// The error when a text is none of the values of an enum of the document.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("unknown value {text:?}")]
pub struct UnknownValue {
    text: String,
}

impl UnknownValue {
    /// The error for a text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { text: text.into() }
    }
}
