//! Streams over all pages of a list.
//!
//! Only the query of the link to the next page is used. Path and host stay those of the list and the client, so that a
//! service behind a path prefix works and the API key is sent to no other host.

use futures::stream::{self, StreamExt, TryStreamExt};
use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo, ResponseValue};
use reqwest::header::{ACCEPT, HeaderValue};
use serde::de::DeserializeOwned;

use spec_transport::link;

use crate::{BoxFuture, BoxStream, CallError, Client, ResponseMetadata, types};

/// A stream of all records of a list.
pub type AllPages<'a, T> = BoxStream<'a, Result<T, CallError>>;

type Page<P> = Result<ResponseValue<P>, CallError>;

/// Streams all records of a list. `first` requests the first page; the others are fetched by their `Link` headers.
pub(crate) fn all<'a, P, T>(
    client: &'a Client,
    operation_id: &'static str,
    path: &'static str,
    first: impl Future<Output = Page<P>> + Send + 'a,
) -> AllPages<'a, T>
where
    P: DeserializeOwned + Into<Vec<T>> + Send + 'a,
    T: Send + 'a,
{
    let first: BoxFuture<'a, Page<P>> = Box::pin(first);
    let pages = stream::try_unfold(Some((first, None)), move |state| async move {
        let Some((page, target)) = state else {
            return Ok::<_, CallError>(None);
        };
        let page = page.await?;
        let next = page.next_page().map(str::to_owned);
        // A cache that ignores the query would return the first page forever.
        if let Some(next) = next.as_ref().filter(|next| Some(*next) == target.as_ref()) {
            let message = format!("the link to the next page names the same page again: {next}");
            return Err(CallError::Custom(message));
        }
        let next = next.map(|target| {
            let page = fetch_page(client, operation_id, path, target.clone());
            let page: BoxFuture<'a, Page<P>> = Box::pin(async { Ok(page.await?) });
            (page, Some(target))
        });
        let records: Vec<T> = page.into_inner().into();
        Ok(Some((stream::iter(records).map(Ok), next)))
    });
    Box::pin(pages.try_flatten())
}

/// Fetches the page of a list that is the target of a `Link` header.
async fn fetch_page<P: DeserializeOwned>(
    client: &Client,
    operation_id: &'static str,
    path: &'static str,
    target: String,
) -> Result<ResponseValue<P>, Error<types::Error>> {
    let query = link::query_of(&target).ok_or_else(|| {
        Error::Custom(format!("the link to the next page has no query: {target}"))
    })?;
    let url = format!("{}{path}?{query}", client.baseurl());
    let request = client
        .client()
        .get(url)
        .header(ACCEPT, HeaderValue::from_static("application/json"))
        .header(
            "api-version",
            HeaderValue::from_static(Client::api_version()),
        );
    let mut request = request.build()?;
    let info = OperationInfo { operation_id };
    client.pre(&mut request, &info).await?;
    let result = client.exec(request, &info).await;
    client.post(&result, &info).await?;
    let response = result?;
    let status = response.status();
    if status.is_success() {
        ResponseValue::from_response(response).await
    } else if status.is_client_error() || status.is_server_error() {
        Err(Error::ErrorResponse(
            ResponseValue::from_response(response).await?,
        ))
    } else {
        Err(Error::UnexpectedResponse(response))
    }
}
