//! What a request is for: an operation, one of the pages beside them, or nothing.

use http::{HeaderValue, Method};
use petstore_api::{OPERATIONS, Operation};
use spec_runtime::{PathParameters, Route, RouteError, Routes};

use crate::reference::{self, Page};

/// The methods of the pages that are not operations.
const READ_ONLY: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// What a request is for.
#[derive(Debug)]
pub enum Target {
    /// An operation of the interface.
    Operation {
        /// Which one.
        operation: Operation,
        /// The parameters in its path, as they were sent.
        parameters: PathParameters,
    },
    /// A page beside the operations.
    Page(Page),
    /// The question which methods a path answers to.
    Options {
        /// The answer.
        allow: HeaderValue,
    },
    /// A path of ours, with a method that it does not answer to.
    MethodNotAllowed {
        /// Those it does answer to.
        allow: HeaderValue,
    },
    /// No path of ours.
    NotFound,
}

impl Target {
    /// The operation, where the request is for one.
    pub fn operation(&self) -> Option<Operation> {
        match self {
            Target::Operation { operation, .. } => Some(*operation),
            _ => None,
        }
    }

    /// The name that logs call it by; bounded in number, whatever is requested.
    pub fn name(&self) -> &'static str {
        match self {
            Target::Operation { operation, .. } => operation.info().operation_id,
            Target::Page(page) => page.path(),
            Target::Options { .. } => "options",
            Target::MethodNotAllowed { .. } => "method_not_allowed",
            Target::NotFound => "route_not_found",
        }
    }
}

/// Finds the target of a request.
#[derive(Debug)]
pub struct Targets {
    operations: Routes,
}

impl Targets {
    /// The targets of the operation table, and the pages beside it.
    ///
    /// # Errors
    ///
    /// When the table holds a path that cannot be routed.
    pub fn new() -> Result<Targets, RouteError> {
        Ok(Targets {
            operations: Routes::new(&OPERATIONS)?,
        })
    }

    /// What a request with this method and (undecoded) path is for.
    pub fn find(&self, method: &Method, path: &str) -> Target {
        match self.operations.find(method, path) {
            Route::Found {
                operation,
                parameters,
            } => Target::Operation {
                operation: Operation::ALL[operation],
                parameters,
            },
            Route::Options { allow } => Target::Options {
                allow: allow.clone(),
            },
            Route::MethodNotAllowed { allow } => Target::MethodNotAllowed {
                allow: allow.clone(),
            },
            Route::NotFound => match reference::find(path) {
                None => Target::NotFound,
                Some(page) => match *method {
                    Method::GET | Method::HEAD => Target::Page(page),
                    Method::OPTIONS => Target::Options { allow: READ_ONLY },
                    _ => Target::MethodNotAllowed { allow: READ_ONLY },
                },
            },
        }
    }
}
