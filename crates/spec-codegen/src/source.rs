//! Writes Rust source as rustfmt would leave it: indentation, doc comments, imports, long lines.
//! It knows nothing of what it writes.

use std::collections::{BTreeMap, BTreeSet};

/// The column that no code passes, as rustfmt has it.
pub(crate) const WIDTH: usize = 100;

/// rustfmt's `array_width`: a longer array is broken even where it would fit into the line.
const ARRAY_WIDTH: usize = 60;

/// rustfmt's `short_array_element_width_threshold`: only items up to this length share a line.
const SHORT_ITEM: usize = 10;

/// A file in the making.
#[derive(Debug, Default)]
pub(crate) struct Source {
    text: String,
    indent: usize,
}

impl Source {
    /// One line; an empty one stays without indentation.
    pub(crate) fn line(&mut self, line: impl AsRef<str>) {
        let line = line.as_ref();
        if !line.is_empty() {
            self.text.push_str(&"    ".repeat(self.indent));
            self.text.push_str(line);
        }
        self.text.push('\n');
    }

    pub(crate) fn blank(&mut self) {
        self.text.push('\n');
    }

    /// What `body` writes stands one level deeper.
    pub(crate) fn indented(&mut self, body: impl FnOnce(&mut Source)) {
        self.indent += 1;
        body(self);
        self.indent -= 1;
    }

    /// `head {`, the body, `}`.
    pub(crate) fn block(&mut self, head: &str, body: impl FnOnce(&mut Source)) {
        self.line(format!("{head} {{"));
        self.indented(body);
        self.line("}");
    }

    /// A doc comment, wrapped; prose that rustdoc would misread is escaped.
    pub(crate) fn docs(&mut self, markdown: &str) {
        self.docs_verbatim(&escaped(markdown));
    }

    /// A doc comment, wrapped, whose text others read too.
    pub(crate) fn docs_verbatim(&mut self, markdown: &str) {
        let width = WIDTH - self.indent * 4 - "/// ".len();
        for line in wrapped(markdown, width) {
            if line.is_empty() {
                self.line("///");
            } else {
                self.line(format!("/// {line}"));
            }
        }
    }

    /// `head [items];`: in one line or two, filled lines of short items, or one item to a line, as rustfmt would.
    pub(crate) fn array(&mut self, head: &str, items: &[String]) {
        let one_line = format!("[{}];", items.join(", "));
        let longest = items.iter().map(String::len).max().unwrap_or(0);
        let indent = self.indent * 4;
        if one_line.len() - "[];".len() <= ARRAY_WIDTH {
            if indent + head.len() + 1 + one_line.len() <= WIDTH {
                return self.line(format!("{head} {one_line}"));
            }
            if indent + 4 + one_line.len() <= WIDTH {
                self.line(head);
                return self.indented(|source| source.line(one_line));
            }
        }
        self.line(format!("{head} ["));
        self.indented(|source| {
            let mut line = String::new();
            for item in items {
                let full = longest > SHORT_ITEM
                    || source.indent * 4 + line.len() + 1 + item.len() + 1 > WIDTH;
                if !line.is_empty() && full {
                    source.line(std::mem::take(&mut line));
                }
                if !line.is_empty() {
                    line.push(' ');
                }
                line.push_str(item);
                line.push(',');
            }
            source.line(line);
        });
        self.line("];");
    }

    /// `head value,` of a `match`, in a block if it is too long.
    pub(crate) fn arm(&mut self, head: &str, value: &str) {
        if self.indent * 4 + head.len() + 1 + value.len() + 1 <= WIDTH {
            self.line(format!("{head} {value},"));
        } else {
            self.block(head, |source| source.line(value));
        }
    }

    pub(crate) fn indentation(&self) -> usize {
        self.indent * 4
    }

    pub(crate) fn into_text(self) -> String {
        self.text
    }
}

/// The imports of a file: only what was asked for, sorted as rustfmt sorts.
#[derive(Debug, Default)]
pub(crate) struct Imports(BTreeMap<&'static str, BTreeSet<String>>);

impl Imports {
    pub(crate) fn add(&mut self, module: &'static str, item: impl Into<String>) {
        self.0.entry(module).or_default().insert(item.into());
    }

    /// The `use` lines: the standard library, other crates, this crate.
    pub(crate) fn write(&self, source: &mut Source) {
        let group = |module: &str| match module.split("::").next() {
            Some("std") => 0,
            Some("crate") => 2,
            _ => 1,
        };
        for wanted in 0..3 {
            let modules = self.0.iter().filter(|(module, _)| group(module) == wanted);
            let mut any = false;
            for (module, items) in modules {
                write_use(source, module, items);
                any = true;
            }
            if any {
                source.blank();
            }
        }
    }
}

fn write_use(source: &mut Source, module: &str, items: &BTreeSet<String>) {
    if items.len() == 1 {
        for item in items {
            match item.as_str() {
                "self" => source.line(format!("use {module};")),
                item => source.line(format!("use {module}::{item};")),
            }
        }
        return;
    }
    let items: Vec<&str> = items.iter().map(String::as_str).collect();
    let one_line = format!("use {module}::{{{}}};", items.join(", "));
    // rustfmt leaves room for the semicolon and a comma here.
    if one_line.len() <= WIDTH - 2 {
        source.line(one_line);
        return;
    }
    source.line(format!("use {module}::{{"));
    source.indented(|source| {
        let mut line = String::new();
        let last = items.len() - 1;
        for (index, item) in items.into_iter().enumerate() {
            let room = if index == last { WIDTH } else { WIDTH - 1 };
            if !line.is_empty() && 4 + line.len() + 1 + item.len() + 1 > room {
                source.line(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(item);
            line.push(',');
        }
        source.line(line);
    });
    source.line("};");
}

/// A number, its digits grouped as people group them: `100_000`, or `100,000` in prose.
pub(crate) fn grouped(number: u64, separator: char) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.char_indices() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(separator);
        }
        text.push(digit);
    }
    text
}

/// A string as a Rust literal.
pub(crate) fn literal(text: &str) -> String {
    format!("{text:?}")
}

/// Markdown whose prose rustdoc takes literally: no links that lead nowhere, no HTML, no bare URLs.
pub(crate) fn escaped(markdown: &str) -> String {
    let mut result = String::new();
    let mut fenced = false;
    for line in markdown.lines() {
        if line.trim_start().starts_with("```") {
            // Without a language rustdoc would take the block for Rust and test it.
            if !fenced && line.trim() == "```" {
                result.push_str(&line.replace("```", "```text"));
            } else {
                result.push_str(line);
            }
            fenced = !fenced;
        } else if fenced {
            result.push_str(line);
        } else {
            escape_line(line, &mut result);
        }
        result.push('\n');
    }
    if fenced {
        result.push_str("```\n");
    }
    result
}

fn escape_line(line: &str, result: &mut String) {
    let mut rest = line;
    let mut in_code = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '`' => {
                // A lone backtick opens no code.
                if !in_code && !after.contains('`') {
                    result.push('\\');
                } else {
                    in_code = !in_code;
                }
                result.push(c);
            }
            _ if in_code => result.push(c),
            'h' if rest.starts_with("http://") || rest.starts_with("https://") => {
                let bare = !result.ends_with(['<', '(', '"']);
                let end = rest
                    .find(|c: char| c.is_whitespace() || matches!(c, '<' | '>' | ')' | '"' | '`'))
                    .unwrap_or(rest.len());
                let url = rest[..end].trim_end_matches(['.', ',', ';', ':']);
                if bare {
                    result.push_str(&format!("<{url}>"));
                } else {
                    result.push_str(url);
                }
                rest = &rest[url.len()..];
                continue;
            }
            '[' if !is_inline_link(rest) => result.push_str("\\["),
            '<' if !(after.starts_with("http://") || after.starts_with("https://")) => {
                result.push_str("\\<");
            }
            c if c.is_control() && c != '\t' => result.push(' '),
            c => result.push(c),
        }
        rest = after;
    }
}

/// Whether `[text](http…)` stands at the start.
fn is_inline_link(rest: &str) -> bool {
    rest.find(']')
        .is_some_and(|end| rest[end + 1..].starts_with("(http"))
}

/// The lines of a doc comment whose Markdown is already escaped, for a place that is `indent` columns in.
pub(crate) fn wrapped_docs(markdown: &str, indent: usize) -> Vec<String> {
    let lines = wrapped(markdown, WIDTH - indent - "/// ".len());
    lines
        .iter()
        .map(|line| format!("/// {line}").trim_end().to_owned())
        .collect()
}

/// Paragraphs filled to `width`; lists, tables, headings and code keep their lines.
fn wrapped(markdown: &str, width: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    let mut open = false;
    let mut fenced = false;
    for line in markdown.lines().map(str::trim_end) {
        let trimmed = line.trim_start();
        let fence = trimmed.starts_with("```");
        if fence || fenced {
            lines.push(line.to_owned());
            fenced ^= fence;
            open = false;
        } else if trimmed.is_empty() {
            if lines.last().is_some_and(|last| !last.is_empty()) {
                lines.push(String::new());
            }
            open = false;
        } else if trimmed.starts_with(['#', '|']) || line.starts_with("    ") {
            lines.push(trimmed.to_owned());
            open = false;
        } else {
            let item = list_marker(trimmed);
            let mut words = trimmed.split_whitespace();
            if item.is_some() || !open {
                lines.push(words.next().unwrap_or_default().to_owned());
            }
            open = true;
            for word in words {
                push_word(&mut lines, word, width);
            }
        }
    }
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}

fn push_word(lines: &mut Vec<String>, word: &str, width: usize) {
    let Some(last) = lines.last_mut() else {
        return lines.push(word.to_owned());
    };
    // A line that ended in a hyphen would be joined to the next without a space, one that began with a marker would
    // be taken for a list.
    let breaks = last.chars().count() + 1 + word.chars().count() > width
        && !last.ends_with('-')
        && list_marker(&format!("{word} x")).is_none()
        && !word.starts_with(['#', '|']);
    if breaks {
        let indent = list_marker(last.trim_start()).map_or_else(
            || " ".repeat(last.len() - last.trim_start().len()),
            |n| " ".repeat(n),
        );
        lines.push(format!("{indent}{word}"));
    } else {
        last.push(' ');
        last.push_str(word);
    }
}

/// The width of `- `, `* `, `1. ` at the start.
fn list_marker(line: &str) -> Option<usize> {
    if line.starts_with("- ") || line.starts_with("* ") || line.starts_with("+ ") {
        return Some(2);
    }
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let rest = &line[digits..];
    (digits > 0 && (rest.starts_with(". ") || rest.starts_with(") "))).then_some(digits + 2)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prose_is_filled_and_lists_keep_their_lines() {
        let text = "One two three four.\nFive six.\n\n- a list\n- of two items that are long\n";
        assert_eq!(
            wrapped(text, 20),
            [
                "One two three four.",
                "Five six.",
                "",
                "- a list",
                "- of two items that",
                "  are long"
            ]
        );
    }

    #[test]
    fn rustdoc_finds_neither_links_nor_html_in_prose() {
        let mut escaped = String::new();
        escape_line(
            "see [1], <T>, `[0]<T>`, https://a.b/c. [x](https://y)",
            &mut escaped,
        );
        assert_eq!(
            escaped,
            "see \\[1], \\<T>, `[0]<T>`, <https://a.b/c>. [x](https://y)"
        );
    }

    #[test]
    fn imports_are_grouped_sorted_and_only_those_used() {
        let mut imports = Imports::default();
        imports.add("crate::types", "Pet");
        imports.add("dropshot", "Query");
        imports.add("dropshot", "Path");
        imports.add("std::fmt", "self");
        let mut source = Source::default();
        imports.write(&mut source);
        assert_eq!(
            source.into_text(),
            "use std::fmt;\n\nuse dropshot::{Path, Query};\n\nuse crate::types::Pet;\n\n"
        );
    }
}
