//! The result of the calls of a document, which a program prints as JSON.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What was called, and what is wrong.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Report {
    /// The operations of the interface that have code.
    pub operations: usize,
    /// Those that were called at least once, with a response that is as planned.
    pub called: usize,
    /// The declared responses, by status and media type.
    pub responses: usize,
    /// Those that were given and read.
    pub covered: usize,
    /// The calls through the client.
    pub calls: usize,
    /// The values that arrived as they were sent: parameters, bodies of requests and responses.
    pub values: usize,
    /// The requests that the client refused to send, since no text means their values.
    pub unsendable: usize,
    /// The invalid requests that were sent and refused.
    pub refused: usize,
    /// The operations that the document protects, which refused a call without credentials.
    pub denied: usize,
    /// Invalid JSON bodies that the types alone would take, by the keyword that they break.
    pub taken_by_types: BTreeMap<String, usize>,
    /// Responses that no method can return, and schemas without samples.
    pub notes: Vec<String>,
    /// What is wrong.
    pub failures: Vec<Failure>,
}

/// Something that is wrong with an operation.
#[derive(Debug, Deserialize, Serialize)]
pub struct Failure {
    /// Method and path.
    pub operation: String,
    /// What was expected, and what happened.
    pub reason: String,
}
