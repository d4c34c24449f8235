//! Gives the client's types the order and the documentation of the document: typify sorts types and properties by name,
//! and documents no property that refers to another schema. Public items without documentation get some.

use std::collections::HashMap;

use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Fields, FieldsNamed, File, Ident, ImplItem, ImplItemFn, Item, ItemEnum, ItemImpl,
    ItemMod, ItemStruct, Type, Variant, Visibility, parse_quote,
};

use crate::markdown::escape;
use crate::model::{Api, Field, NamedType, Shape};
use crate::source::doc_text;

/// Orders and documents the types of a client, and their builders.
pub(super) fn follow_document(file: &mut File, api: &Api) {
    let types = api.types.iter().enumerate();
    let types = types.map(|(index, named)| (comparison_key(&named.name), (index, named)));
    let mut order = Order {
        types: types.collect(),
    };
    for item in &mut file.items {
        if let Item::Mod(module) = item
            && module.ident == "types"
        {
            order.visit_item_mod_mut(module);
        }
    }
    Describe.visit_file_mut(file);
}

/// Documents public items that have no documentation.
struct Describe;

impl VisitMut for Describe {
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        visit_mut::visit_item_struct_mut(self, item);
        describe(
            &mut item.attrs,
            &format!("Builds a `{}`, property by property.", item.ident),
        );
        for field in &mut item.fields {
            if let (Visibility::Public(_), Some(name)) = (&field.vis, &field.ident) {
                describe(&mut field.attrs, &format!("`{name}`"));
            }
        }
    }

    fn visit_variant_mut(&mut self, variant: &mut Variant) {
        visit_mut::visit_variant_mut(self, variant);
        describe(&mut variant.attrs, &format!("`{}`", variant.ident));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, item);
        if !matches!(item.vis, Visibility::Public(_)) {
            return;
        }
        let name = item.sig.ident.to_string();
        let sets = item.sig.inputs.len() == 2;
        describe(
            &mut item.attrs,
            &match name.as_str() {
                "builder" => "An empty builder.".to_owned(),
                "new" => "Starts a request.".to_owned(),
                "body_map" => "Sets the body by its builder.".to_owned(),
                name if sets => format!("Sets `{}`.", name.trim_start_matches("r#")),
                name => format!("`{name}`"),
            },
        );
    }
}

fn describe(attributes: &mut Vec<Attribute>, text: &str) {
    if attributes
        .iter()
        .all(|attribute| doc_text(attribute).is_none())
    {
        document(attributes, text);
    }
}

/// Reduces a name to lower-case letters and digits, so that names by typify and by this generator can be compared.
fn comparison_key(name: &str) -> String {
    let letters = name.chars().filter(char::is_ascii_alphanumeric);
    letters.map(|c| c.to_ascii_lowercase()).collect()
}

/// Sorts types and fields by the document and gives them its descriptions.
struct Order<'a> {
    /// The types of the document with their positions, by the keys of their names.
    types: HashMap<String, (usize, &'a NamedType)>,
}

impl Order<'_> {
    fn find(&self, name: &Ident) -> Option<&NamedType> {
        let (_, named) = self.types.get(&comparison_key(&name.to_string()))?;
        Some(named)
    }

    /// The fields of the named type in the document; none if it is not a struct.
    fn fields(&self, name: &Ident) -> &[Field] {
        match self.find(name).map(|named| &named.shape) {
            Some(Shape::Struct(shape)) => &shape.fields,
            _ => &[],
        }
    }

    /// The sort position of an item: that of its type in the document. Items without such a type follow the others.
    fn position(&self, item: &Item) -> usize {
        let name = match item {
            Item::Struct(item) => Some(&item.ident),
            Item::Enum(item) => Some(&item.ident),
            // `impl From<Pet> for builder::Pet`, and the other way round.
            Item::Impl(item) => type_name(&item.self_ty),
            Item::Mod(_) => return usize::MAX,
            _ => None,
        };
        let known = name.and_then(|name| self.types.get(&comparison_key(&name.to_string())));
        known.map_or(usize::MAX - 1, |(index, _)| *index)
    }
}

fn type_name(ty: &Type) -> Option<&Ident> {
    match ty {
        Type::Path(ty) => Some(&ty.path.segments.last()?.ident),
        _ => None,
    }
}

/// The position of a field or setter among the fields of the document.
fn position(fields: &[Field], name: Option<&Ident>) -> usize {
    let found = name.and_then(|name| {
        let name = comparison_key(&name.to_string());
        fields
            .iter()
            .position(|field| comparison_key(&field.name) == name)
    });
    found.unwrap_or(usize::MAX)
}

fn document(attributes: &mut Vec<Attribute>, docs: &str) {
    attributes.retain(|attribute| doc_text(attribute).is_none());
    for line in escape(docs).lines().rev() {
        let line = format!(" {line}");
        attributes.insert(0, parse_quote!(#[doc = #line]));
    }
}

impl VisitMut for Order<'_> {
    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        visit_mut::visit_item_mod_mut(self, module);
        if let Some((_, items)) = &mut module.content {
            items.sort_by_key(|item| self.position(item));
        }
    }

    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        let fields = self.fields(&item.ident);
        let is_builder = matches!(&item.fields, Fields::Named(FieldsNamed { named, .. }) if
            named.iter().all(|field| matches!(field.vis, Visibility::Inherited)));
        if let (false, Some(named)) = (is_builder, self.find(&item.ident)) {
            document(&mut item.attrs, &named.docs);
        }
        if let Fields::Named(FieldsNamed { named, .. }) = &mut item.fields {
            let mut sorted: Vec<syn::Field> = std::mem::take(named).into_iter().collect();
            sorted.sort_by_key(|field| position(fields, field.ident.as_ref()));
            for field in &mut sorted {
                if let (false, Some(known)) = (
                    is_builder,
                    fields.get(position(fields, field.ident.as_ref())),
                ) {
                    document(&mut field.attrs, &known.docs);
                }
            }
            named.extend(sorted);
        }
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        let Some(named) = self.find(&item.ident) else {
            return;
        };
        document(&mut item.attrs, &named.docs);
        let Shape::Enum(known) = &named.shape else {
            return;
        };
        for variant in &mut item.variants {
            let name = variant.ident.to_string();
            if let Some(known) = known.iter().find(|known| known.name == name) {
                document(&mut variant.attrs, &known.docs());
            }
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        let fields = type_name(&item.self_ty).map_or(&[][..], |name| self.fields(name));
        item.items.sort_by_key(|member| match member {
            ImplItem::Fn(method) if item.trait_.is_none() => {
                position(fields, Some(&method.sig.ident))
            }
            _ => 0,
        });
    }
}
