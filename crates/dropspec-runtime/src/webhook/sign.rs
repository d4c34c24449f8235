//! What a sender signs: the requests of messages.

use std::fmt;
use std::str::FromStr;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use http::header::CONTENT_TYPE;
use http::{Request, Uri};
use sha2::Sha256;

/// The header with the id of the message.
pub const ID: &str = "webhook-id";
/// The header with the time of the attempt, in seconds since 1970.
pub const TIMESTAMP: &str = "webhook-timestamp";
/// The header with the signatures.
pub const SIGNATURE: &str = "webhook-signature";

/// A request for any HTTP client. Headers may be added: the signature covers only the message and its body.
pub type SignedRequest = Request<bytes::Bytes>;

/// A secret that a sender shares with one receiver. `Debug` does not show it.
#[derive(Clone)]
pub struct Secret(Vec<u8>);

/// A text that is no secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret of webhooks is `whsec_` and the base64 of 24 to 64 bytes")]
pub struct InvalidSecret;

impl Secret {
    /// The authentication code of a message.
    pub(crate) fn mac(&self, id: &str, timestamp: &str, body: &[u8]) -> Hmac<Sha256> {
        let mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("HMAC takes keys of any length");
        mac.chain_update(format!("{id}.{timestamp}."))
            .chain_update(body)
    }
}

impl FromStr for Secret {
    type Err = InvalidSecret;

    fn from_str(text: &str) -> Result<Secret, InvalidSecret> {
        let text = text.strip_prefix("whsec_").ok_or(InvalidSecret)?;
        let bytes = BASE64_STANDARD.decode(text).map_err(|_| InvalidSecret)?;
        let fits = (24..=64).contains(&bytes.len());
        fits.then_some(Secret(bytes)).ok_or(InvalidSecret)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// Where messages are sent, and the secrets that sign them.
#[derive(Debug, Clone)]
pub struct Receiver {
    /// The URL that the receiver named.
    pub url: Uri,
    /// The secret that the receiver knows; both while it is replaced by another.
    pub secrets: Vec<Secret>,
}

/// What identifies an attempt to send a message.
#[derive(Debug, Clone, Copy)]
pub struct Message<'a> {
    /// Visible ASCII characters except `.`. It is the same when the message is sent again, so that a receiver takes it once.
    pub id: &'a str,
    /// When this attempt is made. Receivers refuse what is older than five minutes.
    pub time: SystemTime,
}

/// Why there is no request.
#[derive(Debug, thiserror::Error)]
#[allow(missing_docs, reason = "the messages say it")]
pub enum SignError {
    #[error("the id of a message consists of visible ASCII characters except `.`")]
    Id,
    #[error("the payload cannot be written as JSON")]
    Payload(#[from] serde_json::Error),
    #[error("the receiver has no secret to sign with")]
    NoSecret,
    #[error("the method or the media type is not valid in HTTP")]
    Request(#[from] http::Error),
}

impl Receiver {
    /// The request for a message with a body of some media type, or without one.
    ///
    /// # Errors
    /// See [`SignError`].
    pub fn request(
        &self,
        method: &str,
        message: &Message<'_>,
        body: Option<(&str, Vec<u8>)>,
    ) -> Result<SignedRequest, SignError> {
        if !is_id(message.id) {
            return Err(SignError::Id);
        }
        if self.secrets.is_empty() {
            return Err(SignError::NoSecret);
        }
        let request = Request::builder().method(method).uri(self.url.clone());
        let (request, body) = match body {
            Some((media_type, body)) => (request.header(CONTENT_TYPE, media_type), body),
            None => (request, Vec::new()),
        };
        let timestamp = unix_seconds(message.time).to_string();
        let signatures = self.secrets.iter().map(|secret| {
            let mac = secret.mac(message.id, &timestamp, &body).finalize();
            format!("v1,{}", BASE64_STANDARD.encode(mac.into_bytes()))
        });
        let signatures = signatures.collect::<Vec<_>>().join(" ");
        let request = request.header(SIGNATURE, signatures);
        let request = request.header(ID, message.id).header(TIMESTAMP, timestamp);
        Ok(request.body(body.into())?)
    }
}

/// Whether a text can be the id of a message. A `.` could be read as the end of the id in what is signed.
pub(crate) fn is_id(text: &str) -> bool {
    let is_allowed = |byte: u8| byte.is_ascii_graphic() && byte != b'.';
    !text.is_empty() && text.bytes().all(is_allowed)
}

/// Seconds since 1970; 0 before.
pub(crate) fn unix_seconds(time: SystemTime) -> i64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    since.as_secs().cast_signed()
}
