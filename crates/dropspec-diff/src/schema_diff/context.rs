//! Where a schema is used.

use dropspec_model::Stability;

use crate::rules::Role;

/// The use of a schema, as far as it decides how a change affects clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct SchemaContext {
    pub(crate) role: Role,
    /// Whether the media type distinguishes numbers from strings.
    pub(crate) typed: bool,
    /// Whether the media type may write `null`, or what it writes is not known.
    pub(crate) has_null: bool,
    /// Whether an array is sent as several parameters.
    pub(crate) repeated: bool,
    /// Whether the value must be present.
    pub(crate) required: bool,
    /// Whether it is, or is inside, a header parameter.
    pub(crate) in_header: bool,
    /// Whether it is a whole segment of a path, which is never empty.
    pub(crate) is_segment: bool,
    /// The stability of the operation, which decides the notice that a deprecation requires.
    pub(crate) stability: Stability,
    /// Whether it is inside a property that no request or no response contains.
    pub(crate) hidden: bool,
    /// Whether it is inside a schema of which no change makes a value invalid that is sent.
    pub(crate) harmless: bool,
    /// Whether it is a member of a `oneOf` or `anyOf` beside `unevaluatedProperties: false`.
    pub(crate) closed: bool,
    /// `webhook` or `callback`: it is the body of one, which has the role of a response, or of an answer to one.
    pub(crate) sent_as: Option<&'static str>,
}

impl SchemaContext {
    /// The context of a schema in some role, of a required value whose media type has no types.
    pub(crate) fn new(role: Role, stability: Stability) -> SchemaContext {
        SchemaContext {
            role,
            typed: false,
            has_null: false,
            repeated: false,
            required: true,
            in_header: false,
            is_segment: false,
            stability,
            hidden: false,
            harmless: false,
            closed: false,
            sent_as: None,
        }
    }
}
