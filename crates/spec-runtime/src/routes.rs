//! Finds the operation of a request by its method and path. Parameters are not decoded here.
//!
//! Paths are matched strictly: `/pets/` and `//pets` are not `/pets`. A literal wins over a parameter at the same place,
//! as OpenAPI demands. Percent-encoded unreserved characters are
//! equivalent to plain ones (RFC 3986, section 6.2.2.2), and `%2F` never separates segments.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::collections::BTreeMap;

use http::HeaderValue;
use percent_encoding::AsciiSet;

use crate::operation::{Method, OperationInfo};

mod template;

use template::{Exactness, Template};

/// The router: finds the operation for a method and a path. Built one time from all operations.
#[derive(Debug)]
pub struct Routes {
    paths: Vec<PathRoutes>,
    /// The index in `paths` for each template.
    router: matchit::Router<usize>,
    /// The templates that the router cannot hold, with several parameters in a segment for example, each with its index
    /// in `paths`; the most exact first. Empty for most documents.
    others: Vec<(Template, usize)>,
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
    exactness: Exactness,
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
        let mut paths: BTreeMap<String, (Template, Vec<MethodRoute>)> = BTreeMap::new();
        for (operation, info) in operations.iter().enumerate() {
            let template = match Template::parse(info.path) {
                Some(template) => template,
                // It is not in the trait, perhaps for this reason.
                None if !info.generated => continue,
                None => {
                    let problem = "is not a path of literals and {parameters}";
                    return Err(RouteError::new(info, problem));
                }
            };
            let parameters = template.names();
            let entry = paths.entry(template.numbered());
            let (_, methods) = entry.or_insert_with(|| (template, Vec::new()));
            if methods.iter().any(|route| route.method == info.method) {
                return Err(RouteError::new(info, "is declared twice"));
            }
            methods.push(MethodRoute {
                method: info.method,
                operation,
                parameters,
            });
        }
        let mut routes = Self {
            paths: Vec::with_capacity(paths.len()),
            router: matchit::Router::new(),
            others: Vec::new(),
        };
        for (numbered, (template, methods)) in paths {
            let index = routes.paths.len();
            let allow = build_allow_header(methods.iter().map(|route| route.method));
            routes.paths.push(PathRoutes {
                methods,
                allow,
                exactness: template.exactness(),
            });
            if !template.is_simple() || routes.router.insert(numbered, index).is_err() {
                routes.others.push((template, index));
            }
        }
        let paths = &routes.paths;
        let exactness = |(_, index): &(Template, usize)| Reverse(&paths[*index].exactness);
        routes
            .others
            .sort_by(|a, b| exactness(a).cmp(&exactness(b)));
        Ok(routes)
    }

    /// Finds the operation for a method and a raw (percent-encoded) path without its query.
    #[must_use]
    pub fn find(&self, method: &http::Method, raw_path: &str) -> Route<'_> {
        let path = decode_unreserved(raw_path);
        let matched = self.router.at(&path).ok();
        if !self.others.is_empty()
            && let Some((routes, values)) = self.find_other(&path)
            && matched
                .as_ref()
                .is_none_or(|it| self.paths[*it.value].exactness < routes.exactness)
        {
            return routes.find(method, values.into_iter());
        }
        match matched {
            None => Route::NotFound,
            Some(matched) => {
                let values = matched.params.iter().map(|(_, value)| value);
                self.paths[*matched.value].find(method, values)
            }
        }
    }

    /// Finds the most exact template among those that the router cannot hold.
    fn find_other<'p>(&self, path: &'p str) -> Option<(&PathRoutes, Vec<&'p str>)> {
        self.others.iter().find_map(|(template, index)| {
            let values = template.find(path)?;
            Some((&self.paths[*index], values))
        })
    }
}

impl PathRoutes {
    /// The route for a method, with the values of the parameters in the order of the path.
    fn find<'p>(&self, method: &http::Method, values: impl Iterator<Item = &'p str>) -> Route<'_> {
        let Self { methods, allow, .. } = self;
        let declared = |name: &str| methods.iter().find(|route| route.method.as_str() == name);
        let found = match method.as_str() {
            "HEAD" => declared("HEAD").or_else(|| declared("GET")),
            name => declared(name),
        };
        match found {
            Some(route) => {
                let values = values.map(ToOwned::to_owned);
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

/// The text of a template as requests write it: what a path cannot contain is percent-encoded.
fn encode_literal(text: &str) -> String {
    const OUTSIDE_OF_PATHS: AsciiSet = percent_encoding::CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'#')
        .add(b'<')
        .add(b'>')
        .add(b'?')
        .add(b'^')
        .add(b'`');
    let text = decode_unreserved(text);
    percent_encoding::utf8_percent_encode(&text, &OUTSIDE_OF_PATHS).to_string()
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
