//! Settings of the rules that go beyond OpenAPI, as plain data, and as a file writes them.

use std::collections::BTreeMap;

use chrono::NaiveDate;
use dropspec_model::ObjectType;
use serde::Deserialize;

/// Which rules a document must satisfy beyond those of OpenAPI. By default there are none.
#[derive(Debug, Clone, Default, PartialEq, Eq, Deserialize)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
pub struct LintSettings {
    /// The only accepted value of `openapi`, such as `3.0.3`. `None` accepts every 3.0 version.
    pub openapi_version: Option<String>,
    /// Whether `info.version` must be a semantic version, by which changes are judged.
    pub semantic_version: bool,
    /// Whether operations need a name, one tag, a summary, a description and a success, parameters and tags a
    /// description, and bodies a schema and an example.
    pub documentation: bool,
    /// The extensions (`x-…`) that may be used in each type of object, with their values. Empty accepts every extension.
    pub extensions: BTreeMap<ObjectType, BTreeMap<String, ExtensionValue>>,
    /// Whether to check deprecations and their sunsets.
    pub deprecations: bool,
    /// The day by which sunsets are checked; no part of the file.
    #[serde(skip)]
    pub today: NaiveDate,
    /// Whether to check the plans of `x-rate-limits` and the costs in `x-rate-limit-cost`.
    pub rate_limits: bool,
    /// Checks `x-error-codes` and the examples of errors, which have these properties. `None` does not check them.
    pub error_properties: Option<ErrorProperties>,
    /// Codes of `x-error-codes` that no operation declares, because they answer requests that reach no operation. Every
    /// other code must be that of an operation.
    pub codes_without_operation: Vec<String>,
    /// Whether every component and every tag must be used.
    pub no_unused_parts: bool,
    /// Statuses that every operation must declare in a document with `x-rate-limits`; a public operation need not
    /// declare 401.
    pub required_statuses: Vec<String>,
    /// Headers that responses must declare in a document with `x-rate-limits`, by name; case does not matter.
    pub required_headers: BTreeMap<String, Vec<ResponseFilter>>,
}

/// The values that an extension may have.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
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
    OneOf(Vec<String>),
}

/// Names of the properties of the error object, by which error examples are checked.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorProperties {
    /// The property with a code of `x-error-codes`.
    pub code: String,
    /// The property that repeats the status, if it is present.
    pub status: String,
}

/// The responses of an operation that must declare a header.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ResponseFilter {
    /// All responses.
    All,
    /// Successes (2xx) of deprecated operations.
    Deprecated,
    /// Successes (2xx) of deprecated operations that have `x-successor`.
    Replaced,
    /// Responses with this status, such as `429`.
    #[serde(untagged)]
    Status(String),
}
