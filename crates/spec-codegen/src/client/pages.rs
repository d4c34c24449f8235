//! Lists that come page by page, as dropshot's `x-dropshot-pagination` marks them.

use crate::client::answers::Reader;
use crate::client::setters::Setter;
use crate::model::{Api, Field, NamedType, ParameterKind, Shape, Type};

/// The extension that marks an operation.
const EXTENSION: &str = "x-dropshot-pagination";

/// A list that comes page by page.
pub(super) struct Pages {
    /// The type of an item.
    pub(super) item: Type,
    /// The field of the items of a page.
    pub(super) items: String,
    /// The field of the token of the next page.
    pub(super) next: String,
}

/// The pages of an operation, if it is marked and its response and parameters are those of dropshot's lists.
pub(super) fn read(
    api: &Api,
    declared: &spec_model::Operation,
    setters: &[Setter<'_>],
    success: &Reader,
) -> Option<Pages> {
    declared.extensions.get(EXTENSION)?;
    let mut queries = setters
        .iter()
        .filter(|setter| setter.kind == ParameterKind::Query);
    queries.find(|setter| setter.parameter.field.wire == "page_token")?;
    let Reader::Json(Type::Named(name)) = success else {
        return None;
    };
    let page = api.types.iter().find(|named| named.name == *name)?;
    let (items, next) = (find_field(page, "items")?, find_field(page, "next_page")?);
    let Type::Vec(item) = &items.ty else {
        return None;
    };
    let text = Type::Option(Box::new(Type::String));
    (next.ty == text).then(|| Pages {
        item: (**item).clone(),
        items: items.name.clone(),
        next: next.name.clone(),
    })
}

fn find_field<'a>(named: &'a NamedType, wire: &str) -> Option<&'a Field> {
    match &named.shape {
        Shape::Struct(shape) => shape.fields.iter().find(|field| field.wire == wire),
        _ => None,
    }
}
