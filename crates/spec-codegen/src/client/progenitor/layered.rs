//! The client as a crate wants it that adds a layer by hand: without constructors, which are the crate's, and with
//! builders that the crate can reach into.

use syn::{File, ImplItem, Item, Type, parse_quote};

/// Removes the constructors, and opens the field `client` of the builders to the crate.
pub(super) fn open_to_layer(file: &mut File) {
    file.items.retain_mut(|item| match item {
        Item::Impl(of) if of.trait_.is_none() && is_client(&of.self_ty) => {
            of.items.retain(|member| !is_constructor(member));
            !of.items.is_empty()
        }
        Item::Mod(module) if module.ident == "builder" => {
            let (_, items) = module.content.get_or_insert_default();
            items.iter_mut().for_each(open_builder);
            true
        }
        _ => true,
    });
}

/// Makes the client that a builder sends with visible to the crate.
fn open_builder(item: &mut Item) {
    if let Item::Struct(builder) = item {
        for field in &mut builder.fields {
            if field.ident.as_ref().is_some_and(|name| name == "client") {
                field.vis = parse_quote!(pub(crate));
            }
        }
    }
}

fn is_client(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.is_ident("Client"))
}

fn is_constructor(member: &ImplItem) -> bool {
    matches!(member, ImplItem::Fn(function) if
        function.sig.ident == "new" || function.sig.ident == "new_with_client")
}
