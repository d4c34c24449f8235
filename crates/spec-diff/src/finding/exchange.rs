//! What shows a break to people: an HTTP exchange.

use serde::Serialize;

use super::Side;

/// What shows a break to people.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Proof {
    /// An exchange that one document allows and the other refuses.
    Exchange(Box<Exchange>),
    /// Why no exchange is printed.
    None(String),
}

/// A request and its response.
///
/// If a request is refused, the exchange is valid by the base, and by the revision the request is not. If a response is
/// refused, the exchange is valid by the revision, and clients made for the base do not understand its response.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Exchange {
    /// The request.
    pub request: Request,
    /// The response.
    pub response: Response,
    /// Which document refuses what.
    pub refused: Refused,
}

/// A request. Its target starts at the URL of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Request {
    /// The method in upper case.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// Name and value of each header.
    pub headers: Vec<(String, String)>,
    /// The body; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
    /// The scopes that the credentials were granted. They are no part of the message.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub scopes: Vec<String>,
}

/// A response.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Response {
    /// The status.
    pub status: u16,
    /// Name and value of each header.
    pub headers: Vec<(String, String)>,
    /// The body; absent if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub body: Option<String>,
}

/// Which document refuses what.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The document that refuses.
    pub by: Side,
    /// Which message is refused.
    pub message: MessageKind,
    /// The part of the message, such as `the body at /name`.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// A kind of message.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MessageKind {
    /// What clients send.
    Request,
    /// What servers answer.
    Response,
}
