//! The extractor of the gate's only endpoint: it declares the wildcard of the path, and takes the body as it is. The head is
//! in dropshot's context of the request.

use std::future::ready;
use std::pin::Pin;

use dropshot::{
    ApiEndpointBodyContentType, Body, ExclusiveExtractor, ExtractorMetadata, HttpError, Path,
    RequestContext, ServerContext, SharedExtractor,
};
use http::{Extensions, Request};
use schemars::JsonSchema;
use serde::Deserialize;

/// The body of a request with any path, and the request's extensions, by which a connection is upgraded. The gate reads
/// the undecoded path itself.
pub struct RequestBody {
    /// The body, not read.
    pub body: Body,
    /// The extensions of the request.
    pub extensions: Extensions,
}

/// The path parameter that dropshot requires an endpoint for every path to declare. It is never filled.
#[derive(Deserialize, JsonSchema)]
struct WildcardPath {
    #[serde(rename = "path")]
    _path: Vec<String>,
}

// Written without `async_trait`, whose future would hold the request twice.
impl ExclusiveExtractor for RequestBody {
    fn from_request<'r, 'f, C: ServerContext>(
        _: &'r RequestContext<C>,
        request: Request<Body>,
    ) -> Pin<Box<dyn Future<Output = Result<RequestBody, HttpError>> + Send + 'f>>
    where
        'r: 'f,
        RequestBody: 'f,
    {
        let (head, body) = request.into_parts();
        let extensions = head.extensions;
        Box::pin(ready(Ok(RequestBody { body, extensions })))
    }

    fn metadata(content_type: ApiEndpointBodyContentType) -> ExtractorMetadata {
        <Path<WildcardPath> as SharedExtractor>::metadata(content_type)
    }
}
