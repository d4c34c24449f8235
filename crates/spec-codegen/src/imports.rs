//! Imports: generated code names items by full paths; here they are shortened and the `use` lines are added.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use quote::ToTokens;
use syn::punctuated::Punctuated;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, File, Item, ItemConst, ItemEnum, ItemFn, ItemMod, ItemStatic, ItemStruct, ItemTrait,
    ItemUse, Path, Signature, Token, TypePath, Visibility, parse_quote, parse_str,
};

/// The crates whose paths are shortened and imported.
const ROOTS: &[&str] = &[
    "chrono",
    "crate",
    "dropshot",
    "http",
    "serde",
    "serde_json",
    "spec_client",
    "spec_runtime",
    "std",
    "uuid",
];

/// Shortens the full paths of a file and imports what they name. The items of the file need no import; they are
/// exported as items of `crate::{module}`, where others may be. Left alone are paths with a leading `::`, nested modules, and names that are already imported from
/// elsewhere.
pub(crate) fn import_paths(file: &mut File, module: &str) {
    let mut importer = Importer {
        module: format!("crate::{module}"),
        own: HashSet::new(),
        names: HashMap::new(),
        imports: BTreeMap::new(),
    };
    for item in &file.items {
        if let Item::Const(ItemConst { ident, .. })
        | Item::Enum(ItemEnum { ident, .. })
        | Item::Fn(ItemFn {
            sig: Signature { ident, .. },
            ..
        })
        | Item::Static(ItemStatic { ident, .. })
        | Item::Struct(ItemStruct { ident, .. })
        | Item::Trait(ItemTrait { ident, .. }) = item
        {
            let module = importer.module.clone();
            importer.names.insert(ident.to_string(), module);
            importer.own.insert(ident.to_string());
        }
    }
    file.items.retain(|item| !importer.adopt_import(item));
    importer.visit_file_mut(file);
    let mut uses: Vec<Item> = Vec::new();
    for ((_, module), items) in importer.imports {
        let module: Path = parse_path(&module);
        let items = items.iter().map(|item| parse_path(item));
        uses.push(parse_quote!(use #module::{#(#items),*};));
    }
    file.items.splice(0..0, uses);
}

/// The position of the group of imports that a path belongs to: standard library 0, other crates 1, this crate 2.
pub(crate) fn import_group(root: &str) -> usize {
    match root {
        "std" => 0,
        "crate" | "super" | "self" => 2,
        _ => 1,
    }
}

fn parse_path(path: &str) -> Path {
    parse_str(path).expect("a path that was parsed before")
}

/// Shortens paths and gathers the imports that they need.
struct Importer {
    module: String,
    /// The names of the file's own items.
    own: HashSet<String>,
    /// The module of each name in use.
    names: HashMap<String, String>,
    /// Items by group and module.
    imports: BTreeMap<(usize, String), BTreeSet<String>>,
}

impl Importer {
    /// Adds a `use` of a single item to the imports, so that it is sorted with them. Returns whether the item was such
    /// a `use`.
    fn adopt_import(&mut self, item: &Item) -> bool {
        // An export stays where it is.
        let Item::Use(ItemUse {
            tree,
            vis: Visibility::Inherited,
            ..
        }) = item
        else {
            return false;
        };
        let tree = tree.to_token_stream().to_string().replace(' ', "");
        let single = parse_str::<Path>(&tree).is_ok();
        if single {
            let (module, item) = tree.rsplit_once("::").unwrap_or(("", &tree));
            self.import(module, item);
        }
        single
    }

    fn import(&mut self, module: &str, item: &str) {
        let root = module.split("::").next().unwrap_or_default();
        let items = self.imports.entry((import_group(root), module.to_owned()));
        items.or_default().insert(item.to_owned());
    }
}

impl VisitMut for Importer {
    fn visit_item_mod_mut(&mut self, _: &mut ItemMod) {}

    fn visit_attribute_mut(&mut self, attribute: &mut Attribute) {
        if attribute.path().is_ident("derive")
            && let Ok(mut traits) =
                attribute.parse_args_with(Punctuated::<Path, Token![,]>::parse_terminated)
        {
            for name in &mut traits {
                self.visit_path_mut(name);
            }
            *attribute = parse_quote!(#[derive(#traits)]);
        }
    }

    fn visit_type_path_mut(&mut self, ty: &mut TypePath) {
        let segments = ty.path.segments.len();
        visit_mut::visit_type_path_mut(self, ty);
        // `<A as crate::api::Api>::Context`: the trait is shorter now.
        if let Some(of) = &mut ty.qself {
            of.position = of
                .position
                .saturating_sub(segments - ty.path.segments.len());
        }
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        let names: Vec<String> = path
            .segments
            .iter()
            .map(|segment| segment.ident.to_string())
            .collect();
        if path.leading_colon.is_some() || names.len() < 2 || !ROOTS.contains(&names[0].as_str()) {
            return;
        }
        // What is imported ends with a type, or with a function. Of `std::fmt` the module itself is imported.
        let is_type = |name: &String| name.starts_with(char::is_uppercase);
        let last = match names.as_slice() {
            [std, fmt, _] if std == "std" && fmt == "fmt" => 1,
            names => names.iter().position(is_type).unwrap_or(names.len() - 1),
        };
        let module = names[..last].join("::");
        let known = self.names.entry(names[last].clone());
        if *known.or_insert_with(|| module.clone()) != module {
            return;
        }
        if module != self.module || !self.own.contains(&names[last]) {
            self.import(&module, &names[last]);
        }
        path.segments = path.segments.iter().skip(last).cloned().collect();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn imports_are_grouped_sorted_and_only_those_used() {
        let mut file: File = parse_quote! {
            #[derive(Clone, serde::Serialize)]
            struct Here(crate::types::Pet, crate::here::Here, crate::here::There);
            fn f(_: &mut std::fmt::Formatter<'_>) -> dropshot::Query<dropshot::Path<String>> {
                crate::types::Query;
                spec_runtime::respond(::std::io::Error::other)
            }
            type Context<A> = <A as crate::api::Api>::Context;
            pub use here::Exported;
            use here::Used;
        };
        import_paths(&mut file, "here");
        let expected: File = parse_quote! {
            use std::{fmt};
            use dropshot::{Path, Query};
            use here::{Used};
            use serde::{Serialize};
            use spec_runtime::{respond};
            use crate::api::{Api};
            use crate::here::{There};
            use crate::types::{Pet};
            #[derive(Clone, Serialize)]
            struct Here(Pet, Here, There);
            fn f(_: &mut fmt::Formatter<'_>) -> Query<Path<String>> {
                crate::types::Query;
                respond(::std::io::Error::other)
            }
            type Context<A> = <A as Api>::Context;
            pub use here::Exported;
        };
        assert_eq!(
            prettyplease::unparse(&file),
            prettyplease::unparse(&expected)
        );
    }
}
