//! What a receiver checks.

use std::time::{Duration, SystemTime};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::Mac;
use http::HeaderMap;

use crate::webhook::sign::{ID, SIGNATURE, Secret, TIMESTAMP, is_id, unix_seconds};

/// How far the time of a message may be from the clock: somebody may send a recorded request again.
pub const TOLERANCE: Duration = Duration::from_secs(300);

/// Why a request is not taken for a message of the sender.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum VerifyError {
    #[error("the request has no header `{0}`")]
    Missing(&'static str),
    #[error("the value of the header `{0}` cannot be read")]
    Malformed(&'static str),
    #[error("the message is {0} seconds old; from -300 to 300 are accepted")]
    Age(i64),
    #[error("the request has no signature by HMAC-SHA256 (`v1`)")]
    NoSignature,
    #[error("no signature of the request is of this message by one of the secrets")]
    Mismatch,
}

/// Checks that a request was sent lately, with this body, by somebody who knows one of the secrets, and returns the id of the
/// message. A receiver ignores a message whose id it knows. The body is what was received, byte by byte.
///
/// # Errors
/// See [`VerifyError`].
pub fn verify<'h>(
    headers: &'h HeaderMap,
    body: &[u8],
    secrets: &[Secret],
    now: SystemTime,
) -> Result<&'h str, VerifyError> {
    let id = read(headers, ID)?;
    let timestamp = read(headers, TIMESTAMP)?;
    let signatures = read(headers, SIGNATURE)?.split(' ');
    if !is_id(id) {
        return Err(VerifyError::Malformed(ID));
    }
    let sent = timestamp.parse::<i64>();
    let sent = sent.map_err(|_| VerifyError::Malformed(TIMESTAMP))?;
    let age = unix_seconds(now).saturating_sub(sent);
    if age.unsigned_abs() > TOLERANCE.as_secs() {
        return Err(VerifyError::Age(age));
    }
    let codes = signatures.filter_map(|signature| signature.strip_prefix("v1,"));
    let codes: Vec<_> = codes.map(|code| BASE64_STANDARD.decode(code)).collect();
    if codes.is_empty() {
        return Err(VerifyError::NoSignature);
    }
    let is_by = |secret: &Secret| {
        let mac = secret.mac(id, timestamp, body);
        // `verify_slice` takes the same time wherever the first difference is.
        let is_equal = |code: &Vec<u8>| mac.clone().verify_slice(code).is_ok();
        codes.iter().flatten().any(is_equal)
    };
    let is_signed = secrets.iter().any(is_by);
    is_signed.then_some(id).ok_or(VerifyError::Mismatch)
}

fn read<'h>(headers: &'h HeaderMap, name: &'static str) -> Result<&'h str, VerifyError> {
    let value = headers.get(name).ok_or(VerifyError::Missing(name))?;
    value.to_str().map_err(|_| VerifyError::Malformed(name))
}
