//! Builds the tree from the events of a YAML 1.2 parser. YAML that has no JSON equivalent is an error: merge keys,
//! keys that are not scalars, custom tags, several documents in a file.

mod explanation;
mod scalar;

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, StrInput, Tag};

use crate::diagnostic::Diagnostic;
use crate::node::{MAX_DEPTH, Node, Object, Position, Value};
use crate::tree::{Fatal, Tree};

/// The maximal number of values that all aliases repeat together. Otherwise a few nested anchors could fill the memory.
const MAX_ALIASED_VALUES: usize = 100_000;

/// Parses a YAML document. Returns the first syntax error, and all unsupported YAML before it.
pub(crate) fn parse(name: &Arc<str>, text: &str, file: u32) -> Result<Node, Vec<Diagnostic>> {
    let mut builder = Builder {
        text,
        file,
        tree: Tree::new(name),
        open: Vec::new(),
        anchors: HashMap::new(),
        aliased: 0,
    };
    let result = builder.add_events(Parser::new_from_str(text));
    builder.tree.finish(result)
}

struct Builder<'t> {
    text: &'t str,
    file: u32,
    tree: Tree<'t>,
    /// The anchors of the open sequences and mappings. Anchors count from 1; 0 is none.
    open: Vec<usize>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
}

impl<'t> Builder<'t> {
    fn add_events(&mut self, mut events: Parser<'t, StrInput<'t>>) -> Result<(), Fatal> {
        while let Some(event) = events.next_event() {
            let (event, place) = event.map_err(|error| {
                let at = self.position(error.marker());
                let open = self.tree.innermost();
                let it = explanation::explain(self.text, error.info(), at, open);
                self.tree.error(it.at, it.message, it.help)
            })?;
            let at = self.position(&place.start);
            match event {
                Event::Scalar(text, style, ..) if self.tree.expects_key() => {
                    self.set_key(&text, style, at);
                }
                Event::Scalar(text, style, anchor, tag) => {
                    let value = scalar::parse_scalar(&text, style, tag.as_deref());
                    let value = value.unwrap_or_else(|(message, help)| {
                        self.tree.report(at, message, &help);
                        Value::Null
                    });
                    let position = at;
                    self.add_value(Node { position, value }, anchor);
                }
                Event::Alias(anchor) => self.add_alias(anchor, at)?,
                Event::SequenceStart(anchor, tag) => {
                    self.check_collection_tag(tag.as_deref(), "seq", at);
                    self.open(anchor, Value::Array(Vec::new()), at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.check_collection_tag(tag.as_deref(), "map", at);
                    self.open(anchor, Value::Object(Object::new()), at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => {
                    if let (Some(node), Some(anchor)) = (self.tree.close(), self.open.pop()) {
                        self.add_value(node, anchor);
                    }
                }
                Event::DocumentStart(_) if self.tree.has_root() => {
                    let message = "a second document begins: only one per file is supported";
                    let help =
                        "remove the line `---`, or move the second document into a file of its own";
                    return Err(self.tree.error(at, message, help));
                }
                Event::StreamEnd if self.tree.is_empty() => {
                    let help = "write the document into it, or name another file";
                    return Err(self.tree.error(at, "the document is empty", help));
                }
                Event::DocumentStart(_)
                | Event::DocumentEnd
                | Event::StreamStart
                | Event::StreamEnd
                | Event::Nothing => {}
            }
        }
        Ok(())
    }

    /// Sets the key of the next member. Keys are strings as written, also `200`, `on` and `null`.
    fn set_key(&mut self, text: &str, style: ScalarStyle, at: Position) {
        if style == ScalarStyle::Plain && text == "<<" {
            let help = "write the members, or share them by a `$ref`";
            self.tree.report(at, "merge keys (`<<`) are YAML 1.1", help);
        } else if style == ScalarStyle::Plain && text.is_empty() {
            self.tree.report(at, "the key is missing", "");
        }
        self.tree.set_key(text.to_owned(), at);
    }

    fn add_alias(&mut self, anchor: usize, at: Position) -> Result<(), Fatal> {
        self.reject_as_key("an alias", at)?;
        let Some(node) = self.anchors.get(&anchor) else {
            let message = "the alias is inside the value that it repeats";
            return Err(self.tree.error(at, message, ""));
        };
        let (height, size) = node.height_and_size();
        self.aliased += size;
        if self.aliased > MAX_ALIASED_VALUES {
            let message = format!("the aliases repeat more than {MAX_ALIASED_VALUES} values");
            return Err(self.tree.error(at, message, ""));
        }
        if self.open.len() + height > MAX_DEPTH {
            return Err(self.tree.nesting_error(at));
        }
        self.tree.add(node.clone());
        Ok(())
    }

    fn open(&mut self, anchor: usize, empty: Value, at: Position) -> Result<(), Fatal> {
        self.reject_as_key("an array or object", at)?;
        self.open.push(anchor);
        self.tree.open(empty, at)
    }

    fn add_value(&mut self, node: Node, anchor: usize) {
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        self.tree.add(node);
    }

    fn reject_as_key(&self, what: &str, at: Position) -> Result<(), Fatal> {
        if self.tree.expects_key() {
            let message = format!("{what} cannot be a key");
            let help = "write a string; a template such as {name} needs quotes";
            return Err(self.tree.error(at, message, help));
        }
        Ok(())
    }

    fn check_collection_tag(&mut self, tag: Option<&Tag>, expected: &str, at: Position) {
        if let Some(tag) = tag
            && !(tag.is_yaml_core_schema() && tag.suffix == expected)
        {
            let (message, help) = scalar::unsupported_tag(tag);
            self.tree.report(at, message, &help);
        }
    }

    /// A position of the parser, which counts columns from 0.
    fn position(&self, marker: &Marker) -> Position {
        let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
        Position {
            file: self.file,
            line: count(marker.line()).max(1),
            column: count(marker.col()).saturating_add(1),
        }
    }
}
