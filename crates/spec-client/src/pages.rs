//! Streams over all items of lists that come page by page: as dropshot's `x-dropshot-pagination` has them, or by `Link` headers.

use std::str::FromStr;

use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use progenitor_client::ResponseValue;
use reqwest::Url;
use wire_codec::Location;

use crate::call::{Call, Transport};
use crate::error::Error;
use crate::payload::{Payload, PayloadError};
use crate::response_metadata::ResponseMetadata;

/// The parameter that continues a list.
const PAGE_TOKEN: &str = "page_token";
/// The parameter that may stand beside it.
const LIMIT: &str = "limit";

impl<'a, C: Transport> Call<'a, C> {
    /// Every item from the requested page on, as long as there is a next page. A page is requested when the items before
    /// it are consumed; an error ends the stream. `items` splits a page into its items and the token of the next one.
    pub fn stream<S, E, I>(
        self,
        success: fn(Payload) -> Result<S, PayloadError>,
        error: fn(Payload) -> Result<E, PayloadError>,
        items: fn(S) -> (Vec<I>, Option<String>),
    ) -> BoxStream<'a, Result<I, Error<E>>>
    where
        S: Send + 'a,
        E: Send + 'a,
        I: Send + 'a,
    {
        let pages = stream::try_unfold(Some(self), move |call| async move {
            let Some(call) = call else {
                return Ok(None);
            };
            let mut next = call.continued();
            let page = call.send(success, error).await?.into_inner();
            let (items, token) = items(page);
            let next = token.map(|token| {
                next.set_by_name(PAGE_TOKEN, token);
                next
            });
            let items = stream::iter(items.into_iter().map(Ok));
            Ok::<_, Error<E>>(Some((items, next)))
        });
        pages.try_flatten().boxed()
    }

    /// The request for the next page: with the page token alone beside the limit, since the token contains the rest.
    fn continued(&self) -> Self {
        let parameters = self.operation.parameters.iter();
        let values = parameters.zip(&self.values).map(|(parameter, value)| {
            let kept = parameter.location != Location::Query || parameter.name == LIMIT;
            value.clone().filter(|_| kept)
        });
        Self {
            client: self.client,
            operation: self.operation,
            values: values.collect(),
            body: None,
            problem: None,
        }
    }

    fn set_by_name(&mut self, name: &str, value: String) {
        let mut parameters = self.operation.parameters.iter();
        let position = parameters.position(|parameter| parameter.name == name);
        if let Some(place) = position.and_then(|position| self.values.get_mut(position)) {
            *place = Some(value.into());
        }
    }
}

/// Every record of a list whose pages name the next one in `Link` (RFC 8288), for clients by progenitor. A page is requested when
/// the records before it are consumed; an error ends the stream.
///
/// Of a link, only the value of the query parameter `name` is used, which `continue_at` sets. Path, host and filters stay those of
/// the request: so a service behind a path prefix works, and credentials are sent to no other host.
pub fn follow_links<'a, R, P, T, E, C, F>(
    request: R,
    name: &'static str,
    send: impl Fn(R) -> F + Send + 'a,
    continue_at: impl Fn(R, C) -> R + Send + 'a,
) -> BoxStream<'a, Result<T, Error<E>>>
where
    R: Clone + Send + 'a,
    P: Into<Vec<T>> + Send + 'a,
    T: Send + 'a,
    E: Send + 'a,
    C: FromStr + Send,
    F: Future<Output = Result<ResponseValue<P>, progenitor_client::Error<E>>> + Send + 'a,
    Error<E>: From<progenitor_client::Error<E>>,
{
    let first = Some((request, None, send, continue_at));
    let pages = stream::try_unfold(first, move |state| async move {
        let Some((request, followed, send, continue_at)) = state else {
            return Ok::<_, Error<E>>(None);
        };
        let page = send(request.clone()).await?;
        let next = match page.next_page() {
            Some(link) => {
                // A cache that ignores the query would return the first page forever.
                if followed.as_deref() == Some(link) {
                    let text =
                        format!("the link to the next page names the same page again: {link}");
                    return Err(Error::Custom(text));
                }
                let value = read_parameter(link, name).ok_or_else(|| {
                    Error::Custom(format!(
                        "the link to the next page has no valid `{name}`: {link}"
                    ))
                })?;
                let request = continue_at(request, value);
                Some((request, Some(link.to_owned()), send, continue_at))
            }
            None => None,
        };
        let records: Vec<T> = page.into_inner().into();
        Ok(Some((stream::iter(records).map(Ok), next)))
    });
    pages.try_flatten().boxed()
}

/// The value of a query parameter of a link, which is an absolute URL or a path.
fn read_parameter<C: FromStr>(link: &str, name: &str) -> Option<C> {
    let base = Url::parse("http://localhost").ok()?;
    let url = base.join(link).ok()?;
    let (_, value) = url.query_pairs().find(|(key, _)| key == name)?;
    value.parse().ok()
}
