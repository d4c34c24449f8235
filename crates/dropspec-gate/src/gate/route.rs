//! The route of a request: an operation, a page beside the operations, or none; and what the route demands.

use std::borrow::Cow;

use anyhow::Context;
use dropspec_runtime::security::Security;
use dropspec_runtime::{Interface, OperationInfo, Route, Routes, SchemeUse};
use http::{HeaderValue, Method};

use super::challenge::Challenges;
use super::deprecation::{DeprecationHeaders, deprecation_headers};
use crate::auth::Access;
use crate::base_path::BasePath;
use crate::reference::Page;

/// The path of the stream of the sender's own requests, below the base path. An operation of the document at this path
/// takes its place.
pub const TAIL_PATH: &str = "/tail";

/// The value of the `Allow` header of the pages beside the operations.
static PAGE_METHODS: HeaderValue = HeaderValue::from_static("GET, HEAD, OPTIONS");

/// The value of the `Allow` header of the stream of requests.
static STREAM_METHODS: HeaderValue = HeaderValue::from_static("GET, OPTIONS");

/// What the method and the path of a request select: an operation, a page, or nothing.
#[derive(Debug)]
pub enum Target<'t> {
    /// The result of the look-up in the operation table.
    Route(Route<'t>),
    /// A page beside the operations.
    Page(Page),
    /// The stream of the sender's own requests.
    Tail,
    /// Nothing: a browser asks what a page of another site may send.
    Preflight,
    /// Nothing, because the request names not exactly one valid host, or no valid path; with the message for the client's
    /// developer.
    Malformed(&'static str),
}

/// A target, and what is known of it before anything of the request is read.
#[derive(Debug)]
pub struct SelectedTarget<'t> {
    /// The target.
    pub target: Target<'t>,
    /// Its name in logs and metrics: an operation id, the path of a page, or a fixed text.
    pub name: &'static str,
    /// What it demands of the request; `None` for pages, which have limits of their own, and for preflights, which have
    /// none.
    pub policy: Option<RoutePolicy>,
    /// How clients authenticate for it.
    pub challenges: &'t Challenges,
    /// Its deprecation headers; `None` if it is no operation.
    pub deprecation: Option<&'t DeprecationHeaders>,
}

/// What a route demands of a request: its cost, the access of its key, and whether it needs a key.
#[derive(Clone, Copy, Debug)]
pub struct RoutePolicy {
    /// The number of requests that are charged.
    pub cost: u32,
    /// The access that the key needs.
    pub access: Access,
    /// Whether a request without a valid key is admitted.
    pub public: bool,
}

/// Finds the operation or page of each request, with its name, policy and deprecation headers.
#[derive(Debug)]
pub struct RouteTable {
    /// The path below which the operations and pages are.
    pub(crate) base_path: BasePath,
    operations: &'static [OperationInfo],
    routes: Routes,
    policies: Vec<RoutePolicy>,
    deprecations: Vec<DeprecationHeaders>,
    /// The challenges of each operation.
    challenges: Vec<Challenges>,
    /// The challenges of requests that select no operation.
    any_challenges: Challenges,
    /// The policy of requests that select no operation and no page.
    no_operation: RoutePolicy,
    /// Whether requests have senders, whose requests can be streamed.
    has_tail: bool,
}

impl Target<'_> {
    /// The index of the operation; `None` if the request selects none.
    pub fn operation(&self) -> Option<usize> {
        match self {
            Target::Route(Route::Found { operation, .. }) => Some(*operation),
            _ => None,
        }
    }
}

impl RoutePolicy {
    /// The policy of requests that cost 1, and whose senders need no key to learn what is wrong: malformed ones, and those
    /// of browsers for an address where there is nothing.
    pub const EXPLAINED: RoutePolicy = RoutePolicy {
        cost: 1,
        access: Access::Read,
        public: true,
    };

    fn of_operation(operation: &OperationInfo) -> anyhow::Result<RoutePolicy> {
        let access = match operation.required_access {
            None => Access::Read,
            Some(name) => Access::find(name).with_context(|| {
                let id = operation.operation_id;
                format!("x-required-access of {id} is {name:?}; use read or write")
            })?,
        };
        Ok(RoutePolicy {
            cost: operation.rate_limit_cost,
            access,
            public: operation.is_public(),
        })
    }
}

impl RouteTable {
    /// Builds the table from the operations of an interface; the pages are built in. `realm` is the name of the service.
    pub fn new<I: Interface>(
        realm: &str,
        base_path: &BasePath,
        security: &Security<I>,
    ) -> anyhow::Result<RouteTable> {
        let operations = I::operations();
        let schemes = I::security_schemes();
        let challenges = operations.iter().map(|operation| {
            let alternatives = operation.security.iter().copied();
            Challenges::new(realm, schemes, alternatives)
        });
        let any: Vec<[SchemeUse; 1]> = security
            .schemes()
            .map(|scheme| [SchemeUse::new(scheme, &[])])
            .collect();
        let policies = operations.iter().map(RoutePolicy::of_operation);
        let deprecations = operations
            .iter()
            .map(|operation| deprecation_headers(operation, operations, base_path));
        Ok(RouteTable {
            base_path: base_path.clone(),
            operations,
            routes: Routes::new(operations)?,
            policies: policies.collect::<Result<_, _>>()?,
            deprecations: deprecations.collect(),
            challenges: challenges.collect(),
            any_challenges: Challenges::new(realm, schemes, any.iter().map(|it| &it[..])),
            has_tail: security.requires_identity(),
            no_operation: RoutePolicy {
                public: !security.requires_identity(),
                ..RoutePolicy::EXPLAINED
            },
        })
    }

    /// Finds the target of a request by its method and percent-encoded path.
    pub fn find(&self, method: &Method, path: &str) -> Target<'_> {
        let Some(path) = self.base_path.strip(path) else {
            return Target::Route(Route::NotFound);
        };
        match self.routes.find(method, path) {
            Route::NotFound => self.find_beside_operations(method, path),
            route => Target::Route(route),
        }
    }

    /// Finds the page, or the stream of requests, at a path that no operation has.
    fn find_beside_operations(&self, method: &Method, path: &str) -> Target<'_> {
        let (target, allow) = match Page::find(path) {
            Some(page) => (Target::Page(page), &PAGE_METHODS),
            None if self.has_tail && path == TAIL_PATH => (Target::Tail, &STREAM_METHODS),
            None => return Target::Route(Route::NotFound),
        };
        match *method {
            Method::GET => target,
            Method::HEAD if matches!(target, Target::Page(_)) => target,
            Method::OPTIONS => Target::Route(Route::Options { allow }),
            _ => Target::Route(Route::MethodNotAllowed { allow }),
        }
    }

    /// Describes what a target demands and how it is named. `wants_html` is whether a browser asks for a page.
    pub fn describe<'t>(&'t self, target: Target<'t>, wants_html: bool) -> SelectedTarget<'t> {
        let (name, policy) = match &target {
            Target::Route(Route::Found { operation, .. }) => {
                return SelectedTarget {
                    name: self.operations[*operation].operation_id,
                    policy: Some(self.policies[*operation]),
                    challenges: &self.challenges[*operation],
                    deprecation: Some(&self.deprecations[*operation]),
                    target,
                };
            }
            Target::Page(page) => (page.path(), None),
            Target::Preflight => ("preflight", None),
            Target::Malformed(_) => ("malformed_request", Some(RoutePolicy::EXPLAINED)),
            // Who opens a wrong address in a browser has no key to send, and looks for a page.
            Target::Route(Route::NotFound) if wants_html => {
                ("route_not_found", Some(RoutePolicy::EXPLAINED))
            }
            Target::Route(Route::NotFound) => ("route_not_found", Some(self.no_operation)),
            Target::Route(Route::Options { .. }) => ("options", Some(self.no_operation)),
            Target::Route(Route::MethodNotAllowed { .. }) => {
                ("method_not_allowed", Some(self.no_operation))
            }
            // It is one request, however long it goes on.
            Target::Tail => (TAIL_PATH, Some(self.no_operation)),
        };
        SelectedTarget {
            name,
            policy,
            challenges: &self.any_challenges,
            deprecation: None,
            target,
        }
    }

    /// The path template of the target, with the base path: of an operation that of the document. `None` if the request selects
    /// neither an operation nor a page.
    pub fn template(&self, target: &Target<'_>) -> Option<Cow<'static, str>> {
        let path = match target {
            Target::Route(Route::Found { operation, .. }) => self.operations[*operation].path,
            Target::Page(page) => page.path(),
            Target::Tail => TAIL_PATH,
            _ => return None,
        };
        Some(match self.base_path.as_str() {
            "" => path.into(),
            base => format!("{base}{path}").into(),
        })
    }
}
