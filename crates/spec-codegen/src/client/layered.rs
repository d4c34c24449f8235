//! The client as a crate wants it that adds a layer by hand: without constructors, which are the crate's, and with
//! builders that the crate can reach into.

use syn::visit_mut::{self, VisitMut};
use syn::{File, ImplItem, Item, ItemImpl, ItemStruct, Type, parse_quote};

/// Takes the constructors out, and opens the builders to the crate.
pub(super) fn adapt(file: &mut File) {
    for item in &mut file.items {
        match item {
            Item::Impl(of) if of.trait_.is_none() && is_client(&of.self_ty) => {
                of.items.retain(|member| !is_constructor(member));
            }
            Item::Mod(module) if module.ident == "builder" => {
                OpenBuilders.visit_item_mod_mut(module);
            }
            _ => {}
        }
    }
    file.items
        .retain(|item| !matches!(item, Item::Impl(of) if is_empty_impl(of)));
}

fn is_client(ty: &Type) -> bool {
    matches!(ty, Type::Path(ty) if ty.path.is_ident("Client"))
}

fn is_constructor(member: &ImplItem) -> bool {
    matches!(member, ImplItem::Fn(function) if
        function.sig.ident == "new" || function.sig.ident == "new_with_client")
}

fn is_empty_impl(of: &ItemImpl) -> bool {
    of.trait_.is_none() && of.items.is_empty()
}

/// Shows the crate which client a builder sends with.
struct OpenBuilders;

impl VisitMut for OpenBuilders {
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        visit_mut::visit_item_struct_mut(self, item);
        for field in &mut item.fields {
            if field.ident.as_ref().is_some_and(|name| name == "client") {
                field.vis = parse_quote!(pub(crate));
            }
        }
    }
}
