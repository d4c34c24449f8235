//! Places in the files of a bundle.

use dropspec_schema::pointer;
use percent_encoding::{AsciiSet, CONTROLS, utf8_percent_encode};

/// The index of the document among the files.
pub(crate) const DOCUMENT: u32 = 0;

/// A place in a file: the index of the file, and a JSON pointer (RFC 6901) in it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) struct Target {
    pub(crate) file: u32,
    pub(crate) pointer: String,
}

impl Target {
    /// The place of the member or item `token` of the value at this place.
    pub(crate) fn member(&self, token: &str) -> Target {
        Target {
            file: self.file,
            pointer: pointer::join(&self.pointer, token),
        }
    }
}

/// The text of a `$ref` to a place of the document.
pub(crate) fn reference_to(pointer: &str) -> String {
    const ENCODED: &AsciiSet = &CONTROLS
        .add(b' ')
        .add(b'"')
        .add(b'<')
        .add(b'>')
        .add(b'`')
        .add(b'%');
    format!("#{}", utf8_percent_encode(pointer, ENCODED))
}
