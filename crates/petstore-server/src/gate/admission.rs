//! Who sends a request, and whether it may go on: the caller is identified and
//! the request charged before anything of it is read or decided.

use std::net::IpAddr;

use chrono::{DateTime, Utc};
use dropshot::RequestInfo;
use http::HeaderMap;
use petstore_api::ErrorCode;
use petstore_api::types::Error;
use slog::Logger;

use crate::auth::{self, Access, Caller, Identity, Unidentified};
use crate::error;
use crate::logging::Causes;
use crate::metrics::Holder;
use crate::rate_limit::{Outcome, Standing, Verdict, Window, client_address};
use crate::service::Service;

const API_KEY: &str = "x-api-key";
const FORWARDED_FOR: &str = "x-forwarded-for";

/// What a request asks of its sender.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// What it is charged with.
    pub cost: u32,
    /// What the key must allow.
    pub access: Access,
    /// Whether it is answered without a key, too.
    pub open: bool,
}

/// What was decided about the sender of a request.
#[derive(Debug)]
pub struct Admission {
    /// Where the sender stands, for the headers of the answer.
    pub standing: Standing,
    /// The first 8 characters of a valid key, by which logs name its holder.
    pub key_prefix: Option<String>,
    /// The caller, where the request may go on; `None` for one who needs no key.
    pub outcome: Result<Option<Caller>, Error>,
}

impl Admission {
    /// What is left to say when deciding broke off: nothing is known of the sender.
    pub fn failed(error: Error, now: DateTime<Utc>) -> Admission {
        let standing = Standing {
            limit: 0,
            remaining: 0,
            reset: now.timestamp(),
            retry_after: None,
        };
        Admission {
            standing,
            key_prefix: None,
            outcome: Err(error),
        }
    }
}

/// Identifies and charges the sender of a request that came at `now`.
pub async fn admit(
    service: &Service,
    request: &RequestInfo,
    terms: Terms,
    now: DateTime<Utc>,
    log: &Logger,
) -> Admission {
    let shown = request
        .headers()
        .get_all(API_KEY)
        .iter()
        .map(|key| key.as_bytes());
    match auth::identify(&service.store, shown, now) {
        Ok(Identity::Key(caller)) => {
            let cost = u64::from(terms.cost);
            let verdict = service
                .limiter
                .charge_key(&caller.account, cost, now.timestamp())
                .await;
            let holder = Holder::Key(caller.plan);
            service.metrics.decided(holder, verdict.outcome);
            if let Some(fault) = &verdict.fault {
                slog::warn!(log, "the limiter could not use the store"; "error" => %Causes(fault));
            }
            let key_prefix = Some(caller.prefix.clone());
            let outcome =
                refusal_of(&verdict).map_or_else(|| allowed(caller, terms.access).map(Some), Err);
            Admission {
                standing: verdict.standing,
                key_prefix,
                outcome,
            }
        }
        Ok(Identity::Anonymous(reason)) => {
            let verdict = charge_address(service, request, now);
            let outcome = match refusal_of(&verdict) {
                Some(refusal) => Err(refusal),
                None if terms.open => Ok(None),
                None => Err(unauthorized(reason)),
            };
            Admission {
                standing: verdict.standing,
                key_prefix: None,
                outcome,
            }
        }
        // Whose key it is cannot be known, so the figures are those of the address.
        Err(fault) => Admission {
            standing: charge_address(service, request, now).standing,
            key_prefix: None,
            outcome: Err(error::of_store(fault, log)),
        },
    }
}

fn charge_address(service: &Service, request: &RequestInfo, now: DateTime<Utc>) -> Verdict {
    let address = client(service, request);
    let verdict = service.limiter.charge_address(address, now.timestamp());
    service.metrics.decided(Holder::Nobody, verdict.outcome);
    verdict
}

fn client(service: &Service, request: &RequestInfo) -> IpAddr {
    let forwarded = forwarded_for(request.headers());
    client_address(
        request.remote_addr().ip(),
        forwarded.into_iter(),
        &service.trusted_proxies,
    )
}

fn forwarded_for(headers: &HeaderMap) -> Vec<&[u8]> {
    headers
        .get_all(FORWARDED_FOR)
        .iter()
        .map(|line| line.as_bytes())
        .collect()
}

/// What the limiter says no with.
fn refusal_of(verdict: &Verdict) -> Option<Error> {
    let Standing {
        limit, retry_after, ..
    } = verdict.standing;
    let wait = retry_after.unwrap_or(1);
    match verdict.outcome {
        Outcome::Admitted => None,
        Outcome::RateLimited(window) => {
            let window = match window {
                Window::Minute => "minute",
                Window::Day => "day",
            };
            let message = format!(
                "the limit of {limit} requests a {window} is spent; try again in {wait} seconds"
            );
            Some(error::of(ErrorCode::RateLimitExceeded, message))
        }
        Outcome::Banned => {
            let message = format!(
                "the API key is banned for sending on after its limit; try again in {wait} seconds"
            );
            Some(error::of(ErrorCode::ApiKeyBanned, message))
        }
        Outcome::Unavailable => Some(error::unavailable()),
    }
}

fn allowed(caller: Caller, required: Access) -> Result<Caller, Error> {
    if caller.access.allows(required) {
        return Ok(caller);
    }
    let message = format!(
        "this operation needs a key with {required} access, and this one has {}",
        caller.access
    );
    Err(error::of(ErrorCode::InsufficientAccess, message))
}

fn unauthorized(reason: Unidentified) -> Error {
    let (code, message) = match reason {
        Unidentified::Missing => (
            ErrorCode::MissingApiKey,
            "send your API key in the X-API-Key header",
        ),
        Unidentified::Invalid => (
            ErrorCode::InvalidApiKey,
            "the X-API-Key header holds no valid API key; look for a typo",
        ),
        Unidentified::Revoked => (
            ErrorCode::RevokedApiKey,
            "this API key has been revoked; ask for a new one",
        ),
    };
    error::of(code, message.to_owned())
}
