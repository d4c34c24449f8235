//! Lets typed expectations of mocks also name headers that the document does not declare for the operation.

use syn::{File, Item, ItemMod, Type, parse_quote};

/// Adds `header` to the requests and responses that mocks expect and send.
pub(super) fn adapt_mock(file: &mut File) {
    for item in &mut file.items {
        if let Item::Mod(module) = item
            && module.ident == "operations"
        {
            add_headers(module);
        }
    }
}

fn add_headers(module: &mut ItemMod) {
    let (_, items) = module.content.get_or_insert_default();
    for item in items {
        let Item::Impl(of) = item else {
            continue;
        };
        let Type::Path(ty) = &*of.self_ty else {
            continue;
        };
        let name = ty
            .path
            .segments
            .last()
            .map(|segment| segment.ident.to_string());
        let docs = match name.unwrap_or_default() {
            name if name.ends_with("When") => " Expects a header of the request.",
            name if name.ends_with("Then") => " Sets a header of the response.",
            _ => continue,
        };
        of.items.push(parse_quote! {
            #[doc = #docs]
            pub fn header(self, name: impl Into<String>, value: impl Into<String>) -> Self {
                Self(self.0.header(name, value))
            }
        });
    }
}
