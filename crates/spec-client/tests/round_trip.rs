//! What a client writes, a server reads: every style in every location, for values of every kind.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use http::{HeaderMap, HeaderName, HeaderValue};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};
use spec_client::{Encoding, Location, Parameter, Style, encode_parameters};
use spec_runtime::{DecodedRequest, Decoder, Document, Method, OperationInfo, Route, Routes};

/// The kinds of values, each with its schema.
static KINDS: LazyLock<[(&str, Value); 4]> = LazyLock::new(|| {
    [
        ("text", json!({"type": "string"})),
        ("number", json!({"type": "integer"})),
        (
            "array",
            json!({"type": "array", "items": {"type": "string"}}),
        ),
        (
            "object",
            json!({"type": "object", "properties": {"R": {"type": "string"}, "G": {"type": "integer"}}}),
        ),
    ]
});

/// The parameters under test, each with its style as the document names it.
fn parameters() -> Vec<(Parameter<'static>, Option<(&'static str, bool)>)> {
    let mut all = Vec::new();
    let of = |location: Location| match location {
        Location::Path => Parameter::path("color"),
        Location::Query => Parameter::query("color"),
        Location::Header => Parameter::header("color"),
        Location::Cookie => Parameter::cookie("color"),
    };
    for (location, style, name) in [
        (Location::Path, Style::Simple, "simple"),
        (Location::Path, Style::Label, "label"),
        (Location::Path, Style::Matrix, "matrix"),
        (Location::Query, Style::Form, "form"),
        (Location::Query, Style::SpaceDelimited, "spaceDelimited"),
        (Location::Query, Style::PipeDelimited, "pipeDelimited"),
        (Location::Query, Style::DeepObject, "deepObject"),
        (Location::Header, Style::Simple, "simple"),
        (Location::Cookie, Style::Form, "form"),
    ] {
        for explode in [false, true] {
            let parameter = of(location).style(style, explode);
            all.push((parameter, Some((name, explode))));
        }
        if location == Location::Query && style == Style::Form {
            let parameter = of(location).style(style, true).allow_reserved();
            all.push((parameter, Some((name, true))));
        }
    }
    for location in [
        Location::Path,
        Location::Query,
        Location::Header,
        Location::Cookie,
    ] {
        all.push((of(location).json(), None));
    }
    all
}

/// A case: a parameter, and the kind of its values.
struct Case {
    parameter: Parameter<'static>,
    kind: &'static str,
    path: &'static str,
}

static CASES: LazyLock<Vec<(Case, Value)>> = LazyLock::new(|| {
    let mut cases = Vec::new();
    for (parameter, style) in parameters() {
        for (kind, schema) in KINDS.iter() {
            let index = cases.len();
            let (suffix, location) = match parameter.location {
                Location::Path => ("/{color}", "path"),
                Location::Query => ("", "query"),
                Location::Header => ("", "header"),
                Location::Cookie => ("", "cookie"),
            };
            let path: &'static str = format!("/case{index}{suffix}").leak();
            let mut definition = json!({
                "name": "color", "in": location, "required": parameter.location == Location::Path,
            });
            match style {
                Some((name, explode)) => {
                    definition["style"] = json!(name);
                    definition["explode"] = json!(explode);
                    definition["schema"] = schema.clone();
                }
                None => definition["content"] = json!({"application/json": {"schema": schema}}),
            }
            let case = Case {
                parameter,
                kind,
                path,
            };
            cases.push((case, definition));
        }
    }
    cases
});

struct Server {
    decoder: Decoder,
    routes: Routes,
}

static SERVER: LazyLock<Server> = LazyLock::new(|| {
    let mut paths = serde_json::Map::new();
    let mut operations = Vec::new();
    for (case, definition) in CASES.iter() {
        let operation = json!({"parameters": [definition], "responses": {}});
        paths.insert(case.path.to_owned(), json!({"get": operation}));
        operations.push(OperationInfo::new(case.path, Method::Get, case.path));
    }
    let document = json!({"openapi": "3.0.3", "paths": paths}).to_string();
    let document = Box::leak(Box::new(Document::from_json(document.leak())));
    let operations: &'static [OperationInfo] = operations.leak();
    Server {
        decoder: Decoder::new(document, operations).unwrap(),
        routes: Routes::new(operations).unwrap(),
    }
});

/// What the server reads of a parameter as the client writes it. `None` if the client refuses to write the value.
fn send(case: &Case, value: &Value) -> Option<Value> {
    let parts = encode_parameters(case.path, [(&case.parameter, value)]).ok()?;
    let Route::Found {
        operation,
        parameters: path,
    } = SERVER.routes.find(&http::Method::GET, &parts.path)
    else {
        panic!("{} has no route", parts.path);
    };
    let mut headers = HeaderMap::new();
    let cookies = (!parts.cookies.is_empty()).then(|| ("cookie".to_owned(), parts.cookies.clone()));
    for (name, value) in parts.headers.iter().chain(&cookies) {
        let name = HeaderName::from_bytes(name.as_bytes()).unwrap();
        headers.append(name, HeaderValue::from_str(value).unwrap());
    }
    let decoder = &SERVER.decoder;
    let parameters = decoder.decode_parameters(operation, &path, Some(&parts.query), &headers);
    let parameters = parameters.unwrap_or_else(|error| panic!("{parts:?}: {error}"));
    let body = decoder.decode_body(operation, None, &[]).unwrap();
    let request = DecodedRequest::new(parameters, body);
    let read: BTreeMap<String, Value> = match case.parameter.location {
        Location::Path => request.path(),
        Location::Query => request.query(),
        Location::Header => request.headers(),
        Location::Cookie => request.cookies(),
    }
    .unwrap();
    Some(read.get("color").cloned().unwrap_or(Value::Null))
}

fn values(kind: &str, text: &str, number: i64, items: &[String]) -> Value {
    match kind {
        "text" => json!(text),
        "number" => json!(number),
        "array" => json!(items),
        _ => json!({"R": text, "G": number}),
    }
}

/// Text that a header can contain, where nothing is encoded; elsewhere any text.
fn fits(case: &Case, text: &str) -> bool {
    let is_plain = |c: char| c.is_ascii_graphic() || c == ' ';
    let styled = matches!(case.parameter.encoding, Encoding::Style { .. });
    let in_header = case.parameter.location == Location::Header && styled;
    !in_header || text.chars().all(is_plain) && text.trim() == text
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn server_reads_what_the_client_writes(
        case in any::<Index>(),
        text in "[a-zA-Z0-9 ,;.&=+%/?#|\"'\\[\\]{}:@!$()*~_äß€-]{1,12}",
        number in any::<i64>(),
        items in prop::collection::vec("[a-z ,;.&=+%/?#|ä-]{1,5}", 1..4),
    ) {
        let (case, _) = &CASES[case.index(CASES.len())];
        let value = values(case.kind, &text, number, &items);
        prop_assume!(fits(case, &text) && items.iter().all(|item| fits(case, item)));
        if let Some(read) = send(case, &value) {
            prop_assert_eq!(read, value, "{:?}", case.parameter);
        }
    }
}

#[test]
fn plain_values_are_written_in_every_style() {
    for (case, _) in CASES.iter() {
        let value = values(
            case.kind,
            "blue",
            7,
            &["black".to_owned(), "brown".to_owned()],
        );
        assert_eq!(send(case, &value), Some(value), "{:?}", case.parameter);
    }
}
