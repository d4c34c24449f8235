//! Writes an implementation of the generated trait in which every operation answers 501.

use std::collections::HashSet;

use anyhow::{Context, bail};
use quote::ToTokens;
use syn::{File, Item, ItemTrait, Signature, TraitItem, Visibility};

/// The traits of a generated `api.rs`: one, or one for each tag and one that consists of them all.
pub(super) struct Api {
    /// The module of each file: empty for `api.rs` itself.
    files: Vec<(String, File)>,
}

impl Api {
    /// Parses the generated files of an interface, by their names, as far as they are `api.rs` and its modules.
    ///
    /// # Errors
    /// One is not Rust, or there is no `api.rs`.
    pub(super) fn parse(files: &[(&str, &str)]) -> anyhow::Result<Api> {
        let mut parsed = Vec::new();
        for (name, text) in files {
            let module = name
                .strip_suffix(".rs")
                .and_then(|name| name.strip_prefix("api"));
            if let Some(module) = module {
                let file = syn::parse_file(text);
                let file = file.with_context(|| format!("the generated {name} is not Rust"))?;
                parsed.push((module.trim_start_matches('/').to_owned(), file));
            }
        }
        parsed.sort_by(|(a, _), (b, _)| a.cmp(b));
        if parsed.first().is_none_or(|(module, _)| !module.is_empty()) {
            bail!("the generated interface has no api.rs");
        }
        Ok(Api { files: parsed })
    }

    /// The name of a method for an example: the first whose parameters are all in the query, or else the first. `client` is the
    /// text of the client's methods, of which some have other names. `None` if there are no operations.
    pub(super) fn simplest_method(&self, client: &str) -> Option<String> {
        let traits = self.files.iter().filter_map(|(_, file)| find_trait(file));
        let is_called = |it: &&Signature| client.contains(&format!(" fn {}(&self)", it.ident));
        let methods: Vec<&Signature> = traits.flat_map(signatures_of).filter(is_called).collect();
        let is_simple = |signature: &&&Signature| {
            let mut inputs = signature.inputs.iter().map(|it| it.to_token_stream());
            inputs.all(|it| {
                let text = it.to_string();
                text.starts_with("rqctx") || text.starts_with("query")
            })
        };
        let chosen = methods.iter().find(is_simple).or(methods.first());
        chosen.map(|signature| signature.ident.to_string())
    }

    /// The files of the implementation for the type `crate::App`, with the types of the crate `api_crate`: their names and
    /// texts, not formatted. There is one for each file of the interface.
    pub(super) fn render_stubs(&self, api_crate: &str) -> Vec<(String, String)> {
        let items = self.files.iter().flat_map(|(_, file)| &file.items);
        let modules = items.filter_map(|item| match item {
            Item::Mod(item) => Some(format!("mod {};\n", item.ident)),
            _ => None,
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
    let error = if render_imports(file, "HttpError").starts_with("use dropshot") {
        ", HttpError >"
    } else {
        "dropshot :: HttpError >"
    };
    let methods = signatures_of(item).map(|it| render_method(it, error));
    let methods: Vec<String> = methods.collect();
    let methods = methods.join("\n\n");
    let (docs, more) = if methods.is_empty() {
        ("//! The operations, in a module for each tag.\n", "")
    } else {
        (
            "//! The operations. Each unpacks its arguments, calls what does the work, and wraps the result.\n\
             #![allow(unused_variables, reason = \"operations that are not implemented yet use none of their arguments\")]\n",
            "use dropspec_service::not_implemented;\n",
        )
    };
    let of_interface = |text: String| text.replace("crate ::", &format!("{api_crate} ::"));
    let imports = of_interface(render_imports(file, &methods));
    let methods = of_interface(methods);
    let name = &item.ident;
    // A module of the same name would hide the crate.
    let root = |name: &str| {
        let hidden = modules.contains(&format!("mod {name};"));
        format!("{}{name}", if hidden { "::" } else { "" })
    };
    let (api, gate) = (root(api_crate), root("dropspec_gate"));
    format!(
        "{docs}\n{modules}\n{imports}use {api}::api::{name};\n{more}\n\
         impl {name} for crate::App {{\n\
         type Context = std::sync::Arc<{gate}::Gate<crate::App>>;\n\n{methods}\n}}\n"
    )
}

/// The imports of a file of the interface, as far as these methods use them.
fn render_imports(file: &File, methods: &str) -> String {
    let used: HashSet<&str> = methods.split([' ', '(', ')', '<', '>']).collect();
    let mut imports = String::new();
    for item in &file.items {
        // What is exported are the modules of the interface itself.
        let Item::Use(item) = item else { continue };
        if !matches!(item.vis, Visibility::Inherited) {
            continue;
        }
        let path = item.tree.to_token_stream().to_string();
        let (module, names) = path.rsplit_once(" :: ").unwrap_or_default();
        let names = names
            .trim_matches(['{', '}', ' '])
            .split(',')
            .map(str::trim);
        let names = names.filter(|name| {
            let last = name.rsplit(' ').next();
            last.is_some_and(|last| used.contains(last))
        });
        let names: Vec<&str> = names.collect();
        if !names.is_empty() {
            imports.push_str(&format!("use {module} :: {{{}}};\n", names.join(", ")));
        }
    }
    imports
}

/// A method that fails with 501. One that returns `impl Future<Output = T> + Send` is an `async fn` that returns `T`. `error` is
/// the end of those with dropshot's own error.
fn render_method(signature: &Signature, error: &str) -> String {
    let text = signature.to_token_stream().to_string();
    // Lists that were too long for a line end with a comma.
    let text = text.replace(" , >", " >");
    let text = match text.split_once("-> impl Future < Output = ") {
        Some((head, output)) => {
            let output = output.trim_end_matches(" > + Send");
            format!("async {head}-> {output}")
        }
        None => text,
    };
    // Only dropshot's own error needs no conversion.
    let conversion = if text.trim_end().ends_with(error) {
        ""
    } else {
        ".into()"
    };
    format!("{text} {{ Err(not_implemented(){conversion}) }}")
}

#[cfg(test)]
mod tests;
