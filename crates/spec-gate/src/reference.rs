//! The pages beside the operations: the document as it was written, and the reference page for people.

mod annotate;
mod assets;
mod content;
mod error_page;

use bytes::Bytes;
use dropshot::Body;
use http::header::{
    ACCEPT, ACCEPT_ENCODING, CACHE_CONTROL, CONTENT_ENCODING, CONTENT_SECURITY_POLICY,
    CONTENT_TYPE, ETAG, HeaderMap, HeaderName, LOCATION, REFERRER_POLICY, VARY,
};
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;
use spec_runtime::Interface;

use self::annotate::annotate;
use self::content::Content;
use crate::base_path::BasePath;
use crate::error::{ErrorInfo, ErrorKind};

/// The `Content-Security-Policy` of the reference page. Scalar adds its styles to the page as it runs; nothing else is
/// inline, and nothing comes from another server.
const PAGE_CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// The `Content-Security-Policy` of the page of an error, which has styles and nothing else.
const ERROR_CONTENT_POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; \
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
    base: BasePath,
    root: Bytes,
    /// Where the reference page is.
    docs: HeaderValue,
    index: Content,
    script: Content,
    start: Content,
    annotated: Content,
    yaml: Content,
    json: Content,
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
    /// Renders the pages of an interface below a path, for the service with this name.
    pub(crate) fn new<I: Interface>(name: &str, base: &BasePath) -> Pages {
        let document = I::document();
        let title = document.json()["info"]["title"].as_str().unwrap_or(name);
        let script = Content::precompressed(assets::SCALAR_SCRIPT);
        let index = assets::index_page(title, base.as_str(), script.version());
        Pages {
            base: base.clone(),
            root: format!("The {name} describes itself at {base}/docs and {base}/openapi.yaml.\n")
                .into(),
            docs: format!("{base}{}", Page::Docs.path())
                .try_into()
                .unwrap_or(HeaderValue::from_static("/docs")),
            index: Content::new(index),
            script,
            start: Content::new(assets::START_SCRIPT),
            annotated: Content::new(annotated_document::<I>(base).to_string()),
            yaml: Content::new(I::document_source()),
            json: Content::new(I::document_json()),
        }
    }

    /// Creates the response that contains a page, for a client that sent these headers.
    pub(crate) fn serve(&self, page: Page, headers: &HeaderMap) -> Response<Body> {
        let mut response = match page {
            Page::Root => self.redirect(),
            Page::Docs => represent(&self.index, headers),
            Page::Script => represent(&self.script, headers),
            Page::Start => represent(&self.start, headers),
            Page::Annotated => represent(&self.annotated, headers),
            Page::Yaml => represent(&self.yaml, headers),
            Page::Json => represent(&self.json, headers),
        };
        let mut set = |name: HeaderName, value| {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_TYPE, page.media_type());
        if page == Page::Docs {
            set(CONTENT_SECURITY_POLICY, PAGE_CONTENT_POLICY);
            set(REFERRER_POLICY, "no-referrer");
        }
        set(CACHE_CONTROL, page.caching());
        response
    }

    /// Creates the response to a browser that gets an error of the gate.
    pub(crate) fn error_page(&self, kind: ErrorKind, error: ErrorInfo) -> Response<Body> {
        let page = error_page::render(kind, &error, self.base.as_str());
        let mut response = Response::new(page.into());
        *response.status_mut() = error.status;
        let mut set = |name: HeaderName, value| {
            response
                .headers_mut()
                .insert(name, HeaderValue::from_static(value));
        };
        set(CONTENT_TYPE, Page::Docs.media_type());
        set(CONTENT_SECURITY_POLICY, ERROR_CONTENT_POLICY);
        response
    }

    fn redirect(&self) -> Response<Body> {
        let mut response = Response::new(self.root.clone().into());
        *response.status_mut() = StatusCode::FOUND;
        response.headers_mut().insert(LOCATION, self.docs.clone());
        response
    }
}

/// Creates the response with the form of a content that fits these headers.
fn represent(content: &Content, headers: &HeaderMap) -> Response<Body> {
    let form = content.represent(headers);
    let mut response = Response::new(form.bytes.into());
    let headers = response.headers_mut();
    if let Ok(tag) = HeaderValue::try_from(form.entity_tag) {
        headers.insert(ETAG, tag);
    }
    if form.is_compressed {
        headers.insert(CONTENT_ENCODING, HeaderValue::from_static("gzip"));
    }
    headers.insert(VARY, HeaderValue::from_name(ACCEPT_ENCODING));
    response
}

/// Whether a request asks for HTML, as that of a browser for a page does. Programs accept anything, or name JSON.
pub fn prefers_html(headers: &HeaderMap) -> bool {
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

/// The document of an interface that is served below a path, with the extensions that Scalar, the script of the reference
/// page, understands.
pub fn annotated_document<I: Interface>(base: &BasePath) -> Value {
    // The text of a document that was parsed before is valid.
    let document = serde_json::from_str(I::document_json()).unwrap_or_default();
    annotate(document, base.as_str(), I::plans(), I::operations())
}
