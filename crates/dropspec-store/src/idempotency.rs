//! Requests that a client may repeat: what identifies them, and what they return.

use chrono::{DateTime, TimeDelta, Utc};
use thiserror::Error;

/// How long the response to a request with an idempotency key is stored and replayed.
pub const REPLAY_PERIOD: TimeDelta = TimeDelta::hours(24);

/// What identifies a request with an idempotency key: its caller, operation, key and body; and its time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotentRequest {
    /// Who sent it. The same key of another caller is another key.
    pub caller: String,
    /// The operationId. The same key for another operation is another key.
    pub operation: &'static str,
    /// The `Idempotency-Key` header.
    pub key: String,
    /// The body's [`canonical_body_hash`](crate::canonical_body_hash).
    pub body_hash: [u8; 32],
    /// The time of the request. The response is replayed for [`REPLAY_PERIOD`] from it on.
    pub now: DateTime<Utc>,
    /// What was stored to be replayed until this time has expired. It is earlier than `now` if the clock was set forward in
    /// the last [`REPLAY_PERIOD`].
    pub expired: DateTime<Utc>,
}

/// A record just created, or the one stored for an earlier request with the same idempotency key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Created<T> {
    /// The record as it was when it was created.
    pub record: T,
    /// Whether this is a replay of the response to an earlier request.
    pub replayed: bool,
}

/// The error of a request whose idempotency key its caller has used before with another body.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
#[error("the idempotency key was used with another body")]
pub struct IdempotencyKeyReused;
