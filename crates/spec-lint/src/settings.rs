//! Settings of the rules that go beyond OpenAPI, as plain data.

use chrono::NaiveDate;

use crate::objects::ObjectType;

/// Which rules a document must satisfy beyond those of OpenAPI. By default there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LintSettings {
    /// The only accepted value of `openapi`, such as `3.0.3`. `None` accepts every 3.0 version.
    pub openapi_version: Option<&'static str>,
    /// Whether operations need a name, one tag, a summary, a description and a success, parameters and tags a
    /// description, and bodies a schema and an example.
    pub documentation: bool,
    /// The extensions that may be used. Empty accepts every extension.
    pub extensions: &'static [ExtensionRule],
    /// Checks deprecations and their sunsets as of this day. `None` does not check them.
    pub deprecations_as_of: Option<NaiveDate>,
    /// Whether to check the plans of `x-rate-limits` and the costs in `x-rate-limit-cost`.
    pub rate_limits: bool,
    /// Checks `x-error-codes` and the examples of errors, which have these properties. `None` does not check them.
    pub error_properties: Option<ErrorProperties>,
    /// Codes of `x-error-codes` that no operation declares, because they answer requests that reach no operation. Every
    /// other code must be that of an operation.
    pub codes_without_operation: &'static [&'static str],
    /// Whether every component and every tag must be used.
    pub no_unused_parts: bool,
    /// Statuses that every operation must declare in a document with `x-rate-limits`; a public operation need not
    /// declare 401.
    pub required_statuses: &'static [&'static str],
    /// Headers that responses must declare in a document with `x-rate-limits`.
    pub required_headers: &'static [RequiredHeader],
}

/// A rule that allows an extension (`x-…`) in one type of object, with these values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExtensionRule {
    /// The type of object.
    pub object: ObjectType,
    /// The name, such as `x-stability`.
    pub name: &'static str,
    /// The valid values.
    pub value: ExtensionValue,
}

impl ExtensionRule {
    /// Creates the rule for one extension of one type of object.
    pub const fn new(object: ObjectType, name: &'static str, value: ExtensionValue) -> Self {
        ExtensionRule {
            object,
            name,
            value,
        }
    }
}

/// The values that an extension may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ExtensionValue {
    /// Any value, or one that another rule checks.
    Any,
    /// `true` or `false`.
    Boolean,
    /// A whole number from 0.
    Count,
    /// A date, as `2027-06-30`.
    Date,
    /// One of these strings.
    OneOf(&'static [&'static str]),
}

/// Names of the properties of the error object, by which error examples are checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ErrorProperties {
    /// The property with a code of `x-error-codes`.
    pub code: &'static str,
    /// The property that repeats the status, if it is present.
    pub status: &'static str,
}

/// A rule that some responses must declare a header.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RequiredHeader {
    /// The name; case does not matter.
    pub name: &'static str,
    /// The responses that need it.
    pub responses: ResponseFilter,
}

impl RequiredHeader {
    /// Creates the rule that these responses must declare this header.
    pub const fn new(name: &'static str, responses: ResponseFilter) -> Self {
        RequiredHeader { name, responses }
    }
}

/// The responses of an operation that a [`RequiredHeader`] applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ResponseFilter {
    /// All responses.
    All,
    /// Responses with this status, such as `429`.
    Status(&'static str),
    /// Successes (2xx) of deprecated operations.
    DeprecatedSuccess,
    /// Successes (2xx) of deprecated operations that have `x-successor`.
    ReplacedSuccess,
}
