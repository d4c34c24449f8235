//! Follows `$ref`s within the document. Other files are not read.

use dropspec_schema::{pointer, pointer_of_reference};

use crate::node::Node;
use crate::reader::{Cursor, Place, Reader};
use crate::suggestion::suggest;

impl<'d> Reader<'d> {
    /// Follows `$ref`s to an element that is not a reference, and returns it with the place of the first `$ref`, if there is
    /// one. `section`: the section of `components` of such elements.
    pub(crate) fn resolve(
        &self,
        cursor: Cursor<'d>,
        section: &str,
    ) -> Option<(Cursor<'d>, Option<Place>)> {
        let mut reference = None;
        let mut visited = vec![cursor.pointer.clone()];
        let mut cursor = cursor;
        // OpenAPI 3.0 ignores the fields beside a `$ref`.
        while let Some(link) = cursor.member("$ref") {
            let target = self.follow_reference(&link)?;
            let at = link.place();
            if visited.contains(&target.pointer) {
                self.report(&at, "the `$ref` refers to itself", "");
                return None;
            }
            if let Some((other, name)) = parse_component_pointer(&target.pointer)
                && other != section
                && section != "pathItems"
            {
                let message = format!(
                    "the `$ref` must refer to `components/{section}`, but `{name}` is in `components/{other}`"
                );
                self.report(&at, message, "");
                return None;
            }
            visited.push(target.pointer.clone());
            reference.get_or_insert(at);
            cursor = target;
        }
        Some((cursor, reference))
    }

    /// Finds the target of a `$ref`. Records an error if there is none in this document.
    pub(crate) fn follow_reference(&self, link: &Cursor<'d>) -> Option<Cursor<'d>> {
        let at = link.place();
        let Some(text) = link.node.as_str() else {
            let found = link.node.kind();
            self.report(&at, format!("`$ref` must be a string, found {found}"), "");
            return None;
        };
        if !text.starts_with('#') {
            let message = format!("the `$ref` to `{text}` refers to another document");
            let help = "move the target into `components` and refer to it as `#/components/…`";
            self.report(&at, message, help);
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
            let message = format!("the target of the `$ref` to `{text}` does not exist");
            let help = format!(
                "{}write the place of a part of this document, such as `#/components/schemas/Pet`",
                self.suggestions.find(text, || self.suggest_target(text))
            );
            self.report(&at, message, help);
        }
        found
    }

    /// Which of the neighbours of a missing target was probably meant.
    fn suggest_target(&self, reference: &str) -> String {
        let Some((parent, name)) = reference.rsplit_once('/') else {
            return String::new();
        };
        let neighbours = pointer_of_reference(parent).and_then(|it| self.document.pointer(&it));
        let neighbours = neighbours.and_then(Node::as_object).into_iter().flatten();
        suggest(name, neighbours.map(|(key, _)| key.as_str())).map_or_else(String::new, |key| {
            format!("did you mean `{parent}/{key}`? ")
        })
    }
}

/// Splits a JSON pointer to a component into its section and its name; `None` for other pointers.
pub(crate) fn parse_component_pointer(pointer: &str) -> Option<(&str, String)> {
    let (section, name) = pointer.strip_prefix("/components/")?.split_once('/')?;
    (!name.contains('/')).then(|| (section, pointer::unescape(name)))
}
