//! Edits that trigger rules.

use std::fmt;

use serde::Deserialize;

/// An edit that triggers a rule, in YAML.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Example {
    /// The part of the document that is given; a schema in all roles if absent.
    pub place: Option<ExamplePlace>,
    /// The part before the edit.
    pub before: String,
    /// The part after it.
    pub after: String,
    /// The message of the finding; that in a request body if the schema has all roles.
    pub message: String,
    /// Other rules that the edit triggers.
    #[serde(default)]
    pub also: Vec<String>,
    /// The version of OpenAPI, if it is another one than 3.0.3.
    pub openapi: Option<String>,
    /// The days of notice that a deprecation needs.
    #[serde(default)]
    pub notice_days: i64,
    /// Whether sunsets that have passed are reported.
    #[serde(default)]
    pub passed_sunsets: bool,
    /// Whether clients are generated.
    #[serde(default)]
    pub generated_clients: bool,
}

/// The part of a document that an [`Example`] gives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ExamplePlace {
    /// Fields of the document.
    Document,
    /// A path item.
    Path,
    /// The schema of a request body.
    RequestBody,
    /// A response.
    Response,
    /// The schema of a response body.
    ResponseBody,
}

impl fmt::Display for Example {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place {
            Some(ExamplePlace::Path | ExamplePlace::Document) | None => {}
            Some(ExamplePlace::RequestBody) => f.write_str("in a request body: ")?,
            Some(ExamplePlace::Response) => f.write_str("in a response: ")?,
            Some(ExamplePlace::ResponseBody) => f.write_str("in a response body: ")?,
        }
        write!(f, "`{}` → `{}`", self.before, self.after)
    }
}
