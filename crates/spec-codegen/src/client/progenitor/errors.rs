//! Lets calls return the error of a layer that is written by hand instead of progenitor's, whose text has all headers.

use syn::visit_mut::{self, VisitMut};
use syn::{File, Ident, ImplItem, ItemImpl, ReturnType, Type, Visibility, parse_quote};

/// Changes the methods `send` of the builders so that they return this type, which is `From` progenitor's error.
pub(super) fn convert_errors(file: &mut File, error: &str) {
    if let Ok(error) = syn::parse_str(error) {
        ConvertErrors { error }.visit_file_mut(file);
    }
}

struct ConvertErrors {
    error: Type,
}

impl VisitMut for ConvertErrors {
    /// Makes the generated `send` private under another name, beside one that converts its error.
    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        visit_mut::visit_item_impl_mut(self, item);
        let mut converting = None;
        for member in &mut item.items {
            if let ImplItem::Fn(function) = member
                && function.sig.ident == "send"
                && let Some(success) = success_of(&function.sig.output)
            {
                let (docs, error) = (std::mem::take(&mut function.attrs), &self.error);
                let name: Ident = parse_quote!(exchange);
                converting = Some(parse_quote! {
                    #(#docs)*
                    pub async fn send(self) -> Result<#success, #error> {
                        Ok(self.#name().await?)
                    }
                });
                function.sig.ident = name;
                function.vis = Visibility::Inherited;
            }
        }
        item.items.extend(converting);
    }
}

/// The type of the success in `-> Result<Success, Error<…>>`.
fn success_of(output: &ReturnType) -> Option<syn::GenericArgument> {
    let ReturnType::Type(_, ty) = output else {
        return None;
    };
    let Type::Path(ty) = &**ty else {
        return None;
    };
    let result = ty.path.segments.last().filter(|it| it.ident == "Result")?;
    match &result.arguments {
        syn::PathArguments::AngleBracketed(arguments) => arguments.args.first().cloned(),
        _ => None,
    }
}
