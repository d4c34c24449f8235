//! Streams over all items of lists that come page by page, as dropshot's `x-dropshot-pagination` has them.

use futures::stream::{self, BoxStream, StreamExt, TryStreamExt};
use wire_codec::Location;

use crate::call::{Call, Transport};
use crate::error::Error;
use crate::payload::{Payload, PayloadError};

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
