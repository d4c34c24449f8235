//! Errors in what the document declares. They can occur at the start of a program only.

use spec_schema::SchemaError;

use crate::rejection::ParameterLocation;

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
    /// The `style` of a parameter is not supported in its location.
    #[error("style {style} of a {location} is not supported")]
    Style {
        /// The style as the document writes it.
        style: String,
        /// The location of the parameter.
        location: ParameterLocation,
    },
    /// A parameter or header lacks a required field.
    #[error("a parameter needs `name`, `in` (path, query or header) and `schema`")]
    MissingField,
    /// A parameter or header may be an object or a nested array.
    #[error("only strings, numbers, booleans and arrays of them can be parsed from text")]
    NotScalar,
    /// The default of a parameter does not fit its schema.
    #[error("the default value {0}")]
    Default(String),
    /// A request body of a media type other than JSON.
    #[error("bodies of type {0} cannot be decoded, only JSON can")]
    NotJson(String),
    /// A request body without a media type.
    #[error("a request body needs `content` with at least one media type")]
    NoContent,
    /// A key of `content` is not a media type.
    #[error("`{0}` is not a media type")]
    MediaType(String),
    /// The definition of a response header.
    #[error("header {name}: {source}")]
    Header {
        /// The name of the header.
        name: String,
        /// The reason.
        source: Box<DefinitionError>,
    },
}
