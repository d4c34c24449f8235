//! Lists from their first page to their last.
//!
//! Of the link to the next page only the query counts: the path stays that of the list and the host that of the client,
//! so that a service behind a proxy's prefix works, and the key goes nowhere else.

use futures::stream::{self, StreamExt, TryStreamExt};
use progenitor_client::{ClientHooks, ClientInfo, Error, OperationInfo, ResponseValue};
use reqwest::header::{ACCEPT, HeaderValue};
use serde::de::DeserializeOwned;

use crate::portable::{BoxFuture, BoxStream, MaybeSend};
use crate::{Answered, CallError, Client, link};

/// The records of a list, one after the other.
pub type AllPages<'a, T> = BoxStream<'a, Result<T, CallError>>;

type Page<P> = Result<ResponseValue<P>, CallError>;

/// The records of a list whose first page is asked for already.
pub(crate) fn all<'a, P, T>(
    client: &'a Client,
    operation_id: &'static str,
    path: &'static str,
    first: impl Future<Output = Page<P>> + MaybeSend + 'a,
) -> AllPages<'a, T>
where
    P: DeserializeOwned + Into<Vec<T>> + MaybeSend + 'a,
    T: MaybeSend + 'a,
{
    let first: BoxFuture<'a, Page<P>> = Box::pin(first);
    let pages = stream::try_unfold(Some((first, None)), move |turn| async move {
        let Some((page, target)) = turn else {
            return Ok::<_, CallError>(None);
        };
        let page = page.await?;
        let next = page.next_page().map(str::to_owned);
        // A cache in between that looks only at the path would give the first page for ever.
        if let Some(next) = next.as_ref().filter(|next| Some(*next) == target.as_ref()) {
            let circle = format!("the link to the next page leads to the same page: {next}");
            return Err(Error::Custom(circle));
        }
        let next = next.map(|target| {
            let page: BoxFuture<'a, Page<P>> =
                Box::pin(fetch(client, operation_id, path, target.clone()));
            (page, Some(target))
        });
        let records: Vec<T> = page.into_inner().into();
        Ok(Some((stream::iter(records).map(Ok), next)))
    });
    Box::pin(pages.try_flatten())
}

async fn fetch<P: DeserializeOwned>(
    client: &Client,
    operation_id: &'static str,
    path: &'static str,
    target: String,
) -> Page<P> {
    let query = link::query(&target).ok_or_else(|| {
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
