//! Follows `$ref`s within the document. Other files are not read.

use spec_schema::{pointer, pointer_of_reference};

use crate::reader::{Cursor, Place, Reader, UnknownField};

/// What `Reader::resolve` returns: a cursor at a node that is not a `$ref`, still to be read, and the first `$ref` that
/// led there, if any.
pub(crate) struct Resolved<'d> {
    pub(crate) cursor: Cursor<'d>,
    /// The name, if the element is in `components`.
    pub(crate) component: Option<String>,
    /// The place of the first `$ref`, if there was one.
    pub(crate) reference: Option<Place>,
}

impl<'d> Reader<'d> {
    /// Follows `$ref`s to an element that is not a reference. `section`: the section of `components` of such elements.
    pub(crate) fn resolve(&self, cursor: Cursor<'d>, section: &str) -> Option<Resolved<'d>> {
        let mut reference = None;
        let mut visited = vec![cursor.pointer.clone()];
        let mut cursor = cursor;
        while let Some(link) = self.find_reference(&cursor) {
            let target = self.follow_reference(&link)?;
            let at = link.place();
            if visited.contains(&target.pointer) {
                self.report_error(&at, "the `$ref` refers to itself");
                return None;
            }
            if let Some((other, name)) = parse_component_pointer(&target.pointer)
                && other != section
                && section != "pathItems"
            {
                let message = format!(
                    "the `$ref` must refer to `components/{section}`, but `{name}` is in `components/{other}`"
                );
                self.report_error(&at, message);
                return None;
            }
            visited.push(target.pointer.clone());
            reference.get_or_insert(at);
            cursor = target;
        }
        let component = parse_component_pointer(&cursor.pointer).map(|(_, name)| name);
        Some(Resolved {
            cursor,
            component,
            reference,
        })
    }

    /// The `$ref` of this object, if it has one. Fields beside it are recorded as unknown: OpenAPI 3.0 ignores them.
    pub(crate) fn find_reference(&self, cursor: &Cursor<'d>) -> Option<Cursor<'d>> {
        let link = cursor.member("$ref")?;
        let ignored = cursor.node.as_object().into_iter().flatten();
        let ignored = ignored.filter(|(key, _)| *key != "$ref");
        let ignored = ignored.map(|(key, member)| UnknownField {
            name: key.clone(),
            at: cursor.place().member(key, member),
            beside_reference: true,
        });
        self.unknown_fields.borrow_mut().extend(ignored);
        Some(link)
    }

    /// Finds the target of a `$ref`. Records an error if there is none in this document.
    pub(crate) fn follow_reference(&self, link: &Cursor<'d>) -> Option<Cursor<'d>> {
        let at = link.place();
        let Some(text) = link.node.as_str() else {
            let found = link.node.kind();
            self.report_error(&at, format!("`$ref` must be a string, found {found}"));
            return None;
        };
        if !text.starts_with('#') {
            let message = format!("the `$ref` to `{text}` refers to another document");
            let help = "move the target into `components` and refer to it as `#/components/…`";
            self.report_error_with_help(&at, message, help);
            return None;
        }
        let pointer = pointer_of_reference(text);
        let found = pointer.and_then(|pointer| {
            let (key_position, node) = self.document.member(&pointer)?;
            // Escaped in one way, so that equal targets have equal pointers.
            let tokens = pointer::tokens(&pointer)?;
            let pointer = tokens
                .iter()
                .fold(String::new(), |parent, token| pointer::join(&parent, token));
            Some(Cursor {
                node,
                pointer,
                key_position,
            })
        });
        if found.is_none() {
            self.report_error(
                &at,
                format!("the target of the `$ref` to `{text}` does not exist"),
            );
        }
        found
    }
}

/// Splits a JSON pointer to a component into its section and its name; `None` for other pointers.
pub(crate) fn parse_component_pointer(pointer: &str) -> Option<(&str, String)> {
    let (section, name) = pointer.strip_prefix("/components/")?.split_once('/')?;
    (!name.contains('/')).then(|| (section, pointer::unescape(name)))
}
