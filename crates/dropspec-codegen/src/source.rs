//! The tokens of generated code, and its text: rustfmt adds neither blank lines nor imports.

use proc_macro2::{Group, Ident, Literal, Span, TokenStream, TokenTree};
use quote::{ToTokens, quote};

use crate::imports::import_paths;
use crate::layout::{BracedList, lay_out};
use crate::markdown::mark_code;

/// Prints generated items as the text of the file `crate::{module}`. Their full paths become imports.
///
/// # Panics
///
/// If the tokens are not Rust: an error of the generator.
pub(crate) fn print_tokens(tokens: TokenStream, module: &str) -> String {
    let comments = quote! {
        #![allow(rustdoc::all, reason = "comments are in the Markdown of the document")]
    };
    print(import_paths(tokens, module, Some(comments)))
}

/// Prints the tokens of a file as they are.
///
/// # Panics
///
/// If the tokens are not Rust: an error of the generator.
pub(crate) fn print(tokens: TokenStream) -> String {
    let mut lists = Vec::new();
    let tokens = prepare(tokens, true, &mut lists);
    match syn::parse2(tokens.clone()) {
        Ok(file) => lay_out(&prettyplease::unparse(&file), lists),
        Err(error) => panic!("generated code is not Rust: {error}:\n{tokens}"),
    }
}

/// Splits documentation into an attribute for each line, and takes the lists in braces out of attributes and macro calls:
/// neither prettyplease nor rustfmt breaks them.
fn prepare(tokens: TokenStream, is_top: bool, lists: &mut Vec<BracedList>) -> TokenStream {
    let mut result: Vec<TokenTree> = Vec::new();
    for token in tokens {
        let TokenTree::Group(group) = token else {
            result.push(token);
            continue;
        };
        let is_attribute = matches!(result.as_slice(), [.., TokenTree::Punct(sign)] if sign.as_char() == '#')
            || is_after(&result, ['#', '!']);
        let is_call = is_top && is_after_name(&result);
        let mut inner: Vec<TokenTree> = group.stream().into_iter().collect();
        if is_attribute && let Some(lines) = doc_lines(&inner) {
            let start = result.iter().rposition(is_hash).unwrap_or_default();
            let start = result.split_off(start);
            for line in lines {
                result.extend(start.clone());
                result.extend(quote!([doc = #line]));
            }
            continue;
        }
        if is_attribute
            && let Some(TokenTree::Group(list)) = inner.last()
            && list.delimiter() == proc_macro2::Delimiter::Brace
        {
            lists.push(BracedList {
                tokens: list.stream(),
                separator: ',',
            });
            inner.pop();
            inner.extend(quote!({}));
        } else if is_call && group.delimiter() == proc_macro2::Delimiter::Brace {
            lists.push(BracedList {
                tokens: group.stream(),
                separator: ';',
            });
            inner.clear();
        } else {
            inner = prepare(group.stream(), false, lists).into_iter().collect();
        }
        let inner = inner.into_iter().collect();
        result.push(Group::new(group.delimiter(), inner).into());
    }
    result.into_iter().collect()
}

fn is_hash(token: &TokenTree) -> bool {
    matches!(token, TokenTree::Punct(sign) if sign.as_char() == '#')
}

/// Whether tokens end with these signs.
fn is_after(tokens: &[TokenTree], signs: [char; 2]) -> bool {
    matches!(tokens, [.., TokenTree::Punct(a), TokenTree::Punct(b)] if [a.as_char(), b.as_char()] == signs)
}

/// Whether tokens end with the name of a macro that is called.
fn is_after_name(tokens: &[TokenTree]) -> bool {
    matches!(tokens, [.., TokenTree::Ident(_), TokenTree::Punct(sign)] if sign.as_char() == '!')
}

/// The lines of an attribute `doc = "…"`, each behind a space; `None` for other attributes.
fn doc_lines(attribute: &[TokenTree]) -> Option<Vec<String>> {
    let [
        TokenTree::Ident(doc),
        TokenTree::Punct(_),
        TokenTree::Literal(text),
    ] = attribute
    else {
        return None;
    };
    let text: syn::LitStr = syn::parse2(TokenTree::from(text.clone()).into()).ok()?;
    // A carriage return alone ends a line, too: a comment cannot have one.
    let text = text.value().replace("\r\n", "\n").replace('\r', "\n");
    let lines = text
        .strip_prefix(' ')
        .unwrap_or(&text)
        .trim_end()
        .split('\n');
    let lines = lines.map(|line| match line.trim_end() {
        "" => String::new(),
        line => format!(" {line}"),
    });
    (doc == "doc").then(|| lines.collect())
}

/// Makes a doc comment of a description.
pub(crate) fn docs(markdown: &str) -> TokenStream {
    docs_verbatim(&mark_code(markdown))
}

/// Makes a doc comment of a text as it is, for one that dropshot also copies into its own document.
pub(crate) fn docs_verbatim(markdown: &str) -> TokenStream {
    if markdown.is_empty() {
        return TokenStream::new();
    }
    quote!(#[doc = #markdown])
}

/// Makes an identifier; a name that begins with `r#` becomes a raw one.
pub fn ident(name: &str) -> Ident {
    match name.strip_prefix("r#") {
        Some(keyword) => Ident::new_raw(keyword, Span::call_site()),
        None => Ident::new(name, Span::call_site()),
    }
}

/// Makes an integer literal without a type suffix, for the length of an array.
pub(crate) fn length(length: usize) -> Literal {
    Literal::usize_unsuffixed(length)
}

/// Writes an `Option`.
pub(crate) fn optional(value: Option<impl ToTokens>) -> TokenStream {
    match value {
        Some(value) => quote!(Some(#value)),
        None => quote!(None),
    }
}
