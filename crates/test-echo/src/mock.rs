//! A mock of the document, which answers in place of the implementation: requests pass through the server, which sees what the
//! mock answers as it sees its own answers.

use bytes::Bytes;
use dropshot::Body;
use dropspec_client::reqwest;
use http::header::{ACCEPT, HOST, HeaderMap, TRANSFER_ENCODING};
use http::request::Parts;
use http::{HeaderValue, Response};
use http_body_util::BodyExt;

use crate::answer::Answer;

/// A running mock.
pub(crate) struct Mock {
    url: String,
    client: reqwest::Client,
}

impl Mock {
    pub(crate) fn new(url: &str) -> reqwest::Result<Mock> {
        let client = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none());
        Ok(Mock {
            url: url.trim_end_matches('/').to_owned(),
            client: client.build()?,
        })
    }

    /// Sends a request on, which asks for the status and the media type of an answer.
    pub(crate) async fn answer(
        &self,
        head: &Parts,
        body: Bytes,
        planned: Option<Answer>,
    ) -> anyhow::Result<Response<Body>> {
        let target = head.uri.path_and_query();
        let url = format!("{}{}", self.url, target.map_or("", |it| it.as_str()));
        let mut headers = HeaderMap::clone(&head.headers);
        headers.remove(HOST);
        headers.remove(TRANSFER_ENCODING);
        if let Some(answer) = planned {
            let prefer = format!("code={}", answer.status.as_u16());
            headers.insert("prefer", HeaderValue::try_from(prefer)?);
            if let Some(media_type) = answer.media_type {
                headers.insert(ACCEPT, HeaderValue::try_from(media_type)?);
            }
        }
        let request = self.client.request(head.method.clone(), url);
        let response = request.headers(headers).body(body).send().await?;
        let (mut head, body) = Response::<reqwest::Body>::from(response).into_parts();
        head.headers.remove(TRANSFER_ENCODING);
        let body = body.collect().await?.to_bytes();
        Ok(Response::from_parts(head, body.into()))
    }
}
