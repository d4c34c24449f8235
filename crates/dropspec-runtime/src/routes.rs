//! Finds the operation of a request by its method and path. Parameters are not decoded here.
//!
//! Paths are matched strictly: `/pets/` and `//pets` are not `/pets`. A literal wins over a parameter at the same place,
//! as OpenAPI demands. Percent-encoded unreserved characters are equivalent to plain ones, and `%c3` to `%C3` (RFC 3986, section
//! 6.2.2), and `%2F` never separates segments. `{+name}` takes one segment or
//! more (RFC 6570, section 3.2.3), as few as there may be, so that what is more exact wins.

use std::borrow::Cow;
use std::cmp::Reverse;

use dropspec_schema::Method;
use dropspec_schema::wire::{is_dropped, keep_encoded_slashes};
use http::HeaderValue;
use smallvec::SmallVec;

use crate::operation::OperationInfo;

mod escapes;
mod segment;

use escapes::{decode_unreserved, uppercase_escapes};
use segment::Segment;

/// The router: finds the operation for a method and a path. Built one time from all operations.
#[derive(Debug)]
pub struct Routes {
    root: Node,
}

/// What [`Routes::find`] found for a method and a path.
#[derive(Debug)]
pub enum Route<'r> {
    /// An operation of the table. HEAD finds the GET operation if HEAD itself is not declared.
    Found {
        /// Its index in the table.
        operation: usize,
        /// The path parameters, still encoded.
        parameters: PathParameters,
    },
    /// OPTIONS on a path of the document that does not declare OPTIONS.
    Options {
        /// The value for the `Allow` header (RFC 9110, section 10.2.1).
        allow: &'r HeaderValue,
    },
    /// The path exists but does not support the method.
    MethodNotAllowed {
        /// The value for the `Allow` header.
        allow: &'r HeaderValue,
    },
    /// The document has no such path.
    NotFound,
}

/// The raw, percent-encoded values of the path parameters of a request.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathParameters {
    // Few paths have more.
    values: SmallVec<[(&'static str, String); 2]>,
}

/// The values of the parameters of a path, in its order.
type Values<'p> = SmallVec<[&'p str; 4]>;

/// Why [`Routes`] cannot be built from the operations.
#[derive(Debug, thiserror::Error)]
#[error("{method} {path} {problem}")]
pub struct RouteError {
    method: Method,
    path: &'static str,
    problem: String,
}

/// What follows a part of the paths. Templates that differ in the names of their parameters only have one node.
#[derive(Debug)]
struct Node {
    /// The segments that may come next, the most exact first.
    next: Vec<(Segment, Node)>,
    /// The operations of the path that ends here.
    methods: Vec<MethodRoute>,
    allow: HeaderValue,
}

#[derive(Debug)]
struct MethodRoute {
    method: Method,
    operation: usize,
    /// Their names, and whether they may have several segments.
    parameters: Vec<(&'static str, bool)>,
}

impl Routes {
    /// Builds the router from all operations of the document.
    ///
    /// # Errors
    ///
    /// [`RouteError`] if two operations have the same route or a path template is not supported.
    pub fn new(operations: &'static [OperationInfo]) -> Result<Self, RouteError> {
        let mut root = Node::new();
        for (operation, info) in operations.iter().enumerate() {
            let segments = info.path.strip_prefix('/').and_then(|path| {
                let segments = path.split('/').map(Segment::parse);
                segments.collect::<Option<Vec<_>>>()
            });
            let segments = match segments {
                Some(segments) => segments,
                // It is not in the trait, perhaps for this reason.
                None if !info.generated => continue,
                None => {
                    let problem = "is not a path of literals and {parameters}";
                    return Err(RouteError::new(info, problem));
                }
            };
            let mut node = &mut root;
            let mut parameters = Vec::new();
            for (segment, names) in segments {
                let spans = segment.spans();
                parameters.extend(names.into_iter().map(|name| (name, spans)));
                node = node.child(segment);
            }
            if node.methods.iter().any(|route| route.method == info.method) {
                return Err(RouteError::new(info, "is declared twice"));
            }
            node.methods.push(MethodRoute {
                method: info.method,
                operation,
                parameters,
            });
        }
        root.finish();
        Ok(Self { root })
    }

    /// Finds the operation for a method and a raw (percent-encoded) path without its query.
    pub fn find(&self, method: &http::Method, raw_path: &str) -> Route<'_> {
        let path = decode_unreserved(raw_path);
        let matched = match &path {
            // Most paths have no escapes.
            Cow::Borrowed(path) => Cow::Borrowed(*path),
            Cow::Owned(path) => uppercase_escapes(path),
        };
        let mut values = Values::new();
        let rest = matched.strip_prefix('/');
        let found = rest.and_then(|rest| self.root.find(Some(rest), &mut values));
        if let Cow::Owned(matched) = &matched {
            // Values keep their escapes as they were sent.
            for value in &mut values {
                let start = value.as_ptr().addr() - matched.as_ptr().addr();
                *value = &path[start..start + value.len()];
            }
        }
        found.map_or(Route::NotFound, |node| node.route(method, &values))
    }
}

impl Node {
    fn new() -> Self {
        Self {
            next: Vec::new(),
            methods: Vec::new(),
            allow: HeaderValue::from_static(""),
        }
    }

    /// The node behind a segment.
    fn child(&mut self, segment: Segment) -> &mut Node {
        let known = self.next.iter().position(|(known, _)| *known == segment);
        let index = known.unwrap_or_else(|| {
            self.next.push((segment, Node::new()));
            self.next.len() - 1
        });
        &mut self.next[index].1
    }

    fn finish(&mut self) {
        self.allow = build_allow_header(self.methods.iter().map(|route| route.method));
        let exactness = |(segment, _): &(Segment, Node)| Reverse(segment.exactness());
        self.next.sort_by_key(exactness);
        self.next.iter_mut().for_each(|(_, node)| node.finish());
    }

    /// The most exact path that the rest of a path matches, and the values of its parameters. Each node is seen at most once, or
    /// once for each segment if it is behind a `{+name}`, of which a path has one at most.
    fn find<'p>(&self, rest: Option<&'p str>, values: &mut Values<'p>) -> Option<&Node> {
        let Some(rest) = rest else {
            return (!self.methods.is_empty()).then_some(self);
        };
        let before = values.len();
        self.next.iter().find_map(|(segment, node)| {
            let spans = segment.spans();
            let parts = rest
                .split('/')
                .take_while(|part| !spans || !is_dropped(part));
            let mut next = 0;
            parts
                .take(if spans { usize::MAX } else { 1 })
                .find_map(|part| {
                    let end = next + part.len();
                    next = end + 1;
                    values.truncate(before);
                    segment.read(&rest[..end], values)?;
                    node.find(rest.get(next..), values)
                })
        })
    }

    /// The route for a method, with the values of the parameters in the order of the path.
    fn route(&self, method: &http::Method, values: &[&str]) -> Route<'_> {
        let Self { methods, allow, .. } = self;
        let declared = |name: &str| methods.iter().find(|route| route.method.as_str() == name);
        let found = match method.as_str() {
            "HEAD" => declared("HEAD").or_else(|| declared("GET")),
            name => declared(name),
        };
        match found {
            Some(route) => {
                let values = route.parameters.iter().zip(values);
                let values = values.map(|((name, spans), value)| {
                    let kept = spans.then(|| keep_encoded_slashes(value));
                    (*name, kept.unwrap_or_else(|| (*value).to_owned()))
                });
                let values = values.collect();
                Route::Found {
                    operation: route.operation,
                    parameters: PathParameters { values },
                }
            }
            None if method == http::Method::OPTIONS => Route::Options { allow },
            None => Route::MethodNotAllowed { allow },
        }
    }
}

impl RouteError {
    fn new(info: &OperationInfo, problem: impl Into<String>) -> Self {
        Self {
            method: info.method,
            path: info.path,
            problem: problem.into(),
        }
    }
}

impl PathParameters {
    /// The raw, percent-encoded value of a parameter; never empty.
    pub fn raw(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter();
        let (_, value) = values.find(|(known, _)| *known == name)?;
        Some(value)
    }
}

/// The value of `Allow` for a path: the declared methods, HEAD if GET is one of them, and OPTIONS.
fn build_allow_header(declared: impl Iterator<Item = Method>) -> HeaderValue {
    let mut methods: Vec<Method> = declared.chain([Method::Options]).collect();
    if methods.contains(&Method::Get) {
        methods.push(Method::Head);
    }
    methods.sort();
    methods.dedup();
    let names: Vec<&str> = methods.iter().map(|method| method.as_str()).collect();
    HeaderValue::from_str(&names.join(", ")).expect("method names are letters")
}

#[cfg(test)]
mod tests;
