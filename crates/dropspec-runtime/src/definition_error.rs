//! Errors in what the document declares. They can occur at the start of a program only.

/// Why a [`Decoder`](crate::Decoder) or [`ResponseValidator`](crate::ResponseValidator) cannot be built for a document: it has not an
/// operation of the table, or the definition of an element of an operation, such as its request body, is not supported.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct DocumentError(String);

impl DocumentError {
    /// The error that the document has no such operation.
    pub(crate) fn unknown(operation_id: &str) -> Self {
        Self(format!("the document has no operation {operation_id}"))
    }

    /// The error of the definition of an element.
    pub(crate) fn of(
        operation_id: &str,
        element: impl std::fmt::Display,
    ) -> impl FnOnce(String) -> Self {
        let text = format!("{operation_id}: unsupported definition of {element}");
        move |problem| Self(format!("{text}: {problem}"))
    }
}

/// What is wrong with a definition that is a reference without a target.
pub(crate) fn unresolved() -> String {
    "a reference cannot be resolved".to_owned()
}
