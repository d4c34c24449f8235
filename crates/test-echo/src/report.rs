//! The result of the calls of a document, which a program prints as JSON.

use serde::{Deserialize, Serialize};

/// What was called, and what is wrong.
#[derive(Debug, Default, Deserialize, Serialize)]
pub struct Report {
    /// The operations that were called at least once, with a response that is as planned.
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
    /// The operations that a mock of the document answered with each of the responses.
    pub mocked: usize,
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
