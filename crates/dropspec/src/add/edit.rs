//! Inserts values into the text of a document, and keeps every other byte.
//!
//! The crate `yamlpatch` does not fit: it refuses objects with brackets over several lines, so every JSON document, and prints
//! those of one line anew.

use anyhow::{Context, bail};
use dropspec_model::{Document, Node, Position};
use serde::Serialize;
use serde_json::ser::{PrettyFormatter, Serializer};
use serde_json::{Map, Value};

use super::layout;
use super::resource::Addition;

/// The text of a document with additions.
///
/// # Errors
/// A place of the text cannot be edited.
pub(super) fn apply(
    text: &str,
    document: &Document,
    additions: &[Addition],
) -> anyhow::Result<String> {
    let editor = Editor {
        text,
        document,
        line_end: if text.contains("\r\n") { "\r\n" } else { "\n" },
        starts: line_starts(text),
    };
    let mut insertions = Vec::new();
    let mut rest = additions;
    while let Some(first) = rest.first() {
        let is_same = |it: &&Addition| it.container == first.container;
        let count = rest.iter().take_while(is_same).count();
        let (together, others) = rest.split_at(count);
        let (offset, text) = editor.insertion(&first.container, together)?;
        // At one offset, what is deeper comes first.
        insertions.push((offset, std::cmp::Reverse(first.container.len()), text));
        rest = others;
    }
    // From the end, so that the offsets before an insertion stay.
    insertions.sort_by_key(|(offset, depth, _)| (*offset, *depth));
    let mut edited = text.to_owned();
    for (offset, _, new) in insertions.into_iter().rev() {
        edited.insert_str(offset, &new.replace('\n', editor.line_end));
    }
    editor.check(additions, &edited)?;
    Ok(edited)
}

struct Editor<'t> {
    text: &'t str,
    document: &'t Document,
    line_end: &'static str,
    /// The offsets of the first bytes of lines.
    starts: Vec<usize>,
}

impl Editor<'_> {
    /// What to insert into one object or array, and where.
    fn insertion(
        &self,
        container: &[String],
        additions: &[Addition],
    ) -> anyhow::Result<(usize, String)> {
        let node = self.node(container)?;
        let offset = self.offset(node.position)?;
        let columns = match (node.as_object(), node.as_array()) {
            (Some(members), _) => members.values().next().map(|it| it.key_position.column),
            (None, Some(items)) => items.first().map(|it| it.position.column - 2),
            (None, None) => bail!(
                "{}: `{}` is {}: write an empty object `{{}}` there first",
                self.document.location(node.position),
                container.join("."),
                node.kind()
            ),
        };
        if self.text[offset..].starts_with(['{', '[']) {
            let is_empty = columns.is_none();
            return Ok(self.inside_brackets(offset, is_empty, additions));
        }
        let depth = columns.context("an empty block")? as usize - 1;
        let members = additions
            .iter()
            .filter_map(|it| Some((it.key.clone()?, it.value.clone())));
        let value = match node.as_object() {
            Some(_) => Value::Object(Map::from_iter(members)),
            None => additions.iter().map(|it| it.value.clone()).collect(),
        };
        let mut text = layout::to_lines(&value, depth, true);
        let line = self.content_end(self.line_after(container, node), depth);
        let offset = self.starts.get(line - 1).copied();
        let offset = offset.unwrap_or(self.text.len());
        if offset > 0 && !self.text[..offset].ends_with('\n') {
            text = format!("\n{}", text.trim_end());
        }
        Ok((offset, text))
    }

    /// Checks that a text means the document with the additions, and nothing else.
    fn check(&self, additions: &[Addition], edited: &str) -> anyhow::Result<()> {
        let mut expected = self.document.root().to_json();
        // From the last one, so that an index stays right.
        for addition in additions.iter().rev() {
            let node = self.node(&addition.container)?;
            let offset = self.offset(node.position)?;
            let items = node.as_array().map_or(0, <[Node]>::len);
            let is_first = self.text[offset..].starts_with('[');
            let index = if is_first { 0 } else { items };
            let mut containers = addition.container.iter();
            let container = containers.try_fold(&mut expected, |at, key| at.get_mut(key));
            match (container, &addition.key) {
                (Some(Value::Object(members)), Some(key)) => {
                    members.insert(key.clone(), addition.value.clone());
                }
                (Some(Value::Array(items)), _) => items.insert(index, addition.value.clone()),
                _ => {}
            }
        }
        let read = Document::parse(self.document.name(), edited);
        if !read.is_ok_and(|read| read.root().to_json() == expected) {
            bail!(
                "it is written in a way that cannot be edited in place, such as with YAML anchors around the place: add the resource by hand"
            );
        }
        Ok(())
    }

    fn node(&self, container: &[String]) -> anyhow::Result<&Node> {
        let mut keys = container.iter();
        let node = keys.try_fold(self.document.root(), |node, key| node.get(key));
        node.with_context(|| format!("the document has no `{}`", container.join(".")))
    }

    /// What to insert behind an opening bracket, as no text has to be searched for the closing one: JSON, which is YAML, too.
    fn inside_brackets(
        &self,
        open: usize,
        is_empty: bool,
        additions: &[Addition],
    ) -> (usize, String) {
        let start = open + 1;
        let inner = &self.text[start..];
        let lead = &inner[..inner.len() - inner.trim_start().len()];
        let layout = if is_empty { self.text.trim_end() } else { lead };
        let is_in_lines = layout.contains('\n');
        let own = line_indent(&self.text[..open]);
        let unit = self.text.lines().skip(1).map(line_indent);
        let unit = unit.filter(|it| !it.is_empty()).min().unwrap_or("  ");
        let depth = match lead.rsplit_once('\n') {
            Some((_, depth)) if !is_empty => depth.to_owned(),
            _ => format!("{own}{unit}"),
        };
        let body = |value: &Value| {
            if is_in_lines {
                pretty(value, unit).replace('\n', &format!("\n{depth}"))
            } else {
                value.to_string()
            }
        };
        let written = additions.iter().map(|it| match &it.key {
            Some(key) => format!("{}: {}", Value::String(key.clone()), body(&it.value)),
            None => body(&it.value),
        });
        let written: Vec<String> = written.collect();
        let text = match (is_in_lines, is_empty) {
            (true, true) => {
                // In YAML, a closing bracket is deeper than its key.
                let text = self.text.trim_start_matches('\u{feff}').trim_start();
                let close = if text.starts_with('{') { own } else { &depth };
                format!("\n{depth}{}\n{close}", written.join(&format!(",\n{depth}")))
            }
            (true, false) => format!("\n{depth}{},", written.join(&format!(",\n{depth}"))),
            (false, true) => written.join(", "),
            (false, false) => format!("{}, ", written.join(", ")),
        };
        (start, text)
    }

    /// The first line behind a container: that of the next key, of its parent or of one further out.
    fn line_after(&self, container: &[String], node: &Node) -> usize {
        let mut after = None;
        let mut outer = self.document.root();
        for key in container {
            let Some(members) = outer.as_object() else {
                break;
            };
            let next = members.get_index_of(key).map(|index| index + 1);
            let next = next.and_then(|index| members.get_index(index));
            after = next.map(|(_, next)| next.key_position.line).or(after);
            outer = &members[key].node;
        }
        after.map_or_else(
            || {
                let is_end = |line: &usize| ["...", "---"].contains(&self.line(*line).trim_end());
                let mut lines = node.position.line as usize + 1..=self.starts.len();
                lines.find(is_end).unwrap_or(self.starts.len() + 1)
            },
            |line| line as usize,
        )
    }

    /// The line behind the last line of content before `line`: blank lines and comments that are less deep than `depth`
    /// belong to what follows.
    fn content_end(&self, mut line: usize, depth: usize) -> usize {
        while line > 1 {
            let before = self.line(line - 1);
            let is_comment = before.trim_start().starts_with('#');
            let is_outside = line_indent(before).len() < depth.max(1);
            if !(before.trim().is_empty() || is_comment && is_outside) {
                break;
            }
            line -= 1;
        }
        line
    }

    /// The text of a line, from 1.
    fn line(&self, line: usize) -> &str {
        let start = self.starts[line - 1];
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    fn offset(&self, position: Position) -> anyhow::Result<usize> {
        let line = self.starts.get(position.line as usize - 1).copied();
        let line = line.context("a position beyond the text")?;
        // The mark of the byte order is no character of the first line.
        let mark = if line == 0 && self.text.starts_with('\u{feff}') {
            1
        } else {
            0
        };
        let mut signs = self.text[line..].char_indices();
        let sign = signs.nth(position.column as usize - 1 + mark);
        Ok(sign.map_or(self.text.len(), |(offset, _)| line + offset))
    }
}

/// The white space that begins the last line of a text.
fn line_indent(text: &str) -> &str {
    let line = text.rsplit('\n').next().unwrap_or(text);
    &line[..line.len() - line.trim_start().len()]
}

/// A JSON value in lines.
fn pretty(value: &Value, unit: &str) -> String {
    let mut bytes = Vec::new();
    let formatter = PrettyFormatter::with_indent(unit.as_bytes());
    let mut serializer = Serializer::with_formatter(&mut bytes, formatter);
    // A value is always written to memory.
    let _ = value.serialize(&mut serializer);
    String::from_utf8_lossy(&bytes).into_owned()
}

fn line_starts(text: &str) -> Vec<usize> {
    let ends = text.match_indices('\n').map(|(offset, _)| offset + 1);
    let starts = std::iter::once(0).chain(ends);
    starts
        .filter(|start| *start < text.len() || text.is_empty())
        .collect()
}

#[cfg(test)]
mod tests;
