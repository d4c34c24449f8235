//! Errors in what the document declares. They can occur at the start of a program only.

use spec_schema::SchemaError;

/// Why a [`Decoder`](crate::Decoder) or [`ResponseValidator`](crate::ResponseValidator) cannot be built for a document.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    /// The operation table contains an operation that the document does not have.
    #[error("the document has no operation {operation_id}")]
    UnknownOperation {
        /// The operation in the table.
        operation_id: &'static str,
    },
    /// A parameter, the request body or a response of an operation.
    #[error("{operation_id}: unsupported definition of {element}")]
    Definition {
        /// The operation.
        operation_id: &'static str,
        /// The element of the operation, such as `the request body`.
        element: String,
        /// The reason.
        #[source]
        source: DefinitionError,
    },
}

/// Why the definition of a parameter, header, body or response is not supported.
#[derive(Debug, thiserror::Error)]
pub enum DefinitionError {
    /// The schema cannot be compiled.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// The definition is a reference without a target.
    #[error("a reference cannot be resolved")]
    Reference,
    /// A parameter lacks a required field.
    #[error("a parameter needs `name` and `in` (path, query, header or cookie)")]
    MissingField,
    /// The definition of a response header.
    #[error("header {name}: {source}")]
    Header {
        /// The name of the header.
        name: String,
        /// The reason.
        source: Box<DefinitionError>,
    },
}
