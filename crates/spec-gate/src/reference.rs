//! The pages beside the operations: the document as it was written, and the reference page for people.

mod annotate;
mod assets;

use bytes::Bytes;
use dropshot::Body;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderMap, HeaderName, LOCATION,
    REFERRER_POLICY,
};
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;
use spec_runtime::{ErrorCodeInfo, Interface};

use self::annotate::annotate;
use crate::error::GateError;

/// The `Content-Security-Policy` of the reference page. Scalar adds its styles to the page as it runs; nothing else is
/// inline, and nothing comes from another server.
const PAGE_CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// A page that the server offers beside the operations: the document, and the reference page with its files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Redirects to the reference page.
    Root,
    /// The reference page, which loads Scalar.
    Docs,
    /// Scalar, the script that renders the reference page.
    Script,
    /// The script that starts Scalar.
    Start,
    /// The document, annotated for Scalar.
    Annotated,
    /// The document as it was written, byte for byte.
    Yaml,
    /// The document as JSON, in the same order.
    Json,
}

/// The contents of all pages beside the operations, for one interface.
#[derive(Debug)]
pub(crate) struct Pages {
    root: Bytes,
    index: Bytes,
    annotated: Bytes,
    source: &'static str,
    json: &'static str,
}

impl Page {
    /// All pages beside the operations.
    pub const ALL: [Page; 7] = [
        Page::Root,
        Page::Docs,
        Page::Script,
        Page::Start,
        Page::Annotated,
        Page::Yaml,
        Page::Json,
    ];

    /// The URL path of the page.
    pub fn path(self) -> &'static str {
        match self {
            Page::Root => "/",
            Page::Docs => "/docs",
            Page::Script => "/docs/scalar.js",
            Page::Start => "/docs/start.js",
            Page::Annotated => "/docs/openapi.json",
            Page::Yaml => "/openapi.yaml",
            Page::Json => "/openapi.json",
        }
    }

    /// Finds the page at a URL path.
    pub fn find(path: &str) -> Option<Page> {
        Page::ALL.into_iter().find(|page| page.path() == path)
    }

    /// The value of `Cache-Control`. The reference page loads the script by the hash of its bytes; the others may change
    /// with the next version of the server.
    pub fn caching(self) -> &'static str {
        match self {
            Page::Script => "public, max-age=31536000, immutable",
            _ => "no-cache",
        }
    }

    fn media_type(self) -> &'static str {
        match self {
            Page::Root => "text/plain; charset=utf-8",
            Page::Docs => "text/html; charset=utf-8",
            Page::Script | Page::Start => "text/javascript; charset=utf-8",
            Page::Annotated | Page::Json => "application/json",
            // RFC 9512 registers application/yaml.
            Page::Yaml => "application/yaml",
        }
    }
}

impl Pages {
    /// Renders the pages of an interface, for the service with this name.
    pub(crate) fn new<I: Interface>(name: &str) -> Pages {
        let document = I::document();
        let title = document.json()["info"]["title"].as_str().unwrap_or(name);
        Pages {
            root: format!("The {name} describes itself at /docs and /openapi.yaml.\n").into(),
            index: assets::index_page(title).into(),
            annotated: annotated_document::<I>().to_string().into(),
            source: I::document_source(),
            json: document.text(),
        }
    }

    /// Creates the response that contains a page.
    pub(crate) fn serve(&self, page: Page) -> Response<Body> {
        let mut response = Response::new(match page {
            Page::Root => self.root.clone().into(),
            Page::Docs => self.index.clone().into(),
            Page::Script => assets::SCALAR_SCRIPT.as_str().into(),
            Page::Start => assets::START_SCRIPT.into(),
            Page::Annotated => self.annotated.clone().into(),
            Page::Yaml => self.source.into(),
            Page::Json => self.json.into(),
        });
        let mut set = |name: HeaderName, value| {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_TYPE, page.media_type());
        match page {
            Page::Root => set(LOCATION, Page::Docs.path()),
            Page::Docs => {
                set(CONTENT_SECURITY_POLICY, PAGE_CONTENT_POLICY);
                set(REFERRER_POLICY, "no-referrer");
            }
            Page::Script | Page::Start | Page::Annotated | Page::Yaml | Page::Json => {}
        }
        set(CACHE_CONTROL, page.caching());
        if page == Page::Root {
            *response.status_mut() = StatusCode::FOUND;
        }
        response
    }
}

/// Whether a request asks for HTML, as that of a browser for a page does. Programs accept anything, or name JSON.
pub(crate) fn prefers_html(headers: &HeaderMap) -> bool {
    let ranges = headers.get_all(ACCEPT).iter();
    let mut ranges = ranges
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|range| range.split(';').next())
        .map(str::trim);
    // Browsers and programs name what they prefer first.
    ranges
        .find(|range| ["text/html", "application/json", "*/*"].contains(range))
        .is_some_and(|first| first == "text/html")
}

/// Creates the response to a browser that is refused a page. `codes` are the error codes that the document declares.
pub(crate) fn error_page(
    error: GateError,
    codes: &[ErrorCodeInfo],
    request_id: &str,
) -> Response<Body> {
    let info = error.into_info(codes, request_id);
    let title = info.status.canonical_reason().unwrap_or("Error");
    let page = assets::error_page(title, &info.message);
    let mut response = Response::new(page.into());
    *response.status_mut() = info.status;
    let mut set = |name: HeaderName, value| {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_TYPE, Page::Docs.media_type());
    set(
        CONTENT_SECURITY_POLICY,
        "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
    );
    response
}

/// The document of an interface with the extensions that Scalar, the script of the reference page, understands.
pub fn annotated_document<I: Interface>() -> Value {
    annotate(I::document().json().clone())
}
