//! Request bodies.

use std::collections::HashSet;

use dropspec_schema::media_type::BodyKind;

use crate::model::{BodyContent, BodyForm, RequestBody, Type};
use crate::names;
use crate::plan::media_types;
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;

impl<'s> Planner<'_, 's> {
    /// Plans the request body, if the operation has one.
    pub(super) fn read_body(&mut self, of: &NamedOperation<'s>) -> Option<RequestBody> {
        let body = of.operation.request_body.as_ref()?;
        let mut taken = HashSet::new();
        let mut forms = Vec::new();
        for (name, media_type) in &body.content {
            let kind = BodyKind::of(name);
            self.warn_of_items(media_type, "a request is not sent item by item");
            self.warn_of_positions(media_type);
            self.warn_of_xml(name, media_type.schema.as_ref(), "the body is a text");
            let mut ty = || match &media_type.schema {
                Some(schema) => self
                    .types
                    .resolve_body(schema, &format!("{}Body", of.variant)),
                None => Type::Any,
            };
            let content = match kind {
                BodyKind::Json => BodyContent::Json(ty()),
                BodyKind::Form => BodyContent::Form(ty()),
                BodyKind::Multipart => BodyContent::Multipart(self.plan_parts(of, media_type)),
                BodyKind::Text => BodyContent::Text,
                BodyKind::Bytes => BodyContent::Bytes,
            };
            let variant = media_types::variant_name(name);
            forms.push(BodyForm {
                variant: names::make_unique(variant, &mut taken),
                media_type: name.clone(),
                content,
            });
        }
        let choice = (forms.len() > 1).then(|| self.take_name(format!("{}Body", of.variant)));
        // A body without media types is an error that the reader has found.
        (!forms.is_empty()).then_some(RequestBody {
            required: body.required,
            forms,
            choice,
        })
    }
}
