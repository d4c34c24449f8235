//! The files of the page of the operator.

/// The `Content-Security-Policy` of the page.
pub(super) const CONTENT_POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src data:; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

/// A file: path, media type, content.
pub(super) type File = (&'static str, &'static str, &'static str);

macro_rules! file {
    ($name:literal, $media_type:expr) => {
        (
            concat!("/operator/", $name),
            $media_type,
            include_str!(concat!("../../../assets/operator/", $name)),
        )
    };
    ($name:literal) => {
        file!($name, "text/javascript; charset=utf-8")
    };
}

/// The files of the page.
pub(super) const FILES: [File; 11] = [
    file!("page.mjs"),
    file!("server.mjs"),
    file!("parts.mjs"),
    file!("chart.mjs"),
    file!("overview.mjs"),
    file!("keys.mjs"),
    file!("key-dialog.mjs"),
    file!("key-details.mjs"),
    file!("changes.mjs"),
    file!("log.mjs"),
    file!("preact.mjs"),
];

/// Those of the page for the login, which need no session.
pub(super) const OPEN_FILES: [File; 2] = [
    file!("style.css", "text/css; charset=utf-8"),
    file!("login.mjs"),
];

pub(super) fn find_file(files: &'static [File], path: &str) -> Option<&'static File> {
    files.iter().find(|(name, ..)| *name == path)
}
