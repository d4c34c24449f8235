//! Writes the paths of a file in full.

use std::collections::HashMap;

use proc_macro2::Ident;
use quote::format_ident;
use syn::visit_mut::{self, VisitMut};
use syn::{File, Item, Path, UseTree};

/// Writes every path in the file of a module in full, by the imports and items of the file.
pub fn qualify(file: &mut File, crate_name: &str, module: &str) {
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
    qualify.visit_file_mut(file);
}

/// The names of a file with their full paths, by the imports and items of a file.
struct Qualify {
    crate_name: Ident,
    full: HashMap<String, Path>,
}

impl Qualify {
    fn import(&mut self, tree: &UseTree, mut parents: Vec<Ident>) {
        match tree {
            UseTree::Path(tree) => {
                parents.push(if tree.ident == "crate" {
                    self.crate_name.clone()
                } else {
                    tree.ident.clone()
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
