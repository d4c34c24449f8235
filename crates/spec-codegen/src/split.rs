//! Splits a generated file that would be too long into modules by tag, which the file re-exports. What no tag or resource
//! tells apart is split by the first letter in which the names differ.

use indexmap::IndexMap;
use proc_macro2::TokenStream;
use quote::quote;

use crate::sections::{SHARED, Section, Sections};
use crate::settings::Settings;
use crate::source::{ident, print_tokens};
use crate::{GeneratedFile, Part};

/// The lines that a file has at most, as far as its sections allow. rustfmt makes a file up to a fifth longer, so that
/// it stays below 5,000.
const MAX_LINES: usize = 4_000;

/// Writes some items, those of a section or all.
type Write<'i, T> = Box<dyn Fn(&[T], &[String]) -> TokenStream + 'i>;

/// The items of a file, which may become items of several modules.
pub(crate) struct Items<'i, T> {
    pub(crate) part: Part,
    /// The file without `.rs`, such as `types`.
    pub(crate) module: &'static str,
    /// The documentation of the file.
    pub(crate) docs: &'static str,
    /// What the items are, as in "Types of operations with the tag …".
    pub(crate) what: &'static str,
    pub(crate) items: Vec<T>,
    pub(crate) name: fn(&T) -> &str,
    pub(crate) section: Box<dyn Fn(&T) -> Section + 'i>,
    pub(crate) write: Write<'i, T>,
    /// How files are divided that are not just a list of items.
    pub(crate) layout: Layout,
}

/// How a file is divided.
pub(crate) struct Layout {
    /// How many levels of sections there may be.
    pub(crate) levels: usize,
    /// Whether items that no section tells apart are divided by their names.
    pub(crate) by_name: bool,
    /// Whether the file is divided even if it is short.
    pub(crate) always: bool,
    /// The content of the file if it is not divided. Without it: all items.
    pub(crate) whole: Option<TokenStream>,
    /// What a divided file has below the list of its modules.
    pub(crate) rest: TokenStream,
    /// Makes the items of a module those of the file: `pub use`.
    pub(crate) import: TokenStream,
}

impl Default for Layout {
    fn default() -> Layout {
        Layout {
            levels: 2,
            by_name: true,
            always: false,
            whole: None,
            rest: TokenStream::new(),
            import: quote!(pub use),
        }
    }
}

/// A section of a file, and its text.
struct Piece<T> {
    section: Section,
    items: Vec<T>,
    /// What it says of itself.
    docs: TokenStream,
    text: String,
    /// Whether only the names of its items can divide it further.
    by_name: bool,
}

impl<T: Clone> Items<'_, T> {
    /// The file with these items, and if it is too long the files of its modules.
    pub(crate) fn into_files(self, settings: &Settings, sections: &Sections) -> Vec<GeneratedFile> {
        let mut files = Vec::new();
        let pieces = self.pieces(&self.items, &[], false, sections);
        let (docs, rest) = (format!(" {}", self.docs), &self.layout.rest);
        let docs = quote!(#![doc = #docs]);
        let list = self.list_file(settings, &[], docs, rest, &pieces);
        let texts = pieces
            .iter()
            .map(|piece| &piece.text)
            .chain([&list.content]);
        let lines: usize = texts.map(|text| text.lines().count()).sum();
        let is_long = lines > MAX_LINES || self.layout.always;
        if is_long && !pieces.is_empty() {
            files.push(list);
            self.add_pieces(settings, sections, pieces, &mut files);
        } else {
            let text = self.print(self.write_whole());
            files.push(self.file(settings, &[], &text));
        }
        files
    }

    /// Writes the file as it is if it is not divided.
    pub(crate) fn write_whole(&self) -> TokenStream {
        let content = match &self.layout.whole {
            Some(whole) => whole.clone(),
            None => (self.write)(&self.items, &[]),
        };
        let docs = format!(" {}", self.docs);
        quote!(#![doc = #docs] #content)
    }

    /// Prints a file, whose items the file of all items exports.
    fn print(&self, tokens: TokenStream) -> String {
        print_tokens(tokens, &self.module.replace('/', "::"))
    }

    /// Adds the files of sections, each in pieces if it is too long.
    fn add_pieces(
        &self,
        settings: &Settings,
        sections: &Sections,
        pieces: Vec<Piece<T>>,
        files: &mut Vec<GeneratedFile>,
    ) {
        for piece in pieces {
            let section = &piece.section;
            let is_long = piece.text.lines().count() > MAX_LINES;
            let smaller = if is_long {
                self.pieces(&piece.items, section, piece.by_name, sections)
            } else {
                Vec::new()
            };
            if !smaller.is_empty() {
                let docs = piece.docs.clone();
                let rest = TokenStream::new();
                files.push(self.list_file(settings, section, docs, &rest, &smaller));
                self.add_pieces(settings, sections, smaller, files);
            } else {
                files.push(self.file(settings, section, &piece.text));
            }
        }
    }

    /// Divides the items of a section by the next level that tells them apart, or else (or `by_name` alone) by their names;
    /// nothing if there is no way.
    fn pieces(
        &self,
        items: &[T],
        within: &[String],
        by_name: bool,
        sections: &Sections,
    ) -> Vec<Piece<T>> {
        let is_shared = within.last().is_some_and(|last| last == SHARED);
        let mut levels = (within.len()..self.layout.levels).filter(|_| !is_shared && !by_name);
        let by_section = levels.find_map(|level| {
            let groups = self.group(items, |item| {
                let module = (self.section)(item).into_iter().nth(level);
                module.unwrap_or_else(|| SHARED.to_owned())
            });
            self.tells_apart(&groups).then_some(groups)
        });
        let by_name = by_section.is_none();
        let same = common_start(items.iter().map(|item| (self.name)(item)));
        let groups = match by_section {
            Some(groups) => groups,
            None if self.layout.by_name => {
                self.group(items, |item| letter(&(self.name)(item)[same..]))
            }
            None => IndexMap::new(),
        };
        if groups.len() < 2 {
            return Vec::new();
        }
        let pieces = groups.into_iter().map(|(name, items)| {
            let section = [within, std::slice::from_ref(&name)].concat();
            let docs = if by_name {
                let first = (self.name)(&items[0]);
                let end = first[same..].chars().next().map_or(0, char::len_utf8);
                let (what, start) = (self.what, &first[..same + end]);
                let docs = format!(" {what} whose names begin with `{start}`.");
                quote!(#![doc = #docs])
            } else {
                self.docs(&section, sections)
            };
            let content = (self.write)(&items, &section);
            Piece {
                text: self.print(quote!(#docs #content)),
                section,
                items,
                docs,
                by_name,
            }
        });
        pieces.collect()
    }

    /// Whether there are several groups beside that of what they share, and not about one for each item.
    fn tells_apart(&self, groups: &IndexMap<String, Vec<T>>) -> bool {
        let items: usize = groups.values().map(Vec::len).sum();
        let own = groups.keys().filter(|name| *name != SHARED).count();
        own > 1 && (self.layout.always || own * 2 <= items)
    }

    /// The items by module, sorted by the names of the modules.
    fn group(&self, items: &[T], module: impl Fn(&T) -> String) -> IndexMap<String, Vec<T>> {
        let mut groups: IndexMap<String, Vec<T>> = IndexMap::new();
        for item in items {
            groups.entry(module(item)).or_default().push(item.clone());
        }
        groups.sort_unstable_keys();
        groups
    }

    fn docs(&self, section: &[String], sections: &Sections) -> TokenStream {
        let text = format!(" {} of {}.", self.what, sections.describe(section));
        quote!(#![doc = #text])
    }

    /// The file that lists the modules of a section, or of the whole file.
    fn list_file(
        &self,
        settings: &Settings,
        section: &[String],
        docs: TokenStream,
        rest: &TokenStream,
        pieces: &[Piece<T>],
    ) -> GeneratedFile {
        let names = pieces.iter().filter_map(|piece| piece.section.last());
        let names: Vec<_> = names.map(|name| ident(name)).collect();
        let import = &self.layout.import;
        let text = self.print(quote! {
            #docs
            #(mod #names;)*
            #(#import #names::*;)*
            #rest
        });
        self.file(settings, section, &text)
    }

    fn file(&self, settings: &Settings, section: &[String], text: &str) -> GeneratedFile {
        settings.file(self.part, &format!("{}.rs", self.path(section)), text)
    }

    /// The path of the file of a section, without `.rs`.
    fn path(&self, section: &[String]) -> String {
        let names = section.iter().map(|name| name.trim_start_matches("r#"));
        let names: Vec<&str> = std::iter::once(self.module).chain(names).collect();
        names.join("/")
    }
}

/// The module of a name, by the part in which it differs from others: its first letter, or `n` and its first digit.
fn letter(rest: &str) -> String {
    match rest.chars().next() {
        Some(digit) if digit.is_ascii_digit() => format!("n{digit}"),
        Some(letter) if letter.is_ascii_alphabetic() => letter.to_ascii_lowercase().to_string(),
        _ => "other".to_owned(),
    }
}

/// The length of the text that all names begin with, in bytes.
fn common_start<'n>(names: impl Iterator<Item = &'n str>) -> usize {
    let common = |a: &'n str, b: &'n str| {
        let same = a.char_indices().zip(b.chars());
        let same = same.take_while(|((_, a), b)| a == b);
        let end = same
            .last()
            .map_or(0, |((at, sign), _)| at + sign.len_utf8());
        &a[..end]
    };
    names.reduce(common).map_or(0, str::len)
}
