//! Inserts values into the text of a document, and keeps every other byte.

mod flow;

use anyhow::{Context, bail};
use indexmap::IndexMap;
use serde_json::{Map, Value};
use spec_model::{Document, Node, Position};

use super::resource::Addition;
use super::style::Style;
use super::yaml;

/// A text to insert before a byte.
struct Insertion {
    offset: usize,
    text: String,
}

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
        style: Style::of(text),
        starts: line_starts(text),
    };
    let mut insertions = Vec::new();
    let mut by_container: IndexMap<Vec<String>, Vec<Addition>> = IndexMap::new();
    for addition in nest(document.root(), additions) {
        let (Addition::Member { container, .. } | Addition::Item { container, .. }) = &addition;
        by_container
            .entry(container.clone())
            .or_default()
            .push(addition);
    }
    for (container, additions) in by_container {
        insertions.extend(editor.insertions(&container, &additions)?);
    }
    // Insertions at one place keep their order.
    insertions.sort_by_key(|it| it.offset);
    let mut edited = String::with_capacity(text.len() + 4_096);
    let mut from = 0;
    for Insertion { offset, text: new } in insertions {
        edited.push_str(&text[from..offset]);
        let is_after_line = edited.is_empty() || edited.ends_with('\n');
        let needs_line_end = offset == text.len() && !is_after_line && !editor.is_flow_document();
        if needs_line_end {
            edited.push_str(editor.style.line_end);
        }
        edited.push_str(&new);
        from = offset;
    }
    edited.push_str(&text[from..]);
    Ok(edited)
}

/// The values of a document with additions.
pub(super) fn apply_to_values(document: &Value, additions: &[Addition]) -> Value {
    let mut document = document.clone();
    for addition in additions {
        let (Addition::Member { container, .. } | Addition::Item { container, .. }) = addition;
        let mut at = &mut document;
        for token in container {
            if at.get(token).is_none() {
                at[token.as_str()] = Value::Object(Map::new());
            }
            at = &mut at[token.as_str()];
        }
        match addition {
            Addition::Member { key, value, .. } => at[key.as_str()] = value.clone(),
            Addition::Item { value, .. } => {
                if let Some(items) = at.as_array_mut() {
                    items.push(value.clone());
                }
            }
        }
    }
    document
}

/// Puts additions whose containers are not there into new containers.
fn nest(root: &Node, additions: &[Addition]) -> Vec<Addition> {
    let mut nested: Vec<Addition> = Vec::new();
    for addition in additions {
        let Addition::Member {
            container,
            key,
            value,
            ..
        } = addition
        else {
            nested.push(addition.clone());
            continue;
        };
        let is_there = |length: usize| {
            let mut at = Some(root);
            for token in &container[..length] {
                at = at.and_then(|it| it.get(token));
            }
            at.is_some()
        };
        let there = (0..=container.len())
            .rev()
            .find(|length| is_there(*length))
            .unwrap_or(0);
        if there == container.len() {
            nested.push(addition.clone());
            continue;
        }
        let (outer, missing) = container.split_at(there);
        let same = nested.iter_mut().find_map(|it| match it {
            Addition::Member {
                container,
                key,
                value,
                ..
            } if container == outer && *key == missing[0] => Some(value),
            _ => None,
        });
        let into = match same {
            Some(value) => value,
            None => {
                nested.push(Addition::Member {
                    container: outer.to_vec(),
                    after: None,
                    key: missing[0].clone(),
                    value: Value::Object(Map::new()),
                });
                let Some(Addition::Member { value, .. }) = nested.last_mut() else {
                    continue;
                };
                value
            }
        };
        let mut at = into;
        for token in &missing[1..] {
            if at.get(token).is_none() {
                at[token.as_str()] = Value::Object(Map::new());
            }
            at = &mut at[token.as_str()];
        }
        at[key.as_str()] = value.clone();
    }
    nested
}

struct Editor<'t> {
    text: &'t str,
    document: &'t Document,
    style: Style,
    /// The offsets of the first bytes of lines.
    starts: Vec<usize>,
}

impl Editor<'_> {
    /// The insertions into one object or array.
    fn insertions(
        &self,
        container: &[String],
        additions: &[Addition],
    ) -> anyhow::Result<Vec<Insertion>> {
        let mut node = self.document.root();
        for token in container {
            node = node
                .get(token)
                .with_context(|| format!("the document has no `{token}`"))?;
        }
        let name = || {
            if container.is_empty() {
                "the document".to_owned()
            } else {
                format!("`{}`", container.join("."))
            }
        };
        let is_array = matches!(additions, [Addition::Item { .. }, ..]);
        if is_array != node.as_array().is_some() || !is_array && node.as_object().is_none() {
            let location = self.document.location(node.position);
            bail!(
                "{location}: {} is {}: write an empty object `{{}}` there first",
                name(),
                node.kind()
            );
        }
        let offset = self.offset(node.position)?;
        if self.text[offset..].starts_with(['{', '[']) {
            let (offset, text) = flow::insertion(self.text, offset, &self.style, additions)?;
            return Ok(vec![Insertion { offset, text }]);
        }
        let insertions = additions.iter().map(|addition| match addition {
            Addition::Member {
                after, key, value, ..
            } => self.block_member(container, node, after.as_deref(), key, value),
            Addition::Item { value, .. } => self.block_item(container, node, value),
        });
        insertions.collect()
    }

    fn is_flow_document(&self) -> bool {
        self.text
            .trim_start_matches('\u{feff}')
            .trim_start()
            .starts_with('{')
    }

    /// Inserts a member of a mapping whose members are lines.
    fn block_member(
        &self,
        container: &[String],
        node: &Node,
        after: Option<&str>,
        key: &str,
        value: &Value,
    ) -> anyhow::Result<Insertion> {
        let members = node.as_object().context("no members")?;
        let depth = members
            .values()
            .next()
            .map_or(0, |it| it.key_position.column as usize - 1);
        let after = after.and_then(|name| members.get_index_of(name));
        let next = after.and_then(|index| members.get_index(index + 1));
        let line = match next {
            Some((_, next)) => self.content_end(next.key_position.line as usize, depth + 1),
            None => self.content_end(self.end_of(container), depth),
        };
        let keys = members
            .values()
            .skip(1)
            .map(|it| it.key_position.line as usize);
        let separated = keys
            .clone()
            .filter(|line| self.has_blank_before(*line))
            .count();
        let is_separated = separated * 2 > keys.count();
        let written = yaml::member(&self.style, depth, key, value);
        Ok(self.lines_at(line, &written, is_separated))
    }

    /// Inserts an item of a sequence whose items are lines.
    fn block_item(
        &self,
        container: &[String],
        node: &Node,
        value: &Value,
    ) -> anyhow::Result<Insertion> {
        let items = node.as_array().context("no items")?;
        let last = items.last().context("no item")?;
        let line = self.line(last.position.line as usize);
        let before: String = line
            .chars()
            .take(last.position.column as usize - 1)
            .collect();
        let depth = before
            .rfind('-')
            .context("the item has no dash in its line")?;
        let line = self.content_end(self.end_of(container), depth);
        let written = yaml::item(&self.style, depth, value);
        Ok(self.lines_at(line, &written, false))
    }

    /// Lines that begin at a line, from 1.
    fn lines_at(&self, line: usize, written: &str, is_separated: bool) -> Insertion {
        let end = self.style.line_end;
        let before = if is_separated { end } else { "" };
        let offset = self
            .starts
            .get(line - 1)
            .copied()
            .unwrap_or(self.text.len());
        Insertion {
            offset,
            text: format!("{before}{written}{end}"),
        }
    }

    /// The first line behind a container: that of the next key, of its parent or of one further out.
    fn end_of(&self, container: &[String]) -> usize {
        let mut ends = Vec::new();
        let mut node = self.document.root();
        for token in container {
            let Some(members) = node.as_object() else {
                break;
            };
            let Some(index) = members.get_index_of(token) else {
                break;
            };
            if let Some((_, next)) = members.get_index(index + 1) {
                ends.push(next.key_position.line as usize);
            }
            node = &members[index].node;
        }
        let document_end = || {
            let is_end = |line: &str| line.starts_with("...") || line.starts_with("---");
            let from = node.position.line as usize;
            let mut lines = (from + 1..=self.starts.len()).filter(|line| is_end(self.line(*line)));
            lines.next().unwrap_or(self.starts.len() + 1)
        };
        ends.last().copied().unwrap_or_else(document_end)
    }

    /// The line behind the last line of content before `line`: blank lines and comments that are less deep than `depth`
    /// belong to what follows.
    fn content_end(&self, mut line: usize, depth: usize) -> usize {
        while line > 1 {
            let before = self.line(line - 1);
            let is_comment = before.trim_start().starts_with('#');
            let is_outside = before.len() - before.trim_start().len() < depth;
            if !(before.trim().is_empty() || is_comment && is_outside) {
                break;
            }
            line -= 1;
        }
        line
    }

    /// Whether there is a blank line before a line and its comments.
    fn has_blank_before(&self, mut line: usize) -> bool {
        while line > 1 && self.line(line - 1).trim_start().starts_with('#') {
            line -= 1;
        }
        line > 1 && self.line(line - 1).trim().is_empty()
    }

    /// The text of a line, from 1.
    fn line(&self, line: usize) -> &str {
        let start = self
            .starts
            .get(line - 1)
            .copied()
            .unwrap_or(self.text.len());
        let end = self.starts.get(line).copied().unwrap_or(self.text.len());
        self.text[start..end].trim_end_matches(['\n', '\r'])
    }

    fn offset(&self, position: Position) -> anyhow::Result<usize> {
        let line = position.line as usize;
        let start = *self
            .starts
            .get(line - 1)
            .context("a position beyond the text")?;
        // The mark of the byte order is no character of the first line.
        let mark = if line == 1 && self.text.starts_with('\u{feff}') {
            1
        } else {
            0
        };
        let mut signs = self.text[start..].char_indices();
        let sign = signs.nth(position.column as usize - 1 + mark);
        Ok(start + sign.map_or(0, |(offset, _)| offset))
    }
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
