//! Writes Rust source as rustfmt would leave it: indentation, doc comments, imports, long lines.
//! It knows nothing of what it writes.

mod imports;
mod markdown;

pub(crate) use imports::Imports;
use markdown::wrapped;
pub(crate) use markdown::{escaped, wrapped_docs};

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
        if self.indent * 4 + head.len() + 1 + value.len() < WIDTH {
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
