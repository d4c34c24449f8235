//! What names a schema or an operation other than by a `$ref`: the mapping of a discriminator, and the operation of a link.

use dropspec_model::{Node, Value};
use dropspec_schema::pointer;

use super::follow::Found;
use super::{Written, is_of_file};
use crate::bundling::bundler::Bundler;
use crate::bundling::target::DOCUMENT;

impl Bundler<'_> {
    /// The values of a discriminator's `mapping`, and its `defaultMapping`, are names of schemas or references to them.
    pub(super) fn expand_mapping(&mut self, node: &mut Node, pointer: &str, written: Written) {
        let Value::Object(members) = &mut node.value else {
            return;
        };
        let mut targets = Vec::new();
        for (key, member) in members.iter_mut() {
            let own = pointer::join(pointer, key);
            if key == "defaultMapping" {
                targets.push((own, &mut member.node));
            } else if key == "mapping"
                && let Value::Object(entries) = &mut member.node.value
            {
                let entries = entries.iter_mut();
                targets.extend(entries.map(|(key, it)| (pointer::join(&own, key), &mut it.node)));
            }
        }
        for (pointer, target) in targets {
            let at = target.position;
            let Some(text) = target.as_str().map(str::to_owned) else {
                continue;
            };
            let file = self.files.get(at.file);
            if !file.is_overlay
                && (written == Written::Overlays || at.file == DOCUMENT)
                && !is_of_file(&text)
            {
                continue;
            }
            let own = pointer::join("/components/schemas", &text);
            let reference = match file.root.pointer(&own) {
                Some(_) => format!("#{own}"),
                None if text.starts_with('#') || is_of_file(&text) => text,
                None => continue,
            };
            let reference = match self.find(&reference, at, &pointer, true) {
                Some(Found::Document(reference)) => reference,
                Some(Found::Elsewhere { links, value }) => self
                    .component_for(links, value, "schemas", at, &pointer)
                    .reference(),
                None => continue,
            };
            target.value = Value::String(reference);
        }
    }

    /// Operations are not taken in, so a link must name one of the document.
    pub(super) fn check_operation_ref(&mut self, node: &mut Node, pointer: &str, written: Written) {
        let Some(link) = node.get_mut("operationRef") else {
            return;
        };
        let at = link.position;
        let is_written = written == Written::All || self.files.get(at.file).is_overlay;
        let Some(text) = link.as_str().map(str::to_owned).filter(|_| is_written) else {
            return;
        };
        let pointer = pointer::join(pointer, "operationRef");
        match self.find(&text, at, &pointer, false) {
            Some(Found::Document(reference)) => link.value = Value::String(reference),
            _ => {
                let message = format!("the operation `{text}` is not in the bundle");
                let help = "name an operation of the document in `operationId`";
                self.warn(at, &pointer, message, help);
            }
        }
    }
}
