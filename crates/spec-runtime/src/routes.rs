//! Which operation a request means, by its method and its path alone. It decodes no parameter.
//!
//! Paths are matched strictly: `/pets/` and `//pets` are not `/pets`. A path whose unreserved characters
//! came percent-encoded means the same as the plain one (RFC 3986, section 6.2.2.2), and `%2F` never
//! separates segments.

use std::borrow::Cow;
use std::collections::BTreeMap;

use http::HeaderValue;

use crate::operation::{Method, OperationInfo};

/// The table of routes, built once.
#[derive(Debug)]
pub struct Routes {
    router: matchit::Router<Resource>,
}

/// What was found for a request.
#[derive(Debug)]
pub enum Route<'r> {
    /// An operation of the table. HEAD is found where GET is, unless it is declared itself.
    Found {
        /// Its index in the table.
        operation: usize,
        /// The path's parameters, still encoded.
        parameters: PathParameters,
    },
    /// OPTIONS on a known path that declares no such operation.
    Options {
        /// What the path can do.
        allow: &'r Allow,
    },
    /// A known path, but not with this method.
    MethodNotAllowed {
        /// What the path can do.
        allow: &'r Allow,
    },
    /// No path of the document.
    NotFound,
}

/// The values of a path's parameters, percent-encoded as they came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PathParameters {
    values: Vec<(&'static str, String)>,
}

/// The methods that a path answers to: those declared, HEAD where GET is, and OPTIONS.
#[derive(Debug)]
pub struct Allow {
    methods: Vec<Method>,
    header: HeaderValue,
}

/// Why a table of routes cannot be built.
#[derive(Debug, thiserror::Error)]
pub enum RouteError {
    /// The template cannot be matched beside the others.
    #[error("{method} {path} cannot be routed")]
    Template {
        /// The operation's method.
        method: Method,
        /// The operation's path.
        path: &'static str,
        /// What the router says.
        #[source]
        source: matchit::InsertError,
    },
    /// Braces that do not pair, or more than one parameter in a segment.
    #[error("{method} {path} has a segment that is neither text nor text around one {{parameter}}")]
    Segment {
        /// The operation's method.
        method: Method,
        /// The operation's path.
        path: &'static str,
    },
    /// The same method on the same path twice, whatever the parameters are called.
    #[error("{method} {path} is declared twice")]
    Duplicate {
        /// The operation's method.
        method: Method,
        /// The operation's path.
        path: &'static str,
    },
}

/// All operations whose paths differ at most in the names of parameters.
#[derive(Debug)]
struct Resource {
    operations: Vec<Target>,
    allow: Allow,
}

#[derive(Debug)]
struct Target {
    method: Method,
    operation: usize,
    parameters: Vec<&'static str>,
}

impl Routes {
    /// Builds the table for operations in the order of their indices.
    ///
    /// # Errors
    ///
    /// [`RouteError`] if two operations cannot be told apart or a template cannot be matched.
    pub fn new(operations: &'static [OperationInfo]) -> Result<Self, RouteError> {
        // Insertion in the order of the shapes makes the outcome independent of the document's order.
        let mut shapes: BTreeMap<String, Vec<Target>> = BTreeMap::new();
        for (index, info) in operations.iter().enumerate() {
            let (method, path) = (info.method, info.path);
            let (shape, parameters) = shape(path).ok_or(RouteError::Segment { method, path })?;
            let targets = shapes.entry(shape).or_default();
            if targets.iter().any(|target| target.method == method) {
                return Err(RouteError::Duplicate { method, path });
            }
            targets.push(Target {
                method,
                operation: index,
                parameters,
            });
        }
        let mut router = matchit::Router::new();
        for (shape, targets) in shapes {
            let first = &operations[targets[0].operation];
            let (method, path) = (first.method, first.path);
            let allow = Allow::new(targets.iter().map(|target| target.method));
            let resource = Resource {
                operations: targets,
                allow,
            };
            router
                .insert(shape, resource)
                .map_err(|source| RouteError::Template {
                    method,
                    path,
                    source,
                })?;
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
        let resource = matched.value;
        let declared = |wanted: &str| {
            let mut targets = resource.operations.iter();
            targets.find(|target| target.method.as_str() == wanted)
        };
        let served = match method.as_str() {
            "HEAD" => declared("HEAD").or_else(|| declared("GET")),
            other => declared(other),
        };
        let allow = &resource.allow;
        match served {
            Some(target) => {
                let values = matched.params.iter().map(|(_, value)| value.to_owned());
                let values = target.parameters.iter().copied().zip(values).collect();
                Route::Found {
                    operation: target.operation,
                    parameters: PathParameters { values },
                }
            }
            None if method == http::Method::OPTIONS => Route::Options { allow },
            None => Route::MethodNotAllowed { allow },
        }
    }
}

impl PathParameters {
    /// The parameter's value, percent-encoded as it came; never empty.
    #[must_use]
    pub fn raw(&self, name: &str) -> Option<&str> {
        let mut values = self.values.iter();
        let (_, value) = values.find(|(known, _)| *known == name)?;
        Some(value)
    }
}

impl Allow {
    fn new(declared: impl Iterator<Item = Method>) -> Self {
        let mut methods: Vec<Method> = declared.chain([Method::Options]).collect();
        if methods.contains(&Method::Get) {
            methods.push(Method::Head);
        }
        methods.sort();
        methods.dedup();
        let names: Vec<&str> = methods.iter().map(|method| method.as_str()).collect();
        let header =
            HeaderValue::from_str(&names.join(", ")).expect("names of methods are letters");
        Self { methods, header }
    }

    /// The methods, in the order of [`Method`].
    #[must_use]
    pub fn methods(&self) -> &[Method] {
        &self.methods
    }

    /// The value of an `Allow` header (RFC 9110, section 10.2.1).
    #[must_use]
    pub fn header_value(&self) -> &HeaderValue {
        &self.header
    }
}

/// The template with its parameters renamed by position, so that `/pets/{id}` and `/pets/{petId}/food`
/// can stand side by side; and the names. None if a segment is not matchable.
fn shape(template: &'static str) -> Option<(String, Vec<&'static str>)> {
    let mut shape = String::new();
    let mut names = Vec::new();
    for segment in template.strip_prefix('/')?.split('/') {
        shape.push('/');
        match segment.split_once('{') {
            None if segment.contains('}') => return None,
            None => shape.push_str(segment),
            Some((prefix, rest)) => {
                let (name, suffix) = rest.split_once('}')?;
                let plain = |text: &str| !text.contains(['{', '}']);
                if name.is_empty() || !plain(name) || !plain(prefix) || !plain(suffix) {
                    return None;
                }
                shape.push_str(&format!("{prefix}{{p{}}}{suffix}", names.len()));
                names.push(name);
            }
        }
    }
    Some((shape, names))
}

/// Decodes the escapes of letters, digits, `-`, `.`, `_` and `~`, and nothing else.
fn decode_unreserved(path: &str) -> Cow<'_, str> {
    if !path.contains('%') {
        return Cow::Borrowed(path);
    }
    let mut decoded = String::with_capacity(path.len());
    let mut rest = path;
    while let Some(at) = rest.find('%') {
        decoded.push_str(&rest[..at]);
        rest = &rest[at..];
        let byte = rest
            .get(1..3)
            .and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte {
            Some(byte) if byte.is_ascii_alphanumeric() || b"-._~".contains(&byte) => {
                decoded.push(char::from(byte));
                rest = &rest[3..];
            }
            _ => {
                decoded.push('%');
                rest = &rest[1..];
            }
        }
    }
    decoded.push_str(rest);
    Cow::Owned(decoded)
}

#[cfg(test)]
mod tests;
