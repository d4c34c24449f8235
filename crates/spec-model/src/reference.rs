//! Follows `$ref`s within the document. Other files are not read.

use percent_encoding::percent_decode_str;

use crate::document::escape_token;
use crate::reader::{Cursor, Place, Reader, UnknownField};

/// An element with all `$ref`s before it followed.
pub(crate) struct Resolved<'d> {
    pub(crate) cursor: Cursor<'d>,
    /// The name in `components`, if the element stands there.
    pub(crate) component: Option<String>,
    /// Where the first `$ref` stands, if there was one.
    pub(crate) reference: Option<Place>,
}

impl<'d> Reader<'d> {
    /// Follows `$ref`s until something else comes. `section` is where in `components` such elements are kept.
    pub(crate) fn resolve(&self, cursor: Cursor<'d>, section: &str) -> Option<Resolved<'d>> {
        let mut reference = None;
        let mut visited = vec![cursor.pointer.clone()];
        let mut cursor = cursor;
        while let Some(link) = self.reference(&cursor) {
            let target = self.follow(&link)?;
            let at = link.place();
            if visited.contains(&target.pointer) {
                self.error(&at, "the `$ref` leads back to itself");
                return None;
            }
            if let Some((other, name)) = component(&target.pointer)
                && other != section
                && section != "pathItems"
            {
                let message = format!("the `$ref` needs something of `components/{section}`");
                let message = format!("{message}, `{name}` is in `components/{other}`");
                self.error(&at, message);
                return None;
            }
            visited.push(target.pointer.clone());
            reference.get_or_insert(at);
            cursor = target;
        }
        let component = component(&cursor.pointer).map(|(_, name)| name);
        Some(Resolved {
            cursor,
            component,
            reference,
        })
    }

    /// The `$ref` of this object, if it has one. What stands beside it has no meaning in OpenAPI 3.0 and is listed as unknown.
    pub(crate) fn reference(&self, cursor: &Cursor<'d>) -> Option<Cursor<'d>> {
        let link = cursor.member("$ref")?;
        let beside = self.beside_reference(cursor);
        self.unknown_fields.borrow_mut().extend(beside);
        Some(link)
    }

    /// The fields beside a `$ref`.
    pub(crate) fn beside_reference(&self, cursor: &Cursor<'d>) -> Vec<UnknownField> {
        let beside = cursor.members().filter(|(key, _)| *key != "$ref");
        beside
            .map(|(key, member)| UnknownField {
                name: key.to_owned(),
                at: Place {
                    position: member.key_position.unwrap_or(member.node.position),
                    pointer: member.pointer,
                },
            })
            .collect()
    }

    /// What a `$ref` points at.
    pub(crate) fn follow(&self, link: &Cursor<'d>) -> Option<Cursor<'d>> {
        let at = link.place();
        let Some(text) = link.node.as_str() else {
            let found = link.node.kind();
            self.error(&at, format!("`$ref` is a string, found {found}"));
            return None;
        };
        let Some(fragment) = text.strip_prefix('#') else {
            let message = format!("the `$ref` to `{text}` leads out of this document");
            let help = "put it under `components` and refer to it as `#/components/…`";
            self.error_with_help(&at, message, help);
            return None;
        };
        let pointer = percent_decode_str(fragment).decode_utf8_lossy();
        let Some((key_position, node)) = self.document.member(&pointer) else {
            self.error(&at, format!("the `$ref` to `{text}` leads nowhere"));
            return None;
        };
        Some(Cursor {
            node,
            pointer: canonical(&pointer),
            key_position,
        })
    }
}

/// The section and the name, if `pointer` leads to a component.
pub(crate) fn component(pointer: &str) -> Option<(&str, String)> {
    let (section, name) = pointer.strip_prefix("/components/")?.split_once('/')?;
    let whole = !name.contains('/');
    whole.then(|| (section, name.replace("~1", "/").replace("~0", "~")))
}

/// The same pointer with its tokens escaped one way, so that equal targets have equal pointers.
fn canonical(pointer: &str) -> String {
    let unescape = |token: &str| token.replace("~1", "/").replace("~0", "~");
    let tokens: Vec<String> = pointer
        .split('/')
        .map(|token| escape_token(&unescape(token)))
        .collect();
    tokens.join("/")
}
