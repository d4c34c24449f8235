//! Splits a generated file that would be too long into modules by tag, which the file re-exports. What many tags use is
//! split by the first letter of its name.

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
    text: String,
    /// Whether it cannot be divided further.
    is_last: bool,
}

impl<T: Clone> Items<'_, T> {
    /// The file with these items, and if it is too long the files of its modules.
    pub(crate) fn into_files(self, settings: &Settings, sections: &Sections) -> Vec<GeneratedFile> {
        let mut files = Vec::new();
        let pieces = self.pieces(&self.items, &[], sections);
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
            let smaller = match is_long && !piece.is_last {
                true => self.pieces(&piece.items, section, sections),
                false => Vec::new(),
            };
            if !smaller.is_empty() {
                let docs = self.docs(section, sections);
                let rest = TokenStream::new();
                files.push(self.list_file(settings, section, docs, &rest, &smaller));
                self.add_pieces(settings, sections, smaller, files);
            } else {
                files.push(self.file(settings, section, &piece.text));
            }
        }
    }

    /// Divides the items of a section by the next level that tells them apart, or else by their names; nothing if there is
    /// no way.
    fn pieces(&self, items: &[T], within: &[String], sections: &Sections) -> Vec<Piece<T>> {
        let is_shared = within.last().is_some_and(|last| last == SHARED);
        let mut levels = (within.len()..self.layout.levels).filter(|_| !is_shared);
        let by_section = levels.find_map(|level| {
            let groups = self.group(items, |item| {
                let module = (self.section)(item).into_iter().nth(level);
                module.unwrap_or_else(|| SHARED.to_owned())
            });
            self.tells_apart(&groups).then_some(groups)
        });
        let is_last = by_section.is_none();
        let groups = match by_section {
            Some(groups) => groups,
            None if self.layout.by_name => self.group(items, |item| letter((self.name)(item))),
            None => IndexMap::new(),
        };
        if groups.len() < 2 {
            return Vec::new();
        }
        let pieces = groups.into_iter().map(|(name, items)| {
            let section = [within, std::slice::from_ref(&name)].concat();
            let docs = match is_last {
                true => {
                    let (what, letter) = (self.what, name.to_uppercase());
                    let docs = format!(" {what} whose names begin with `{letter}`.");
                    quote!(#![doc = #docs])
                }
                false => self.docs(&section, sections),
            };
            let content = (self.write)(&items, &section);
            Piece {
                text: self.print(quote!(#docs #content)),
                section,
                items,
                is_last,
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

/// The module of a name: its first letter.
fn letter(name: &str) -> String {
    let letter = name.chars().find(char::is_ascii_alphabetic);
    letter.unwrap_or('x').to_ascii_lowercase().to_string()
}
