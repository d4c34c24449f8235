//! The text of a file that should be a document, and what the file is if it is none.

use std::sync::Arc;

use crate::diagnostic::{Diagnostic, Location};

/// What the first bytes of files with a text in UTF-16 are.
const UTF_16: [&[u8]; 2] = [b"\xff\xfe", b"\xfe\xff"];
/// How far the first tag of a web page is looked for, in bytes.
const HEAD: usize = 1_000;

/// Decodes the bytes of the file `name`.
///
/// # Errors
/// The file is binary, or its text is not UTF-8; with the place of the first byte that is not.
pub fn decode(name: &str, bytes: Vec<u8>) -> Result<String, Diagnostic> {
    let name = Arc::from(name);
    if UTF_16.iter().any(|mark| bytes.starts_with(mark)) {
        return Err(problem(&name, "", "the text is UTF-16").with_help("save it as UTF-8"));
    }
    if bytes.contains(&0) {
        let help = "name the OpenAPI document itself; if it is in an archive, unpack it first";
        return Err(problem(&name, "", "this is a binary file, no text").with_help(help));
    }
    String::from_utf8(bytes).map_err(|error| {
        let valid = &error.as_bytes()[..error.utf8_error().valid_up_to()];
        let valid = String::from_utf8_lossy(valid);
        let help = "save it as UTF-8";
        problem(&name, &valid, "the text is not UTF-8 from here on").with_help(help)
    })
}

/// Recognizes a text that is neither YAML nor JSON, though a parser may find some of it in it.
pub(crate) fn find_other_format(name: &Arc<str>, text: &str) -> Option<Diagnostic> {
    let trimmed = text.trim_start();
    if trimmed.starts_with('<') {
        let head: String = trimmed.chars().take(HEAD).collect();
        let head = head.to_lowercase();
        if head.starts_with("<!doctype html") || head.contains("<html") {
            let message = "this is a web page (HTML), no document";
            let help = "download the document itself: a page that shows it has a link to the plain file, \
                        often called `Raw` or `Download`";
            return Some(problem(name, "", message).with_help(help));
        }
        if head.starts_with("<?xml") || head.trim_end().ends_with('>') {
            let help = "name an OpenAPI document, in YAML or JSON";
            return Some(problem(name, "", "this is XML, no YAML or JSON").with_help(help));
        }
    }
    find_conflict(name, text)
}

/// Finds the first mark of a conflict that git could not merge.
fn find_conflict(name: &Arc<str>, text: &str) -> Option<Diagnostic> {
    let mark = if text.starts_with("<<<<<<< ") {
        0
    } else {
        text.find("\n<<<<<<< ")? + 1
    };
    let message = "a conflict of git begins here";
    let help =
        "keep one of the two versions, and remove the lines `<<<<<<<`, `=======` and `>>>>>>>`";
    Some(problem(name, &text[..mark], message).with_help(help))
}

/// A problem at the place behind the text `before`.
fn problem(name: &Arc<str>, before: &str, message: &str) -> Diagnostic {
    let line = before.matches('\n').count() + 1;
    let last = before.rsplit('\n').next().unwrap_or_default();
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    let location = Location {
        file: Arc::clone(name),
        line: count(line),
        column: count(last.chars().count() + 1),
    };
    Diagnostic::new(location, "", message)
}
