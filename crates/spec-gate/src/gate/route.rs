//! The route of a request: an operation, a page beside the operations, or none.

use http::{HeaderValue, Method};
use spec_runtime::{OperationInfo, PathParameters, Route, RouteError, Routes};

use crate::reference::Page;

/// The `Allow` header of the pages.
const PAGE_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The target of a request.
#[derive(Debug)]
pub enum Target {
    /// An operation of the interface.
    Operation {
        /// The index of the operation.
        operation: usize,
        /// The path parameters as they were sent.
        parameters: PathParameters,
    },
    /// A page beside the operations.
    Page(Page),
    /// An `OPTIONS` request.
    Options {
        /// The methods of the path.
        allow: HeaderValue,
    },
    /// A known path with a method that it does not have.
    MethodNotAllowed {
        /// The methods of the path.
        allow: HeaderValue,
    },
    /// An unknown path.
    NotFound,
}

/// Finds the target of each request.
#[derive(Debug)]
pub struct RouteTable {
    operations: &'static [OperationInfo],
    routes: Routes,
}

impl RouteTable {
    /// The routes of the operations, and of the pages beside them.
    ///
    /// # Errors
    ///
    /// If a path template cannot be routed.
    pub fn new(operations: &'static [OperationInfo]) -> Result<RouteTable, RouteError> {
        Ok(RouteTable {
            operations,
            routes: Routes::new(operations)?,
        })
    }

    /// The target of a request with this method and percent-encoded path.
    pub fn find(&self, method: &Method, path: &str) -> Target {
        match self.routes.find(method, path) {
            Route::Found {
                operation,
                parameters,
            } => Target::Operation {
                operation,
                parameters,
            },
            Route::Options { allow } => Target::Options {
                allow: allow.clone(),
            },
            Route::MethodNotAllowed { allow } => Target::MethodNotAllowed {
                allow: allow.clone(),
            },
            Route::NotFound => match Page::find(path) {
                None => Target::NotFound,
                Some(page) => match *method {
                    Method::GET | Method::HEAD => Target::Page(page),
                    Method::OPTIONS => Target::Options {
                        allow: PAGE_METHODS,
                    },
                    _ => Target::MethodNotAllowed {
                        allow: PAGE_METHODS,
                    },
                },
            },
        }
    }

    /// The name of a target in logs and metrics. There is a bounded number of names.
    pub fn name(&self, target: &Target) -> &'static str {
        match target {
            Target::Operation { operation, .. } => self.operations[*operation].operation_id,
            Target::Page(page) => page.path(),
            Target::Options { .. } => "options",
            Target::MethodNotAllowed { .. } => "method_not_allowed",
            Target::NotFound => "route_not_found",
        }
    }
}
