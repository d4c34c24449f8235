//! What the store returns, as operations answer it: records with their headers, and errors as `Error` objects.

use dropshot::{HttpResponseCreated, HttpResponseOk};
use petstore_api::types::{Error, RateLimitStatus};
use schemars::JsonSchema;
use serde::Serialize;
use spec_gate::auth::Principal;
use spec_gate::conditional::EntityTag;
use spec_gate::error::GateError;
use spec_gate::keys::to_storage_error;
use spec_gate::storage_error::StorageError;
use spec_runtime::Interface as _;

use super::convert::convert_rate_limit;
use super::next_page::next_page_link;
use super::{Context, Interface};
use crate::error;
use crate::store::{Created, IdempotentRequest, Page, StoreError};

/// Logs an error of the database, and converts it to an `Error` object.
fn to_gate_error(rqctx: &Context, error: &StorageError) -> Error {
    error::to_error(rqctx.context().storage_error(error, &rqctx.request_id))
}

/// Returns a function that converts an error of the store to an `Error` object, and logs errors of the database.
pub fn to_api_error(rqctx: &Context) -> impl Fn(StoreError) -> Error {
    |error| match error {
        StoreError::RuleViolation(violation) => error::from_violation(&violation),
        StoreError::Engine(error) => to_gate_error(rqctx, &to_storage_error(error)),
    }
}

/// The body of a response.
pub trait Body: Serialize + JsonSchema + Send + Sync + 'static {}

impl<T: Serialize + JsonSchema + Send + Sync + 'static> Body for T {}

/// The id of a created record, its body, its `ETag` header, and whether it is that of an earlier request.
pub fn read_created<R: Serialize, T: From<R> + Body>(
    rqctx: &Context,
    created: Result<Created<R>, StoreError>,
    id: impl Fn(&R) -> i64,
) -> Result<(i64, HttpResponseCreated<T>, String, Option<bool>), Error> {
    let Created { record, replayed } = created.map_err(to_api_error(rqctx))?;
    let (id, e_tag) = (id(&record), EntityTag::of(&record).into());
    let body = HttpResponseCreated(record.into());
    Ok((id, body, e_tag, replayed.then_some(true)))
}

/// Converts a record to its type of the interface, and renders its `ETag` header.
pub fn read_record<R: Serialize, T: From<R> + Body>(
    rqctx: &Context,
    record: Result<R, StoreError>,
) -> Result<(HttpResponseOk<T>, String), Error> {
    let record = record.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&record).into();
    Ok((HttpResponseOk(record.into()), e_tag))
}

/// Converts the records of a page to types of the interface, and renders the `Link` header to the next page and the `ETag`
/// header of the list. `id` returns the id of a record.
pub fn read_page<R: Serialize, T: From<R>>(
    rqctx: &Context,
    page: Result<Page<R>, StoreError>,
    id: impl Fn(&R) -> i64,
) -> Result<(Vec<T>, Option<String>, String), Error> {
    let Page { items, more } = page.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&(&items, more)).into();
    let last = items.last().filter(|_| more);
    let link = last.map(|last| next_page_link(&rqctx.request, id(last)));
    Ok((items.into_iter().map(T::from).collect(), link, e_tag))
}

/// Describes the current call by its caller, operation, idempotency key and body hash, so that the store can replay its
/// response. `None` without an idempotency key.
pub fn idempotent_request(
    rqctx: &Context,
    operation: &'static str,
    key: Option<String>,
) -> Option<IdempotentRequest> {
    let key = key?;
    let call = rqctx.context().current_call()?;
    Some(IdempotentRequest {
        caller: call.principal()?.account.key_id.to_string(),
        operation,
        key,
        body_hash: call.body_hash?,
        now: call.time.wall,
        expired: call.time.without_steps_forward(),
    })
}

/// The usage of the key that sent the request.
pub async fn read_rate_limit(rqctx: &Context) -> Result<RateLimitStatus, Error> {
    // The document has no public operation, so there is no call without a key.
    let error = || {
        let info = GateError::internal();
        error::to_error(info.into_info(Interface::error_codes(), &rqctx.request_id))
    };
    let gate = rqctx.context();
    let call = gate.current_call().ok_or_else(error)?;
    let Principal { account, plan, .. } = call.principal().ok_or_else(error)?;
    let limiter = gate.limiter().ok_or_else(error)?;
    let status = limiter.status(account, call.time).await;
    let status = status.map_err(|error| to_gate_error(rqctx, &error))?;
    Ok(convert_rate_limit(plan, status))
}
