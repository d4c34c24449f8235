//! Streams of items: which media types of responses are typed streams, and of what.

use spec_model::{MediaType, Schema, SchemaType};
use spec_schema::Framing;

use crate::model::Type;
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;

/// The fields of a server-sent event.
const EVENT_FIELDS: [&str; 4] = ["data", "event", "id", "retry"];

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
        let hint = format!("{}Item", of.variant);
        Some(self.types.resolve_type(schema, &hint))
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
