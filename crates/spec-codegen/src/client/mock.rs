//! progenitor's typed expectations for `httpmock`, documented.

use syn::visit_mut::{self, VisitMut};
use syn::{File, ImplItem, ItemImpl, ItemStruct, ItemTrait, TraitItem};

use crate::client::polish::{describe, document_module};

/// Documents every item.
pub(super) fn adapt(file: &mut File) {
    document_module(
        file,
        "Typed expectations for `httpmock`: a method of `MockServer` for each operation.",
    );
    Describe.visit_file_mut(file);
}

struct Describe;

impl VisitMut for Describe {
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        let name = item.ident.to_string();
        if let Some(operation) = name.strip_suffix("When") {
            describe(
                &mut item.attrs,
                &format!("The requests of `{operation}` that a mock responds to."),
            );
        } else if let Some(operation) = name.strip_suffix("Then") {
            describe(
                &mut item.attrs,
                &format!("The response of a mock of `{operation}`."),
            );
        }
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        visit_mut::visit_item_trait_mut(self, item);
        for member in &mut item.items {
            if let TraitItem::Fn(function) = member {
                let text = format!("Mocks `{}`.", function.sig.ident);
                describe(&mut function.attrs, &text);
            }
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        let is_response = matches!(&*item.self_ty, syn::Type::Path(ty) if
            ty.path.segments.last().is_some_and(|name| name.ident.to_string().ends_with("Then")));
        for member in &mut item.items {
            let ImplItem::Fn(function) = member else {
                continue;
            };
            let name = function.sig.ident.to_string();
            let text = match name.as_str() {
                "new" => "Wraps the expectation of `httpmock`.".to_owned(),
                "into_inner" => {
                    "The wrapped expectation, which may deviate from the document.".to_owned()
                }
                _ if is_response => format!("Responds with `{name}`."),
                _ => format!("Expects this `{}`.", name.trim_start_matches("r#")),
            };
            if item.trait_.is_none() {
                describe(&mut function.attrs, &text);
            }
        }
    }
}
