//! The entries of the operation table that the generator writes.

use chrono::NaiveDate;
use dropspec_schema::{Method, Stability};

use crate::security::SchemeUse;

/// What the document says about one operation: method, path, deprecation and so on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationInfo {
    /// The `operationId`, as the document spells it.
    pub operation_id: &'static str,
    /// The method it is served under.
    pub method: Method,
    /// The path template, such as `/pets/{petId}`.
    pub path: &'static str,
    /// The first of its tags.
    pub tag: Option<&'static str>,
    /// How much of it may change within a version (`x-stability`).
    pub stability: Stability,
    /// Set if the operation is deprecated.
    pub deprecation: Option<Deprecation>,
    /// The access a caller's key must have (`x-required-access`).
    pub required_access: Option<&'static str>,
    /// How many requests one call counts as (`x-rate-limit-cost`, by default 1).
    pub rate_limit_cost: u32,
    /// The alternatives of its `security`, or that of the document. Each lists the schemes that must all be satisfied.
    pub security: &'static [&'static [SchemeUse]],
    /// Whether the generated trait has a method for it. If not, it is answered with 501.
    pub generated: bool,
}

/// Since when an operation is deprecated, until when it is available, and its successor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The day it was deprecated (`x-deprecated-since`; the `Deprecation` header of RFC 9745).
    pub since: Option<NaiveDate>,
    /// The day it may go (`x-deprecated-sunset`; the `Sunset` header of RFC 8594).
    pub sunset: Option<NaiveDate>,
    /// The `operationId` of what to call instead (`x-successor`).
    pub successor: Option<&'static str>,
}

impl OperationInfo {
    /// Describes an operation of which the document says nothing but its method and path: stable, public, without a tag, and
    /// with a cost of one request.
    pub const fn new(operation_id: &'static str, method: Method, path: &'static str) -> Self {
        Self {
            operation_id,
            method,
            path,
            tag: None,
            stability: Stability::Stable,
            deprecation: None,
            required_access: None,
            rate_limit_cost: 1,
            security: &[],
            generated: true,
        }
    }

    /// Whether it can be called without credentials: it has no alternatives, or an empty one (`{}`).
    pub fn is_public(&self) -> bool {
        self.security.is_empty() || self.security.iter().any(|schemes| schemes.is_empty())
    }

    /// The JSON pointer (RFC 6901) of the operation in the document.
    pub fn pointer(&self) -> String {
        let path_item = dropspec_schema::pointer::join("/paths", self.path);
        format!("{path_item}/{}", self.method.key())
    }
}
