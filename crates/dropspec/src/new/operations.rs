//! Writes an implementation of the generated trait in which every operation answers 501.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::{Context, bail};
use quote::ToTokens;
use syn::{
    File, FnArg, GenericArgument, Item, ItemTrait, PathArguments, ReturnType, Signature, TraitItem,
    Type, TypeParamBound, UseTree, Visibility,
};

/// The traits of a generated `api.rs`: one, or one for each tag and one that consists of them all.
pub(crate) struct Api {
    /// The module of each file: empty for `api.rs` itself.
    files: Vec<(String, File)>,
}

impl Api {
    /// Parses the generated files of an interface, by their names, as far as they are `api.rs` and its modules.
    ///
    /// # Errors
    /// One is not Rust, or there is no `api.rs`.
    pub(crate) fn parse<'f>(
        files: impl IntoIterator<Item = (&'f str, &'f str)>,
    ) -> anyhow::Result<Api> {
        let mut parsed = Vec::new();
        for (name, text) in files {
            let module = match name {
                "api.rs" => Some(""),
                name => name
                    .strip_prefix("api/")
                    .and_then(|name| name.strip_suffix(".rs")),
            };
            if let Some(module) = module {
                let file = syn::parse_file(text);
                let file = file.with_context(|| format!("the generated {name} is not Rust"))?;
                parsed.push((module.to_owned(), file));
            }
        }
        parsed.sort_by(|(a, _), (b, _)| a.cmp(b));
        match parsed.first() {
            Some((module, _)) if module.is_empty() => Ok(Api { files: parsed }),
            _ => bail!("the generated interface has no api.rs"),
        }
    }

    /// The name of a method for an example: the first whose parameters are all in the query, or else the first; `None` if there
    /// are no operations.
    pub(super) fn simplest_method(&self) -> Option<String> {
        let traits = self.files.iter().filter_map(|(_, file)| find_trait(file));
        let is_simple = |signature: &Signature| {
            let mut inputs = signature.inputs.iter();
            inputs.all(|input| match input {
                FnArg::Typed(input) => {
                    ["RequestContext", "Query"].contains(&last_name(&input.ty).as_str())
                }
                FnArg::Receiver(_) => false,
            })
        };
        let methods: Vec<&Signature> = traits.flat_map(signatures_of).collect();
        let simple = methods.iter().find(|signature| is_simple(signature));
        let chosen = simple.or(methods.first());
        chosen.map(|signature| signature.ident.to_string())
    }

    /// The files of the implementation for the type `crate::App`, with the types of the crate `api_crate`: their names and
    /// texts, not formatted. There is one for each file of the interface.
    pub(super) fn render_stubs(&self, api_crate: &str) -> Vec<(String, String)> {
        let modules = self.files.iter().filter(|(module, _)| !module.is_empty());
        let modules = modules.map(|(module, _)| match syn::parse_str::<syn::Ident>(module) {
            Ok(_) => format!("mod {module};\n"),
            Err(_) => format!("mod r#{module};\n"),
        });
        let modules: String = modules.collect();
        let files = self.files.iter().filter_map(|(module, file)| {
            let item = find_trait(file)?;
            Some(match module.as_str() {
                "" => {
                    let text = render_impl(file, item, api_crate, &modules);
                    ("operations.rs".to_owned(), text)
                }
                module => {
                    let text = render_impl(file, item, api_crate, "");
                    (format!("operations/{module}.rs"), text)
                }
            })
        });
        files.collect()
    }
}

fn find_trait(file: &File) -> Option<&ItemTrait> {
    file.items.iter().find_map(|item| match item {
        Item::Trait(item) => Some(item),
        _ => None,
    })
}

/// The signatures of the methods of a trait.
fn signatures_of(item: &ItemTrait) -> impl Iterator<Item = &Signature> {
    item.items.iter().filter_map(|item| match item {
        TraitItem::Fn(method) => Some(&method.sig),
        _ => None,
    })
}

/// A file that implements a trait. `modules` are the other files.
fn render_impl(file: &File, item: &ItemTrait, api_crate: &str, modules: &str) -> String {
    let signatures: Vec<&Signature> = signatures_of(item).collect();
    let mut used = BTreeSet::new();
    for signature in &signatures {
        let signature = as_async((*signature).clone());
        collect_idents(signature.to_token_stream(), &mut used);
    }
    let imports = render_imports(file, api_crate, &used);
    let name = &item.ident;
    let (docs, more) = if signatures.is_empty() {
        ("//! The operations, in a module for each tag.\n", "")
    } else {
        (
            "//! The operations. Each unpacks its arguments, calls what does the work, and wraps the result.\n\
             #![allow(unused_variables, reason = \"operations that are not implemented yet use none of their arguments\")]\n",
            "use service_program::not_implemented;\n",
        )
    };
    let methods = signatures
        .iter()
        .map(|signature| render_method(signature, api_crate));
    let methods: Vec<String> = methods.collect();
    format!(
        "{docs}\n{modules}\n{imports}use {api_crate}::api::{name};\n{more}\n\
         impl {name} for crate::App {{\n\
         type Context = std::sync::Arc<spec_gate::Gate<crate::App>>;\n\n{}\n}}\n",
        methods.join("\n\n")
    )
}

/// The imports of a file of the interface, as far as they are used, from another crate.
fn render_imports(file: &File, api_crate: &str, used: &BTreeSet<String>) -> String {
    let mut imports: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for item in &file.items {
        // What is exported are the modules of the interface itself.
        if let Item::Use(item) = item
            && matches!(item.vis, Visibility::Inherited)
        {
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
    let conversion = if is_http_error(&signature.output) {
        ""
    } else {
        ".into()"
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
        Some(GenericArgument::Type(error)) => last_name(error) == "HttpError",
        _ => false,
    }
}

/// The last name of the path of a type; empty if it is no path.
fn last_name(ty: &Type) -> String {
    let last = match ty {
        Type::Path(path) => path.path.segments.last(),
        _ => None,
    };
    last.map(|last| last.ident.to_string()).unwrap_or_default()
}

#[cfg(test)]
mod tests;
