//! Follows references through the files.

use dropspec_model::{Node, Position};
use dropspec_schema::pointer;

use super::Written;
use crate::bundling::bundler::Bundler;
use crate::bundling::files::Missing;
use crate::bundling::target::{DOCUMENT, Target, reference_to};

/// The most references that lead from one to the next.
const MAX_CHAIN: usize = 64;

/// What a reference finds.
pub(super) enum Found {
    /// A place of the document; the text of a `$ref` to it.
    Document(String),
    /// A value in another file, and the references that lead to it, the first one first.
    Elsewhere { links: Vec<Target>, value: Target },
}

impl Bundler<'_> {
    /// The text of an object's `$ref` and its position, if it is as it was written.
    pub(super) fn written_reference(
        &self,
        node: &Node,
        written: Written,
    ) -> Option<(String, Position)> {
        let link = node.get("$ref")?;
        let text = link.as_str()?;
        let is_overlay = self.files.get(link.position.file).is_overlay;
        (written == Written::All || is_overlay).then(|| (text.to_owned(), link.position))
    }

    /// Follows a reference, and the references that it finds, until it finds a value or the document. Reports why it
    /// finds neither: as an error if the target `is_needed`, otherwise as a warning.
    pub(super) fn find(
        &mut self,
        text: &str,
        at: Position,
        pointer: &str,
        is_needed: bool,
    ) -> Option<Found> {
        let (mut text, mut link) = (text.to_owned(), at);
        let mut links: Vec<Target> = Vec::new();
        loop {
            let found = self.files.resolve(link.file, &text);
            let found = found.and_then(|target| self.locate(target, &text));
            let target = match found {
                Ok(target) => target,
                // An extension may name a file that is not there.
                Err(Missing::Problem(message, help)) if !is_needed => {
                    self.warn(at, pointer, message, help);
                    return None;
                }
                Err(missing) => {
                    let location = self.files.location(link);
                    return self.report_missing(Err(missing), location, pointer);
                }
            };
            if target.file == DOCUMENT {
                let is_as_written = links.is_empty() && text.starts_with('#');
                return Some(Found::Document(if is_as_written {
                    text
                } else {
                    reference_to(&target.pointer)
                }));
            }
            if links.contains(&target) || links.len() >= MAX_CHAIN {
                let help = "refer to a value";
                self.report_error(link, pointer, "the `$ref` refers to itself", help);
                return None;
            }
            links.push(target.clone());
            let node = self.files.get(target.file).root.pointer(&target.pointer);
            let next = node.and_then(|node| self.written_reference(node, Written::All));
            match next {
                Some(next) => (text, link) = next,
                None => {
                    let value = target;
                    return Some(Found::Elsewhere { links, value });
                }
            }
        }
    }

    /// The place of a target when the `$ref`s on the way to it are followed. The document is not searched.
    fn locate(&mut self, target: Target, text: &str) -> Result<Target, Missing> {
        let mut target = target;
        'follow: for _ in 0..MAX_CHAIN {
            if target.file == DOCUMENT {
                return Ok(target);
            }
            let tokens = pointer::tokens(&target.pointer).unwrap_or_default();
            let mut node = &self.files.get(target.file).root;
            let mut at = Target {
                file: target.file,
                pointer: String::new(),
            };
            for (index, token) in tokens.iter().enumerate() {
                if let Some((reference, link)) = self.written_reference(node, Written::All) {
                    let next = self.files.resolve(link.file, &reference)?;
                    let rest = tokens[index..].iter();
                    target = rest.fold(next, |target, token| target.member(token));
                    continue 'follow;
                }
                at = at.member(token);
                node = match node.pointer(&pointer::join("", token)) {
                    Some(node) => node,
                    None => return Err(self.no_target(text, &at)),
                };
            }
            return Ok(at);
        }
        Err(self.no_target(text, &target))
    }

    fn no_target(&self, text: &str, missing: &Target) -> Missing {
        let Target { file, pointer } = missing;
        let name = &self.files.get(*file).name;
        let message = format!(
            "the target of the `$ref` to `{text}` does not exist: {name} has no `{pointer}`"
        );
        Missing::Problem(message, "correct the part after `#`, or add the target")
    }

    pub(super) fn node(&self, target: &Target) -> Option<Node> {
        let root = &self.files.get(target.file).root;
        root.pointer(&target.pointer).cloned()
    }
}
