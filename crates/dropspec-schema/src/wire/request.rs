//! Parameters as the parts of a request: path, query, headers and cookies.

use serde_json::Value;

use crate::wire::encode::{Piece, Styled};
use crate::wire::escape::{Escape, fits_cookie};
use crate::wire::parameter::{Encoding, Location, Parameter};
use crate::wire::template::{fill_template, is_reserved};

/// The parts of a request that contain parameters, all encoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parts {
    /// The path.
    pub path: String,
    /// The query, without the question mark; empty if there is none.
    pub query: String,
    /// The headers, except `Cookie`.
    pub headers: Vec<(String, String)>,
    /// The value of the header `Cookie`; empty if there is none.
    pub cookies: String,
}

impl Parts {
    /// Appends a pair to the query.
    pub fn push_query(&mut self, name: &str, value: &str) {
        let (name, value) = (
            Escape::Reserved.encode(name),
            Escape::Reserved.encode(value),
        );
        push_pair(&mut self.query, "&", &name, &value);
    }

    /// Appends a cookie.
    pub fn push_cookie(&mut self, name: &str, value: &str) {
        push_pair(&mut self.cookies, "; ", name, &Escape::Cookie.encode(value));
    }
}

/// Writes the values of parameters into a path template and the other parts of a request.
///
/// # Errors
/// A value cannot be written in the style of its parameter, or the path has a parameter without a value.
pub fn encode_parameters<'v>(
    template: &str,
    parameters: impl IntoIterator<Item = (&'v Parameter<'v>, &'v Value)>,
) -> Result<Parts, String> {
    let mut parts = Parts::default();
    let mut in_path: Vec<(&str, String)> = Vec::new();
    for (parameter, value) in parameters {
        match parameter.location {
            Location::Path => {
                let text = text(parameter, value, is_reserved(template, parameter.name))?;
                in_path.push((parameter.name, text));
            }
            Location::Header => {
                let text = text(parameter, value, false)?;
                if !text.chars().all(|c| matches!(c, ' '..='~' | '\t')) {
                    return Err(format!(
                        "the value of the header `{}` contains characters other than visible ASCII, of which recipients disagree; declare \
                         it with `content: application/json` to send them",
                        parameter.name
                    ));
                }
                parts.headers.push((parameter.name.to_owned(), text));
            }
            Location::Query => push_pieces(&mut parts.query, "&", pieces(parameter, value)?),
            Location::Cookie => {
                let pieces = pieces(parameter, value)?;
                let texts = pieces.iter().flat_map(|it| it.key.iter().chain([&it.text]));
                if let Some(text) = texts.into_iter().find(|text| !fits_cookie(text)) {
                    return Err(format!(
                        "{text:?} in `{}` has characters that a cookie cannot hold; escape them as the service expects it",
                        parameter.name
                    ));
                }
                push_pieces(&mut parts.cookies, "; ", pieces);
            }
        }
    }
    parts.path = fill_template(template, &in_path)?;
    Ok(parts)
}

/// Checks that no member of an object that is spread over parameters is another one that the operation declares: servers read
/// it as that one.
///
/// # Errors
/// One is, and the message says which.
pub fn check_members(
    parameter: &Parameter<'_>,
    value: &Value,
    is_declared: impl Fn(Location, &str) -> bool,
) -> Result<(), String> {
    let (name, location) = (parameter.name, parameter.location);
    let is_spread = [Location::Query, Location::Cookie].contains(&location)
        && styled(parameter).is_some_and(|it| it.style.notation(it.explode).is_spread());
    let members = value
        .as_object()
        .filter(|_| is_spread)
        .into_iter()
        .flatten();
    let mut members = members.filter(|(member, value)| *member != name && !value.is_null());
    match members.find(|(member, _)| is_declared(location, member)) {
        Some((member, _)) => Err(format!(
            "`{name}` has a member `{member}`, which is a {location} of its own; set that one"
        )),
        None => Ok(()),
    }
}

/// The text of a value in the path or a header. With `is_reserved`, reserved characters stay in it.
fn text(parameter: &Parameter<'_>, value: &Value, is_reserved: bool) -> Result<String, String> {
    match styled(parameter) {
        Some(styled) => Styled {
            allow_reserved: is_reserved,
            ..styled
        }
        .text(value),
        None if parameter.location == Location::Header => Ok(ascii_json(value)),
        None => {
            let escape = if is_reserved {
                Escape::ReservedPath
            } else {
                Escape::Reserved
            };
            Ok(escape.encode(&value.to_string()).into_owned())
        }
    }
}

fn pieces(parameter: &Parameter<'_>, value: &Value) -> Result<Vec<Piece>, String> {
    if let Some(styled) = styled(parameter) {
        let pieces = styled.pieces(value)?;
        return if pieces.is_empty() && parameter.required {
            Err(format!(
                "`{}` is required, and no text in its style means an empty list or object",
                parameter.name
            ))
        } else {
            Ok(pieces)
        };
    }
    let escape = match parameter.location {
        Location::Cookie => Escape::Cookie,
        _ => Escape::Reserved,
    };
    let has_name = parameter.encoding != Encoding::WholeQuery;
    Ok(vec![Piece {
        key: has_name.then(|| escape.encode(parameter.name).into_owned()),
        text: escape.encode(&value.to_string()).into_owned(),
    }])
}

/// The style of a parameter; `None` if it is written as JSON.
fn styled<'p>(parameter: &Parameter<'p>) -> Option<Styled<'p>> {
    let Encoding::Style {
        style,
        explode,
        allow_reserved,
    } = parameter.encoding
    else {
        return None;
    };
    Some(Styled {
        name: parameter.name,
        location: parameter.location,
        // Some documents declare styles for locations that they do not exist for; those mean the style of the location.
        style: style.or_default(parameter.location),
        explode,
        allow_reserved,
    })
}

/// JSON with all characters beyond ASCII as `\u` escapes, since servers read headers as ASCII.
fn ascii_json(value: &Value) -> String {
    let mut ascii = String::new();
    for c in value.to_string().chars() {
        match c {
            c if c.is_ascii() => ascii.push(c),
            c => {
                let mut units = [0; 2];
                for unit in c.encode_utf16(&mut units) {
                    ascii.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
    }
    ascii
}

fn push_pieces(text: &mut String, separator: &str, pieces: Vec<Piece>) {
    for piece in pieces {
        match piece.key {
            Some(key) => push_pair(text, separator, &key, &piece.text),
            None => text.push_str(&piece.text),
        }
    }
}

fn push_pair(text: &mut String, separator: &str, name: &str, value: &str) {
    if !text.is_empty() {
        text.push_str(separator);
    }
    text.push_str(name);
    text.push('=');
    text.push_str(value);
}

#[cfg(test)]
mod tests;
