//! A decoded request, from which `dispatch` takes the typed arguments of a trait method.

use std::borrow::Cow;
use std::sync::{Arc, PoisonError};

use dropshot::{Body, ExclusiveExtractor, RequestContext, ServerContext};
use http::Extensions;
use serde::de::DeserializeOwned;
use serde::de::value::MapDeserializer;
use serde_json::Value;
use serde_path_to_error::Segment;

use crate::body::{BodyStream, Content, IncomingBody};
use crate::deserialize::{describe_type_error, deserialize_with_pointer};
use crate::dispatch::DispatchError;
use crate::multipart::{FromPart, Multipart};
use crate::raw_body::RawBody;
use crate::rejection::{BODY_MISSING, ParameterLocation, Rejection};

/// The parameters of a request by their locations, decoded and valid, with defaults.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parameters(pub(crate) [ParameterValues; 4]);

/// Parameters and body of a request, decoded and valid, except for a body that the handler reads.
#[derive(Debug, Default)]
pub struct DecodedRequest {
    parameters: Parameters,
    body: IncomingBody,
    extensions: Extensions,
}

/// The decoded parameters of one location (`in`) by name, in the order of the document.
pub(crate) type ParameterValues = Vec<(&'static str, Value)>;

impl DecodedRequest {
    /// Combines the results of a [`Decoder`](crate::Decoder).
    pub fn new(parameters: Parameters, body: IncomingBody) -> Self {
        let extensions = Extensions::new();
        Self {
            parameters,
            body,
            extensions,
        }
    }

    /// Adds the extensions of the HTTP request, which contain hyper's means to upgrade the connection; and what the
    /// server adds to them, such as a [`ChannelScope`](crate::ChannelScope).
    #[must_use]
    pub fn with_extensions(self, extensions: Extensions) -> Self {
        Self { extensions, ..self }
    }

    pub(crate) fn extensions(&self) -> &Extensions {
        &self.extensions
    }

    /// Deserializes the path parameters into the type `T`.
    ///
    /// # Errors
    ///
    /// [`Rejection::InvalidParameter`] if `T` accepts less than the document's schema does.
    pub fn path<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.deserialize(ParameterLocation::Path)
    }

    /// Deserializes the query parameters into the type `T`.
    ///
    /// # Errors
    ///
    /// As [`DecodedRequest::path`].
    pub fn query<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.deserialize(ParameterLocation::Query)
    }

    /// Deserializes the declared headers into the type `T`.
    ///
    /// # Errors
    ///
    /// As [`DecodedRequest::path`].
    pub fn headers<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.deserialize(ParameterLocation::Header)
    }

    /// Deserializes the declared cookies into the type `T`.
    ///
    /// # Errors
    ///
    /// As [`DecodedRequest::path`].
    pub fn cookies<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        self.parameters.deserialize(ParameterLocation::Cookie)
    }

    /// Whether the request has a body. Of an optional body that the handler reads, it may still be empty.
    pub fn has_body(&self) -> bool {
        !matches!(self.body.content, Content::None)
    }

    /// Whether the body is one that the handler reads.
    pub fn is_streamed(&self) -> bool {
        matches!(self.body.content, Content::Stream(_))
    }

    /// The index of the body's media type among those of the operation, in the order of the document; 0 without a body.
    pub fn media_type(&self) -> usize {
        self.body.media_type
    }

    /// Deserializes a JSON body or a form into the type `T`. If there is no body and `T` is an `Option`, the result is
    /// `None`.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if there is no body and `T` requires one; [`Rejection::ValidationFailed`] if `T`
    /// accepts less than the document's schema does.
    pub fn body<T: DeserializeOwned>(&self) -> Result<T, Rejection> {
        match &self.body.content {
            Content::Value(body) => deserialize_with_pointer(body, ""),
            _ => T::deserialize(Value::Null).map_err(|_| Rejection::malformed(BODY_MISSING)),
        }
    }

    /// The text of a body that is text; empty without one.
    pub fn text(&self) -> String {
        match &self.body.content {
            Content::Text(text) => text.clone(),
            _ => String::new(),
        }
    }

    /// The body as bytes that the handler reads; empty without one, and for the second call.
    pub fn raw(&self) -> RawBody {
        match &self.body.content {
            Content::Stream(stream) => RawBody::new(stream.take(), stream.content_type.clone()),
            _ => RawBody::new(Body::empty(), None),
        }
    }

    /// The parts of a multipart body, which the handler reads. For the second call there are none.
    ///
    /// # Errors
    ///
    /// [`Rejection::MalformedRequest`] if there is no such body.
    pub fn multipart<P: FromPart>(&self) -> Result<Multipart<P>, Rejection> {
        let missing = || Rejection::malformed(BODY_MISSING);
        let Content::Stream(stream) = &self.body.content else {
            return Err(missing());
        };
        let (boundary, decoder) = stream.multipart.as_ref().ok_or_else(missing)?;
        Ok(Multipart::new(stream.take(), boundary, Arc::clone(decoder)))
    }

    /// Creates one of dropshot's own arguments that reads a body or the connection: `UntypedBody`, `StreamingBody`,
    /// `MultipartBody`, or `WebsocketUpgrade`, for which [`DecodedRequest::channel`] is better. The server's limits hold for the body already.
    ///
    /// # Errors
    ///
    /// [`DispatchError::Internal`] with dropshot's error, which has a status of its own.
    pub async fn extract<X: ExclusiveExtractor, C: ServerContext>(
        &self,
        rqctx: &RequestContext<C>,
    ) -> Result<X, DispatchError> {
        let head = &rqctx.request;
        let mut request = http::Request::new(self.raw().into_body());
        *request.method_mut() = head.method().clone();
        *request.uri_mut() = head.uri().clone();
        *request.version_mut() = head.version();
        *request.headers_mut() = head.headers().clone();
        *request.extensions_mut() = self.extensions.clone();
        let extracted = X::from_request(rqctx, request).await;
        extracted.map_err(DispatchError::Internal)
    }

    /// The decoded body as JSON, a text as a string; null without a body, or if the handler reads it.
    pub fn body_as_json(&self) -> Cow<'_, Value> {
        match &self.body.content {
            Content::Value(value) => Cow::Borrowed(value),
            Content::Text(text) => Cow::Owned(Value::from(text.as_str())),
            Content::None | Content::Stream(_) => Cow::Owned(Value::Null),
        }
    }

    /// The decoded body of a JSON body or form.
    pub fn body_value(&self) -> Option<&Value> {
        self.body.value()
    }
}

impl BodyStream {
    fn take(&self) -> Body {
        let mut body = self.body.lock().unwrap_or_else(PoisonError::into_inner);
        body.take().unwrap_or_default()
    }
}

impl Parameters {
    fn deserialize<T: DeserializeOwned>(
        &self,
        location: ParameterLocation,
    ) -> Result<T, Rejection> {
        let values = self.0[location as usize].iter();
        let read = || MapDeserializer::new(values.clone().map(|(name, value)| (*name, value)));
        T::deserialize(read()).or_else(|_: serde_json::Error| {
            serde_path_to_error::deserialize(read()).map_err(|error| {
                let name = match error.path().iter().next() {
                    Some(Segment::Map { key }) => key.as_str(),
                    _ => "",
                };
                Rejection::parameter(location, name, describe_type_error(error.inner()))
            })
        })
    }
}

#[cfg(test)]
mod tests;
