//! Makes progenitor's code more readable.

use std::collections::HashSet;

use quote::{ToTokens, quote};
use syn::parse::Parser;
use syn::visit_mut::{self, VisitMut};
use syn::{
    Arm, Attribute, ExprMatch, File, Item, ItemEnum, ItemStruct, Lit, Pat, Path, parse_quote,
};

use crate::source::doc_text;

/// Makes progenitor's code shorter: removes the prelude module and repeated schemas, shortens paths, merges equal arms.
pub(super) fn polish(file: &mut File) {
    // The prelude only repeats the client itself.
    file.items
        .retain(|item| !matches!(item, Item::Mod(module) if module.ident == "prelude"));
    let mut declared = Declared::default();
    declared.visit_file_mut(file);
    let mut polish = Polish {
        declared: declared.0,
    };
    polish.visit_file_mut(file);
}

/// The names of types that the client declares itself.
#[derive(Default)]
struct Declared(HashSet<String>);

impl VisitMut for Declared {
    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        self.0.insert(item.ident.to_string());
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        self.0.insert(item.ident.to_string());
    }
}

/// Paths that can be shortened to their last segment, because Rust's prelude contains it.
const PRELUDE: &[&str] = &[
    "::std::convert::From",
    "::std::convert::TryFrom",
    "::std::convert::TryInto",
    "::std::default::Default",
    "::std::option::Option",
    "::std::result::Result",
    "::std::string::String",
    "::std::vec::Vec",
];

struct Polish {
    declared: HashSet<String>,
}

impl Polish {
    /// Shortens `::std::option::Option` to `Option`, unless the client has an `Option` of its own.
    fn shorten(&self, path: &mut Path) {
        if path.leading_colon.is_none() || path.segments.len() < 3 {
            return;
        }
        let names: Vec<String> = path
            .segments
            .iter()
            .take(3)
            .map(|s| s.ident.to_string())
            .collect();
        let full = format!("::{}", names.join("::"));
        if PRELUDE.contains(&full.as_str()) && !self.declared.contains(&names[2]) {
            path.leading_colon = None;
            path.segments = path.segments.iter().skip(2).cloned().collect();
        }
    }
}

impl VisitMut for Polish {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        let (docs, others): (Vec<Attribute>, Vec<Attribute>) = attributes
            .drain(..)
            .partition(|attribute| attribute.path().is_ident("doc"));
        let lines: Vec<String> = docs.iter().filter_map(doc_text).collect();
        for line in without_schemas(&lines.join("\n")).lines() {
            // progenitor's example is a sketch, not a test that rustdoc should skip.
            let line = if line == "```ignore" { "```text" } else { line };
            let line = format!(" {line}");
            attributes.push(parse_quote!(#[doc = #line]));
        }
        attributes.extend(others);
    }

    fn visit_path_mut(&mut self, path: &mut Path) {
        visit_mut::visit_path_mut(self, path);
        self.shorten(path);
    }

    /// Merges the arms of equal bodies, such as those of all error statuses with the same type.
    fn visit_expr_match_mut(&mut self, expression: &mut ExprMatch) {
        visit_mut::visit_expr_match_mut(self, expression);
        let mut merged: Vec<Arm> = Vec::new();
        for arm in expression.arms.drain(..) {
            let body = arm.body.to_token_stream().to_string();
            let equal = |other: &&mut Arm| {
                let statuses = is_status(&arm.pat) && is_status(&other.pat);
                statuses && other.body.to_token_stream().to_string() == body
            };
            match merged.iter_mut().find(equal) {
                None => merged.push(arm),
                Some(other) => {
                    let (pattern, more) = (&other.pat, &arm.pat);
                    other.pat = Pat::parse_multi
                        .parse2(quote!(#pattern | #more))
                        .expect("two patterns");
                }
            }
        }
        expression.arms = merged;
    }
}

/// Whether a pattern is the status of a response, or several.
fn is_status(pattern: &Pat) -> bool {
    match pattern {
        Pat::Lit(literal) => matches!(&literal.lit, Lit::Int(number) if number.suffix() == "u16"),
        Pat::Or(several) => several.cases.iter().all(is_status),
        _ => false,
    }
}

/// A doc comment without the JSON schema that typify repeats in it.
fn without_schemas(text: &str) -> String {
    let mut lines = Vec::new();
    let mut hidden = false;
    for line in text.lines() {
        hidden |= line.trim() == "<details><summary>JSON schema</summary>";
        if !hidden {
            lines.push(line.strip_prefix(' ').unwrap_or(line));
        }
        hidden &= line.trim() != "</details>";
    }
    lines.join("\n").trim().to_owned()
}
