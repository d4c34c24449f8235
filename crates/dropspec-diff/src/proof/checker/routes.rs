//! Finds operations: by their templates, and those that requests reach.

use std::cmp::Reverse;

use dropspec_schema::Method;
use dropspec_schema::wire::{Location, decode, keep_encoded_slashes};

use super::{Operation, Refusal, refusal};
use crate::checker::Checker;
use crate::proof::Request;
use crate::template::split_template;

impl Checker {
    /// The operation with this method and this template of a path, whatever the names in the template.
    pub(in crate::proof) fn operation(
        &self,
        method: &str,
        template: &str,
    ) -> Option<Operation<'_>> {
        let template = self.template(template)?;
        let path_item = self.resolve(&self.document()["paths"][template]);
        let value = path_item.get(Method::parse(method)?.key())?;
        Some(Operation { path_item, value })
    }

    /// A template as the document writes it, with its names of parameters.
    pub(in crate::proof) fn template(&self, template: &str) -> Option<&str> {
        let paths = self.document()["paths"].as_object()?;
        if let Some((own, _)) = paths.get_key_value(template) {
            return Some(own);
        }
        let wanted = split_template(template).0;
        let mut templates = paths.keys().map(String::as_str);
        templates.find(|path| split_template(path).0 == wanted)
    }

    /// The operation that a request reaches, and the texts of the parameters in its path.
    pub(super) fn route(
        &self,
        request: &Request,
    ) -> Result<(Operation<'_>, Vec<(String, String)>), Refusal> {
        let path = request.path();
        let mut known = self.routes.borrow_mut();
        let route = known.entry(path.to_owned()).or_insert_with(|| {
            let paths = self.document()["paths"].as_object();
            let templates = paths.into_iter().flat_map(|paths| paths.keys());
            let found = templates.filter_map(|it| Some((it.clone(), match_path(it, path)?)));
            found.min_by_key(|(template, texts)| {
                let segments = template.split('/').count();
                (texts.len(), template.contains("{+"), Reverse(segments))
            })
        });
        let Some((template, texts)) = route.clone() else {
            return Err(refusal("the path", "no operation has it"));
        };
        let path_item = self.resolve(&self.document()["paths"][&template]);
        let method = Method::parse(&request.method);
        match method.and_then(|method| path_item.get(method.key())) {
            Some(value) => Ok((Operation { path_item, value }, texts)),
            None => Err(refusal("the method", "the path has no such operation")),
        }
    }
}

/// The parameters of a template with their texts in a path, if it matches. A segment may have one parameter, and one of a
/// template may take several segments (`{+name}`).
fn match_path(template: &str, path: &str) -> Option<Vec<(String, String)>> {
    let mut texts = Vec::new();
    let mut rest = Some(path);
    for (index, segment) in template.split('/').enumerate() {
        let behind = template.split('/').count() - index - 1;
        let (text, after) = if segment.contains("{+") {
            let ends = rest?.rmatch_indices('/').map(|(end, _)| end);
            let end = [rest?.len()].into_iter().chain(ends).nth(behind)?;
            (&rest?[..end], rest?.get(end + 1..))
        } else {
            let parts = rest?.split_once('/');
            parts.map_or((rest?, None), |(text, after)| (text, Some(after)))
        };
        rest = after;
        match segment.split_once('{') {
            None => {
                if decode(Location::Path, text).as_deref() != Ok(segment) {
                    return None;
                }
            }
            Some((before, pattern)) => {
                let (name, after) = pattern.split_once('}')?;
                let text = text.strip_prefix(before)?.strip_suffix(after)?;
                if text.is_empty() {
                    return None;
                }
                let reserved = name
                    .strip_prefix('+')
                    .map(|it| (it, keep_encoded_slashes(text)));
                let (name, text) = reserved.unwrap_or((name, text.to_owned()));
                texts.push((name.to_owned(), text));
            }
        }
    }
    rest.is_none().then_some(texts)
}
