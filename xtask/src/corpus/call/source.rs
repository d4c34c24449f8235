//! Reads generated files: their items by name, with every path written from the root of the crate.

use std::collections::HashMap;

use anyhow::Context;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, format_ident, quote};
use spec_codegen::GeneratedFile;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Expr, Field, Item, ItemEnum, ItemImpl, ItemStruct, ItemTrait, Lit, Meta, Path, Type,
    UseTree,
};

/// The items of a generated crate.
pub struct Source {
    pub traits: Vec<ItemTrait>,
    pub enums: HashMap<String, ItemEnum>,
    pub structs: HashMap<String, ItemStruct>,
    pub impls: Vec<ItemImpl>,
}

impl Source {
    /// Reads the Rust files of a crate; `name` is how others import it.
    ///
    /// # Errors
    /// A file is not Rust.
    pub fn read<'f>(
        name: &str,
        files: impl IntoIterator<Item = &'f GeneratedFile>,
    ) -> anyhow::Result<Source> {
        let mut source = Source {
            traits: Vec::new(),
            enums: HashMap::new(),
            structs: HashMap::new(),
            impls: Vec::new(),
        };
        for file in files {
            let Some(module) = file.name.strip_suffix(".rs") else {
                continue;
            };
            let syntax = syn::parse_file(&file.content)
                .with_context(|| format!("{} is not Rust", file.name))?;
            let root = module
                .split('/')
                .fold(name.to_owned(), |path, part| format!("{path}::{part}"));
            source.add(name, &root, syntax);
        }
        Ok(source)
    }

    fn add(&mut self, crate_name: &str, module: &str, mut file: syn::File) {
        let mut qualify = Qualify {
            crate_name: format_ident!("{crate_name}"),
            full: HashMap::new(),
        };
        for item in &file.items {
            match item {
                Item::Use(item) => qualify.import(&item.tree, Vec::new()),
                Item::Enum(item) => qualify.declare(module, &item.ident),
                Item::Struct(item) => qualify.declare(module, &item.ident),
                Item::Trait(item) => qualify.declare(module, &item.ident),
                _ => {}
            }
        }
        qualify.visit_file_mut(&mut file);
        let path = |ident: &Ident| format!("{module}::{ident}");
        // The files of a long module are private; the module exports their items.
        let parts: Vec<&str> = module.split("::").take(2).collect();
        let exported = parts.join("::");
        for item in file.items {
            match item {
                Item::Enum(item) => drop(self.enums.insert(path(&item.ident), item)),
                Item::Struct(item) => drop(self.structs.insert(path(&item.ident), item)),
                Item::Trait(item) => self.traits.push(ItemTrait {
                    // Its full path, as the name of an impl.
                    attrs: vec![syn::parse_quote!(#[doc = #exported])],
                    ..item
                }),
                Item::Impl(item) => self.impls.push(item),
                _ => {}
            }
        }
    }

    /// The enum that a type is, if it is one of a module of the crate.
    pub fn find_enum(&self, ty: &Type, module: &str) -> Option<&ItemEnum> {
        let path = path_text(ty);
        let is_there = path.contains(&format!("::{module}::"));
        self.enums.get(&path).filter(|_| is_there).or_else(|| {
            // The files of a long module are seen as one.
            let name = path.rsplit("::").next()?;
            let part = |key: &&String| {
                key.contains(&format!("::{module}::")) && key.rsplit("::").next() == Some(name)
            };
            let key = self.enums.keys().find(part).filter(|_| is_there)?;
            self.enums.get(key)
        })
    }

    /// The struct that a type is.
    pub fn find_struct(&self, ty: &Type) -> Option<&ItemStruct> {
        let path = path_text(ty);
        self.structs.get(&path).or_else(|| {
            let (module, name) = path.rsplit_once("::")?;
            let part =
                |key: &&String| key.starts_with(module) && key.rsplit("::").next() == Some(name);
            self.structs.get(self.structs.keys().find(part)?)
        })
    }

    /// The method of an impl for a type, of a trait or of its own.
    pub fn find_method(&self, ty: &str, method: &str) -> Option<&syn::ImplItemFn> {
        let of_type = |of: &&ItemImpl| last_name(&of.self_ty).as_deref() == Some(ty);
        self.impls.iter().filter(of_type).find_map(|of| {
            of.items.iter().find_map(|item| match item {
                syn::ImplItem::Fn(function) if function.sig.ident == method => Some(function),
                _ => None,
            })
        })
    }
}

/// Writes paths in full, by the imports and items of a file.
struct Qualify {
    crate_name: Ident,
    full: HashMap<String, Path>,
}

impl Qualify {
    fn import(&mut self, tree: &UseTree, mut parents: Vec<Ident>) {
        match tree {
            UseTree::Path(tree) => {
                parents.push(match tree.ident == "crate" {
                    true => self.crate_name.clone(),
                    false => tree.ident.clone(),
                });
                self.import(&tree.tree, parents);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.import(tree, parents.clone());
                }
            }
            UseTree::Name(name) => {
                parents.push(name.ident.clone());
                self.full
                    .insert(name.ident.to_string(), syn::parse_quote!(#(#parents)::*));
            }
            UseTree::Rename(rename) => {
                parents.push(rename.ident.clone());
                self.full
                    .insert(rename.rename.to_string(), syn::parse_quote!(#(#parents)::*));
            }
            _ => {}
        }
    }

    fn declare(&mut self, module: &str, name: &Ident) {
        if let Ok(path) = syn::parse_str::<Path>(&format!("{module}::{name}")) {
            self.full.insert(name.to_string(), path);
        }
    }
}

impl VisitMut for Qualify {
    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let Some(first) = path.segments.first_mut() else {
            return;
        };
        if first.ident == "crate" {
            first.ident = self.crate_name.clone();
            return;
        }
        let Some(full) = self.full.get(&first.ident.to_string()) else {
            return;
        };
        let mut segments = full.segments.clone();
        if let Some(last) = segments.last_mut() {
            last.arguments = first.arguments.clone();
        }
        segments.extend(path.segments.iter().skip(1).cloned());
        path.segments = segments;
    }
}

/// The path of a type without its arguments, such as `spec_runtime::Text`; empty if it is no path.
pub fn path_text(ty: &Type) -> String {
    match ty {
        Type::Path(ty) => {
            let names = ty
                .path
                .segments
                .iter()
                .map(|segment| segment.ident.to_string());
            names.collect::<Vec<_>>().join("::")
        }
        _ => String::new(),
    }
}

/// The last name of the path of a type.
pub fn last_name(ty: &Type) -> Option<String> {
    path_text(ty).rsplit("::").next().map(str::to_owned)
}

/// The types in the angle brackets of a type.
pub fn arguments(ty: &Type) -> Vec<Type> {
    let Type::Path(ty) = ty else {
        return Vec::new();
    };
    let last = ty.path.segments.last().map(|segment| &segment.arguments);
    let Some(syn::PathArguments::AngleBracketed(arguments)) = last else {
        return Vec::new();
    };
    let types = arguments.args.iter().filter_map(|argument| match argument {
        syn::GenericArgument::Type(ty) => Some(ty.clone()),
        syn::GenericArgument::AssocType(of) => Some(of.ty.clone()),
        _ => None,
    });
    types.collect()
}

/// The first bound of `impl Bound<…>`, as a type.
pub fn bound(ty: &Type) -> Option<Type> {
    let Type::ImplTrait(ty) = ty else {
        return None;
    };
    ty.bounds.iter().find_map(|bound| match bound {
        syn::TypeParamBound::Trait(bound) => {
            let path = &bound.path;
            Some(syn::parse_quote!(#path))
        }
        _ => None,
    })
}

/// The name of a field in JSON and in headers.
pub fn wire_name(field: &Field) -> String {
    let mut renamed = field.attrs.iter().filter_map(|attribute: &Attribute| {
        let Meta::List(list) = &attribute.meta else {
            return None;
        };
        let name = list.tokens.to_string();
        let rest = name.split("rename = ").nth(1)?.to_owned();
        let literal: TokenStream = rest.split(',').next()?.parse().ok()?;
        string_literal(literal.into_iter().next()?)
    });
    let own = || {
        let name = field
            .ident
            .as_ref()
            .map(ToString::to_string)
            .unwrap_or_default();
        name.trim_start_matches("r#").to_owned()
    };
    renamed.next_back().unwrap_or_else(own)
}

/// The arms of the first `match` of a function: the variant `Self::…` that each has, and the tokens of its value.
pub fn variant_arms(function: &syn::ImplItemFn) -> Vec<(String, TokenStream)> {
    let mut finder = Arms(Vec::new());
    finder.visit_block_mut(&mut function.block.clone());
    finder.0
}

struct Arms(Vec<(String, TokenStream)>);

impl VisitMut for Arms {
    fn visit_expr_match_mut(&mut self, found: &mut syn::ExprMatch) {
        for arm in &found.arms {
            let pattern = arm.pat.to_token_stream();
            let body = arm.body.to_token_stream();
            // The variant is in the pattern, or for a function that makes it in the value.
            let name = after_self(&pattern).or_else(|| after_self(&body));
            if let Some(name) = name {
                let both = quote!(#pattern => #body);
                self.0.push((name, both));
            }
        }
    }
}

/// The name behind `Self::`.
fn after_self(tokens: &TokenStream) -> Option<String> {
    let flat = flatten(tokens.clone());
    let position = flat.iter().position(|token| token.to_string() == "Self")?;
    flat.get(position + 3).map(ToString::to_string)
}

/// The text of each string in tokens, in their order.
pub fn strings(tokens: &TokenStream) -> Vec<String> {
    flatten(tokens.clone())
        .into_iter()
        .filter_map(string_literal)
        .collect()
}

/// All tokens, those in brackets as well.
pub fn flatten(tokens: TokenStream) -> Vec<TokenTree> {
    tokens
        .into_iter()
        .flat_map(|token| match token {
            TokenTree::Group(group) => flatten(group.stream()),
            token => vec![token],
        })
        .collect()
}

/// The text of a string literal.
pub fn string_literal(token: TokenTree) -> Option<String> {
    let expression: Expr = syn::parse2(token.into_token_stream()).ok()?;
    match expression {
        Expr::Lit(of) => match of.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
    }
}
