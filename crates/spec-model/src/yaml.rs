//! Builds the tree from the events of a YAML 1.2 parser. YAML that has no JSON equivalent is an error: merge keys,
//! keys that are not scalars, custom tags, several documents in a file.

mod explanation;
mod scalar;

use std::collections::HashMap;
use std::sync::Arc;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, Tag};
use spec_schema::pointer;

use crate::diagnostic::{DUPLICATE_KEY_HELP, Diagnostic, Location, duplicate_key_message};
use crate::node::{MAX_DEPTH, Member, Node, Object, Position, Value};

/// The maximal number of values that all aliases repeat together. Otherwise a few nested anchors could fill the memory.
const MAX_ALIASED_VALUES: usize = 100_000;

/// Parses a YAML document. Returns the first syntax error, and all unsupported YAML before it.
pub(crate) fn parse(file: &Arc<str>, text: &str) -> Result<Node, Vec<Diagnostic>> {
    let mut builder = Builder {
        file,
        text,
        open: Vec::new(),
        root: None,
        anchors: HashMap::new(),
        aliased: 0,
        diagnostics: Vec::new(),
    };
    if let Err(fatal) = builder.add_events(Parser::new_from_str(text)) {
        builder.diagnostics.push(*fatal);
    }
    match builder.root {
        Some(root) if builder.diagnostics.is_empty() => Ok(root),
        _ => Err(builder.diagnostics),
    }
}

type Fatal = Box<Diagnostic>;

struct Builder<'t> {
    file: &'t Arc<str>,
    text: &'t str,
    open: Vec<Collection>,
    root: Option<Node>,
    anchors: HashMap<usize, Node>,
    aliased: usize,
    diagnostics: Vec<Diagnostic>,
}

/// A sequence or mapping whose end event has not come yet.
struct Collection {
    position: Position,
    anchor: usize,
    content: Content,
}

enum Content {
    Sequence(Vec<Node>),
    Mapping {
        members: Object,
        key: Option<(String, Position)>,
    },
}

impl<'t> Builder<'t> {
    fn add_events(
        &mut self,
        mut events: Parser<'t, saphyr_parser::StrInput<'t>>,
    ) -> Result<(), Fatal> {
        while let Some(event) = events.next_event() {
            let (event, place) = event.map_err(|error| {
                let at = convert_position(error.marker());
                Box::new(self.syntax_error(error.info(), at))
            })?;
            let at = convert_position(&place.start);
            match event {
                Event::Scalar(text, style, anchor, tag) => {
                    self.add_scalar(&text, style, anchor, tag.as_deref(), at)?;
                }
                Event::Alias(anchor) => self.add_alias(anchor, at)?,
                Event::SequenceStart(anchor, tag) => {
                    self.check_collection_tag(tag.as_deref(), "seq", at);
                    self.open_collection(anchor, Content::Sequence(Vec::new()), at)?;
                }
                Event::MappingStart(anchor, tag) => {
                    self.check_collection_tag(tag.as_deref(), "map", at);
                    let members = Object::new();
                    self.open_collection(anchor, Content::Mapping { members, key: None }, at)?;
                }
                Event::SequenceEnd | Event::MappingEnd => self.close_collection()?,
                Event::DocumentStart(_) if self.root.is_some() => {
                    let message = "a second document begins: only one per file is supported";
                    let help =
                        "remove the line `---`, or move the second document into a file of its own";
                    return Err(Box::new(self.error(at, message).with_help(help)));
                }
                Event::StreamEnd if self.root.is_none() && self.diagnostics.is_empty() => {
                    let help = "write the document into it, or name another file";
                    let error = self.error(at, "the document is empty");
                    return Err(Box::new(error.with_help(help)));
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

    fn add_scalar(
        &mut self,
        text: &str,
        style: ScalarStyle,
        anchor: usize,
        tag: Option<&Tag>,
        at: Position,
    ) -> Result<(), Fatal> {
        if self.expects_key() {
            return self.set_key(text, style, at);
        }
        let value = scalar::parse_scalar(text, style, tag).unwrap_or_else(|problem| {
            let diagnostic = self.error(at, problem.message).with_help(problem.help);
            self.diagnostics.push(diagnostic);
            Value::Null
        });
        self.add_value(
            Node {
                position: at,
                value,
            },
            anchor,
        )
    }

    /// Sets the key of the next member. Keys are strings as written, also `200`, `on` and `null`.
    fn set_key(&mut self, text: &str, style: ScalarStyle, at: Position) -> Result<(), Fatal> {
        let plain = style == ScalarStyle::Plain;
        if plain && text == "<<" {
            let diagnostic = self
                .error(at, "merge keys (`<<`) are YAML 1.1")
                .with_help("write the members, or share them by a `$ref`");
            self.diagnostics.push(diagnostic);
        } else if plain && text.is_empty() {
            let diagnostic = self.error(at, "the key is missing");
            self.diagnostics.push(diagnostic);
        }
        if let Some(Content::Mapping { key, .. }) = self.innermost_content() {
            *key = Some((text.to_owned(), at));
        }
        Ok(())
    }

    fn add_alias(&mut self, anchor: usize, at: Position) -> Result<(), Fatal> {
        self.reject_as_key("an alias", at)?;
        let Some(node) = self.anchors.get(&anchor) else {
            let message = "the alias is inside the value that it repeats";
            return Err(Box::new(self.error(at, message)));
        };
        self.aliased += node.size();
        if self.aliased > MAX_ALIASED_VALUES {
            let message = format!("the aliases repeat more than {MAX_ALIASED_VALUES} values");
            return Err(Box::new(self.error(at, message)));
        }
        if self.open.len() + node.height() > MAX_DEPTH {
            return Err(self.nesting_error(at));
        }
        let node = node.clone();
        self.add_value(node, 0)
    }

    fn open_collection(
        &mut self,
        anchor: usize,
        content: Content,
        position: Position,
    ) -> Result<(), Fatal> {
        self.reject_as_key("an array or object", position)?;
        if self.open.len() >= MAX_DEPTH {
            return Err(self.nesting_error(position));
        }
        self.open.push(Collection {
            position,
            anchor,
            content,
        });
        Ok(())
    }

    fn close_collection(&mut self) -> Result<(), Fatal> {
        let Some(closed) = self.open.pop() else {
            return Ok(());
        };
        let value = match closed.content {
            Content::Sequence(items) => Value::Array(items),
            Content::Mapping { members, .. } => Value::Object(members),
        };
        let position = closed.position;
        self.add_value(Node { position, value }, closed.anchor)
    }

    /// Adds a complete value to the innermost open collection, or sets the root.
    fn add_value(&mut self, node: Node, anchor: usize) -> Result<(), Fatal> {
        // Anchors count from 1; 0 is none.
        if anchor != 0 {
            self.anchors.insert(anchor, node.clone());
        }
        match self.innermost_content() {
            None => self.root = Some(node),
            Some(Content::Sequence(items)) => items.push(node),
            Some(Content::Mapping { members, key }) => {
                let Some((name, key_position)) = key.take() else {
                    return Ok(());
                };
                if let Some(first) = members.get(&name) {
                    let message = duplicate_key_message(&name, first.key_position);
                    let mut diagnostic = self.error(key_position, message);
                    diagnostic.help = Some(DUPLICATE_KEY_HELP.to_owned());
                    diagnostic.pointer = pointer::join(&diagnostic.pointer, &name);
                    self.diagnostics.push(diagnostic);
                } else {
                    members.insert(name, Member { key_position, node });
                }
            }
        }
        Ok(())
    }

    fn innermost_content(&mut self) -> Option<&mut Content> {
        self.open
            .last_mut()
            .map(|collection| &mut collection.content)
    }

    fn expects_key(&mut self) -> bool {
        matches!(
            self.innermost_content(),
            Some(Content::Mapping { key: None, .. })
        )
    }

    fn reject_as_key(&mut self, what: &str, at: Position) -> Result<(), Fatal> {
        if self.expects_key() {
            let message = format!("{what} cannot be a key");
            let help = "write a string; a template such as {name} needs quotes";
            return Err(Box::new(self.error(at, message).with_help(help)));
        }
        Ok(())
    }

    fn check_collection_tag(&mut self, tag: Option<&Tag>, expected: &str, at: Position) {
        let Some(tag) = tag else { return };
        if !(tag.is_yaml_core_schema() && tag.suffix == expected) {
            let diagnostic = self
                .error(at, format!("the tag `{tag}` is not supported"))
                .with_help("remove it");
            self.diagnostics.push(diagnostic);
        }
    }

    fn nesting_error(&self, at: Position) -> Fatal {
        Box::new(self.error(at, format!("nested deeper than {MAX_DEPTH} levels")))
    }

    /// What the parser says, in plain words.
    fn syntax_error(&self, info: &str, at: Position) -> Diagnostic {
        let open = self.open.last().map(|collection| collection.position);
        let explained = explanation::explain(self.text, info, at, open);
        self.error(explained.at, explained.message)
            .with_help(explained.help)
    }

    fn error(&self, at: Position, message: impl Into<String>) -> Diagnostic {
        let location = Location {
            file: Arc::clone(self.file),
            line: at.line,
            column: at.column,
        };
        let tokens = self.open.iter().filter_map(|collection| {
            Some(match &collection.content {
                Content::Sequence(items) => format!("/{}", items.len()),
                Content::Mapping { key, .. } => pointer::join("", &key.as_ref()?.0),
            })
        });
        Diagnostic::new(location, tokens.collect::<String>(), message)
    }
}

/// Converts a position of the YAML parser, which counts columns from 0, to a [`Position`].
fn convert_position(marker: &Marker) -> Position {
    let count = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position {
        file: 0,
        line: count(marker.line()).max(1),
        column: count(marker.col()).saturating_add(1),
    }
}
