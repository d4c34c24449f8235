//! A response that is an error, and what it says, in one line, whatever its schema.

use std::fmt;

use reqwest::header::{AUTHORIZATION, COOKIE, HeaderMap, HeaderName, SET_COOKIE};
use reqwest::{StatusCode, Url};
use serde_json::Value;

/// The characters that are shown of a body without a text that is recognised.
const MAX_EXCERPT: usize = 200;

/// The characters that are shown of a text that is recognised.
const MAX_TEXT: usize = 2000;

/// The deepest nesting of objects and arrays that is searched for a text.
const MAX_DEPTH: usize = 3;

/// Names of properties with a text for people, the most telling first; in small letters without separators.
const TEXTS: [&str; 10] = [
    "message",
    "detail",
    "errormessage",
    "errordescription",
    "msg",
    "description",
    "text",
    "reason",
    "error",
    "title",
];

/// Names of properties with a code for programs, the most telling first.
const CODES: [&str; 5] = ["code", "errorcode", "error", "errortype", "type"];

/// Names of properties with the place in the request that a text is about.
const PLACES: [&str; 9] = [
    "loc",
    "pointer",
    "field",
    "fieldname",
    "property",
    "propertypath",
    "instancepath",
    "param",
    "parameter",
];

/// The headers whose values are not shown.
const SECRET: [HeaderName; 3] = [AUTHORIZATION, COOKIE, SET_COOKIE];

/// Headers with the id of a request.
const REQUEST_IDS: [&str; 3] = ["x-request-id", "request-id", "x-correlation-id"];

/// A response that is an error, and what it says.
#[derive(Clone, Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    /// The text for people: what the body says, or its beginning.
    pub(crate) message: String,
    /// The code for programs.
    pub(crate) code: Option<String>,
    /// The id under which the service knows the request.
    pub(crate) request_id: Option<String>,
}

/// The text and the code of an error.
struct Said {
    text: String,
    code: Option<String>,
}

impl Answer {
    pub(crate) fn new(status: StatusCode, headers: HeaderMap, body: &[u8]) -> Self {
        let said = read(body).unwrap_or_else(|| Said {
            text: excerpt(body),
            code: None,
        });
        let id = REQUEST_IDS.iter().find_map(|name| headers.get(*name));
        let id = id.and_then(|id| id.to_str().ok()).map(shorten);
        Self {
            status,
            headers,
            message: said.text,
            code: said.code,
            request_id: id.filter(|id| !id.is_empty()),
        }
    }

    /// Writes the headers, without the values that may be credentials.
    pub(crate) fn write_headers(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("; headers: ")?;
        let shown = self.headers.iter().map(|(name, value)| {
            let value: &dyn fmt::Debug = if SECRET.contains(name) {
                &"(not shown)"
            } else {
                value
            };
            (name, value)
        });
        f.debug_map().entries(shown).finish()
    }
}

/// The code in the body of an error, whatever its schema.
pub(crate) fn read_code(body: &[u8]) -> Option<String> {
    read(body)?.code
}

/// One line: `404 pet_not_found: no such pet (request 0198…)`. Without a code: `404 Not Found: …`.
impl fmt::Display for Answer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.code {
            Some(code) => write!(f, "{} {code}", self.status.as_u16())?,
            None => write!(f, "{}", self.status)?,
        }
        if !self.message.is_empty() {
            write!(f, ": {}", self.message)?;
        }
        match &self.request_id {
            Some(id) => write!(f, " (request {id})"),
            None => Ok(()),
        }
    }
}

fn read(body: &[u8]) -> Option<Said> {
    find(&serde_json::from_slice(body).ok()?, 0)
}

/// The beginning of a body as a line of text.
pub(crate) fn excerpt(body: &[u8]) -> String {
    match std::str::from_utf8(body) {
        Ok(text) => shorten(text),
        // A body that was cut in the middle of a character is text up to there.
        Err(error) if error.error_len().is_none() => {
            shorten(&String::from_utf8_lossy(&body[..error.valid_up_to()]))
        }
        Err(_) => format!("{} bytes", body.len()),
    }
}

fn find(value: &Value, depth: usize) -> Option<Said> {
    if depth > MAX_DEPTH {
        return None;
    }
    match value {
        Value::Array(items) => {
            let mut said = items.iter().filter_map(|item| find(item, depth + 1));
            let mut first = said.next()?;
            let others = said.count();
            if others > 0 {
                first.text += &format!(" (and {others} more)");
            }
            Some(first)
        }
        Value::Object(members) => {
            let member = |names: &[&str], but: Option<&str>, read: fn(&Value) -> Option<String>| {
                let mut names = names.iter();
                names.find_map(|name| {
                    let mut members = members.iter();
                    members.find_map(|(key, value)| {
                        let is_named = plain(key) == *name && Some(key.as_str()) != but;
                        let value = read(value).filter(|_| is_named)?;
                        Some((key.clone(), value))
                    })
                })
            };
            let text = member(&TEXTS, None, read_text);
            let used = text.as_ref().map(|(key, _)| key.as_str());
            let code = member(&CODES, used, code_text).map(|(_, code)| code);
            let place = member(&PLACES, used, place_text).map(|(_, place)| place);
            match text {
                Some((_, text)) => Some(Said {
                    text: match place {
                        Some(place) => format!("{place}: {text}"),
                        None => text,
                    },
                    code,
                }),
                None => {
                    let said = members.values().find_map(|value| find(value, depth + 1))?;
                    Some(Said {
                        code: said.code.or(code),
                        ..said
                    })
                }
            }
        }
        _ => None,
    }
}

/// A name in small letters without separators.
fn plain(name: &str) -> String {
    let letters = name.chars().filter(|c| c.is_alphanumeric());
    letters.flat_map(char::to_lowercase).collect()
}

fn read_text(value: &Value) -> Option<String> {
    let text = value.as_str().map(|text| first_characters(text, MAX_TEXT));
    text.filter(|text| !text.is_empty())
}

fn code_text(value: &Value) -> Option<String> {
    match value {
        Value::Number(number) => Some(number.to_string()),
        value => read_text(value),
    }
}

/// A place as a text, or as the names that lead to it.
fn place_text(value: &Value) -> Option<String> {
    match value {
        Value::Array(names) => {
            let names: Option<Vec<String>> = names.iter().map(code_text).collect();
            names.map(|it| it.join("."))
        }
        value => read_text(value),
    }
}

/// The beginning of a text, as one line.
fn shorten(text: &str) -> String {
    first_characters(text, MAX_EXCERPT)
}

fn first_characters(text: &str, most: usize) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// Removes what a URL may say of credentials: the query, user and password.
pub(crate) fn redact_url(url: &mut Url) {
    url.set_query(None);
    // These fail for URLs that have no host, and so no user.
    let _ = url.set_username("");
    let _ = url.set_password(None);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answer_has_what_the_body_says_and_the_id_of_the_request() {
        const TABLE: &str = r#"
            {"message": "no such pet", "error_code": "PetNotFound", "request_id": "a"} -> 404 PetNotFound: no such pet
            {"type": "about:blank", "title": "Gone", "detail": "The pet left."}        -> 404 about:blank: The pet left.
            {"error": {"code": 7, "message": "none"}}                                  -> 404 7: none
            {"errors": [{"message": "a", "field": "name"}, {"message": "b"}]}          -> 404 Not Found: name: a (and 1 more)
            {"detail": [{"type": "missing", "loc": ["body", 0], "msg": "Required"}]}   -> 404 missing: body.0: Required
            {"error": "invalid_grant", "error_description": "It has expired."}         -> 404 invalid_grant: It has expired.
            {"pet": 7}                                                                 -> 404 Not Found: {"pet": 7}
            <html>  <b>Not here</b>                                                    -> 404 Not Found: <html> <b>Not here</b>
                                                                                       -> 404 Not Found
        "#;
        for (body, expected) in TABLE.lines().filter_map(|row| row.split_once("->")) {
            let (body, expected) = (body.trim(), expected.trim());
            let mut headers = HeaderMap::new();
            headers.insert("x-request-id", "r1".parse().unwrap());
            let answer = Answer::new(StatusCode::NOT_FOUND, headers, body.as_bytes());
            assert_eq!(answer.to_string(), format!("{expected} (request r1)"));
        }
    }

    #[test]
    fn excerpt_is_short_and_no_binary() {
        assert_eq!(excerpt("ä".repeat(300).as_bytes()), "ä".repeat(200) + "…");
        assert_eq!(excerpt(&[0xff, 0xfe, 0]), "3 bytes");
        assert_eq!(excerpt(b"Not\x1b[1m\n here"), "Not [1m here");
        assert_eq!(excerpt(&"äb".as_bytes()[..1]), "");
    }
}
