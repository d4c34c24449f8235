//! Reads generated files: their items by name, with every path written from the root of the crate.

mod qualify;

use std::collections::HashMap;

use anyhow::Context;
use proc_macro2::{Ident, TokenStream, TokenTree};
use quote::{ToTokens, quote};
use spec_codegen::GeneratedFile;
use syn::visit_mut::VisitMut;
use syn::{
    Attribute, Expr, Field, Item, ItemEnum, ItemImpl, ItemStruct, ItemTrait, Lit, Meta, Type,
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
        qualify::qualify(&mut file, crate_name, module);
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
        self.enums.get(&path).filter(|_| is_there)
    }

    /// The struct that a type is.
    pub fn find_struct(&self, ty: &Type) -> Option<&ItemStruct> {
        self.structs.get(&path_text(ty))
    }

    /// The methods of a type that belong to no trait.
    pub fn own_methods(&self, ty: &Type) -> impl Iterator<Item = &syn::ImplItemFn> {
        let impls = self.impls_of(ty).filter(|of| of.trait_.is_none());
        impls.flat_map(methods)
    }

    /// The method of an impl for a type, of a trait or of its own.
    pub fn find_method(&self, ty: &Type, method: &str) -> Option<&syn::ImplItemFn> {
        let mut methods = self.impls_of(ty).flat_map(methods);
        methods.find(|function| function.sig.ident == method)
    }

    /// The impls for a type. The whole path tells, because a schema may have the name of an operation.
    fn impls_of(&self, ty: &Type) -> impl Iterator<Item = &ItemImpl> {
        let path = path_text(ty);
        let impls = self.impls.iter();
        impls.filter(move |of| path_text(&of.self_ty) == path)
    }
}

fn methods(of: &ItemImpl) -> impl Iterator<Item = &syn::ImplItemFn> {
    of.items.iter().filter_map(|item| match item {
        syn::ImplItem::Fn(function) => Some(function),
        _ => None,
    })
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
