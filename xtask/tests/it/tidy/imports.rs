//! Which module of a crate imports which, and the cycles among them. A module and those inside it are parts of one thing, so
//! imports between them do not count. A re-export is no import: what is imported through it counts as imported from where it
//! is defined.

use std::collections::{BTreeMap, BTreeSet};

use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use syn::visit::Visit;
use syn::{Item, UseTree, Visibility};

use super::sources::Source;

/// The path of a module below the root of its crate.
type ModulePath = Vec<String>;

/// The modules of a crate, one for each file.
#[derive(Default)]
struct Modules(BTreeMap<ModulePath, Module>);

#[derive(Default)]
struct Module {
    /// What the module makes visible under another path: name → the path that it stands for, `*` for all names of one.
    exports: Vec<(String, Vec<String>)>,
    /// The paths that the module mentions, as they are written.
    mentioned: BTreeSet<Vec<String>>,
}

/// The cycles of a crate, one in a line.
pub fn cycles(place: &str, sources: &[Source]) -> Vec<String> {
    let mut modules = Modules::default();
    for source in sources {
        let file = syn::parse_file(source.without_tests())
            .unwrap_or_else(|error| panic!("{}: {error}", source.path));
        modules
            .0
            .insert(module_path(&source.path), read(&file.items));
    }
    let mut graph = DiGraphMap::<&ModulePath, ()>::new();
    for (path, module) in &modules.0 {
        for mentioned in &module.mentioned {
            if let Some(target) = modules.resolve(path, mentioned, 0)
                && !path.starts_with(target)
                && !target.starts_with(path)
            {
                graph.add_edge(path, target, ());
            }
        }
    }
    tarjan_scc(&graph)
        .into_iter()
        .filter(|members| members.len() > 1)
        .map(|members| {
            let mut names: Vec<String> = members.iter().map(|it| it.join("::")).collect();
            names.sort();
            format!("{place}: {}", names.join(", "))
        })
        .collect()
}

/// `crates/x/src/a/b.rs` is `a::b`; the root of a crate is empty.
fn module_path(file: &str) -> ModulePath {
    let below = file.split_once("/src/").map_or(file, |(_, below)| below);
    let below = below.trim_end_matches(".rs");
    if below == "lib" {
        return Vec::new();
    }
    below.split('/').map(str::to_owned).collect()
}

fn read(items: &[Item]) -> Module {
    let mut module = Module::default();
    for item in items {
        let Item::Use(item) = item else {
            Mentions(&mut module.mentioned).visit_item(item);
            continue;
        };
        let mut found = Vec::new();
        flatten(&item.tree, &mut Vec::new(), &mut found);
        for (name, path) in found {
            if matches!(item.vis, Visibility::Inherited) {
                module.mentioned.insert(path.clone());
            }
            module.exports.push((name, path));
        }
    }
    module
}

/// Writes a tree of `use` as names and their paths.
fn flatten(tree: &UseTree, prefix: &mut Vec<String>, found: &mut Vec<(String, Vec<String>)>) {
    match tree {
        UseTree::Path(path) => {
            prefix.push(path.ident.to_string());
            flatten(&path.tree, prefix, found);
            prefix.pop();
        }
        UseTree::Name(name) if name.ident == "self" => {
            found.push((prefix.last().cloned().unwrap_or_default(), prefix.clone()));
        }
        UseTree::Name(name) => {
            let name = name.ident.to_string();
            found.push((name.clone(), [prefix.as_slice(), &[name]].concat()));
        }
        UseTree::Rename(rename) => {
            let path = [prefix.as_slice(), &[rename.ident.to_string()]].concat();
            found.push((rename.rename.to_string(), path));
        }
        UseTree::Glob(_) => found.push(("*".to_owned(), prefix.clone())),
        UseTree::Group(group) => {
            for tree in &group.items {
                flatten(tree, prefix, found);
            }
        }
    }
}

/// Collects the paths of more than one part.
struct Mentions<'m>(&'m mut BTreeSet<Vec<String>>);

impl<'ast> Visit<'ast> for Mentions<'_> {
    fn visit_path(&mut self, path: &'ast syn::Path) {
        let parts = path.segments.iter().map(|it| it.ident.to_string());
        self.0.insert(parts.collect());
        syn::visit::visit_path(self, path);
    }

    fn visit_item_mod(&mut self, item: &'ast syn::ItemMod) {
        let is_test = item
            .attrs
            .iter()
            .any(|attribute| attribute.path().is_ident("cfg"));
        if !is_test {
            syn::visit::visit_item_mod(self, item);
        }
    }
}

impl Modules {
    /// The module that defines what a path names, if it is one of this crate.
    fn resolve(&self, from: &ModulePath, path: &[String], depth: usize) -> Option<&ModulePath> {
        // A glob of a glob that leads back to itself.
        if depth > 8 {
            return None;
        }
        let mut at = from.clone();
        let mut rest = path;
        let mut is_relative = true;
        while let Some((first, after)) = rest.split_first() {
            match first.as_str() {
                "crate" => at.clear(),
                "self" => {}
                "super" => {
                    at.pop();
                }
                _ => break,
            }
            (rest, is_relative) = (after, false);
        }
        let (first, after) = rest.split_first()?;
        let mut child = at.clone();
        child.push(first.clone());
        if self.0.contains_key(&child) {
            if after.is_empty() {
                return None;
            }
            let mut path = vec!["self".to_owned()];
            path.extend_from_slice(after);
            return self.resolve(&child, &path, depth);
        }
        let module = self.0.get_key_value(&at)?;
        for (name, target) in &module.1.exports {
            if name == first {
                let mut path = target.clone();
                path.extend_from_slice(after);
                return self.resolve(module.0, &path, depth + 1);
            }
        }
        if is_relative {
            // A name of its own, of the prelude, or of another crate.
            return None;
        }
        module
            .1
            .exports
            .iter()
            .filter(|(name, target)| name == "*" && !target.is_empty())
            .find_map(|(_, target)| {
                let mut path = target.clone();
                path.extend_from_slice(rest);
                self.resolve(module.0, &path, depth + 1)
            })
            .or(Some(module.0))
    }
}
