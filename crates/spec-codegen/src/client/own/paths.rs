//! Gives tokens that were written for the interface the paths of the client: its types are in `crate::client`, and its
//! run time is `spec_client`.

use proc_macro2::{Group, Ident, TokenStream, TokenTree};
use quote::quote;

/// The modules of the client that tokens name as modules of the crate.
const MODULES: &[&str] = &["types", "responses", "bodies", "builder", "Client"];

/// Rewrites `crate::types` to `crate::client::types`, and `spec_runtime` to `spec_client`.
pub(super) fn relocate(tokens: TokenStream) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let mut moved = Vec::with_capacity(tokens.len());
    for (index, token) in tokens.iter().enumerate() {
        match token {
            TokenTree::Group(group) => {
                let mut inner = Group::new(group.delimiter(), relocate(group.stream()));
                inner.set_span(group.span());
                moved.push(TokenTree::Group(inner));
            }
            TokenTree::Ident(name) if *name == "spec_runtime" => {
                moved.push(TokenTree::Ident(Ident::new("spec_client", name.span())));
            }
            TokenTree::Ident(name) if is_module(name) && follows_crate(&tokens[..index]) => {
                moved.extend(quote!(client::));
                moved.push(token.clone());
            }
            token => moved.push(token.clone()),
        }
    }
    moved.into_iter().collect()
}

fn is_module(name: &Ident) -> bool {
    MODULES.iter().any(|module| name == module)
}

fn follows_crate(before: &[TokenTree]) -> bool {
    matches!(before, [.., TokenTree::Ident(root), TokenTree::Punct(first), TokenTree::Punct(second)]
        if root == "crate" && first.as_char() == ':' && second.as_char() == ':')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_the_crate_become_paths_of_the_client() {
        let moved = relocate(quote! {
            fn types(of: Vec<crate::types::Pet>) -> spec_runtime::UnknownValue { crate::other::types() }
        });
        let expected = quote! {
            fn types(of: Vec<crate::client::types::Pet>) -> spec_client::UnknownValue { crate::other::types() }
        };
        assert_eq!(moved.to_string(), expected.to_string());
    }
}
