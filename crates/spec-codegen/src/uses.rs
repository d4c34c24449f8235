//! Which generated items an operation uses, directly or through others.

use std::collections::{HashMap, HashSet};

use crate::model::{
    Api, BodyContent, BodyForm, ErrorType, Operation, PartContent, ResponseContent, Shape, Success,
    SuccessBody, SuccessKind, Type, VariantBody,
};

/// A generated item, by its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Item {
    Type(String),
    Parameters(String),
    Responses(String),
    BodyChoice(String),
    Parts(String),
}

/// All items that these items consist of, themselves included. `parts` has what each item names.
pub(crate) fn reach(mut open: Vec<Item>, parts: &HashMap<Item, Vec<Item>>) -> HashSet<Item> {
    let mut reached = HashSet::new();
    while let Some(item) = open.pop() {
        if !reached.contains(&item) {
            open.extend(parts.get(&item).into_iter().flatten().cloned());
            reached.insert(item);
        }
    }
    reached
}

/// The items that each item of an interface names.
pub(crate) fn parts_of_items(api: &Api) -> HashMap<Item, Vec<Item>> {
    let types = api
        .types
        .iter()
        .map(|named| (Item::Type(named.name.clone()), parts_of_shape(&named.shape)));
    let parameters = api.parameters.iter().map(|of| {
        let fields = of.fields.iter();
        let fields = fields.flat_map(|parameter| part_of_type(&parameter.field.ty));
        (Item::Parameters(of.name.clone()), fields.collect())
    });
    let responses = api.responses.iter().map(|of| {
        let variants = of.variants.iter().flat_map(|variant| {
            let content = match &variant.content {
                ResponseContent::Json(ty) => part_of_type(ty),
                ResponseContent::Empty | ResponseContent::Text | ResponseContent::Bytes => None,
            };
            content
                .into_iter()
                .chain(variant.headers.clone().map(Item::Parameters))
        });
        (Item::Responses(of.name.clone()), variants.collect())
    });
    let choices = api.body_choices.iter().map(|of| {
        let forms = of.forms.iter().flat_map(part_of_form);
        (Item::BodyChoice(of.name.clone()), forms.collect())
    });
    let multiparts = api.multiparts.iter().map(|of| {
        let parts = of.parts.iter().flat_map(|part| match &part.content {
            PartContent::Text(ty) | PartContent::Json(ty) => part_of_type(ty),
            PartContent::File => None,
        });
        (Item::Parts(of.name.clone()), parts.collect())
    });
    types
        .chain(parameters)
        .chain(responses)
        .chain(choices)
        .chain(multiparts)
        .collect()
}

/// The items that the method of an operation names.
pub(crate) fn parts_of_operation(operation: &Operation) -> Vec<Item> {
    let mut parts: Vec<Item> = Vec::new();
    let structs = operation.parameters.iter();
    parts.extend(structs.map(|(_, name)| Item::Parameters(name.clone())));
    if let Some(body) = &operation.body {
        parts.extend(body.choice.clone().map(Item::BodyChoice));
        parts.extend(body.forms.iter().flat_map(part_of_form));
    }
    match &operation.success {
        Success::Dropshot(response) => {
            parts.extend(response.headers.clone().map(Item::Parameters));
            if let SuccessKind::Body {
                body: SuccessBody::Json(ty),
                ..
            } = &response.kind
            {
                parts.extend(part_of_type(ty));
            }
        }
        Success::Responses(name) => parts.push(Item::Responses(name.clone())),
        Success::Freeform => {}
    }
    match &operation.error {
        ErrorType::Itself(name) => parts.push(Item::Type(name.clone())),
        ErrorType::Failure(ty) => parts.extend(part_of_type(ty)),
        ErrorType::Responses(name) => parts.push(Item::Responses(name.clone())),
        ErrorType::HttpError => {}
    }
    parts
}

fn parts_of_shape(shape: &Shape) -> Vec<Item> {
    match shape {
        Shape::Struct(shape) => {
            let fields = shape.fields.iter().map(|field| &field.ty);
            fields.chain(&shape.rest).flat_map(part_of_type).collect()
        }
        Shape::Enum(_) => Vec::new(),
        Shape::Newtype(ty) => part_of_type(ty).into_iter().collect(),
        Shape::Union(union) => {
            let variants = union
                .variants
                .iter()
                .flat_map(|variant| match &variant.body {
                    VariantBody::Unit => Vec::new(),
                    VariantBody::Newtype(ty) => vec![ty],
                    VariantBody::Fields(fields) => fields.iter().map(|field| &field.ty).collect(),
                });
            variants.flat_map(part_of_type).collect()
        }
    }
}

fn part_of_type(ty: &Type) -> Option<Item> {
    ty.named().map(|name| Item::Type(name.to_owned()))
}

fn part_of_form(form: &BodyForm) -> Option<Item> {
    match &form.content {
        BodyContent::Json(ty) | BodyContent::Form(ty) => part_of_type(ty),
        BodyContent::Multipart(name) => Some(Item::Parts(name.clone())),
        BodyContent::Text | BodyContent::Bytes => None,
    }
}
