//! The files of the page of the operator.

/// The `Content-Security-Policy` of the page.
pub(super) const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// The media type of its scripts.
pub(super) const SCRIPT: &str = "text/javascript; charset=utf-8";

/// The files of the page: path, media type, content.
pub(super) const FILES: [(&str, &str, &str); 6] = [
    (
        "/operator/style.css",
        "text/css; charset=utf-8",
        include_str!("../../assets/operator/style.css"),
    ),
    (
        "/operator/page.mjs",
        SCRIPT,
        include_str!("../../assets/operator/page.mjs"),
    ),
    (
        "/operator/server.mjs",
        SCRIPT,
        include_str!("../../assets/operator/server.mjs"),
    ),
    (
        "/operator/parts.mjs",
        SCRIPT,
        include_str!("../../assets/operator/parts.mjs"),
    ),
    (
        "/operator/keys.mjs",
        SCRIPT,
        include_str!("../../assets/operator/keys.mjs"),
    ),
    (
        "/operator/preact.mjs",
        SCRIPT,
        include_str!("../../assets/operator/preact.mjs"),
    ),
];

/// The script of the page for the login, which needs no session.
pub(super) const LOGIN: &str = include_str!("../../assets/operator/login.mjs");
