//! The handshake of a WebSocket (RFC 6455, section 4.1).

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use reqwest::header::{
    CONNECTION, HeaderMap, HeaderValue, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};

/// Adds the headers of a handshake.
pub(crate) fn insert_handshake(headers: &mut HeaderMap) -> Result<(), String> {
    let mut nonce = [0; 16];
    getrandom::fill(&mut nonce).map_err(|error| error.to_string())?;
    let key = HeaderValue::from_str(&BASE64_STANDARD.encode(nonce));
    headers.insert(CONNECTION, HeaderValue::from_static("Upgrade"));
    headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
    headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static("13"));
    headers.insert(SEC_WEBSOCKET_KEY, key.map_err(|error| error.to_string())?);
    Ok(())
}
