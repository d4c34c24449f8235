//! Which operations dropshot can register together. The gate routes by the operation table, so that it serves the others
//! too.

use std::collections::HashMap;

use dropspec_model::{Method, Operation, ParameterLocation, PathPart, PathTemplate, Spec};

use crate::plan::parameters::is_sent;
use crate::plan::problems::Problems;

/// The rule of a path that no request has. It is no error of other operations.
pub(crate) const UNREACHABLE: &str = "path-query";

/// Reports paths that no request has. Their operations are left out.
pub(super) fn check_paths(spec: &Spec, problems: &Problems<'_>) {
    for item in &spec.paths {
        let path = &item.path;
        if let Some(sign) = find_path_end(&path.raw) {
            problems.report_violation(
                UNREACHABLE,
                &item.at,
                format!("the path `{path}` holds a `{sign}`, which no path of a request does"),
                match sign {
                    '?' => "declare what follows as parameters in the query",
                    _ => "remove what follows; a client keeps it to itself",
                },
            );
        }
    }
}

/// Finds a `?` or `#` outside of the parameters of a path template, which would end the path (RFC 3986, section 3).
fn find_path_end(raw: &str) -> Option<char> {
    let mut within = false;
    raw.chars().find(|c| {
        within = *c == '{' || within && *c != '}';
        !within && matches!(c, '?' | '#')
    })
}

/// What follows a place in the paths that dropshot's router holds: it takes either texts or one parameter.
#[derive(Default)]
pub(super) struct Routes {
    /// The parameter or a text after each path prefix, in which parameters are `{}`.
    after: HashMap<String, Segment>,
}

#[derive(Clone, PartialEq)]
enum Segment {
    Text,
    Parameter(String),
}

impl Routes {
    /// Whether dropshot can register an operation beside the ones before it. Its parameters can be described.
    pub(super) fn register(&mut self, operation: &Operation) -> bool {
        operation.method < Method::Trace
            && find_name_in_path_and_query(operation).is_none()
            && self.insert(&operation.path)
    }

    /// Adds a path, unless dropshot's router would refuse it.
    fn insert(&mut self, path: &PathTemplate) -> bool {
        let mut prefix = String::new();
        let mut added = Vec::new();
        for segment in &path.segments {
            let (segment, text) = match segment.as_slice() {
                [PathPart::Literal(text)] => (Segment::Text, text.as_str()),
                [PathPart::Parameter(name)] if !name.contains(':') => {
                    (Segment::Parameter(name.clone()), "{}")
                }
                _ => return false,
            };
            if self
                .after
                .get(&prefix)
                .is_some_and(|known| *known != segment)
            {
                return false;
            }
            added.push((prefix.clone(), segment));
            prefix = format!("{prefix}/{text}");
        }
        self.after.extend(added);
        true
    }
}

fn find_name_in_path_and_query(operation: &Operation) -> Option<&str> {
    let names = |location| {
        let parameters = operation.parameters.iter();
        let parameters = parameters.filter(move |p| p.location == location && is_sent(p));
        parameters.map(|parameter| parameter.name.as_str())
    };
    let mut in_query = names(ParameterLocation::Query);
    in_query.find(|name| names(ParameterLocation::Path).any(|other| other == *name))
}
