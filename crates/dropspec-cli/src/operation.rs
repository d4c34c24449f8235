//! An operation as a command: its flags and its body.

use std::collections::{BTreeSet, HashSet};

use dropspec_schema::wire::{Encoding, declared_parameters, schema_of};
use dropspec_schema::{Framing, item_schema, tags};
use heck::ToKebabCase;
use serde_json::Value;

use crate::body::Body;
use crate::flags::{Flag, Place, flag_name};
use crate::options::{ALL, OF_EVERY_COMMAND, SHOW_ETAG};
use crate::schemes::Scheme;

/// An operation as a command.
#[derive(Debug)]
pub(crate) struct Operation {
    /// The name of the command.
    pub(crate) name: String,
    /// In upper case.
    pub(crate) method: String,
    /// The path template.
    pub(crate) path: &'static str,
    /// The paragraphs about it, each in one line. The first is its summary.
    pub(crate) about: Vec<String>,
    /// The titles of its tag and of the tags above, from the top.
    pub(crate) tags: Vec<&'static str>,
    /// What its users are told if it is deprecated.
    pub(crate) deprecation: Option<String>,
    /// Parameters, and the properties of the body.
    pub(crate) flags: Vec<Flag>,
    pub(crate) body: Option<Body>,
    /// Alternatives of security schemes, by their positions. One without schemes is last, so that credentials are sent if there
    /// are any.
    pub(crate) security: Vec<Vec<usize>>,
    /// Whether the response says where the next page of a list is.
    pub(crate) has_pages: bool,
    /// Whether the response has an entity tag.
    pub(crate) has_etag: bool,
    /// The schema of an item, if the response may be a stream of items.
    pub(crate) item: Option<&'static Value>,
}

impl Operation {
    pub(crate) fn read(
        document: &'static Value,
        schemes: &[Scheme],
        (name, method, path): (String, &str, &'static str),
        item: &'static Value,
        source: &'static Value,
    ) -> Operation {
        let headers = response_headers(document, source);
        let has_pages = method == "get" && headers.contains("link");
        let has_etag = headers.contains("etag");
        let mut taken: HashSet<String> = OF_EVERY_COMMAND.map(str::to_owned).into();
        taken.extend(has_pages.then(|| ALL.to_owned()));
        taken.extend(has_etag.then(|| SHOW_ETAG.to_owned()));
        taken.extend(schemes.iter().map(|scheme| scheme.option.clone()));
        let security = read_security(document, schemes, source);
        let mut flags = Vec::new();
        for parameter in declared_parameters(document, item, source) {
            let (name, location) = (parameter.name, parameter.location);
            // Its value would stand beside the credentials, and would be shown.
            let mut demanded = security
                .iter()
                .flatten()
                .map(|scheme| schemes[*scheme].kind);
            if demanded.any(|scheme| scheme.replaces(location, name)) {
                continue;
            }
            let definition = parameter.definition;
            let encoding = Encoding::of_definition(location, definition);
            flags.push(Flag::new(
                document,
                name,
                flag_name(name, location.name(), &mut taken),
                Place::Parameter { location, encoding },
                schema_of(definition),
                definition["required"] == true,
                definition["description"].as_str(),
            ));
        }
        let body = Body::read(document, source);
        if let Some(body) = &body {
            flags.extend(body.flags(document, &mut taken));
        }
        Operation {
            name,
            method: method.to_ascii_uppercase(),
            path,
            about: read_about(source),
            tags: read_tags(document, source),
            deprecation: read_deprecation(source),
            flags,
            body,
            security,
            has_pages,
            has_etag,
            item: successes(document, source).find_map(schema_of_items),
        }
    }

    /// Whether it changes what exists to the properties that its body names.
    pub(crate) fn is_update(&self) -> bool {
        let has_flags = self.flags.iter().any(Flag::is_of_body);
        has_flags && ["PATCH", "PUT"].contains(&self.method.as_str())
    }

    /// Whether there is a security scheme whose credentials it takes.
    pub(crate) fn has_credentials(&self) -> bool {
        self.security.iter().any(|schemes| !schemes.is_empty())
    }
}

fn read_tags(document: &'static Value, source: &'static Value) -> Vec<&'static str> {
    let tag = tags::of_operation(document, source).unwrap_or("Commands");
    let ancestry = tags::ancestry(document, tag).into_iter().rev();
    ancestry.map(|tag| tags::title(document, tag)).collect()
}

/// The alternatives, without those whose schemes no option can satisfy.
fn read_security(document: &Value, schemes: &[Scheme], source: &Value) -> Vec<Vec<usize>> {
    let position = |name: &String| schemes.iter().position(|scheme| scheme.name == *name);
    let security = source.get("security").unwrap_or(&document["security"]);
    let alternatives = security.as_array().into_iter().flatten();
    let mut found: Vec<Vec<usize>> = alternatives
        .filter_map(|it| it.as_object()?.keys().map(position).collect())
        .collect();
    // Alternatives that differ in scopes only need the same credentials.
    let mut known = HashSet::new();
    found.retain(|schemes| known.insert(schemes.iter().copied().collect::<BTreeSet<usize>>()));
    found.sort_by_key(Vec::is_empty);
    found
}

/// The names of the headers of successful responses, in lower case.
fn response_headers(document: &Value, source: &Value) -> HashSet<String> {
    let names = successes(document, source)
        .flat_map(|response| response["headers"].as_object().into_iter().flatten());
    names.map(|(name, _)| name.to_ascii_lowercase()).collect()
}

fn successes<'d>(document: &'d Value, source: &'d Value) -> impl Iterator<Item = &'d Value> {
    let responses = source["responses"].as_object().into_iter().flatten();
    let successes = responses.filter(|(status, _)| status.starts_with('2'));
    successes.map(|(_, response)| dropspec_schema::resolve(document, response).unwrap_or(response))
}

fn schema_of_items(response: &'static Value) -> Option<&'static Value> {
    let content = response["content"].as_object();
    let mut streams = content?
        .iter()
        .filter(|(name, _)| Framing::of(name).is_some());
    streams.find_map(|(_, it)| item_schema(it))
}

/// The summary and the paragraphs of the description. Without a summary, the first paragraph stands for it.
fn read_about(source: &Value) -> Vec<String> {
    let text = |key: &str| source[key].as_str().unwrap_or_default();
    let paragraphs = [text("summary")]
        .into_iter()
        .chain(text("description").split("\n\n"));
    let in_a_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let paragraphs = paragraphs.map(in_a_line);
    paragraphs.filter(|text| !text.is_empty()).collect()
}

/// Until when a deprecated operation works, and what replaces it.
fn read_deprecation(source: &Value) -> Option<String> {
    let text = |key: &str| source[key].as_str();
    let end = match text("x-deprecated-sunset") {
        Some(sunset) => format!("it may be removed after {sunset}"),
        None => "it may be removed".to_owned(),
    };
    let note = match text("x-successor") {
        Some(successor) => format!("{end}; use `{}`", successor.to_kebab_case()),
        None => end,
    };
    (source["deprecated"] == true).then_some(note)
}
