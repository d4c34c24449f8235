//! Imports: generated code names items by full paths; here they are shortened and the `use` lines are added.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use proc_macro2::{Group, TokenStream, TokenTree};
use quote::quote;

use crate::names::CRATES;

/// What a file of a client finds in the module `client` of its crate: `crate::X` becomes `crate::client::X`.
const MOVED_TO_CLIENT: &[&str] = &["types", "responses", "bodies", "builder", "Client"];

/// The keywords before the names of items.
const ITEMS: &[&str] = &["const", "enum", "fn", "static", "struct", "trait"];

/// Shortens the full paths of a file and imports what they name. The items of the file need no import. In a file of a client,
/// `crate::types` means `crate::client::types`, and `dropspec_runtime` means `dropspec_client`. Left alone are paths with a leading
/// `::`, attributes other than `derive`, nested modules, and names that mean something else in the file: an item, what is
/// imported from elsewhere, or a type parameter, which hides both. `attribute` is added to those of the file.
pub(crate) fn import_paths(
    tokens: TokenStream,
    module: &str,
    attribute: Option<TokenStream>,
) -> TokenStream {
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let module_path = format!("crate::{module}");
    let own: HashSet<String> = tokens
        .windows(2)
        .filter(|pair| is_any(&pair[0], ITEMS))
        .map(|pair| pair[1].to_string())
        .collect();
    let names = own.iter().map(|name| (name.clone(), module_path.clone()));
    let mut names: HashMap<String, String> = names.collect();
    find_type_parameters(&tokens, &mut names);
    let mut importer = Importer {
        names,
        module: module_path,
        own,
        is_client: module.starts_with("client"),
        imports: BTreeMap::new(),
    };
    // The comments and attributes of the file come first.
    let inner = tokens.chunks(3);
    let inner = inner.take_while(|tokens| tokens.len() == 3 && tokens[1].to_string() == "!");
    let (inner, items) = tokens.split_at(inner.count() * 3);
    let inner = TokenStream::from_iter(inner.iter().cloned());
    let items = importer.shorten(items, true);
    let uses = importer.imports.iter().map(|((_, module), items)| {
        let module = parse(module);
        let items = items.iter().map(|item| parse(item));
        quote!(use #module::{#(#items),*};)
    });
    quote! {
        #inner
        #attribute
        #(#uses)*
        #items
    }
}

/// The position of the group of imports that a path belongs to: standard library 0, other crates 1, this crate 2.
pub(crate) fn import_group(root: &str) -> usize {
    match root {
        "std" => 0,
        "crate" | "super" | "self" => 2,
        _ => 1,
    }
}

fn parse(path: &str) -> TokenStream {
    path.parse().expect("a path consists of tokens")
}

fn is_any(token: &TokenTree, names: &[&str]) -> bool {
    matches!(token, TokenTree::Ident(ident) if names.iter().any(|name| ident == name))
}

/// Adds the type parameters in tokens to names, each of no module.
fn find_type_parameters(tokens: &[TokenTree], names: &mut HashMap<String, String>) {
    for (at, token) in tokens.iter().enumerate() {
        if let TokenTree::Group(group) = token {
            find_type_parameters(&Vec::from_iter(group.stream()), names);
        }
        let before = |count: usize| at.checked_sub(count).map(|at| &tokens[at]);
        let is_list = before(1).is_some_and(|it| is_any(it, &["impl"]))
            || before(2).is_some_and(|it| is_any(it, ITEMS));
        if is_list
            && token.to_string() == "<"
            && let Some(TokenTree::Ident(name)) = tokens.get(at + 1)
        {
            names.insert(name.to_string(), String::new());
        }
    }
}

fn is_colons(tokens: &[TokenTree]) -> bool {
    let is_colon =
        |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ':');
    matches!(tokens, [first, second] if is_colon(first) && is_colon(second))
}

/// Shortens paths and gathers the imports that they need.
struct Importer {
    module: String,
    /// The names of the file's own items.
    own: HashSet<String>,
    is_client: bool,
    /// The module of each name in use.
    names: HashMap<String, String>,
    /// Items by group and module.
    imports: BTreeMap<(usize, String), BTreeSet<String>>,
}

impl Importer {
    /// The tokens with short paths; with `imports` false only the paths of a client are replaced.
    fn shorten(&mut self, tokens: &[TokenTree], imports: bool) -> TokenStream {
        let mut result = TokenStream::new();
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            if let TokenTree::Group(group) = token {
                let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                let is_attribute = at > 0 && tokens[at - 1].to_string() == "#";
                let is_module = at > 1 && is_any(&tokens[at - 2], &["mod"]);
                let inner = match inner.first() {
                    Some(name) if is_attribute && !is_any(name, &["derive"]) => group.stream(),
                    _ => self.shorten(&inner, imports && !is_module),
                };
                result.extend([TokenTree::from(Group::new(group.delimiter(), inner))]);
                at += 1;
                continue;
            }
            let names = path_at(tokens, at);
            if names.len() > 1 {
                at += names.len() * 3 - 2;
                result.extend(parse(&self.shorten_path(names, imports)));
            } else {
                result.extend([token.clone()]);
                at += 1;
            }
        }
        result
    }

    fn shorten_path(&mut self, mut names: Vec<String>, imports: bool) -> String {
        if self.is_client && names[0] == "dropspec_runtime" {
            "dropspec_client".clone_into(&mut names[0]);
        }
        if self.is_client && names[0] == "crate" && MOVED_TO_CLIENT.contains(&names[1].as_str()) {
            names.insert(1, "client".to_owned());
        }
        // What is imported ends with a type, or with a function. Of `std::fmt` the module itself is imported.
        let is_type =
            |name: &String| name.starts_with(|sign: char| sign == '_' || sign.is_uppercase());
        let last = match names.as_slice() {
            [std, fmt, _] if std == "std" && fmt == "fmt" => 1,
            names => names.iter().position(is_type).unwrap_or(names.len() - 1),
        };
        let (module, name) = (names[..last].join("::"), &names[last]);
        if !imports || self.names.get(name).is_some_and(|known| *known != module) {
            return names.join("::");
        }
        self.names.insert(name.clone(), module.clone());
        if module != self.module || !self.own.contains(name) {
            let group = (import_group(&names[0]), module);
            self.imports.entry(group).or_default().insert(name.clone());
        }
        names[last..].join("::")
    }
}

/// The names of the full path that begins at a position; fewer than two if there is none.
fn path_at(tokens: &[TokenTree], start: usize) -> Vec<String> {
    // The paths of these are shortened and imported.
    let is_root = is_any(&tokens[start], CRATES) || is_any(&tokens[start], &["crate"]);
    if !is_root || start >= 2 && is_colons(&tokens[start - 2..start]) {
        return Vec::new();
    }
    let mut names = vec![tokens[start].to_string()];
    let mut at = start + 1;
    while let Some([a, b, TokenTree::Ident(name)]) = tokens.get(at..at + 3)
        && is_colons(&[a.clone(), b.clone()])
    {
        names.push(name.to_string());
        at += 3;
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_grouped_sorted_and_only_those_used() {
        let file = quote! {
            //! A file.
            #[derive(Clone, serde::Serialize)]
            #[dropshot::other]
            struct Here(crate::types::Pet, crate::here::Here, crate::here::There);
            fn f(_: &mut std::fmt::Formatter<'_>) -> dropshot::Query<dropshot::Path<String>> {
                crate::types::Query;
                dropspec_runtime::respond(::std::io::Error::other)
            }
            type Context<A> = <A as crate::api::Api>::Context;
            fn of_parameter<T: Api>(_: T) -> crate::types::T {
                crate::types::_2fa::read(crate::here::_2fa)
            }
        };
        let expected = quote! {
            //! A file.
            #![allow(missing_docs)]
            use std::{fmt};
            use dropshot::{Path, Query};
            use dropspec_runtime::{respond};
            use serde::{Serialize};
            use crate::api::{Api};
            use crate::here::{There};
            use crate::types::{Pet, _2fa};
            #[derive(Clone, Serialize)]
            #[dropshot::other]
            struct Here(Pet, Here, There);
            fn f(_: &mut fmt::Formatter<'_>) -> Query<Path<String>> {
                crate::types::Query;
                respond(::std::io::Error::other)
            }
            type Context<A> = <A as Api>::Context;
            fn of_parameter<T: Api>(_: T) -> crate::types::T {
                _2fa::read(crate::here::_2fa)
            }
        };
        let text = |tokens: TokenStream| prettyplease::unparse(&syn::parse2(tokens).unwrap());
        assert_eq!(
            text(import_paths(
                file,
                "here",
                Some(quote!(#![allow(missing_docs)]))
            )),
            text(expected)
        );
    }
}
