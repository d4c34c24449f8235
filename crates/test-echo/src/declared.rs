//! What the document declares for an operation, read without the code under test.

use dropspec_client::{Parameter, Style};
use dropspec_runtime::{Document, OperationInfo};
use dropspec_schema::header::Ignored;
use dropspec_schema::{Framing, item_schema, pointer};
use serde_json::{Map, Value, json};

/// The parameters, bodies and responses of an operation.
pub(crate) struct Declared {
    pub(crate) parameters: Vec<DeclaredParameter>,
    pub(crate) body: Option<DeclaredBody>,
    pub(crate) responses: Vec<DeclaredResponse>,
    /// Whether a request needs credentials.
    pub(crate) is_protected: bool,
}

/// A parameter, or a header of a response.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredParameter {
    pub(crate) name: &'static str,
    pub(crate) location: &'static str,
    pub(crate) required: bool,
    pub(crate) schema: Value,
    /// How it is written as text.
    pub(crate) encoding: Parameter<'static>,
}

pub(crate) struct DeclaredBody {
    pub(crate) required: bool,
    /// Its forms, in the order of the document.
    pub(crate) forms: Vec<DeclaredForm>,
}

/// A body of one media type.
pub(crate) struct DeclaredForm {
    pub(crate) media_type: &'static str,
    pub(crate) schema: Value,
    /// How the properties of a form or the parts of a multipart body are written.
    pub(crate) encodings: Vec<(&'static str, &'static Value)>,
}

impl DeclaredForm {
    /// How a property is written, if the document says so.
    pub(crate) fn encoding_of(&self, name: &str) -> Option<&'static Value> {
        let mut encodings = self.encodings.iter();
        encodings.find_map(|(of, encoding)| (*of == name).then_some(*encoding))
    }

    /// The first media type that the document declares for a property.
    pub(crate) fn media_type_of(&self, name: &str) -> Option<&'static str> {
        let declared = self.encoding_of(name)?.get("contentType")?.as_str()?;
        declared.split(',').next().map(str::trim)
    }
}

/// A response: a status with a media type.
#[derive(Clone, Debug)]
pub(crate) struct DeclaredResponse {
    /// `200`, `4XX` or `default`.
    pub(crate) key: &'static str,
    pub(crate) media_type: Option<&'static str>,
    pub(crate) schema: Value,
    pub(crate) headers: Vec<DeclaredParameter>,
}

impl Declared {
    pub(crate) fn read(document: &'static Document, info: &OperationInfo) -> Option<Declared> {
        let path = pointer::join("/paths", info.path);
        let item = document.find(&path)?;
        let operation = document.find(&info.pointer())?;
        let mut parameters: Vec<DeclaredParameter> = Vec::new();
        for list in [item, operation] {
            for parameter in list
                .get("parameters")
                .and_then(Value::as_array)
                .into_iter()
                .flatten()
            {
                let Some(read) = read_parameter(document, parameter) else {
                    continue;
                };
                parameters
                    .retain(|other| (other.location, other.name) != (read.location, read.name));
                parameters.push(read);
            }
        }
        let body = operation
            .get("requestBody")
            .and_then(|body| document.resolve(body));
        let body = body.map(|body| DeclaredBody {
            required: is_set(body, "required"),
            forms: members(body, "content")
                .map(|(media_type, content)| DeclaredForm {
                    media_type,
                    schema: schema_of(content),
                    encodings: members(content, "encoding").collect(),
                })
                .collect(),
        });
        let mut responses = Vec::new();
        let opens_channel = operation.get("x-dropshot-websocket").is_some();
        // Those from 100 to 199 come before the one of the operation.
        let is_final = |key: &str| !key.starts_with('1') || opens_channel;
        for (key, response) in members(operation, "responses")
            .filter(|(key, _)| !key.starts_with("x-") && is_final(key))
        {
            let Some(response) = document.resolve(response) else {
                continue;
            };
            let headers = read_headers(document, response);
            let content = members(response, "content");
            let mut content: Vec<_> = content
                .map(|(media_type, content)| {
                    let items = item_schema(content).filter(|_| Framing::of(media_type).is_some());
                    // Nobody is told of an event without data, and one whose name is empty has none.
                    let told = match Framing::of(media_type) {
                        Some(Framing::Events) => {
                            let nameless = json!({ "event": { "enum": [""] } });
                            let nameless = json!({ "required": ["event"], "properties": nameless });
                            json!({ "required": ["data"], "not": nameless })
                        }
                        _ => json!({}),
                    };
                    let items = items.map(|items| {
                        let items = json!({ "allOf": [items, told] });
                        json!({ "type": "array", "items": items })
                    });
                    (
                        Some(media_type),
                        items.unwrap_or_else(|| schema_of(content)),
                    )
                })
                .collect();
            if content.is_empty() {
                content.push((None, Value::Null));
            }
            let of_content = |(media_type, schema)| DeclaredResponse {
                key,
                media_type,
                schema,
                headers: headers.clone(),
            };
            responses.extend(content.into_iter().map(of_content));
        }
        Some(Declared {
            parameters,
            body,
            responses,
            is_protected: is_protected(document, operation),
        })
    }
}

/// Whether each alternative of the security of an operation names a scheme.
fn is_protected(document: &Document, operation: &Value) -> bool {
    let security = operation.get("security");
    let security = security.or_else(|| document.json().get("security"));
    let alternatives = security.and_then(Value::as_array);
    let names_scheme =
        |alternative: &Value| alternative.as_object().is_some_and(|of| !of.is_empty());
    alternatives.is_some_and(|all| !all.is_empty() && all.iter().all(names_scheme))
}

fn read_parameter(
    document: &'static Document,
    parameter: &'static Value,
) -> Option<DeclaredParameter> {
    let parameter = document.resolve(parameter)?;
    let name = parameter.get("name")?.as_str()?;
    let location = parameter.get("in")?.as_str()?;
    let is_ignored = location == "header" && Ignored::find(name).is_some();
    (!is_ignored).then(|| read_definition(name, location, parameter))
}

/// Reads the definition of a parameter or header.
fn read_definition(
    name: &'static str,
    location: &'static str,
    definition: &'static Value,
) -> DeclaredParameter {
    let plain = match location {
        "path" => Parameter::path(name),
        "query" => Parameter::query(name),
        "header" => Parameter::header(name),
        _ => Parameter::cookie(name),
    };
    let content = members(definition, "content").next();
    let style = read_style(definition.get("style").and_then(Value::as_str), location);
    let explode = definition.get("explode").and_then(Value::as_bool);
    let encoding = match content {
        Some(_) => plain.json(),
        None => plain.style(
            style,
            explode.unwrap_or(matches!(style, Style::Form | Style::Cookie)),
        ),
    };
    let encoding = if is_set(definition, "allowReserved") {
        encoding.allow_reserved()
    } else {
        encoding
    };
    DeclaredParameter {
        name,
        location,
        required: location == "path" || is_set(definition, "required"),
        schema: content.map_or_else(|| schema_of(definition), |(_, content)| schema_of(content)),
        encoding,
    }
}

fn read_style(style: Option<&str>, location: &str) -> Style {
    match style {
        Some("matrix") => Style::Matrix,
        Some("label") => Style::Label,
        Some("simple") => Style::Simple,
        Some("spaceDelimited") => Style::SpaceDelimited,
        Some("pipeDelimited") => Style::PipeDelimited,
        Some("deepObject") => Style::DeepObject,
        Some("cookie") => Style::Cookie,
        None if ["path", "header"].contains(&location) => Style::Simple,
        _ => Style::Form,
    }
}

fn read_headers(document: &'static Document, response: &'static Value) -> Vec<DeclaredParameter> {
    let headers = members(response, "headers");
    let headers = headers.filter(|(name, _)| Ignored::find_in_response(name).is_none());
    let headers = headers.filter_map(|(name, header)| {
        let header = document.resolve(header)?;
        Some(read_definition(name, "header", header))
    });
    headers.collect()
}

/// The schema of a parameter, header or media type; one that allows everything if there is none.
fn schema_of(definition: &Value) -> Value {
    let none = || Value::Object(Map::new());
    definition.get("schema").cloned().unwrap_or_else(none)
}

fn members<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = (&'v str, &'v Value)> {
    let members = value.get(key).and_then(Value::as_object);
    members
        .into_iter()
        .flatten()
        .map(|(name, value)| (name.as_str(), value))
}

fn is_set(value: &Value, key: &str) -> bool {
    value.get(key) == Some(&Value::Bool(true))
}
