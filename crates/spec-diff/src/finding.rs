//! What the comparison says: one finding for one edit, with everything the edit reaches.

use serde::Serialize;
use sha2::{Digest, Sha256};
use spec_model::Location;

use crate::rules::{Bump, Level};

/// One edit of the document and what it does.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Finding {
    /// The rule that weighs most.
    pub id: String,
    /// How bad it is, with the stability of the operations weighed in.
    pub level: Level,
    /// The operations that the edit reaches, such as `GET /pets`; none if it concerns the whole document.
    pub operations: Vec<String>,
    /// The JSON pointer (RFC 6901) of what changed: in the revision, or in the base if it is gone.
    pub pointer: String,
    /// Where it stands in the base, or would stand.
    pub base: Place,
    /// Where it stands in the revision, or would stand.
    pub revision: Place,
    /// What happened, in one line.
    pub message: String,
    /// The same for the same finding in the next run; an acknowledgement names it.
    pub fingerprint: String,
    /// Further rules that the same edit sets off, for instance in answers where `id` speaks of requests.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub also: Vec<Consequence>,
    /// A value that one of the two documents takes and the other does not.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub instance: Option<Instance>,
    /// Why the finding does not count, if someone acknowledged it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub acknowledged: Option<String>,
    /// How far it moves the version.
    pub bump: Bump,
}

impl Finding {
    /// Whether it is a failure where `least` is the least level that is one. What was acknowledged is none.
    pub fn fails(&self, least: Level) -> bool {
        self.level >= least && self.acknowledged.is_none()
    }
}

/// Another rule that an edit sets off.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Consequence {
    /// The rule.
    pub id: String,
    /// How bad it is.
    pub level: Level,
}

/// A place in a file.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
pub struct Place {
    /// The name the document was parsed under.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column in characters, from 1.
    pub column: u32,
}

/// A value that shows a difference. It was checked against both schemas.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Instance {
    /// The value.
    pub value: serde_json::Value,
    /// The document that takes it: `base` in a request that is refused now, `revision` in an answer that is new.
    pub accepted_by: Side,
    /// The JSON pointer of the schema in the base.
    pub base_schema: String,
    /// The JSON pointer of the schema in the revision.
    pub revision_schema: String,
}

/// One of the two documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// What was.
    Base,
    /// What is to be.
    Revision,
}

impl From<Location> for Place {
    fn from(location: Location) -> Place {
        Place {
            file: location.file.to_string(),
            line: location.line,
            column: location.column,
        }
    }
}

/// Depends on what changed and not on where the lines stand, so that other edits do not disturb an acknowledgement.
pub(crate) fn fingerprint(
    id: &str,
    pointer: &str,
    detail: &str,
    values: &[Option<String>; 2],
) -> String {
    let digest = Sha256::digest(format!("{id}\n{pointer}\n{detail}\n{values:?}"));
    digest[..8].iter().map(|b| format!("{b:02x}")).collect()
}
