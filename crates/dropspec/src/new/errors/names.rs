//! What the names of properties of error schemas mean, as documents of many teams use them.

use serde_json::{Value, json};

use super::body::{CODE, MESSAGE, REQUEST_ID, REQUEST_URI, STATUS, STATUS_TEXT, STATUS_WORDS};

/// A list of names, the most telling first, in small letters without separators, separated by spaces.
type Names = &'static str;

/// Names of texts for people.
pub(super) const MESSAGES: Names = "message detail errormessage errordescription faultmessage errormsg msg description text reason \
                                    userfriendlymessage error title";
/// Names of codes for programs.
pub(super) const CODES: Names = "code errorcode faultcode error errortype type reason name key";
/// Names of what holds errors: texts in it, without names of their own, are errors.
pub(super) const CONTAINERS: Names = "error errors message messages";
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
pub(super) fn of_code() -> Vec<Value> {
    [CODE, STATUS, STATUS_TEXT, "about:blank"]
        .map(Value::from)
        .into()
}

/// What may be in a property that is neither the message nor the code of its object.
pub(super) fn of_other(name: &str) -> Vec<Value> {
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
