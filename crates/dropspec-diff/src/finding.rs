//! The results of a comparison.

use chrono::NaiveDate;
use dropspec_model::{Document, Location};
use serde::Serialize;
use sha2::{Digest, Sha256};

use crate::edit::EditedNodes;
use crate::rules::{Bump, Level, RuleId, fill_in};
use crate::schema::SetId;

/// One edit of the document and its effect.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule of the highest level that the edit triggers.
    pub id: RuleId,
    /// The level, which depends on the stability of the operations.
    pub level: Level,
    /// The operations that the edit reaches, such as `GET /pets`; empty if it affects the whole document.
    pub operations: Vec<String>,
    /// The level at each of the operations: an edit of a shared schema can break one and not another.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reach: Vec<Reached>,
    /// JSON pointer (RFC 6901) of the node that changed: in the revision, or in the base if it was removed.
    pub pointer: String,
    /// Location in the base, or of the node that something was added to.
    pub base: Location,
    /// Location in the revision, or where the removed node was.
    pub revision: Location,
    /// What changed, in one line.
    pub message: String,
    /// Identifies the finding in later runs; acknowledgements refer to it.
    pub fingerprint: String,
    /// Other rules that the edit triggers, for instance in responses if `id` is a rule of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Consequence>,
    /// A value that is valid in only one of the two documents.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<Instance>,
    /// What shows the break as an exchange; only if the policy says that breaks are proved.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<Proof>,
    /// Why a break is not proved: no value or exchange was found that shows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unproven: Option<String>,
    /// The reason of the acknowledgement, if the finding is acknowledged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<String>,
    /// The version increment that it requires.
    pub bump: Bump,
    /// What changed; absent if the finding is not about a change.
    #[serde(skip)]
    pub(crate) nodes: Option<EditedNodes>,
    /// The schemas of both documents that were compared, if it is a break of schemas.
    #[serde(skip)]
    pub(crate) schemas: Option<(SetId, SetId)>,
    /// Who uses what it touches, if the policy has a [`Usage`](crate::Usage).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub usage: Option<FindingUsage>,
    /// The names under which a service may count the parameter or property that it touches, the nearest first.
    #[serde(skip)]
    pub(crate) inputs: Vec<String>,
    /// The next version that may break clients, if the revision is not one.
    #[serde(skip)]
    pub(crate) breaking_version: Option<String>,
}

impl Finding {
    /// A finding about a whole document that reaches no operation. The item tells it from others of its rule.
    pub(crate) fn of_document(
        document: &Document,
        id: RuleId,
        (level, bump): (Level, Bump),
        item: &str,
        message: String,
    ) -> Finding {
        let location = document.location(document.root().position);
        Finding {
            id,
            level,
            operations: Vec::new(),
            reach: Vec::new(),
            pointer: String::new(),
            base: location.clone(),
            revision: location,
            message,
            fingerprint: fingerprint(id, "", item, &[None, None]),
            also: Vec::new(),
            instance: None,
            proof: None,
            unproven: None,
            acknowledged: None,
            bump,
            nodes: None,
            schemas: None,
            usage: None,
            inputs: Vec::new(),
            breaking_version: None,
        }
    }

    /// Lowers the finding to a level, with what it requires of the version.
    pub(crate) fn lower(&mut self, level: Level) {
        if level < self.level {
            self.level = level;
            self.bump = self.bump.min(Bump::Minor);
            for reached in &mut self.reach {
                reached.level = reached.level.min(level);
            }
        }
    }

    /// Whether the finding is a failure: it has at least the level `least` and is not acknowledged.
    pub fn fails(&self, least: Level) -> bool {
        self.level >= least && self.acknowledged.is_none()
    }

    /// The operations for people except one, each with its level if the levels differ.
    pub(crate) fn describe_other_operations(&self, except: Option<&str>) -> Vec<String> {
        let differ = self.reach.iter().any(|it| it.level != self.level);
        let others = self.reach.iter();
        let others = others.filter(|it| Some(it.operation.as_str()) != except);
        let named = others.map(|it| {
            if differ {
                format!("{} ({})", it.operation, it.level.as_str())
            } else {
                it.operation.clone()
            }
        });
        named.collect()
    }

    /// What to do about it, if it is an error or a warning.
    pub fn advice(&self) -> Option<String> {
        let advice = self.id.rule().advice.as_deref();
        let advice = fill_in(advice.filter(|_| self.level > Level::Info)?, &self.message);
        match &self.breaking_version {
            Some(version) if self.bump == Bump::Major => {
                Some(format!("{advice}, or acknowledge it and release {version}"))
            }
            _ => Some(advice),
        }
    }
}

/// An operation that an edit reaches.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Reached {
    /// The operation, such as `GET /pets`.
    pub operation: String,
    /// The level there.
    pub level: Level,
    /// The statuses of the responses, if the operation has several.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub statuses: Vec<String>,
}

/// Another rule that an edit triggers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consequence {
    /// The rule.
    pub id: RuleId,
    /// Its level.
    pub level: Level,
}

/// A value that shows the difference of two schemas. It was validated against both.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instance {
    /// The value.
    pub value: serde_json::Value,
    /// The document in which it is valid: `base` for a request that is now rejected, `revision` for a new response.
    pub accepted_by: Side,
    /// JSON pointer of the schema in the base.
    pub base_schema: String,
    /// JSON pointer of the schema in the revision.
    pub revision_schema: String,
    /// Both schemas, in the terms of OpenAPI 3.0.
    #[serde(skip)]
    pub(crate) nodes: [String; 2],
}

/// One of the two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// The document before the change.
    Base,
    /// The document after the change.
    Revision,
}

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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
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
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
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

/// Who uses what a finding touches: the deprecated parameter or property if the service counts it, or else the operations at
/// which the finding is more than an info.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingUsage {
    /// What was looked up, such as `GET /pets` or `GET /pets: query parameter limit`.
    pub of: Vec<String>,
    /// How many keys used it in the last 30 days.
    pub keys: usize,
    /// Whether requests without a key of their own used it in the last 30 days.
    pub without_key: bool,
    /// The last day on which it was used.
    pub last: Option<NaiveDate>,
    /// The first day on which all of it was counted.
    pub counted_since: Option<NaiveDate>,
    /// The number of days on which all of it was counted.
    pub counted_days: usize,
    /// All of that in a sentence without a full stop, and why the finding is allowed or not.
    pub summary: String,
    /// Whether the finding is an info because nobody used it for as long as the policy says.
    pub allowed: bool,
}

/// Computes a fingerprint. It does not depend on lines, so that other edits do not invalidate an acknowledgement.
pub(crate) fn fingerprint(
    id: RuleId,
    pointer: &str,
    item: &str,
    values: &[Option<String>; 2],
) -> String {
    let digest = Sha256::digest(format!("{id}\n{pointer}\n{item}\n{values:?}"));
    digest[..8].iter().map(|b| format!("{b:02x}")).collect()
}
