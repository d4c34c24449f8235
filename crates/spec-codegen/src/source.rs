//! Prints generated code: wraps doc comments, separates items by blank lines, and breaks lists in attributes and macro
//! calls. rustfmt would do none of this; all other layout is its work.

mod layout;

use proc_macro2::{Ident, Literal, Span, TokenStream};
use quote::quote;
use syn::visit_mut::VisitMut;
use syn::{Attribute, Expr, File, Lit, Meta};

use crate::imports::import_paths;
use crate::markdown::escape;
use layout::{BLANK_FIELD, BLANK_ITEM, LIST_ATTRIBUTE, LIST_ITEM, Layout};

/// Prints generated items as the text of the file `crate::{module}`. Their full paths become imports.
///
/// # Panics
///
/// If the tokens are not Rust: an error of the generator.
pub(crate) fn print_tokens(tokens: TokenStream, module: &str) -> String {
    let mut file = match syn::parse2(tokens.clone()) {
        Ok(file) => file,
        Err(error) => panic!("generated code is not Rust: {error}:\n{tokens}"),
    };
    import_paths(&mut file, module);
    print(file)
}

/// Prints a syntax tree as the text of a file.
pub(crate) fn print(mut file: File) -> String {
    let mut layout = Layout::default();
    layout.visit_file_mut(&mut file);
    let mut lists = layout.lists.into_iter();
    let mut text = String::new();
    for line in prettyplease::unparse(&file).lines() {
        match line.trim() {
            BLANK_ITEM | BLANK_FIELD => {}
            LIST_ITEM | LIST_ATTRIBUTE => text.extend(lists.next()),
            _ => text.push_str(line),
        }
        text.push('\n');
    }
    text
}

/// Makes a doc comment of a description, which is escaped for rustdoc.
pub(crate) fn docs(markdown: &str) -> TokenStream {
    docs_verbatim(&escape(markdown))
}

/// Makes a doc comment without escapes, for text that dropshot also copies into its own document.
pub(crate) fn docs_verbatim(markdown: &str) -> TokenStream {
    if markdown.is_empty() {
        return TokenStream::new();
    }
    quote!(#[doc = #markdown])
}

/// Makes an identifier; a name that begins with `r#` becomes a raw one.
pub(crate) fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// Makes an integer literal without a type suffix, for the length of an array.
pub(crate) fn length(length: usize) -> Literal {
    Literal::usize_unsuffixed(length)
}

/// The text of an attribute `#[doc = "…"]`; `None` for other attributes.
pub(crate) fn doc_text(attribute: &Attribute) -> Option<String> {
    if let Meta::NameValue(meta) = &attribute.meta
        && meta.path.is_ident("doc")
        && let Expr::Lit(literal) = &meta.value
        && let Lit::Str(text) = &literal.lit
    {
        Some(text.value())
    } else {
        None
    }
}
