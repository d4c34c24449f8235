//! Gives tokens that were written for the interface the paths of the client: its types are in `crate::client`, and its
//! run time is `spec_client`.

use std::collections::HashSet;

use proc_macro2::{Delimiter, Group, Ident, TokenStream, TokenTree};
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

/// Shortens `crate::client::types::Pet` to `Pet` for the names of types in the same file. Nested modules keep full paths.
pub(super) fn shorten_own(tokens: TokenStream, own: &HashSet<&str>) -> TokenStream {
    let mut short: Vec<TokenTree> = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Group(group) if opens_module(&short, &group) => {
                short.push(TokenTree::Group(group));
            }
            TokenTree::Group(group) => {
                let inner = shorten_own(group.stream(), own);
                short.push(TokenTree::Group(Group::new(group.delimiter(), inner)));
            }
            TokenTree::Ident(name) if own.contains(name.to_string().as_str()) => {
                if let Some(start) = find_types_path(&short) {
                    short.truncate(start);
                }
                short.push(TokenTree::Ident(name));
            }
            token => short.push(token),
        }
    }
    short.into_iter().collect()
}

/// Whether a group is the content of `mod name`.
fn opens_module(before: &[TokenTree], group: &Group) -> bool {
    group.delimiter() == Delimiter::Brace
        && matches!(before, [.., TokenTree::Ident(keyword), TokenTree::Ident(_)] if keyword == "mod")
}

/// The position of `crate::client::types::` at the end of tokens.
fn find_types_path(tokens: &[TokenTree]) -> Option<usize> {
    let expected = quote!(crate::client::types::).into_iter();
    let expected: Vec<String> = expected.map(|token| token.to_string()).collect();
    let start = tokens.len().checked_sub(expected.len())?;
    let found = tokens[start..].iter().map(ToString::to_string);
    found.eq(expected).then_some(start)
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

    #[test]
    fn paths_of_types_in_the_same_file_are_short_outside_of_nested_modules() {
        let own = HashSet::from(["Pet"]);
        let short = shorten_own(
            quote! {
                fn f(a: crate::client::types::Pet, b: [crate::client::types::Toy; 1]) {}
                mod defaults { fn g() -> crate::client::types::Pet {} }
            },
            &own,
        );
        let expected = quote! {
            fn f(a: Pet, b: [crate::client::types::Toy; 1]) {}
            mod defaults { fn g() -> crate::client::types::Pet {} }
        };
        assert_eq!(short.to_string(), expected.to_string());
    }
}
