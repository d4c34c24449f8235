//! An operation as a command: its flags and its body.

use std::collections::{BTreeSet, HashSet};

use heck::ToKebabCase;
use serde_json::Value;
use spec_schema::BodyKind;
use wire_codec::{Declared, Encoding, declared_parameters, schema_of};

use crate::flags::{Flag, Place};
use crate::names::unique;
use crate::schemes::Scheme;

/// Flags that every command has.
const RESERVED: [&str; 13] = [
    "help",
    "version",
    "url",
    "output",
    "output-file",
    "timeout",
    "retries",
    "curl",
    "verbose",
    "profile",
    "body",
    "body-file",
    "content-type",
];

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
}

/// The body of an operation.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) required: bool,
    /// At least one; the flags of properties are those of the first.
    pub(crate) media_types: Vec<String>,
    pub(crate) form: Form,
    /// The schema of the first media type.
    pub(crate) schema: Value,
    /// `encoding` of the first media type.
    pub(crate) encoding: Value,
}

/// How a body is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form {
    Json,
    UrlEncoded,
    Multipart,
    /// Text or bytes, as they are.
    Raw,
}

impl Form {
    pub(crate) fn of(media_type: &str) -> Form {
        match BodyKind::of(media_type) {
            BodyKind::Json => Form::Json,
            BodyKind::Form => Form::UrlEncoded,
            BodyKind::Multipart => Form::Multipart,
            BodyKind::Text | BodyKind::Bytes => Form::Raw,
        }
    }
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
        let mut taken: HashSet<String> = RESERVED.map(str::to_owned).into();
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
        let body = read_body(document, source);
        if let Some(body) = &body {
            flags.extend(read_properties(document, body, &mut taken));
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
        }
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

fn read_body(document: &Value, source: &Value) -> Option<Body> {
    let body = spec_schema::resolve(document, source.get("requestBody")?)?;
    let content = body["content"].as_object()?;
    // The form that has flags is the most useful one.
    let mut media_types: Vec<&String> = content.keys().collect();
    media_types.sort_by_key(|media_type| match Form::of(media_type) {
        Form::Json => 0,
        Form::Multipart | Form::UrlEncoded => 1,
        Form::Raw => 2,
    });
    let first = *media_types.first()?;
    let media = &content[first];
    Some(Body {
        required: body["required"] == true,
        form: Form::of(first),
        schema: media["schema"].clone(),
        encoding: media["encoding"].clone(),
        media_types: media_types.into_iter().cloned().collect(),
    })
}

/// The flags for the properties of a body that is an object.
fn read_properties(document: &Value, body: &Body, taken: &mut HashSet<String>) -> Vec<Flag> {
    if body.form == Form::Raw {
        return Vec::new();
    }
    let mut found: Vec<(&String, &Value)> = Vec::new();
    let mut required: Vec<&Value> = Vec::new();
    collect_properties(document, &body.schema, &mut found, &mut required, 0);
    let flags = found.into_iter().map(|(name, schema)| {
        let place = match body.form {
            Form::Multipart => Place::Part,
            _ => Place::Property,
        };
        let flag = flag_name(name, place.suffix(), taken);
        let needed = required.iter().any(|required| *required == name);
        Flag::new(
            document,
            name,
            flag,
            place,
            schema,
            needed && body.required,
            None,
        )
    });
    flags.collect()
}

/// Collects the properties that requests have, of a schema and of those that it combines by `allOf`.
fn collect_properties<'d>(
    document: &'d Value,
    schema: &'d Value,
    found: &mut Vec<(&'d String, &'d Value)>,
    required: &mut Vec<&'d Value>,
    depth: usize,
) {
    let Some(schema) = spec_schema::resolve(document, schema).filter(|_| depth < 16) else {
        return;
    };
    for part in schema["allOf"].as_array().into_iter().flatten() {
        collect_properties(document, part, found, required, depth + 1);
    }
    required.extend(schema["required"].as_array().into_iter().flatten());
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let target = spec_schema::resolve(document, property).unwrap_or(property);
        let is_known = found.iter().any(|(known, _)| *known == name);
        if target["readOnly"] != true && !is_known {
            found.push((name, property));
        }
    }
}

fn flag_name(name: &str, suffix: &str, taken: &mut HashSet<String>) -> String {
    let plain = match name.to_kebab_case() {
        empty if empty.is_empty() => suffix.to_owned(),
        plain => plain,
    };
    if taken.insert(plain.clone()) {
        return plain;
    }
    unique(&format!("{plain}-{suffix}"), |name| {
        taken.insert(name.to_owned())
    })
}
