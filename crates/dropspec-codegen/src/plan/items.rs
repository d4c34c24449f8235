//! Streams of items: which media types of responses are typed streams, and of what. Also warns of bodies that no type is made of.

use dropspec_model::{MediaType, Schema, SchemaRef, SchemaType};
use dropspec_schema::{BodyKind, EVENT_FIELDS, Framing};

use crate::model::Type;
use crate::plan::media_types;
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;

impl<'s> Planner<'_, 's> {
    /// The type of the items of a successful response; `None` if its body is not a typed stream.
    pub(super) fn plan_items(
        &mut self,
        of: &NamedOperation<'s>,
        name: &str,
        media_type: &'s MediaType,
    ) -> Option<Type> {
        let schema = media_type.item_schema.as_ref()?;
        let resolved = self.spec.resolve(schema);
        let framing = Framing::of(name);
        if framing == Some(Framing::Events) && resolved.is_some_and(is_no_event) {
            let help = "describe the event: an object with `data`, `event`, `id` and `retry`";
            let message = "the schema of the items is not that of an event";
            self.problems.warn(schema.at(), message, help);
            return None;
        }
        if framing.is_none() {
            self.warn_of_items(media_type, &format!("`{name}` is not read item by item"));
            return None;
        }
        let encoding = media_type.item_encoding.as_ref();
        let encoding = encoding.and_then(|it| it.content_type.as_deref());
        if encoding.is_some_and(|name| BodyKind::of(name) != BodyKind::Json) {
            self.warn_of_items(media_type, "the parts are no JSON");
            return None;
        }
        let hint = format!("{}Item", of.variant);
        Some(self.types.resolve_type(schema, &hint))
    }

    /// Warns of encodings of parts by their positions, of which no code is made.
    pub(super) fn warn_of_positions(&self, media_type: &MediaType) {
        let is_typed = media_type.item_schema.is_some();
        let headers = media_type.item_encoding.as_ref().map(|it| &it.headers);
        let loses_items = headers.is_some_and(|headers| !is_typed || !headers.is_empty());
        if loses_items || !media_type.prefix_encoding.is_empty() {
            let message = "the parts are not read or written by their positions, nor with headers";
            let help = "the body is a stream of bytes, or of items that are JSON; name the parts for types: \
                `multipart/form-data` with `properties` and `encoding`";
            self.problems.warn(&media_type.at, message, help);
        }
    }

    /// Warns of XML with a structure: of its schema no code is made that reads or writes it.
    pub(super) fn warn_of_xml(&self, media_type: &str, schema: Option<&SchemaRef>, what: &str) {
        let is_lost = |it: &&SchemaRef| media_types::is_structured_xml(self.spec, media_type, it);
        if let Some(schema) = schema.filter(is_lost) {
            let message = format!("XML is not read or written by its schema: {what}");
            let help = "parse and write it in your code, or describe it as JSON";
            self.problems.warn(schema.at(), message, help);
        }
    }

    /// Warns of a schema of items that no type is made of, for this reason.
    pub(super) fn warn_of_items(&self, media_type: &MediaType, reason: &str) {
        if let Some(schema) = &media_type.item_schema {
            let message = format!("{reason}, so that no type is made of the schema of its items");
            let help = "the body is a stream of bytes";
            self.problems.warn(schema.at(), message, help);
        }
    }
}

/// Whether a schema is that of another value than an object, or names properties, but none of an event.
fn is_no_event(schema: &Schema) -> bool {
    let is_other = schema
        .schema_type
        .is_some_and(|it| it != SchemaType::Object);
    let mut names = schema.properties.keys();
    let has_others = !schema.properties.is_empty();
    is_other || has_others && !names.any(|name| EVENT_FIELDS.contains(&name.as_str()))
}
