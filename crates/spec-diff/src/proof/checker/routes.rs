//! Finds operations: by their templates, and those that requests reach.

use wire_codec::{Location, decode};

use super::{Checker, Operation, Refusal, refusal};
use crate::proof::Request;

impl Checker {
    /// The operation with this method and this template of a path, whatever the names in the template.
    pub(in crate::proof) fn operation(
        &self,
        method: &str,
        template: &str,
    ) -> Option<Operation<'_>> {
        let template = self.template(template)?;
        let path_item = self.resolve(&self.document["paths"][template]);
        let value = path_item.get(method.to_ascii_lowercase())?;
        Some(Operation { path_item, value })
    }

    /// A template as the document writes it, with its names of parameters.
    pub(in crate::proof) fn template(&self, template: &str) -> Option<&str> {
        let paths = self.document["paths"].as_object()?;
        if let Some((own, _)) = paths.get_key_value(template) {
            return Some(own);
        }
        let wanted = without_names(template);
        let mut templates = paths.keys().map(String::as_str);
        templates.find(|path| without_names(path) == wanted)
    }

    /// The operation that a request reaches, and the texts of the parameters in its path.
    pub(super) fn route(
        &self,
        request: &Request,
    ) -> Result<(Operation<'_>, Vec<(String, String)>), Refusal> {
        let path = request.path();
        let mut found = Vec::new();
        let paths = self.document["paths"].as_object();
        for (template, item) in paths.into_iter().flatten() {
            if let Some(texts) = match_path(template, path) {
                found.push((texts, self.resolve(item)));
            }
        }
        if found.is_empty() {
            return Err(refusal("the path", "no operation has it"));
        }
        found.sort_by_key(|(texts, _)| texts.len());
        let method = request.method.to_ascii_lowercase();
        let (texts, path_item) = found.swap_remove(0);
        match path_item.get(&method) {
            Some(value) => Ok((Operation { path_item, value }, texts)),
            None => Err(refusal("the method", "the path has no such operation")),
        }
    }
}

/// A template without the names of its parameters.
fn without_names(template: &str) -> String {
    let parts = template.split('{').enumerate();
    let parts = parts.map(|(index, part)| match (index, part.split_once('}')) {
        (0, _) | (_, None) => part,
        (_, Some((_, rest))) => rest,
    });
    parts.collect::<Vec<_>>().join("{}")
}

/// The parameters of a template with their texts in a path, if it matches. A segment may have one parameter.
fn match_path(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let mut texts = Vec::new();
    let (mut segments, mut found) = (template.split('/'), path.split('/'));
    loop {
        let (segment, text) = match (segments.next(), found.next()) {
            (None, None) => return Some(texts),
            (Some(segment), Some(text)) => (segment, text),
            _ => return None,
        };
        match segment.split_once('{') {
            None => {
                if decode(Location::Path, text).as_deref() != Ok(segment) {
                    return None;
                }
            }
            Some((before, rest)) => {
                let (name, after) = rest.split_once('}')?;
                let text = text.strip_prefix(before)?.strip_suffix(after)?;
                if text.is_empty() {
                    return None;
                }
                texts.push((name.to_owned(), text.to_owned()));
            }
        }
    }
}
