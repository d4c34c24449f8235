//! Writes an implementation of the generated trait in which every operation answers 501.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Context;
use heck::ToSnakeCase;
use quote::ToTokens;
use syn::{
    File, GenericArgument, Item, ItemTrait, PathArguments, ReturnType, Signature, TraitItem, Type,
    TypeParamBound, UseTree,
};

/// The trait of a generated `api.rs`.
pub(crate) struct Api {
    file: File,
}

impl Api {
    /// Parses the text of `api.rs`.
    ///
    /// # Errors
    /// It is not Rust.
    pub(crate) fn parse(text: &str) -> anyhow::Result<Api> {
        let file = syn::parse_file(text).context("the generated api.rs is not Rust")?;
        Ok(Api { file })
    }

    /// The module that dropshot makes for the trait.
    ///
    /// # Errors
    /// There is no trait.
    pub(crate) fn support_module(&self) -> anyhow::Result<String> {
        Ok(self.find_trait()?.ident.to_string().to_snake_case() + "_mod")
    }

    fn find_trait(&self) -> anyhow::Result<&ItemTrait> {
        let items = self.file.items.iter();
        let mut traits = items.filter_map(|item| match item {
            Item::Trait(item) => Some(item),
            _ => None,
        });
        traits.next().context("the generated api.rs has no trait")
    }

    /// The text of `operations.rs` for the type `crate::App`, with the types of the crate `api_crate`; not formatted.
    ///
    /// # Errors
    /// There is no trait.
    pub(super) fn render_stubs(&self, api_crate: &str) -> anyhow::Result<String> {
        let item = self.find_trait()?;
        let signatures = item.items.iter().filter_map(|item| match item {
            TraitItem::Fn(method) => Some(&method.sig),
            _ => None,
        });
        let signatures: Vec<&Signature> = signatures.collect();
        let mut used = BTreeSet::new();
        for signature in &signatures {
            let signature = as_async((*signature).clone());
            collect_idents(signature.to_token_stream(), &mut used);
        }
        let imports = self.render_imports(api_crate, &used);
        let methods = signatures
            .iter()
            .map(|signature| render_method(signature, api_crate));
        let methods: Vec<String> = methods.collect();
        let name = &item.ident;
        Ok(format!(
            "//! The operations. Each unpacks its arguments, calls what does the work, and wraps the result.\n\
             #![allow(unused_variables, reason = \"operations that are not implemented yet use none of their arguments\")]\n\n\
             {imports}use {api_crate}::api::{name};\nuse spec_gate::program::not_implemented;\n\n\
             impl {name} for crate::App {{\n\
             type Context = std::sync::Arc<spec_gate::Gate<crate::App>>;\n\n{}\n}}\n",
            methods.join("\n\n")
        ))
    }

    /// The imports of the file, as far as they are used, from another crate.
    fn render_imports(&self, api_crate: &str, used: &BTreeSet<String>) -> String {
        let mut imports: BTreeMap<String, Vec<String>> = BTreeMap::new();
        for item in &self.file.items {
            if let Item::Use(item) = item {
                flatten(&item.tree, String::new(), used, &mut imports);
            }
        }
        let lines = imports.iter().map(|(prefix, names)| {
            let prefix = match prefix.strip_prefix("crate::") {
                Some(rest) => format!("{api_crate}::{rest}"),
                None => prefix.clone(),
            };
            format!("use {prefix}{{{}}};\n", names.join(", "))
        });
        lines.collect()
    }
}

/// Collects what a `use` names, by the path before the name.
fn flatten(
    tree: &UseTree,
    prefix: String,
    used: &BTreeSet<String>,
    imports: &mut BTreeMap<String, Vec<String>>,
) {
    match tree {
        UseTree::Path(path) => {
            let prefix = format!("{prefix}{}::", path.ident);
            flatten(&path.tree, prefix, used, imports);
        }
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, prefix.clone(), used, imports);
            }
        }
        UseTree::Name(name) if used.contains(&name.ident.to_string()) => {
            imports
                .entry(prefix)
                .or_default()
                .push(name.ident.to_string());
        }
        UseTree::Rename(name) if used.contains(&name.rename.to_string()) => {
            let text = format!("{} as {}", name.ident, name.rename);
            imports.entry(prefix).or_default().push(text);
        }
        UseTree::Glob(_) => imports.entry(prefix).or_default().push("*".to_owned()),
        UseTree::Name(_) | UseTree::Rename(_) => {}
    }
}

fn collect_idents(tokens: proc_macro2::TokenStream, idents: &mut BTreeSet<String>) {
    for token in tokens {
        match token {
            proc_macro2::TokenTree::Ident(ident) => {
                idents.insert(ident.to_string());
            }
            proc_macro2::TokenTree::Group(group) => collect_idents(group.stream(), idents),
            _ => {}
        }
    }
}

/// A method that fails with 501.
fn render_method(signature: &Signature, api_crate: &str) -> String {
    let signature = as_async(signature.clone());
    let conversion = match is_http_error(&signature.output) {
        true => "",
        false => ".into()",
    };
    let signature = signature.to_token_stream().to_string();
    let signature = signature.replace("crate ::", &format!("{api_crate} ::"));
    format!("{signature} {{ Err(not_implemented(){conversion}) }}")
}

/// A method that returns `impl Future<Output = T> + Send` as an `async fn` that returns `T`; others stay as they are.
fn as_async(mut signature: Signature) -> Signature {
    let output = match &signature.output {
        ReturnType::Type(_, output) => find_future_output(output).cloned(),
        ReturnType::Default => None,
    };
    if let Some(output) = output {
        signature.asyncness = Some(Default::default());
        signature.output = ReturnType::Type(Default::default(), Box::new(output));
    }
    signature
}

/// The type `T` of `impl Future<Output = T>`.
fn find_future_output(output: &Type) -> Option<&Type> {
    let Type::ImplTrait(output) = output else {
        return None;
    };
    output.bounds.iter().find_map(|bound| {
        let TypeParamBound::Trait(bound) = bound else {
            return None;
        };
        let PathArguments::AngleBracketed(arguments) = &bound.path.segments.last()?.arguments
        else {
            return None;
        };
        arguments.args.iter().find_map(|argument| match argument {
            GenericArgument::AssocType(output) if output.ident == "Output" => Some(&output.ty),
            _ => None,
        })
    })
}

/// Whether the error of a result is dropshot's `HttpError` itself.
fn is_http_error(output: &ReturnType) -> bool {
    let ReturnType::Type(_, output) = output else {
        return false;
    };
    let Type::Path(result) = &**output else {
        return false;
    };
    let Some(PathArguments::AngleBracketed(arguments)) =
        result.path.segments.last().map(|last| &last.arguments)
    else {
        return false;
    };
    match arguments.args.last() {
        Some(GenericArgument::Type(Type::Path(error))) => {
            let last = error.path.segments.last();
            last.is_some_and(|last| last.ident == "HttpError")
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn each_method_answers_501_and_only_used_names_are_imported() {
        let api = Api::parse(
            "use dropshot::{HttpError, HttpResponseOk, Path, RequestContext};
             use crate::types::{Book, Unused};
             #[dropshot::api_description]
             pub trait BooksApi {
                 type Context;
                 #[endpoint { method = GET, path = \"/a\" }]
                 async fn get_a(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<Book>, HttpError>;
                 async fn put_a(rqctx: RequestContext<Self::Context>) -> Result<HttpResponseOk<Book>, Error>;
                 fn get_b(rqctx: RequestContext<Self::Context>) -> impl Future<Output = Result<HttpResponseOk<Book>, HttpError>> + Send;
             }",
        );
        let api = api.unwrap();
        assert_eq!(api.support_module().unwrap(), "books_api_mod");
        let text = api.render_stubs("books_api").unwrap();
        let text = spec_codegen::rustfmt(&text).unwrap();
        for expected in [
            "use books_api::types::Book;",
            "use dropshot::{HttpError, HttpResponseOk, RequestContext};",
            "impl BooksApi for crate::App {",
            "async fn get_b(",
            "Err(not_implemented())\n",
            "Err(not_implemented().into())\n",
        ] {
            assert!(text.contains(expected), "{expected} is not in:\n{text}");
        }
        assert!(!text.contains("Unused"), "{text}");
    }
}
