//! The layout of generated text: adds blank lines, and writes lists in braces. rustfmt does all else.

use std::collections::VecDeque;

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::imports::import_group;

/// The entries of an attribute or macro call in braces.
pub(crate) struct BracedList {
    pub(crate) tokens: TokenStream,
    pub(crate) separator: char,
}

/// Lays out the text of a file. The braces of `lists` are empty in it.
pub(crate) fn lay_out(text: &str, lists: Vec<BracedList>) -> String {
    let mut lists = VecDeque::from(lists);
    let mut lines = Vec::new();
    for line in separate(text) {
        let start = line.strip_suffix("{}").or(line.strip_suffix("{}]"));
        let is_list = start.is_some_and(|start| {
            start.trim_end().ends_with('!') || line.trim_start().starts_with("#[")
        });
        match (start, is_list.then(|| lists.pop_front()).flatten()) {
            (Some(start), Some(list)) => {
                lines.push(format!("{} {{", start.trim_end()));
                let indent = indent_of(line);
                write_list(list.tokens, list.separator, indent / 4 + 1, &mut lines);
                let end = line.trim_end_matches(']').len();
                lines.push(format!("{}}}{}", " ".repeat(indent), &line[end..]));
            }
            _ => lines.push(line.to_owned()),
        }
    }
    lines.join("\n") + "\n"
}

/// Adds the entries of a macro call or attribute, one on each line. Entries that end with a list in braces continue below.
fn write_list(tokens: TokenStream, separator: char, depth: usize, lines: &mut Vec<String>) {
    let is_sign = |token: &TokenTree, wanted: char| matches!(token, TokenTree::Punct(sign) if sign.as_char() == wanted);
    let indent = "    ".repeat(depth);
    let tokens: Vec<TokenTree> = tokens.into_iter().collect();
    let entries = tokens.split(|token| is_sign(token, separator));
    for entry in entries.filter(|entry| !entry.is_empty()) {
        match entry {
            [head @ .., TokenTree::Group(group)]
                if group.delimiter() == Delimiter::Brace && !group.stream().is_empty() =>
            {
                let head = TokenStream::from_iter(head.to_vec());
                lines.push(format!("{indent}{head} {{"));
                write_list(group.stream(), separator, depth + 1, lines);
                lines.push(format!("{indent}}}{separator}"));
            }
            entry => {
                let parts = entry.split(|token| is_sign(token, ','));
                let parts = parts.map(|part| TokenStream::from_iter(part.to_vec()).to_string());
                let parts: Vec<String> = parts.collect();
                lines.push(format!("{indent}{}{separator}", parts.join(", ")));
            }
        }
    }
}

/// What a line is for the blank lines around it.
#[derive(Clone, Copy, PartialEq)]
enum Kind {
    /// A comment or attribute of the file.
    Inner,
    /// A comment or attribute of what follows.
    Head,
    Code,
}

impl Kind {
    fn of(line: &str) -> Kind {
        let is_any = |starts: [&str; 2]| starts.iter().any(|it| line.trim_start().starts_with(it));
        match () {
            () if is_any(["//!", "#!["]) => Kind::Inner,
            () if is_any(["///", "#["]) => Kind::Head,
            () => Kind::Code,
        }
    }
}

/// The lines of a file, with blank lines between its items, between methods, and between fields or variants of which one has
/// several lines of comments or attributes.
fn separate(text: &str) -> Vec<&str> {
    let lines: Vec<&str> = text.lines().collect();
    let is_spaced = find_spaced(&lines);
    let mut separated = Vec::new();
    let mut item = "";
    for (index, line) in lines.iter().copied().enumerate() {
        let indent = indent_of(line);
        let before = index.checked_sub(1).map(|before| lines[before]);
        let before = before.map(|before| (Kind::of(before), before));
        let is_head = Kind::of(line) == Kind::Head;
        let is_end = line[indent..].starts_with(['}', ')', ']']);
        let is_blank = match before {
            None | Some((Kind::Head, _)) => false,
            Some((Kind::Inner, _)) => Kind::of(line) != Kind::Inner,
            Some((_, before)) if indent_of(before) != indent || is_end => false,
            Some(_) if indent == 0 => !belong_together(item, line),
            Some((_, before)) if before.ends_with(',') => is_head && is_spaced[index],
            Some((_, before)) if before.ends_with(['}', ';']) => {
                let mut members = MEMBERS.iter();
                is_head || members.any(|start| line[indent..].starts_with(start))
            }
            Some(_) => false,
        };
        if is_blank {
            separated.push("");
        }
        if indent == 0 && !is_end {
            item = line;
        }
        separated.push(line);
    }
    separated
}

/// What a method or constant without a comment begins with.
const MEMBERS: [&str; 7] = [
    "async fn ",
    "const ",
    "fn ",
    "impl",
    "pub ",
    "pub(",
    "type ",
];

/// For each line, whether a member of the block around it has several lines of comments or attributes.
fn find_spaced(lines: &[&str]) -> Vec<bool> {
    let mut is_spaced: Vec<bool> = Vec::new();
    // The blocks around a line, each with its indent and its index.
    let mut around: Vec<(usize, usize)> = Vec::new();
    let mut block_of = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let indent = indent_of(line);
        around.retain(|(outer, _)| *outer <= indent);
        if around.last().is_none_or(|(outer, _)| *outer < indent) {
            around.push((indent, is_spaced.len()));
            is_spaced.push(false);
        }
        let block = around.last().map_or(0, |(_, block)| *block);
        let mut first = lines[index..].iter().take(2);
        is_spaced[block] |= first.all(|line| Kind::of(line) == Kind::Head);
        block_of.push(block);
    }
    block_of.into_iter().map(|block| is_spaced[block]).collect()
}

/// Whether no blank line separates two items: both are imports of the same group, or modules in files of their own.
fn belong_together(previous: &str, next: &str) -> bool {
    let group = |line: &str| {
        let line = line.strip_prefix("pub(crate) ").unwrap_or(line);
        let path = line.trim_start_matches("pub ").strip_prefix("use ")?;
        let root = path.split([':', ';']).next()?;
        Some(import_group(root))
    };
    let is_file = |line: &str| line.starts_with("mod ") && line.ends_with(';');
    let is_import = group(previous).is_some() && group(previous) == group(next);
    is_import || (is_file(previous) && is_file(next))
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start().len()
}
