//! What the names of properties of error schemas mean, as documents of many teams use them.

use http::StatusCode;
use serde_json::{Value, json};

use super::body::{
    CODE, MESSAGE, REQUEST_ID, REQUEST_URI, SAMPLES, STATUS, STATUS_TEXT, STATUS_WORDS, Sample,
};

/// A list of names, the most telling first, in small letters without separators, separated by spaces.
type Names = &'static str;

/// Names of texts for people.
pub(super) const MESSAGES: Names = "message detail errormessage errordescription faultmessage errormsg msg description text reason \
                                    userfriendlymessage error title";
/// Names of codes for programs.
pub(super) const CODES: Names = "code errorcode faultcode error errortype type reason name key";
/// Names of what holds errors: texts in it, without names of their own, are errors.
pub(super) const CONTAINERS: Names = "error errors message messages";
/// Names of lists of what is wrong with a request.
pub(super) const PROBLEM_LISTS: Names =
    "errors violations problems invalidparams validationerrors details";
/// Names of the place of a problem.
pub(super) const PLACES: Names =
    "pointer loc location path field property param parameter attribute name";
const STATUSES: Names = "status statuscode httpstatus httpstatuscode httpcode";
const REQUEST_IDS: Names = "requestid trackingid traceid correlationid errorid id";
const FLAGS: Names = "success ok";

/// The place of a name in a list: less is more telling. A name that ends as a message does is the last of the messages.
pub(super) fn rank(name: &str, names: Names) -> Option<usize> {
    let signs = name.chars().filter(char::is_ascii_alphanumeric);
    let plain: String = signs.map(|sign| sign.to_ascii_lowercase()).collect();
    let listed = names.split(' ').position(|known| known == plain);
    let is_message = names == MESSAGES && plain.ends_with("message");
    listed.or(is_message.then_some(usize::MAX))
}

/// What may be in the code of an error, the best first; the schema decides. A problem without a type of its own is
/// `about:blank` (RFC 9457, section 4.2.1).
pub(super) fn values_of_code() -> Vec<Value> {
    [CODE, STATUS, STATUS_TEXT, "about:blank"]
        .map(Value::from)
        .into()
}

/// Words of enumerations that mean the errors of a status, beside those of its codes and its name.
const SYNONYMS: [(u16, Names); 13] = [
    (400, "bad invalid argument parameter malformed client"),
    (
        401,
        "unauthorized unauthenticated authentication auth token credentials",
    ),
    (403, "permission denied access authorization"),
    (404, "missing unknown"),
    (408, "deadline"),
    (409, "aborted exists duplicate"),
    (412, "stale"),
    (413, "size large"),
    (422, "invalid validation argument"),
    (
        429,
        "rate limit limited quota exhausted throttled throttling",
    ),
    (500, "server"),
    (501, "unimplemented"),
    (503, "temporarily overloaded"),
];
/// Words that tell nothing.
const EMPTY_WORDS: Names = "not error err failed failure code request api key type status";

/// The value of an enumeration that means an error of the gate: the one with the largest share of words that its code and status have.
/// Without one, that of any request that is refused, or of any failure.
pub(super) fn choose_by_words<'v>(values: &[&'v str], (code, status): Sample) -> Option<&'v str> {
    let name = StatusCode::from_u16(status).ok();
    let name = name.and_then(|name| name.canonical_reason());
    let synonyms = SYNONYMS.iter().find(|(known, _)| *known == status);
    let synonyms = synonyms.map_or("", |(_, words)| words);
    let known = words(&[code, name.unwrap_or_default(), synonyms].join(" "));
    let shares = values.iter().map(|value| {
        let words = words(value);
        let meant = words.iter().filter(|word| known.contains(word)).count();
        // In thousandths, as fractions have no order.
        (meant * 1000 / words.len().max(1), *value)
    });
    // The first one of several.
    let best = shares.rev().max_by_key(|(share, _)| *share);
    let general = SAMPLES
        .into_iter()
        .find(|(_, other)| *other == status / 500 * 100 + 400);
    match best.filter(|(share, _)| *share > 0) {
        Some((_, value)) => Some(value),
        None => choose_by_words(values, general.filter(|general| general.1 != status)?),
    }
}

/// The telling words of a name, in small letters.
fn words(name: &str) -> Vec<String> {
    let mut spaced = String::new();
    for sign in name.chars() {
        let begins_word =
            sign.is_ascii_uppercase() && spaced.ends_with(|c: char| c.is_ascii_lowercase());
        if begins_word || !sign.is_ascii_alphanumeric() {
            spaced.push(' ');
        }
        if sign.is_ascii_alphanumeric() {
            spaced.push(sign);
        }
    }
    let spaced = spaced.to_ascii_lowercase();
    let words = spaced.split_whitespace().map(str::to_owned);
    words
        .filter(|word| rank(word, EMPTY_WORDS).is_none())
        .collect()
}

/// What may be in a property that is neither the message nor the code of its object.
pub(super) fn values_of_property(name: &str) -> Vec<Value> {
    let is = |names| rank(name, names).is_some();
    let marks: &[&str] = match () {
        () if is(STATUSES) => &[STATUS, STATUS_TEXT, CODE],
        () if is("title") => &[STATUS_WORDS, MESSAGE],
        () if is("instance") => &[REQUEST_URI, REQUEST_ID],
        () if is(REQUEST_IDS) => &[REQUEST_ID, REQUEST_URI],
        () if is(FLAGS) => return vec![json!(false)],
        () => &[],
    };
    marks.iter().copied().map(Value::from).collect()
}
