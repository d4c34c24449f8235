//! What the scopes of generated files contain, as far as syntax tells.

use std::collections::{BTreeMap, BTreeSet};

use dropspec_codegen::{GeneratedFile, Part};
use syn::visit::{self, Visit};
use syn::{Fields, GenericParam, Generics, ImplItem, Item, Path, UseTree};

/// A generated file.
pub struct File {
    part: Part,
    pub name: String,
    pub items: Vec<Item>,
}

impl File {
    pub fn parse(file: &GeneratedFile) -> File {
        let parsed = syn::parse_file(&file.content);
        File {
            part: file.part,
            name: file.name.clone(),
            items: parsed.unwrap().items,
        }
    }
}

/// The names in a module: of types, traits and modules; and of values.
#[derive(Default)]
pub struct Scopes {
    types: Vec<String>,
    values: Vec<String>,
}

impl Scopes {
    pub fn of(items: &[Item]) -> Scopes {
        let mut scopes = Scopes::default();
        for item in items {
            scopes.add(item);
        }
        scopes
    }

    pub fn types(&self) -> impl Iterator<Item = &String> {
        self.types.iter()
    }

    fn add(&mut self, item: &Item) {
        let (name, values) = match item {
            Item::Const(item) => (&item.ident, true),
            Item::Fn(item) => (&item.sig.ident, true),
            Item::Static(item) => (&item.ident, true),
            Item::Enum(item) => (&item.ident, false),
            Item::Mod(item) => (&item.ident, false),
            Item::Trait(item) => (&item.ident, false),
            Item::Type(item) => (&item.ident, false),
            Item::Struct(item) => {
                if !matches!(item.fields, Fields::Named(_)) {
                    self.values.push(item.ident.to_string());
                }
                (&item.ident, false)
            }
            Item::Use(item) => return self.import(&item.tree),
            _ => return,
        };
        let names = if values {
            &mut self.values
        } else {
            &mut self.types
        };
        names.push(name.to_string());
    }

    fn import(&mut self, tree: &UseTree) {
        match tree {
            UseTree::Path(path) => self.import(&path.tree),
            UseTree::Group(group) => group.items.iter().for_each(|tree| self.import(tree)),
            UseTree::Rename(_) | UseTree::Glob(_) => {}
            UseTree::Name(name) => {
                let name = name.ident.to_string();
                let is_type =
                    name.chars().any(char::is_lowercase) && name.starts_with(char::is_uppercase);
                let names = if is_type {
                    &mut self.types
                } else {
                    &mut self.values
                };
                names.push(name);
            }
        }
    }
}

/// What has a name twice in one scope.
pub fn duplicates(files: &[File]) -> Vec<String> {
    let mut faults = Vec::new();
    let mut members: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for file in files {
        let scopes = Scopes::of(&file.items);
        check(&mut faults, &file.name, &scopes.types);
        check(&mut faults, &file.name, &scopes.values);
        for item in &file.items {
            let (of, names) = match item {
                Item::Enum(item) => {
                    let variants = item.variants.iter();
                    let names = variants.map(|it| it.ident.to_string()).collect();
                    (item.ident.to_string(), names)
                }
                Item::Struct(item) => {
                    let names = item.fields.iter().filter_map(|it| it.ident.as_ref());
                    let names: Vec<String> = names.map(ToString::to_string).collect();
                    check(
                        &mut faults,
                        &format!("{}: {}", file.name, item.ident),
                        &names,
                    );
                    continue;
                }
                Item::Trait(item) => {
                    let names = item.items.iter().filter_map(|it| match it {
                        syn::TraitItem::Fn(it) => Some(it.sig.ident.to_string()),
                        _ => None,
                    });
                    (item.ident.to_string(), names.collect())
                }
                Item::Impl(item) if item.trait_.is_none() => {
                    let names = item.items.iter().filter_map(|it| match it {
                        ImplItem::Fn(it) => Some(it.sig.ident.to_string()),
                        ImplItem::Const(it) => Some(it.ident.to_string()),
                        _ => None,
                    });
                    (path_of(&item.self_ty), names.collect())
                }
                _ => continue,
            };
            // The methods of the client are in several files.
            let of = match (of.as_str(), file.part) {
                ("Client", Part::Client) if file.name != "client/types.rs" => of,
                _ => format!("{:?}/{}: {of}", file.part, file.name),
            };
            members.entry(of).or_default().extend::<Vec<String>>(names);
        }
        Functions {
            file,
            faults: &mut faults,
        }
        .visit_items(&file.items);
    }
    for (of, names) in &members {
        check(&mut faults, of, names);
    }
    faults
}

fn path_of(ty: &syn::Type) -> String {
    match ty {
        syn::Type::Path(path) => path.path.segments.last().unwrap().ident.to_string(),
        _ => String::new(),
    }
}

fn check(faults: &mut Vec<String>, scope: &str, names: &[String]) {
    let mut seen = BTreeSet::new();
    let twice = names.iter().filter(|name| !seen.insert(name.as_str()));
    faults.extend(twice.map(|name| format!("{scope} has `{name}` twice")));
}

/// Checks the arguments of functions.
struct Functions<'f> {
    file: &'f File,
    faults: &'f mut Vec<String>,
}

impl Functions<'_> {
    fn visit_items(&mut self, items: &[Item]) {
        items.iter().for_each(|item| self.visit_item(item));
    }
}

impl<'a> Visit<'a> for Functions<'_> {
    fn visit_signature(&mut self, signature: &'a syn::Signature) {
        let arguments = signature.inputs.iter().filter_map(|it| match it {
            syn::FnArg::Typed(it) => match &*it.pat {
                syn::Pat::Ident(pattern) => Some(pattern.ident.to_string()),
                _ => None,
            },
            syn::FnArg::Receiver(_) => None,
        });
        let arguments: Vec<String> = arguments.collect();
        let scope = format!("{}: {}", self.file.name, signature.ident);
        check(self.faults, &scope, &arguments);
    }
}

/// The first names of paths in files that are neither items nor imports of the file: the prelude, primitive types and crates.
pub fn foreign_names(files: &[GeneratedFile]) -> BTreeSet<String> {
    let mut foreign = BTreeSet::new();
    for file in files.iter().map(File::parse) {
        let mut heads = Heads::default();
        file.items.iter().for_each(|item| heads.visit_item(item));
        let scopes = Scopes::of(&file.items);
        let own = scopes
            .types
            .iter()
            .chain(&scopes.values)
            .chain(&heads.parameters);
        let own: BTreeSet<&String> = own.collect();
        foreign.extend(heads.heads.into_iter().filter(|name| !own.contains(name)));
    }
    // Names without small letters are those of values.
    foreign.retain(|name| {
        let is_keyword = ["crate", "self", "super", "Self"].contains(&name.as_str());
        !is_keyword && name.contains(char::is_lowercase)
    });
    foreign
}

/// The first names of paths, and the names of type parameters.
#[derive(Default)]
struct Heads {
    heads: BTreeSet<String>,
    parameters: BTreeSet<String>,
}

impl<'a> Visit<'a> for Heads {
    fn visit_path(&mut self, path: &'a Path) {
        let name = path.segments[0].ident.to_string();
        // Other names alone are those of variables and attributes.
        if path.segments.len() > 1 || name.starts_with(char::is_uppercase) {
            self.heads.insert(name);
        }
        visit::visit_path(self, path);
    }

    fn visit_type_path(&mut self, ty: &'a syn::TypePath) {
        self.heads.insert(ty.path.segments[0].ident.to_string());
        visit::visit_type_path(self, ty);
    }

    fn visit_use_path(&mut self, path: &'a syn::UsePath) {
        self.heads.insert(path.ident.to_string());
    }

    fn visit_generics(&mut self, generics: &'a Generics) {
        for parameter in &generics.params {
            if let GenericParam::Type(it) = parameter {
                self.parameters.insert(it.ident.to_string());
            }
        }
        visit::visit_generics(self, generics);
    }
}
