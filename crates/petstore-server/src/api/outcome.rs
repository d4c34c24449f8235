//! What the store returns, as operations answer it: records with their headers, and errors as `Error` objects.

use dropshot::HttpResponseOk;
use dropspec_gate::auth::Principal;
use dropspec_gate::conditional::EntityTag;
use dropspec_gate::error::GateError;
use dropspec_gate::keys::to_storage_error;
use dropspec_gate::storage_error::StorageError;
use dropspec_runtime::{Interface as _, OperationInfo};
use petstore_api::types::{Error, RateLimitStatus};
use schemars::JsonSchema;
use serde::Serialize;

use super::convert::convert_rate_limit;
use super::next_page::next_page_link;
use super::{Context, Interface, store};
use crate::error;
use crate::store::{
    Created, Filters, IdempotentRequest, Page, PageRequest, Resource, StoreError, Table,
};

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

/// Converts a record to its type of the interface, and renders its `ETag` header.
pub fn read_record<R: Serialize, T: From<R> + Body>(
    rqctx: &Context,
    record: Result<R, StoreError>,
) -> Result<(HttpResponseOk<T>, String), Error> {
    let record = record.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&record).into();
    Ok((HttpResponseOk(record.into()), e_tag))
}

/// Reads a page of a list, and renders the `Link` header to the next page and the `ETag` header of the list. The document limits
/// `limit` to 1 to 100.
pub async fn list<R: Table, T: From<R>>(
    rqctx: &Context,
    filters: Filters,
    limit: i64,
    after: Option<i64>,
) -> Result<(Vec<T>, Option<String>, String), Error> {
    let page = PageRequest {
        after: after.unwrap_or(0),
        limit: u32::try_from(limit).unwrap_or(1),
    };
    let page = store(rqctx).list::<R>(filters, page).await;
    let Page { items, more } = page.map_err(to_api_error(rqctx))?;
    let e_tag = EntityTag::of(&(&items, more)).into();
    let last = items.last().filter(|_| more);
    let link = last.map(|last| next_page_link(&rqctx.request, last.id()));
    Ok((items.into_iter().map(T::from).collect(), link, e_tag))
}

/// Creates a record, and renders its headers `Location` and `ETag`, and whether it is that of an earlier request with the same
/// idempotency key.
pub async fn create<R: Resource, T: From<R>>(
    rqctx: &Context,
    operation: &OperationInfo,
    key: Option<String>,
    new: R::New,
) -> Result<(T, String, String, Option<bool>), Error> {
    let request = idempotent_request(rqctx, operation.operation_id, key);
    let created = store(rqctx).create::<R>(new, request).await;
    let Created { record, replayed } = created.map_err(to_api_error(rqctx))?;
    // Below another record the path has its id.
    let location = format!("{}/{}", rqctx.request.uri().path(), record.id());
    let e_tag = EntityTag::of(&record).into();
    Ok((record.into(), location, e_tag, replayed.then_some(true)))
}

/// Describes the current call by its caller, operation, idempotency key and body hash, so that the store can replay its
/// response. `None` without an idempotency key.
fn idempotent_request(
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
