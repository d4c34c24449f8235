//! Lays a generated file out: wraps its comments, and marks where blank lines and lists in braces are printed.

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use quote::ToTokens;
use syn::parse::Parse;
use syn::visit_mut::{self, VisitMut};
use syn::{
    AttrStyle, Attribute, Field, FieldsNamed, File, ImplItem, Item, ItemEnum, ItemImpl, ItemMacro,
    ItemMod, ItemTrait, MacroDelimiter, Meta, Path, TraitItem, UseTree, Variant, parse_quote,
};

use crate::imports::import_group;
use crate::markdown::wrap;
use crate::source::doc_text;

/// The last column of doc comments, as rustfmt has it for code.
const WIDTH: usize = 100;

/// The placeholder of a blank line between items, which a syntax tree cannot contain. Printing replaces it.
pub(super) const BLANK_ITEM: &str = "blank_line! {}";
/// The placeholder of a blank line before a field or variant.
pub(super) const BLANK_FIELD: &str = "#[blank_line]";

/// The placeholder of a macro call whose text is the next entry of [`Layout::lists`].
pub(super) const LIST_ITEM: &str = "list!();";
/// The placeholder of an attribute whose text is the next entry of [`Layout::lists`].
pub(super) const LIST_ATTRIBUTE: &str = "#[list]";

/// Visits a generated file: wraps doc comments, and puts placeholders where blank lines and lists in braces are
/// printed.
#[derive(Default)]
pub(super) struct Layout {
    /// The indentation of the code, in levels.
    depth: usize,
    /// The text of attributes and macro calls with lists in braces: rustfmt leaves them as they are.
    pub(super) lists: Vec<String>,
}

impl Layout {
    fn deeper(&mut self, visit: impl FnOnce(&mut Layout)) {
        self.depth += 1;
        visit(self);
        self.depth -= 1;
    }
}

impl VisitMut for Layout {
    fn visit_attributes_mut(&mut self, attributes: &mut Vec<Attribute>) {
        let (docs, others): (Vec<Attribute>, Vec<Attribute>) = attributes
            .drain(..)
            .partition(|attribute| doc_text(attribute).is_some());
        let inner = docs
            .first()
            .is_some_and(|doc| matches!(doc.style, AttrStyle::Inner(_)));
        let text = docs.iter().filter_map(doc_text);
        // The space that `///` is followed by.
        let text: Vec<String> = text
            .map(|text| text.strip_prefix(' ').unwrap_or(&text).to_owned())
            .collect();
        let (text, width) = (text.join("\n"), WIDTH - self.depth * 4 - "/// ".len());
        let lines = if others.iter().any(is_endpoint) {
            wrap_description(&text, width)
        } else {
            wrap(&text, width)
        };
        for line in lines {
            let line = if line.is_empty() {
                line
            } else {
                format!(" {line}")
            };
            attributes.push(if inner {
                parse_quote!(#![doc = #line])
            } else {
                parse_quote!(#[doc = #line])
            });
        }
        for attribute in others {
            match &attribute.meta {
                Meta::List(list) if matches!(list.delimiter, MacroDelimiter::Brace(_)) => {
                    let mut text = format!(
                        "{}#[{} {{\n",
                        indentation(self.depth),
                        print_path(&list.path)
                    );
                    write_list(list.tokens.clone(), ',', self.depth + 1, &mut text);
                    self.lists.push(text + &indentation(self.depth) + "}]");
                    attributes.push(parse_quote!(#[list]));
                }
                _ => attributes.push(attribute),
            }
        }
    }

    fn visit_item_macro_mut(&mut self, item: &mut ItemMacro) {
        if matches!(item.mac.delimiter, MacroDelimiter::Brace(_)) {
            let mut text = format!("{}! {{\n", print_path(&item.mac.path));
            write_list(item.mac.tokens.clone(), ';', 1, &mut text);
            self.lists.push(text + "}");
            *item = parse_quote!(list!(););
        }
    }

    fn visit_file_mut(&mut self, file: &mut File) {
        visit_mut::visit_file_mut(self, file);
        separate(&mut file.items, belong_together);
        if !file.attrs.is_empty() {
            let blank = syn::parse_str(BLANK_ITEM).expect("the mark is a macro call");
            file.items.insert(0, blank);
        }
    }

    fn visit_item_mod_mut(&mut self, module: &mut ItemMod) {
        self.visit_attributes_mut(&mut module.attrs);
        if let Some((_, items)) = &mut module.content {
            self.deeper(|layout| {
                items
                    .iter_mut()
                    .for_each(|item| layout.visit_item_mut(item))
            });
            separate(items, belong_together);
        }
    }

    fn visit_item_impl_mut(&mut self, item: &mut ItemImpl) {
        self.visit_attributes_mut(&mut item.attrs);
        self.deeper(|layout| {
            let items = item.items.iter_mut();
            items.for_each(|item| layout.visit_impl_item_mut(item));
        });
        separate::<ImplItem>(&mut item.items, |_, _| false);
    }

    fn visit_item_trait_mut(&mut self, item: &mut ItemTrait) {
        self.visit_attributes_mut(&mut item.attrs);
        self.deeper(|layout| {
            let items = item.items.iter_mut();
            items.for_each(|item| layout.visit_trait_item_mut(item));
        });
        separate::<TraitItem>(&mut item.items, |_, _| false);
    }

    fn visit_item_enum_mut(&mut self, item: &mut ItemEnum) {
        self.visit_attributes_mut(&mut item.attrs);
        let variants = item.variants.iter_mut();
        self.deeper(|layout| variants.for_each(|variant| layout.visit_variant_mut(variant)));
        separate_described(item.variants.iter_mut(), |variant: &mut Variant| {
            &mut variant.attrs
        });
    }

    fn visit_fields_named_mut(&mut self, fields: &mut FieldsNamed) {
        self.deeper(|layout| visit_mut::visit_fields_named_mut(layout, fields));
        separate_described(fields.named.iter_mut(), |field: &mut Field| {
            &mut field.attrs
        });
    }
}

/// Puts placeholders of blank lines between items, except where `together` is true.
fn separate<T: Parse + Clone>(items: &mut Vec<T>, together: impl Fn(&T, &T) -> bool) {
    let blank: T = syn::parse_str(BLANK_ITEM).expect("the mark is a macro call");
    let mut separated: Vec<T> = Vec::new();
    for item in items.drain(..) {
        if let Some(previous) = separated.last()
            && !together(previous, &item)
        {
            separated.push(blank.clone());
        }
        separated.push(item);
    }
    *items = separated;
}

/// Appends the entries of a macro call or attribute to `text`, one on each line. Entries that end with a list in braces
/// continue below.
fn write_list(tokens: TokenStream, separator: char, depth: usize, text: &mut String) {
    let is_separator =
        |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == separator);
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    for entry in tokens.split(is_separator).filter(|entry| !entry.is_empty()) {
        text.push_str(&indentation(depth));
        match entry {
            [head @ .., TokenTree::Group(group)]
                if group.delimiter() == Delimiter::Brace && !group.stream().is_empty() =>
            {
                text.push_str(&format!("{} {{\n", TokenStream::from_iter(head.to_vec())));
                write_list(group.stream(), separator, depth + 1, text);
                text.push_str(&format!("{}}}", indentation(depth)));
            }
            entry => {
                let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(sign) if sign.as_char() == ',');
                let parts = entry.split(is_comma);
                let parts = parts.map(|part| TokenStream::from_iter(part.to_vec()).to_string());
                text.push_str(&parts.collect::<Vec<_>>().join(", "));
            }
        }
        text.push(separator);
        text.push('\n');
    }
}

fn indentation(depth: usize) -> String {
    "    ".repeat(depth)
}

fn print_path(path: &Path) -> String {
    path.to_token_stream().to_string().replace(' ', "")
}

/// Whether no blank line separates two items: both are imports of the same group, or modules in files of their own.
fn belong_together(previous: &Item, next: &Item) -> bool {
    let is_file =
        |item: &Item| matches!(item, Item::Mod(of) if of.content.is_none() && of.attrs.is_empty());
    let group = |item: &Item| match item {
        Item::Use(item) if item.attrs.is_empty() => match &item.tree {
            UseTree::Path(path) => Some(import_group(&path.ident.to_string())),
            _ => None,
        },
        _ => None,
    };
    let is_import = group(previous).is_some() && group(previous) == group(next);
    is_import || (is_file(previous) && is_file(next))
}

/// Puts placeholders of blank lines between fields or variants if one of them has more than a line of documentation or
/// attributes.
fn separate_described<'t, T: 't>(
    members: impl Iterator<Item = &'t mut T>,
    attributes: impl Fn(&mut T) -> &mut Vec<Attribute>,
) {
    let mut members: Vec<&mut T> = members.collect();
    if members
        .iter_mut()
        .all(|member| attributes(member).len() <= 1)
    {
        return;
    }
    for member in members.into_iter().skip(1) {
        attributes(member).insert(0, parse_quote!(#[blank_line]));
    }
}

/// Wraps the comment of an endpoint. dropshot emits its first line as the summary, and joins the rest by spaces: that is
/// wrapped only if this gives the same text again.
fn wrap_description(text: &str, width: usize) -> Vec<String> {
    let Some((summary, rest)) = text.split_once('\n') else {
        return text.lines().map(str::to_owned).collect();
    };
    let rest = if rest.contains("  ") {
        rest.trim().lines().map(str::to_owned).collect()
    } else {
        wrap(rest, width)
    };
    [summary.to_owned(), String::new()]
        .into_iter()
        .chain(rest)
        .collect()
}

/// Whether this attribute makes a method an endpoint of dropshot's.
fn is_endpoint(attribute: &Attribute) -> bool {
    ["endpoint", "channel"]
        .iter()
        .any(|name| attribute.path().is_ident(name))
}
