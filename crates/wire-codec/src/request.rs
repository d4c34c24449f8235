//! Parameters as the parts of a request: path, query, headers and cookies.

use serde_json::Value;

use crate::encode::{Piece, Styled};
use crate::escape::{Escape, fits_cookie};
use crate::parameter::{Encoding, Location, Parameter};
use crate::template::fill_template;

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
            Location::Path => in_path.push((parameter.name, text(parameter, value)?)),
            Location::Header => {
                let text = text(parameter, value)?;
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

fn text(parameter: &Parameter<'_>, value: &Value) -> Result<String, String> {
    match styled(parameter) {
        Some(styled) => styled.text(value),
        None if parameter.location == Location::Header => Ok(ascii_json(value)),
        None => Ok(Escape::Reserved.encode(&value.to_string()).into_owned()),
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
mod tests {
    #![allow(clippy::unwrap_used)]

    use serde_json::json;

    use super::*;
    use crate::parameter::Style;

    #[test]
    fn json_that_is_the_whole_query_has_no_name() {
        let parameter = Parameter::query("q").whole_query();
        let value = json!({ "a": "b&c=d+é" });
        let parts = encode_parameters("/", [(&parameter, &value)]).unwrap();
        assert_eq!(parts.query, "%7B%22a%22%3A%22b%26c%3Dd%2B%C3%A9%22%7D");
    }

    #[test]
    fn parameters_become_path_query_headers_and_cookies() {
        let parameters = [
            (Parameter::path("id"), json!("a/b")),
            (
                Parameter::path("kind").style(Style::Label, false),
                json!([1, 2]),
            ),
            (Parameter::query("tag"), json!(["x", "y"])),
            (Parameter::query("filter").json(), json!({"a": [1]})),
            (Parameter::header("X-List"), json!([1, true])),
            (Parameter::header("X-Json").json(), json!({"ü": 1})),
            (Parameter::cookie("theme"), json!("dark blue")),
            (Parameter::cookie("sizes"), json!([1, 2])),
        ];
        let values = parameters
            .iter()
            .map(|(parameter, value)| (parameter, value));
        let parts = encode_parameters("/a/{id}/b{kind}.json", values).unwrap();
        assert_eq!(parts.path, "/a/a%2Fb/b.1.2.json");
        assert_eq!(parts.query, "tag=x&tag=y&filter=%7B%22a%22%3A%5B1%5D%7D");
        let headers = [("X-List", "1,true"), ("X-Json", r#"{"\u00fc":1}"#)];
        let headers = headers.map(|(name, value)| (name.to_owned(), value.to_owned()));
        assert_eq!(parts.headers, headers);
        assert_eq!(parts.cookies, "theme=dark%20blue; sizes=1; sizes=2");
    }

    #[test]
    fn cookie_in_its_own_style_is_sent_as_it_is_or_not_at_all() {
        let parameter = Parameter::cookie("a").style(Style::Cookie, true);
        let encode = |value| encode_parameters("/", [(&parameter, &value)]).map(|it| it.cookies);
        assert_eq!(encode("50%/x==".into()).unwrap(), "a=50%/x==");
        assert_eq!(encode(json!({"b": 1, "c": "d"})).unwrap(), "b=1; c=d");
        for value in json!(["a b", "a;b", "a\"b", "ü", { "b; c": 1 }])
            .as_array()
            .unwrap()
        {
            let error = encode(value.clone()).unwrap_err();
            assert!(error.contains("a cookie cannot hold"), "{error}");
        }
    }

    #[test]
    fn segments_that_a_url_drops_are_refused() {
        let parameter = Parameter::path("id");
        let encode = |value| encode_parameters("/a/{id}/b", [(&parameter, &json!(value))]);
        for dropped in ["", ".", ".."] {
            let error = encode(dropped).unwrap_err();
            assert!(error.contains("makes the segment"), "{error}");
        }
        assert_eq!(encode("...").unwrap().path, "/a/.../b");
        let empty = encode_parameters("/a/{id}.json", [(&parameter, &json!(""))]);
        let empty = empty.unwrap_err();
        assert!(empty.contains("`id` is empty"), "{empty}");
        let missing = encode_parameters("/{id}", []).unwrap_err();
        assert_eq!(missing, "the path parameter `id` has no value");
    }

    #[test]
    fn empty_list_that_would_leave_out_a_required_parameter_is_refused() {
        let encode = |parameter: Parameter<'_>| {
            let parts = encode_parameters("/", [(&parameter, &json!([]))]);
            parts.map(|parts| parts.query)
        };
        let error = encode(Parameter::query("a").required()).unwrap_err();
        assert!(error.contains("`a` is required"), "{error}");
        assert_eq!(encode(Parameter::query("a")).unwrap(), "");
        let joined = Parameter::query("a").required().style(Style::Form, false);
        assert_eq!(encode(joined).unwrap(), "a=");
    }

    #[test]
    fn only_visible_ascii_reaches_a_header() {
        let parameter = Parameter::header("X-A");
        let encode = |value| encode_parameters("/", [(&parameter, &json!(value))]);
        for text in ["a\r\nb", "a\u{7f}", "ü"] {
            let error = encode(text).unwrap_err();
            assert!(error.contains("the header `X-A`"), "{text:?}: {error}");
        }
        assert_eq!(encode("a b\t~").unwrap().headers[0].1, "a b\t~");
    }
}
