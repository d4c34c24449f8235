//! An operation as a command: its flags and its body.

use std::collections::{BTreeSet, HashSet};

use heck::ToKebabCase;
use serde_json::Value;
use wire_codec::{Declared, Encoding, declared_parameters, schema_of};

use crate::body::{Body, Form};
use crate::flags::{Flag, Place};
use crate::names::flag_name;
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
    pub(crate) path: String,
    pub(crate) summary: String,
    pub(crate) description: String,
    pub(crate) tag: Option<String>,
    /// What its users are told if it is deprecated.
    pub(crate) deprecation: Option<String>,
    /// Parameters, and the properties of the body.
    pub(crate) flags: Vec<Flag>,
    pub(crate) body: Option<Body>,
    /// Alternatives of names of security schemes.
    pub(crate) security: Vec<Vec<String>>,
    /// Whether the response is a list that says where its next page is.
    pub(crate) has_pages: bool,
    /// Whether the response has an entity tag.
    pub(crate) has_etag: bool,
}

impl Operation {
    pub(crate) fn read(
        document: &Value,
        schemes: &[Scheme],
        name: &str,
        method: &str,
        path: &str,
        item: &Value,
        source: &Value,
    ) -> Operation {
        let text = |value: &Value| value.as_str().unwrap_or_default().trim().to_owned();
        let success = Success::read(document, source);
        let has_pages = method == "get" && success.is_list && success.has_header("link");
        let has_etag = success.has_header("etag");
        let mut taken: HashSet<String> = OF_EVERY_COMMAND.map(str::to_owned).into();
        taken.extend(has_pages.then(|| ALL.to_owned()));
        taken.extend(has_etag.then(|| SHOW_ETAG.to_owned()));
        taken.extend(schemes.iter().map(|scheme| scheme.option.clone()));
        let security = source.get("security").unwrap_or(&document["security"]);
        let alternatives = security.as_array().into_iter().flatten();
        let names = |alternative: &Value| {
            let schemes = alternative.as_object().into_iter().flatten();
            schemes.map(|(name, _)| name.clone()).collect()
        };
        let mut security: Vec<Vec<String>> = alternatives.map(names).collect();
        // Alternatives that differ in scopes only need the same credentials.
        let mut known = HashSet::new();
        security.retain(|names| known.insert(names.iter().cloned().collect::<BTreeSet<String>>()));
        let demanded =
            |scheme: &&Scheme| security.iter().flatten().any(|name| *name == scheme.name);
        let demanded: Vec<&Scheme> = schemes.iter().filter(demanded).collect();
        let mut flags = Vec::new();
        for parameter in declared_parameters(document, item, source) {
            // Its value would stand beside the credentials, and would be shown.
            if !demanded
                .iter()
                .any(|scheme| scheme.kind.is_sent_as(parameter.definition))
            {
                flags.push(read_parameter(document, &parameter, &mut taken));
            }
        }
        let body = Body::read(document, source);
        if let Some(body) = &body {
            flags.extend(body.flags(document, &mut taken));
        }
        Operation {
            name: name.to_owned(),
            method: method.to_ascii_uppercase(),
            path: path.to_owned(),
            summary: text(&source["summary"]),
            description: text(&source["description"]),
            tag: source["tags"][0].as_str().map(str::to_owned),
            deprecation: read_deprecation(source),
            flags,
            body,
            security,
            has_pages,
            has_etag,
        }
    }

    /// Whether there is a security scheme whose credentials it takes.
    pub(crate) fn has_credentials(&self) -> bool {
        self.security.iter().any(|schemes| !schemes.is_empty())
    }
}

/// What the document says of successful responses.
struct Success {
    is_list: bool,
    /// The names of the headers, in lower case.
    headers: Vec<String>,
}

impl Success {
    fn read(document: &Value, source: &Value) -> Success {
        let mut success = Success {
            is_list: false,
            headers: Vec::new(),
        };
        let responses = source["responses"].as_object().into_iter().flatten();
        for (_, response) in responses.filter(|(status, _)| status.starts_with('2')) {
            let response = spec_schema::resolve(document, response).unwrap_or(response);
            let headers = response["headers"].as_object().into_iter().flatten();
            let names = headers.map(|(name, _)| name.to_ascii_lowercase());
            success.headers.extend(names);
            let media = response["content"].as_object().into_iter().flatten();
            success.is_list |= media
                .filter(|(media_type, _)| Form::of(media_type) == Form::Json)
                .filter_map(|(_, media)| spec_schema::resolve(document, &media["schema"]))
                .any(|schema| schema["type"] == "array");
        }
        success
    }

    fn has_header(&self, name: &str) -> bool {
        self.headers.iter().any(|header| header == name)
    }
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

fn read_parameter(document: &Value, parameter: &Declared<'_>, taken: &mut HashSet<String>) -> Flag {
    let Declared {
        name,
        location,
        definition,
        ..
    } = *parameter;
    let encoding = Encoding::of_definition(location, definition);
    let place = Place::Parameter { location, encoding };
    Flag::new(
        document,
        name,
        flag_name(name, place.suffix(), taken),
        place,
        schema_of(definition),
        definition["required"] == true,
        definition["description"].as_str(),
    )
}
