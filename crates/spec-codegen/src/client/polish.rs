//! What progenitor makes, as a person would have left it: doc comments wrapped, items spaced out, nothing unused.

use std::collections::HashSet;

use syn::visit_mut::{self, VisitMut};
use syn::{
    Attribute, Expr, ExprMethodCall, File, ImplItemFn, Item, ItemEnum, ItemStruct, Lit, Meta, Path,
    Variant, Visibility, parse_quote,
};

use crate::source::wrapped_docs;

/// The code of a client, formatted.
pub(super) fn text(mut file: File) -> String {
    // The prelude only repeats the client itself.
    file.items
        .retain(|item| !matches!(item, Item::Mod(module) if module.ident == "prelude"));
    let mut declared = Declared::default();
    declared.visit_file_mut(&mut file);
    let mut polish = Polish {
        declared: declared.0,
    };
    polish.visit_file_mut(&mut file);
    let code = prettyplease::unparse(&file);
    if polish.declared.contains("Option") {
        return spaced(&code);
    }
    spaced(&code.replace("\"::std::option::Option::is_none\"", "\"Option::is_none\""))
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

/// Paths whose last segment the prelude brings.
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

/// Puts the sentence that a module opens with before its items.
pub(super) fn begin(file: &mut File, text: &str) {
    let text = format!(" {text}");
    file.attrs.insert(0, parse_quote!(#![doc = #text]));
}

/// Documents what has no documentation.
pub(super) fn describe(attributes: &mut Vec<Attribute>, text: &str) {
    if !attributes
        .iter()
        .any(|attribute| attribute.path().is_ident("doc"))
    {
        let text = format!(" {text}");
        attributes.insert(0, parse_quote!(#[doc = #text]));
    }
}

impl VisitMut for Polish {
    /// What a file says of itself stays inside it.
    fn visit_file_mut(&mut self, file: &mut File) {
        let own = std::mem::take(&mut file.attrs);
        visit_mut::visit_file_mut(self, file);
        file.attrs = own;
    }

    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        let (docs, others): (Vec<Attribute>, Vec<Attribute>) = attributes
            .drain(..)
            .partition(|attribute| attribute.path().is_ident("doc"));
        let lines: Vec<String> = docs.iter().filter_map(doc_text).collect();
        for line in without_schemas(&lines.join("\n")).lines() {
            // progenitor's example is a sketch, not a test that somebody should wonder about.
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

    fn visit_item_struct_mut(&mut self, item: &mut ItemStruct) {
        visit_mut::visit_item_struct_mut(self, item);
        describe(
            &mut item.attrs,
            &format!("Builds a `{}`, property by property.", item.ident),
        );
        for field in &mut item.fields {
            if let (Visibility::Public(_), Some(name)) = (&field.vis, &field.ident) {
                describe(&mut field.attrs, &format!("`{name}`"));
            }
        }
    }

    fn visit_variant_mut(&mut self, variant: &mut Variant) {
        visit_mut::visit_variant_mut(self, variant);
        describe(&mut variant.attrs, &format!("`{}`", variant.ident));
    }

    fn visit_impl_item_fn_mut(&mut self, item: &mut ImplItemFn) {
        visit_mut::visit_impl_item_fn_mut(self, item);
        if !matches!(item.vis, Visibility::Public(_)) {
            return;
        }
        let name = item.sig.ident.to_string();
        let sets = item.sig.inputs.len() == 2;
        describe(
            &mut item.attrs,
            &match name.as_str() {
                "builder" => "An empty builder.".to_owned(),
                "new" => "Begins a request.".to_owned(),
                "body_map" => "Sets the body by its builder.".to_owned(),
                name if sets => format!("Sets `{}`.", name.trim_start_matches("r#")),
                name => format!("`{name}`"),
            },
        );
    }

    fn visit_expr_method_call_mut(&mut self, call: &mut ExprMethodCall) {
        if call.method == "unwrap" {
            call.method = parse_quote!(expect);
            call.args
                .push(parse_quote!("what is generated here cannot fail"));
        }
        visit_mut::visit_expr_method_call_mut(self, call);
    }
}

fn doc_text(attribute: &Attribute) -> Option<String> {
    let Meta::NameValue(meta) = &attribute.meta else {
        return None;
    };
    match &meta.value {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some(text.value()),
            _ => None,
        },
        _ => None,
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

/// Doc comments wrapped, and a blank line before every item that follows another.
fn spaced(code: &str) -> String {
    let mut text = String::new();
    let mut docs: Vec<&str> = Vec::new();
    let mut previous = "{";
    for line in code.lines() {
        let trimmed = line.trim_start();
        let indent = line.len() - trimmed.len();
        if let Some(doc) = trimmed.strip_prefix("///") {
            docs.push(doc.strip_prefix(' ').unwrap_or(doc));
            continue;
        }
        let follows_item = previous == "}" || previous.ends_with(';') && starts_item(trimmed);
        let described = !docs.is_empty() && (previous.ends_with(',') || previous.ends_with(';'));
        if (follows_item && (starts_item(trimmed) || !docs.is_empty())) || described {
            text.push('\n');
        }
        for doc in wrapped_docs(&docs.join("\n"), indent) {
            text.push_str(&" ".repeat(indent));
            text.push_str(&doc);
            text.push('\n');
        }
        docs.clear();
        text.push_str(line);
        text.push('\n');
        previous = trimmed;
    }
    text
}

fn starts_item(line: &str) -> bool {
    let starts = [
        "pub fn",
        "pub async fn",
        "pub mod",
        "pub struct",
        "pub enum",
        "impl",
        "#[",
        "mod ",
        "fn ",
        "type ",
    ];
    starts.iter().any(|start| line.starts_with(start)) && !line.starts_with("#[allow(unused_mut)]")
}
