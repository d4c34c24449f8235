//! The parts of multipart bodies.

use std::collections::HashSet;

use dropspec_model::{AdditionalProperties, Encoding, MediaType, Schema, SchemaRef, SchemaType};
use dropspec_schema::media_type::BodyKind;
use indexmap::IndexMap;

use crate::model::{MultipartParts, Part, PartContent, Type};
use crate::names;
use crate::plan::media_types;
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;
use crate::plan::unions::tags::only_beside_null;

/// The deepest nesting of schemas that is followed; it ends circles of references.
const MAX_DEPTH: usize = 20;

/// The properties of the schema of a body.
#[derive(Default)]
struct Properties<'s> {
    /// Each in the ways in which it is declared.
    schemas: IndexMap<&'s str, Vec<&'s SchemaRef>>,
    required: HashSet<&'s str>,
    closed: bool,
}

impl<'s> Planner<'_, 's> {
    /// Plans the enum of the parts of a multipart body.
    pub(super) fn plan_parts(
        &mut self,
        of: &NamedOperation<'s>,
        media_type: &'s MediaType,
    ) -> MultipartParts {
        let mut properties = Properties::default();
        if let Some(schema) = &media_type.schema {
            self.gather_properties(schema, &mut properties, 0);
        }
        let mut taken = HashSet::new();
        let mut parts = Vec::new();
        for (wire, schemas) in &properties.schemas {
            let variant = names::variant_name(wire).unwrap_or_else(|| "Part".to_owned());
            let variant = names::make_unique(variant, &mut taken);
            let encoding = media_type.encoding.get(*wire);
            let kind = encoding.and_then(declared_kind);
            // JSON holds the whole array.
            let items = schemas.iter().map(|it| self.items_of(it, 0));
            let items: Option<Vec<_>> = items.collect();
            let items = items.filter(|_| kind != Some(BodyKind::Json));
            let hint = format!("{}{variant}", of.variant);
            let content = self.plan_part(items.as_ref().unwrap_or(schemas), kind, &hint);
            if let Some(media_type) = encoding.and_then(sent_media_type)
                && matches!(content, PartContent::Json(_))
            {
                self.warn_of_xml(&media_type, Some(schemas[0]), "the part is JSON");
            }
            parts.push(Part {
                variant,
                wire: (*wire).to_owned(),
                docs: self.types.describe_property(schemas[0], wire),
                content,
                media_type: encoding.and_then(sent_media_type),
                // No part at all is an empty array.
                required: properties.required.contains(wire) && items.is_none(),
            });
        }
        let other =
            (!properties.closed).then(|| names::make_unique("Other".to_owned(), &mut taken));
        MultipartParts {
            name: self.take_name(format!("{}Part", of.variant)),
            docs: format!("A part of the body of `{}`.", of.id),
            parts,
            other,
        }
    }

    /// Gathers the properties of a schema and of those that it is composed of. `depth` ends circles of references.
    fn gather_properties(
        &self,
        schema: &'s SchemaRef,
        properties: &mut Properties<'s>,
        depth: usize,
    ) {
        let Some(schema) = self.spec.resolve(schema).filter(|_| depth < MAX_DEPTH) else {
            return;
        };
        for (name, property) in &schema.properties {
            let declared = properties.schemas.entry(name).or_default();
            if !declared.contains(&property) {
                declared.push(property);
            }
        }
        let required = schema.required.iter().map(|name| name.value.as_str());
        properties.required.extend(required);
        for part in &schema.all_of {
            self.gather_properties(part, properties, depth + 1);
        }
        // What one of several schemas requires is not required by all.
        let required = properties.required.clone();
        for part in schema.one_of.iter().chain(&schema.any_of) {
            self.gather_properties(part, properties, depth + 1);
        }
        properties.required = required;
        properties.closed |= schema.additional_properties == Some(AdditionalProperties::Forbidden);
    }

    /// The schema of the items, if the schema is an array, also beside null or as the only part of `allOf`: each item is a part.
    fn items_of(&self, schema: &'s SchemaRef, depth: usize) -> Option<&'s SchemaRef> {
        let schema = self.spec.resolve(schema).filter(|_| depth < MAX_DEPTH)?;
        if let Some(own) = schema.schema_type {
            return schema.items.as_ref().filter(|_| own == SchemaType::Array);
        }
        let mut unions = [&schema.any_of, &schema.one_of].into_iter();
        let inner = match (schema.all_of.as_slice(), unions.find(|it| !it.is_empty())) {
            ([only], None) => only,
            ([], Some(union)) => only_beside_null(union)?,
            _ => return None,
        };
        self.items_of(inner, depth + 1)
    }

    /// Plans a part that is declared in one or several ways. What is declared in several ways has no type of its own.
    fn plan_part(
        &mut self,
        schemas: &[&'s SchemaRef],
        kind: Option<BodyKind>,
        hint: &str,
    ) -> PartContent {
        let mut resolved = schemas.iter().filter_map(|it| self.spec.resolve(it));
        if resolved.clone().any(|schema| self.is_file(schema)) {
            return PartContent::File;
        }
        // The default is text for scalars, and JSON for all else (OpenAPI 3.0.3, "Encoding Object").
        let is_text = resolved.all(|schema| self.is_scalar(schema, 0));
        let mut plan_type = || match schemas {
            [schema] => self.types.resolve_type(schema, hint),
            _ => Type::Any,
        };
        match kind {
            None | Some(BodyKind::Text) if is_text => PartContent::Text(plan_type()),
            None | Some(BodyKind::Text | BodyKind::Json) => PartContent::Json(plan_type()),
            Some(_) => PartContent::File,
        }
    }

    /// Whether the value is neither an array nor an object in any case.
    fn is_scalar(&self, schema: &Schema, depth: usize) -> bool {
        let own = match schema.schema_type {
            Some(SchemaType::Array | SchemaType::Object) => false,
            Some(_) => true,
            None => schema.properties.is_empty() && schema.additional_properties.is_none(),
        };
        let parts = [&schema.all_of, &schema.one_of, &schema.any_of];
        let mut parts = parts.into_iter().flatten();
        own && depth < MAX_DEPTH
            && parts.all(|part| {
                let part = self.spec.resolve(part);
                part.is_none_or(|part| self.is_scalar(part, depth + 1))
            })
    }

    /// Whether the schema, or one that it consists of, is that of a file, as `PartLayout` tells it for the codec.
    fn is_file(&self, schema: &Schema) -> bool {
        let parts = [&schema.all_of, &schema.one_of, &schema.any_of];
        let parts = parts.into_iter().flatten();
        let mut all = parts
            .filter_map(|part| self.spec.resolve(part))
            .chain([schema]);
        all.any(media_types::is_binary)
    }
}

/// The first of the media types that an entry of `encoding` declares without a wildcard.
fn sent_media_type(encoding: &Encoding) -> Option<String> {
    let mut media_types = encoding.content_type.as_deref()?.split(',').map(str::trim);
    let found = media_types.find(|it| !it.contains('*') && !it.is_empty());
    found.map(str::to_owned)
}

/// How a part is written whose media types an entry of `encoding` declares: as the first of them.
fn declared_kind(encoding: &Encoding) -> Option<BodyKind> {
    let media_types = encoding.content_type.as_deref()?;
    media_types.split(',').next().map(BodyKind::of)
}
