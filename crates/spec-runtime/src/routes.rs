//! Finds the operation of a request by its method and path. Parameters are not decoded here.
//!
//! Paths are matched strictly: `/pets/` and `//pets` are not `/pets`. Percent-encoded unreserved characters are
//! equivalent to plain ones (RFC 3986, section 6.2.2.2), and `%2F` never separates segments.

use std::borrow::Cow;
use std::collections::BTreeMap;

use http::HeaderValue;

use crate::operation::{Method, OperationInfo};

/// The router: finds the operation for a method and a path. Built one time from all operations.
#[derive(Debug)]
pub struct Routes {
    router: matchit::Router<PathRoutes>,
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
    values: Vec<(&'static str, String)>,
}

/// Why [`Routes`] cannot be built from the operations.
#[derive(Debug, thiserror::Error)]
#[error("{method} {path} {problem}")]
pub struct RouteError {
    method: Method,
    path: &'static str,
    problem: String,
}

/// The operations of one path. Their path templates differ at most in the names of parameters.
#[derive(Debug)]
struct PathRoutes {
    methods: Vec<MethodRoute>,
    allow: HeaderValue,
}

#[derive(Debug)]
struct MethodRoute {
    method: Method,
    operation: usize,
    parameters: Vec<&'static str>,
}

impl Routes {
    /// Builds the router from all operations of the document.
    ///
    /// # Errors
    ///
    /// [`RouteError`] if two operations have the same route or a path template is not supported.
    pub fn new(operations: &'static [OperationInfo]) -> Result<Self, RouteError> {
        // A sorted map makes the result independent of the document's order.
        let mut paths: BTreeMap<String, Vec<MethodRoute>> = BTreeMap::new();
        for (operation, info) in operations.iter().enumerate() {
            let (template, parameters) = number_parameters(info.path).ok_or_else(|| {
                let problem = "has a segment that is neither text nor text around one {parameter}";
                RouteError::new(info, problem)
            })?;
            let methods = paths.entry(template).or_default();
            if methods.iter().any(|route| route.method == info.method) {
                return Err(RouteError::new(info, "is declared twice"));
            }
            methods.push(MethodRoute {
                method: info.method,
                operation,
                parameters,
            });
        }
        let mut router = matchit::Router::new();
        for (template, methods) in paths {
            let first = &operations[methods[0].operation];
            let allow = build_allow_header(methods.iter().map(|route| route.method));
            router
                .insert(template, PathRoutes { methods, allow })
                .map_err(|error| RouteError::new(first, format!("cannot be routed: {error}")))?;
        }
        Ok(Self { router })
    }

    /// Finds the operation for a method and a raw (percent-encoded) path without its query.
    #[must_use]
    pub fn find(&self, method: &http::Method, raw_path: &str) -> Route<'_> {
        let path = decode_unreserved(raw_path);
        let Ok(matched) = self.router.at(&path) else {
            return Route::NotFound;
        };
        let PathRoutes { methods, allow } = matched.value;
        let declared = |name: &str| methods.iter().find(|route| route.method.as_str() == name);
        let found = match method.as_str() {
            "HEAD" => declared("HEAD").or_else(|| declared("GET")),
            name => declared(name),
        };
        match found {
            Some(route) => {
                let values = matched.params.iter().map(|(_, value)| value.to_owned());
                let values = route.parameters.iter().copied().zip(values).collect();
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
    #[must_use]
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

/// The path template with its parameters numbered, so that `/pets/{id}` and `/pets/{petId}/food` do not conflict; and
/// their names. None if a segment is not supported.
fn number_parameters(template: &'static str) -> Option<(String, Vec<&'static str>)> {
    let mut numbered = String::new();
    let mut names = Vec::new();
    for segment in template.strip_prefix('/')?.split('/') {
        numbered.push('/');
        match segment.split_once('{') {
            None if segment.contains('}') => return None,
            None => numbered.push_str(segment),
            Some((prefix, rest)) => {
                let (name, suffix) = rest.split_once('}')?;
                let has_braces = |text: &str| text.contains(['{', '}']);
                if name.is_empty() || [prefix, name, suffix].into_iter().any(has_braces) {
                    return None;
                }
                numbered.push_str(&format!("{prefix}{{p{}}}{suffix}", names.len()));
                names.push(name);
            }
        }
    }
    Some((numbered, names))
}

/// Decodes percent-encoded letters, digits, `-`, `.`, `_` and `~`, and nothing else.
fn decode_unreserved(path: &str) -> Cow<'_, str> {
    let Some((start, rest)) = path.split_once('%') else {
        return Cow::Borrowed(path);
    };
    let mut decoded = start.to_owned();
    for part in rest.split('%') {
        let byte = part
            .get(..2)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                decoded.push(char::from(byte));
                decoded.push_str(&part[2..]);
            }
            _ => {
                decoded.push('%');
                decoded.push_str(part);
            }
        }
    }
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests;
