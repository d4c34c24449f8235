//! Streams over all records of lists that come page by page, by `Link` headers.

use std::str::FromStr;

use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use progenitor_client::ResponseValue;
use reqwest::Url;

use crate::error::Error;
use crate::response_metadata::ResponseMetadata;

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
