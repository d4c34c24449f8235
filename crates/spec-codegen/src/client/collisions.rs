//! Finds names that progenitor gave twice: two names of a document may become the same Rust name, and the code then
//! parses but does not compile.

use std::collections::{HashMap, HashSet};

use quote::ToTokens;
use syn::{Fields, File, FnArg, Ident, ImplItem, Item, ItemImpl, Pat, Signature};

/// The first name that is taken twice, such as "`name` would be a field of `Pet` twice".
pub(super) fn find_collision(file: &File) -> Option<String> {
    check_items(&file.items).err()
}

/// `Err` with the first collision.
type Checked = Result<(), String>;

fn check_items(items: &[Item]) -> Checked {
    // Types and functions live in namespaces of their own.
    let (mut types, mut functions) = (Names::new("a type"), Names::new("a function"));
    let mut methods: HashMap<String, Names> = HashMap::new();
    let mut traits = HashSet::new();
    for item in items {
        match item {
            Item::Struct(item) => {
                types.take(&item.ident)?;
                check_fields(&item.fields, &item.ident)?;
            }
            Item::Enum(item) => {
                types.take(&item.ident)?;
                let mut variants = Names::new(format!("a variant of `{}`", item.ident));
                for variant in &item.variants {
                    variants.take(&variant.ident)?;
                    check_fields(&variant.fields, &variant.ident)?;
                }
            }
            Item::Type(item) => types.take(&item.ident)?,
            Item::Trait(item) => types.take(&item.ident)?,
            Item::Fn(item) => {
                functions.take(&item.sig.ident)?;
                check_arguments(&item.sig)?;
            }
            Item::Mod(item) => {
                types.take(&item.ident)?;
                check_items(item.content.as_ref().map_or(&[], |(_, items)| items))?;
            }
            Item::Impl(item) => match implemented_trait(item) {
                Some(implemented) if !traits.insert(implemented.clone()) => {
                    return Err(format!("{implemented} would be implemented twice"));
                }
                Some(_) => {}
                None => {
                    let ty = text(&item.self_ty);
                    let names = Names::new(format!("a method of `{ty}`"));
                    check_methods(item, methods.entry(ty).or_insert(names))?;
                }
            },
            _ => {}
        }
    }
    Ok(())
}

fn check_methods(item: &ItemImpl, methods: &mut Names) -> Checked {
    for member in &item.items {
        if let ImplItem::Fn(method) = member {
            methods.take(&method.sig.ident)?;
            check_arguments(&method.sig)?;
        }
    }
    Ok(())
}

/// The trait that an item implements, and for which type.
fn implemented_trait(item: &ItemImpl) -> Option<String> {
    let (path, _) = item.trait_.as_ref()?;
    Some(format!("`{} for {}`", text(path), text(&item.self_ty)))
}

fn check_fields(fields: &Fields, owner: &Ident) -> Checked {
    let mut names = Names::new(format!("a field of `{owner}`"));
    fields
        .iter()
        .filter_map(|field| field.ident.as_ref())
        .try_for_each(|name| names.take(name))
}

fn check_arguments(signature: &Signature) -> Checked {
    let mut names = Names::new(format!("an argument of `{}`", signature.ident));
    for argument in &signature.inputs {
        if let FnArg::Typed(argument) = argument
            && let Pat::Ident(pattern) = argument.pat.as_ref()
        {
            names.take(&pattern.ident)?;
        }
    }
    Ok(())
}

/// Code as it is written, without the spaces that tokens are printed with.
fn text(code: &impl ToTokens) -> String {
    code.to_token_stream().to_string().replace(' ', "")
}

/// The names of one kind that are taken.
struct Names {
    kind: String,
    taken: HashSet<String>,
}

impl Names {
    fn new(kind: impl Into<String>) -> Names {
        Names {
            kind: kind.into(),
            taken: HashSet::new(),
        }
    }

    fn take(&mut self, name: &Ident) -> Checked {
        let name = name.to_string();
        if self.taken.insert(name.clone()) {
            return Ok(());
        }
        Err(format!("`{name}` would be {} twice", self.kind))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::find_collision;

    #[test]
    fn finds_names_that_are_taken_twice_in_a_namespace() {
        for (code, found) in [
            ("struct A; mod m { struct A; }", None),
            ("struct A; fn A() {}", None),
            ("struct A; enum A {}", Some("`A` would be a type twice")),
            ("mod m {} mod m {}", Some("`m` would be a type twice")),
            ("fn f() {} fn f() {}", Some("`f` would be a function twice")),
            (
                "struct P { a: u8, a: u8 }",
                Some("`a` would be a field of `P` twice"),
            ),
            (
                "enum E { A { b: u8, b: u8 } }",
                Some("`b` would be a field of `A` twice"),
            ),
            (
                "enum E { A, A }",
                Some("`A` would be a variant of `E` twice"),
            ),
            (
                "fn f(a: u8, a: u8) {}",
                Some("`a` would be an argument of `f` twice"),
            ),
            (
                "impl P { fn a() {} } impl P { fn a() {} }",
                Some("`a` would be a method of `P` twice"),
            ),
            ("impl P { fn a() {} } impl Q { fn a() {} }", None),
            ("impl T for P {} impl T for Q {}", None),
            ("impl From<u8> for P {} impl From<u16> for P {}", None),
            (
                "mod m { impl From<u8> for P {} impl From<u8> for P {} }",
                Some("`From<u8> for P` would be implemented twice"),
            ),
        ] {
            let file = syn::parse_file(code).unwrap();
            assert_eq!(find_collision(&file).as_deref(), found, "{code}");
        }
    }
}
