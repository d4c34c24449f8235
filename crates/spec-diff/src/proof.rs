//! Proves breaks: for each, the HTTP exchange that worked before and fails now, as far as it can be printed. Every message
//! is checked by both documents; none is sent.

mod checker;
mod credentials;
mod drafts;
mod message;
mod multipart;
mod parameters;
mod reasons;
mod search;
mod undo;

use serde::Serialize;
use spec_model::Document;

use crate::finding::{Finding, Side};
use crate::rules::Level;

use self::search::Search;
pub(crate) use self::undo::EditedNodes;

/// The most breaks that are proved in one comparison.
const MOST_PROVED: usize = 200;

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

/// Adds a proof to each break. The documents are those that were compared, in the terms of OpenAPI 3.0.
pub(crate) fn prove(base: &Document, revision: &Document, findings: &mut [Finding]) {
    let mut search = Search::new(base.root().to_json(), revision.root().to_json());
    let breaks = findings.iter_mut().filter(|it| it.level == Level::Error);
    for (index, finding) in breaks.enumerate() {
        finding.proof = Some(match index < MOST_PROVED {
            true => search.prove(finding),
            false => Proof::None(format!("only {MOST_PROVED} breaks are proved")),
        });
    }
}
