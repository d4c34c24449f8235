//! Finds names that progenitor gave twice: two names of a document may become the same Rust name, and the code then
//! parses but does not compile.

use std::collections::HashSet;

use quote::ToTokens;
use syn::visit::{self, Visit};
use syn::{
    FieldsNamed, File, FnArg, Ident, ImplItemFn, ItemEnum, ItemFn, ItemImpl, ItemMod, ItemStruct,
    ItemTrait, ItemType, Pat, Signature, Variant,
};

/// Finds the first name that generated code declares twice. The result is a message such as "`name` would be a field of
/// `Pet` twice".
pub(super) fn find_collision(file: &File) -> Option<String> {
    let mut names = Names::default();
    names.visit_file(file);
    names.collision
}

/// The names that are found so far.
#[derive(Default)]
struct Names {
    /// The module whose items are visited.
    module: String,
    /// The type whose fields or methods are visited.
    owner: String,
    /// The messages about the names so far, each with its module. The same message again is a collision.
    taken: HashSet<(String, String)>,
    collision: Option<String>,
}

impl Names {
    /// Adds a name of a kind, such as "a type", to the names of the module.
    fn take(&mut self, name: &Ident, kind: &str) {
        self.take_text(format!("`{name}` would be {kind} twice"));
    }

    fn take_text(&mut self, collision: String) {
        let key = (self.module.clone(), collision.clone());
        if !self.taken.insert(key) {
            self.collision.get_or_insert(collision);
        }
    }

    /// Finds a name that occurs twice in one list, such as the arguments of a function.
    fn check_list<'n>(&mut self, names: impl Iterator<Item = &'n Ident>, kind: &str) {
        let mut seen = HashSet::new();
        for name in names {
            if !seen.insert(name) {
                let collision = format!("`{name}` would be {kind} twice");
                self.collision.get_or_insert(collision);
            }
        }
    }
}

impl<'ast> Visit<'ast> for Names {
    fn visit_item_mod(&mut self, item: &'ast ItemMod) {
        self.take(&item.ident, "a type");
        let outer = self.module.clone();
        self.module = format!("{outer}::{}", item.ident);
        visit::visit_item_mod(self, item);
        self.module = outer;
    }

    fn visit_item_struct(&mut self, item: &'ast ItemStruct) {
        self.take(&item.ident, "a type");
        self.owner = item.ident.to_string();
        visit::visit_item_struct(self, item);
    }

    fn visit_item_enum(&mut self, item: &'ast ItemEnum) {
        self.take(&item.ident, "a type");
        let variants = item.variants.iter().map(|variant| &variant.ident);
        self.check_list(variants, &format!("a variant of `{}`", item.ident));
        visit::visit_item_enum(self, item);
    }

    fn visit_variant(&mut self, variant: &'ast Variant) {
        self.owner = variant.ident.to_string();
        visit::visit_variant(self, variant);
    }

    fn visit_fields_named(&mut self, fields: &'ast FieldsNamed) {
        let kind = format!("a field of `{}`", self.owner);
        let names = fields.named.iter().filter_map(|field| field.ident.as_ref());
        self.check_list(names, &kind);
    }

    fn visit_signature(&mut self, signature: &'ast Signature) {
        let names = signature
            .inputs
            .iter()
            .filter_map(|argument| match argument {
                FnArg::Typed(argument) => match argument.pat.as_ref() {
                    Pat::Ident(pattern) => Some(&pattern.ident),
                    _ => None,
                },
                FnArg::Receiver(_) => None,
            });
        self.check_list(names, &format!("an argument of `{}`", signature.ident));
    }

    fn visit_item_type(&mut self, item: &'ast ItemType) {
        self.take(&item.ident, "a type");
    }

    fn visit_item_trait(&mut self, item: &'ast ItemTrait) {
        self.take(&item.ident, "a type");
    }

    fn visit_item_fn(&mut self, item: &'ast ItemFn) {
        self.take(&item.sig.ident, "a function");
        self.visit_signature(&item.sig);
    }

    fn visit_item_impl(&mut self, item: &'ast ItemImpl) {
        self.owner = print(&item.self_ty);
        match &item.trait_ {
            Some((path, _)) => {
                let implemented = format!("{} for {}", print(path), self.owner);
                self.take_text(format!("`{implemented}` would be implemented twice"));
            }
            None => visit::visit_item_impl(self, item),
        }
    }

    fn visit_impl_item_fn(&mut self, item: &'ast ImplItemFn) {
        let name = &item.sig.ident;
        self.take(name, &format!("a method of `{}`", self.owner));
        self.visit_signature(&item.sig);
    }
}

/// Code as it is written, without the spaces that tokens are printed with.
fn print(code: &impl ToTokens) -> String {
    code.to_token_stream().to_string().replace(' ', "")
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
