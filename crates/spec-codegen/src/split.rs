//! Splits a generated file that would be too long into modules, which the file re-exports.

use proc_macro2::TokenStream;
use quote::{format_ident, quote};

use crate::settings::Settings;
use crate::source::print_tokens;
use crate::{GeneratedFile, Part};

/// The lines that a file has at most, as far as its items allow.
const MAX_LINES: usize = 5_000;

/// The items of a file, which may become items of several modules.
pub(crate) struct Items<'i, T> {
    /// The documentation of the file.
    pub(crate) docs: &'i str,
    pub(crate) items: &'i [T],
    /// Writes some of the items, without `self.tables`.
    pub(crate) write: fn(&[T]) -> TokenStream,
    /// What refers to all items, and stays in the file itself.
    pub(crate) tables: TokenStream,
}

impl<T> Items<'_, T> {
    /// Writes all items as one file.
    pub(crate) fn render(&self) -> TokenStream {
        let (docs, tables) = (format!(" {}", self.docs), &self.tables);
        let items = (self.write)(self.items);
        quote!(#![doc = #docs] #items #tables)
    }

    /// The file `{module}.rs` of the interface with these items, and if it is too long the files of its modules.
    pub(crate) fn into_files(self, settings: &Settings, module: &str) -> Vec<GeneratedFile> {
        let file = |name: &str, text: &str| settings.file(Part::Api, name, text);
        let (docs, tables) = (format!(" {}", self.docs), &self.tables);
        let name = format!("{module}.rs");
        let whole = print_tokens(self.render(), module);
        let lines = whole.lines().count();
        if lines <= MAX_LINES {
            return vec![file(&name, &whole)];
        }
        let parts = lines.div_ceil(MAX_LINES * 3 / 4);
        let size = self.items.len().div_ceil(parts).max(1);
        let mut modules = Vec::new();
        let mut files = Vec::new();
        for (index, items) in self.items.chunks(size).enumerate() {
            let part = format_ident!("part_{}", index + 1);
            let docs = format!(" Part {} of `{module}`.", index + 1);
            let items = (self.write)(items);
            // All parts are seen as one module, so that their items need no paths.
            let tokens = quote! {
                #![doc = #docs]
                #[allow(unused_imports, reason = "a part may need no other")]
                use super::*;
                #items
            };
            let text = print_tokens(tokens, module);
            files.push(file(&format!("{module}/{part}.rs"), &text));
            modules.push(quote!(mod #part; pub use #part::*;));
        }
        let tokens = quote!(#![doc = #docs] #(#modules)* #tables);
        files.push(file(&name, &print_tokens(tokens, module)));
        files
    }
}
