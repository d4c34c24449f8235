//! Arguments of a trait's methods for what dropshot has no type for. Generated code creates them from the decoded
//! request; dropshot itself cannot, as it does not know the document.

use std::future::ready;
use std::pin::Pin;

use dropshot::{
    ApiEndpointBodyContentType, ExclusiveExtractor, ExtensionMode, ExtractorMetadata, HttpError,
    RequestContext, ServerContext, SharedExtractor, UntypedBody,
};
use http::Request;

use crate::multipart::{FromPart, Multipart};
use crate::raw_body::RawBody;

/// The cookies of a request that the document declares.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cookies<T>(T);

/// A request body that dropshot's `TypedBody` cannot hold: an optional one (`T` is an `Option`), or one of several media
/// types (`T` is the generated enum of them).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Body<T>(T);

/// A request body that is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text(pub String);

macro_rules! into_inner {
    ($($name:ident),+) => { $(
        impl<T> $name<T> {
            /// The value itself.
            pub fn into_inner(self) -> T {
                self.0
            }
        }

        impl<T> From<T> for $name<T> {
            fn from(value: T) -> Self {
                Self(value)
            }
        }
    )+ };
}

into_inner!(Cookies, Body);

impl Text {
    /// The text itself.
    #[must_use]
    pub fn into_inner(self) -> String {
        self.0
    }
}

impl From<String> for Text {
    fn from(text: String) -> Self {
        Self(text)
    }
}

type Extracted<'f, T> = Pin<Box<dyn Future<Output = Result<T, HttpError>> + Send + 'f>>;

/// Why dropshot cannot create an argument itself.
fn needs_document<'f, T: Send + 'f>() -> Extracted<'f, T> {
    let message =
        "this argument is decoded by the document: call the operation by Interface::dispatch";
    Box::pin(ready(Err(HttpError::for_internal_error(
        message.to_owned(),
    ))))
}

// The extractors are written without `async_trait`, a dependency less.
impl<T: Send + Sync + 'static> SharedExtractor for Cookies<T> {
    fn from_request<'r, 'f, C: ServerContext>(_: &'r RequestContext<C>) -> Extracted<'f, Self>
    where
        'r: 'f,
        Self: 'f,
    {
        needs_document()
    }

    // dropshot has no words for cookies.
    fn metadata(_: ApiEndpointBodyContentType) -> ExtractorMetadata {
        ExtractorMetadata {
            extension_mode: ExtensionMode::None,
            parameters: Vec::new(),
        }
    }
}

macro_rules! body_extractor {
    ($(($($bound:tt)*) $name:ty;)+) => { $(
        impl<$($bound)*> ExclusiveExtractor for $name {
            fn from_request<'r, 'f, C: ServerContext>(
                _: &'r RequestContext<C>,
                _: Request<dropshot::Body>,
            ) -> Extracted<'f, Self>
            where
                'r: 'f,
                Self: 'f,
            {
                needs_document()
            }

            // dropshot has no words for such a body but bytes.
            fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
                UntypedBody::metadata(content_type)
            }
        }
    )+ };
}

body_extractor! {
    (T: Send + Sync + 'static) Body<T>;
    () Text;
    () RawBody;
    (P: FromPart) Multipart<P>;
}
