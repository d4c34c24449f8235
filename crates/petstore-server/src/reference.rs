//! What is served beside the operations: the description of the interface as it
//! was written, and the page that people read it on.

mod annotate;
mod assets;

use dropshot::Body;
use http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HeaderName, LOCATION, REFERRER_POLICY,
    X_CONTENT_TYPE_OPTIONS,
};
use http::{HeaderValue, Response, StatusCode};

/// Scalar puts its styles into the page as it runs; nothing else is inline, and nothing comes from elsewhere.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; \
    img-src 'self' data:; font-src 'self' data:; connect-src 'self'; base-uri 'none'; \
    form-action 'none'; frame-ancestors 'none'";

/// A page that is no operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Page {
    /// Leads to the reference.
    Root,
    /// The reference: a frame for the script.
    Docs,
    /// Scalar, which draws the reference.
    Script,
    /// Starts Scalar.
    Start,
    /// The description, with what Scalar understands of its extensions.
    Annotated,
    /// `spec/petstore.yaml`, byte for byte.
    Yaml,
    /// The same as JSON, in the same order.
    Json,
}

impl Page {
    /// All of them.
    pub const ALL: [Page; 7] = [
        Page::Root,
        Page::Docs,
        Page::Script,
        Page::Start,
        Page::Annotated,
        Page::Yaml,
        Page::Json,
    ];

    /// Where it is served.
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

    fn text(self) -> &'static str {
        match self {
            Page::Root => "The petstore describes itself at /docs and /openapi.yaml.\n",
            Page::Docs => &assets::INDEX,
            Page::Script => &assets::SCALAR,
            Page::Start => assets::START,
            Page::Annotated => &assets::ANNOTATED,
            Page::Yaml => petstore_api::DOCUMENT_SOURCE,
            Page::Json => petstore_api::DOCUMENT.text(),
        }
    }
}

/// The page at a path, if there is one.
pub fn find(path: &str) -> Option<Page> {
    Page::ALL.into_iter().find(|page| page.path() == path)
}

/// The answer that holds a page.
pub fn serve(page: Page) -> Response<Body> {
    let mut response = Response::new(Body::from(page.text()));
    let mut set = |name: HeaderName, value| {
        response
            .headers_mut()
            .insert(name, HeaderValue::from_static(value));
    };
    set(CONTENT_TYPE, page.media_type());
    set(X_CONTENT_TYPE_OPTIONS, "nosniff");
    match page {
        Page::Root => set(LOCATION, Page::Docs.path()),
        Page::Docs => {
            set(CONTENT_SECURITY_POLICY, POLICY);
            set(REFERRER_POLICY, "no-referrer");
        }
        // The page asks for it by the hash of its bytes.
        Page::Script => set(CACHE_CONTROL, "public, max-age=31536000, immutable"),
        Page::Start | Page::Annotated | Page::Yaml | Page::Json => {}
    }
    if page == Page::Root {
        *response.status_mut() = StatusCode::FOUND;
    }
    response
}
