//! Checks paths: what dropshot's router would panic on is reported.

use std::collections::HashMap;

use spec_model::{PathPart, Place, Spec};

use crate::plan::problems::Problems;

/// Reports paths that one dropshot server cannot hold together.
pub(super) fn check_routes(spec: &Spec, problems: &Problems<'_>) {
    // The parameter or text at a position, by the path before it.
    let mut variables: HashMap<String, (String, String)> = HashMap::new();
    let mut literals: HashMap<String, String> = HashMap::new();
    for item in &spec.paths {
        let at = &item.at;
        let path = &item.path;
        if let Some(sign) = find_path_end(&path.raw) {
            problems.report(
                at,
                format!("the path `{path}` holds a `{sign}`, which no path of a request does"),
                match sign {
                    '?' => "declare what follows as parameters in the query",
                    _ => "remove what follows; a client keeps it to itself",
                },
            );
            continue;
        }
        let mut prefix = String::new();
        for (index, segment) in path.segments.iter().enumerate() {
            match segment.as_slice() {
                [] => {
                    let last = index + 1 == path.segments.len();
                    let what = if last {
                        "ends with a slash"
                    } else {
                        "has an empty segment"
                    };
                    problems.report(at, format!("the path `{path}` {what}"), "remove the slash");
                    break;
                }
                [PathPart::Literal(text)] => {
                    if let Some((_, other)) = variables.get(&prefix) {
                        report_clash(problems, at, &path.raw, other);
                    }
                    literals
                        .entry(prefix.clone())
                        .or_insert_with(|| path.raw.clone());
                    prefix = format!("{prefix}/{text}");
                }
                [PathPart::Parameter(name)] => {
                    if let Some(other) = literals.get(&prefix) {
                        report_clash(problems, at, &path.raw, other);
                    }
                    let known = variables
                        .entry(prefix.clone())
                        .or_insert_with(|| (name.clone(), path.raw.clone()));
                    if known.0 != *name {
                        let (earlier, other) = known.clone();
                        problems.report(
                            at,
                            format!(
                                "`{path}` calls `{{{name}}}` what `{other}` calls `{{{earlier}}}`"
                            ),
                            format!("name the parameter `{earlier}` in both"),
                        );
                    }
                    prefix.push_str("/{}");
                }
                _ => {
                    problems.report(
                        at,
                        format!("in `{path}`, a segment holds more than one parameter"),
                        "give each parameter a segment of its own",
                    );
                    break;
                }
            }
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

fn report_clash(problems: &Problems<'_>, at: &Place, path: &str, other: &str) {
    problems.report(
        at,
        format!("`{path}` and `{other}` differ in a text where the other has a parameter, which dropshot cannot route"),
        "give one of the two another path",
    );
}
