//! The pages beside the operations: the document as it was written, and the reference page for people.

mod annotate;
mod assets;
mod content;
mod error_codes;
mod error_page;
mod outline;

use dropshot::Body;
use dropspec_runtime::Interface;
use http::header::{
    ACCEPT, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG, HeaderMap, HeaderName,
    LOCATION, REFERRER_POLICY, VARY,
};
use http::{HeaderValue, Response, StatusCode};
use serde_json::Value;

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

const HTML: &str = "text/html; charset=utf-8";

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
pub(crate) struct Pages {
    base: BasePath,
    /// Where the reference page is.
    docs: HeaderValue,
    /// In the order of [`Page::ALL`].
    contents: [Content; 7],
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
        self.path_and_media_type().0
    }

    fn path_and_media_type(self) -> (&'static str, &'static str) {
        match self {
            Page::Root => ("/", "text/plain; charset=utf-8"),
            Page::Docs => ("/docs", HTML),
            Page::Script => ("/docs/scalar.js", "text/javascript; charset=utf-8"),
            Page::Start => ("/docs/start.js", "text/javascript; charset=utf-8"),
            Page::Annotated => ("/docs/openapi.json", "application/json"),
            // RFC 9512 registers application/yaml.
            Page::Yaml => ("/openapi.yaml", "application/yaml"),
            Page::Json => ("/openapi.json", "application/json"),
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
}

impl Pages {
    /// Renders the pages of an interface below a path, for the service with this name.
    pub(crate) fn new<I: Interface>(name: &str, base: &BasePath) -> Pages {
        let document = I::document();
        let title = document.json()["info"]["title"].as_str().unwrap_or(name);
        let script = Content::precompressed(assets::SCALAR_SCRIPT);
        let outline = outline::render(title, document.json(), I::operations(), base.as_str());
        let index = assets::index_page(title, base.as_str(), script.version(), &outline);
        let root = format!("The {name} describes itself at {base}/docs and {base}/openapi.yaml.\n");
        let docs = HeaderValue::try_from(format!("{base}{}", Page::Docs.path()));
        Pages {
            base: base.clone(),
            docs: docs.unwrap_or(HeaderValue::from_static("/docs")),
            contents: [
                Content::new(root),
                Content::new(index),
                script,
                Content::new(assets::START_SCRIPT),
                Content::new(annotated_document::<I>(base).to_string()),
                Content::new(I::document_source()),
                Content::new(I::document_json()),
            ],
        }
    }

    /// Creates the response that contains a page, for a client that sent these headers.
    pub(crate) fn serve(&self, page: Page, headers: &HeaderMap) -> Response<Body> {
        let mut response = self.contents[page as usize].respond(headers);
        let set = |response: &mut Response<Body>, name: HeaderName, value| {
            let headers = response.headers_mut();
            headers.insert(name, HeaderValue::from_static(value));
        };
        set(&mut response, CONTENT_TYPE, page.path_and_media_type().1);
        set(&mut response, CACHE_CONTROL, page.caching());
        if page == Page::Docs {
            set(&mut response, CONTENT_SECURITY_POLICY, PAGE_CONTENT_POLICY);
            set(&mut response, REFERRER_POLICY, "no-referrer");
        }
        if page == Page::Root {
            *response.status_mut() = StatusCode::FOUND;
            let headers = response.headers_mut();
            headers.insert(LOCATION, self.docs.clone());
            // It is too short to be compressed, so that every client gets the same.
            headers.remove(VARY);
            headers.remove(ETAG);
        }
        response
    }

    /// Creates the response to a browser that gets an error of the gate.
    pub(crate) fn error_page(&self, kind: ErrorKind, error: ErrorInfo) -> Response<Body> {
        let page = error_page::render(kind, &error, self.base.as_str());
        Response::builder()
            .status(error.status)
            .header(CONTENT_TYPE, HTML)
            .header(CONTENT_SECURITY_POLICY, ERROR_CONTENT_POLICY)
            .body(page.into())
            .expect("status and headers are valid")
    }
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
