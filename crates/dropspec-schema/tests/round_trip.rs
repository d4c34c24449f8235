//! What is written is read again: every style in every location, for values of every kind, and forms. The exceptions, which
//! OpenAPI leaves open, are the last test.
#![allow(clippy::unwrap_used)]

use std::sync::LazyLock;

use dropspec_schema::wire::{
    Check, Encoding, FormDecoder, Location, Parameter, ParameterDecoder, ParameterList, Part,
    PartKind, PartLayout, Style, UnknownNames, decode_parts, encode_form, encode_parameters,
    encode_parts, find_boundary, split_cookies, split_query,
};
use proptest::prelude::*;
use proptest::sample::Index;
use serde_json::{Value, json};

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

/// A case: a parameter, its definition, and the kind of its values.
struct Case {
    parameter: Parameter<'static>,
    definition: Value,
    kind: &'static str,
}

static CASES: LazyLock<Vec<Case>> = LazyLock::new(|| {
    let mut cases = Vec::new();
    for (parameter, style) in parameters() {
        for (kind, schema) in KINDS.iter() {
            let mut definition = json!({"name": "color", "in": parameter.location.name()});
            match style {
                Some((name, explode)) => {
                    definition["style"] = json!(name);
                    definition["explode"] = json!(explode);
                    definition["schema"] = schema.clone();
                }
                None => definition["content"] = json!({"application/json": {"schema": schema}}),
            }
            cases.push(Case {
                parameter,
                definition,
                kind,
            });
        }
    }
    cases
});

/// Accepts every value.
struct AcceptAll;

impl Check for AcceptAll {
    fn is_valid(&self, _: &Value) -> bool {
        true
    }

    fn describe_problem(&self, _: &Value) -> Option<String> {
        None
    }

    fn describe_expectation(&self, _: &Value) -> Option<String> {
        None
    }
}

/// The value that is read of a parameter as it is written. `None` if it is refused to write the value.
fn send(case: &Case, value: &Value) -> Option<Value> {
    let location = case.parameter.location;
    let parts = encode_parameters("/{color}", [(&case.parameter, value)]);
    let parts = match location {
        Location::Path => parts.ok()?,
        _ => encode_parameters("/", [(&case.parameter, value)]).ok()?,
    };
    let mut list = ParameterList::default();
    list.push(ParameterDecoder::new(
        &Value::Null,
        "color",
        location,
        &case.definition,
        AcceptAll,
    ));
    let read = match location {
        Location::Path => list.parse(|_| Ok(vec![&parts.path[1..]])),
        Location::Header => list.parse(|_| Ok(parts.headers.iter().map(|(_, it)| &**it).collect())),
        Location::Query => {
            list.parse_pairs(&split_query(&parts.query).unwrap(), UnknownNames::Reject)
        }
        Location::Cookie => {
            list.parse_pairs(&split_cookies(&[&parts.cookies]), UnknownNames::Reject)
        }
    };
    let read = read.unwrap_or_else(|error| panic!("{parts:?}: {error:?}"));
    Some(
        read.into_iter()
            .next()
            .map_or(Value::Null, |(_, value)| value),
    )
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
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn what_is_written_is_read(
        case in any::<Index>(),
        text in "[a-zA-Z0-9 ,;.&=+%/?#|\"'\\[\\]{}:@!$()*~_äß€-]{1,12}",
        number in any::<i64>(),
        items in prop::collection::vec("[a-z ,;.&=+%/?#|ä-]{1,5}", 1..4),
    ) {
        let case = &CASES[case.index(CASES.len())];
        let value = values(case.kind, &text, number, &items);
        prop_assume!(fits(case, &text) && items.iter().all(|item| fits(case, item)));
        if let Some(read) = send(case, &value) {
            prop_assert_eq!(read, value, "{:?}", case.parameter);
        }
    }

    #[test]
    fn forms_that_are_written_are_read(
        text in "[a-zA-Z0-9 ,;.&=+%/?#|\"'\\[\\]ä€-]{0,12}",
        number in any::<i64>(),
        items in prop::collection::vec("[a-z ,;.&=+%/?#|ä-]{1,5}", 1..4),
    ) {
        let value = json!({"text": text, "number": number, "items": items, "object": {"a": text}});
        let schema = json!({"schema": {"type": "object", "properties": {
            "text": {"type": "string"}, "number": {"type": "integer"},
            "items": {"type": "array", "items": {"type": "string"}},
            "object": {"type": "object", "properties": {"a": {"type": "string"}}},
        }}});
        let form = encode_form(&value, |_| None).unwrap();
        let decoder = FormDecoder::new(&Value::Null, &schema, |_| Ok::<_, ()>(AcceptAll)).unwrap();
        prop_assert_eq!(decoder.decode(&form).unwrap(), value, "{}", form);
    }
}

#[test]
fn plain_values_are_written_in_every_style() {
    for case in CASES.iter() {
        let value = values(
            case.kind,
            "blue",
            7,
            &["black".to_owned(), "brown".to_owned()],
        );
        assert_eq!(send(case, &value), Some(value), "{:?}", case.parameter);
    }
}

#[test]
fn values_that_no_style_can_tell_apart() {
    let read = |location, style, explode, kind, value| {
        let is_case = |case: &&Case| {
            let encoding = Encoding::Style {
                style,
                explode,
                allow_reserved: false,
            };
            case.parameter.location == location
                && case.parameter.encoding == encoding
                && case.kind == kind
        };
        send(CASES.iter().find(is_case).unwrap(), &value).unwrap()
    };
    // One empty text is an empty list, where items stand in one text.
    let joined = |value| read(Location::Query, Style::Form, false, "array", value);
    assert_eq!(joined(json!([""])), json!([]));
    assert_eq!(joined(json!([])), json!([]));
    // An empty list that repeats its name is nothing, as if it were absent; so is an object without members.
    let repeated = |kind, value| read(Location::Query, Style::Form, true, kind, value);
    assert_eq!(repeated("array", json!([])), Value::Null);
    assert_eq!(repeated("object", json!({})), Value::Null);
    // A member that is null is left out, as if it were absent.
    assert_eq!(
        repeated("object", json!({"R": "a", "G": null})),
        json!({"R": "a"})
    );
}

proptest! {
    #[test]
    fn parts_that_are_written_are_read(
        parts in prop::collection::vec(
            (
                "[a-zé\"%;\\r\\n -]{1,8}",
                prop::option::of(Just("image/png".to_owned())),
                prop::option::of("[a-z.\"]{1,6}"),
                prop::collection::vec(prop_oneof![any::<u8>(), Just(b'\r'), Just(b'\n'), Just(b'-')], 0..12),
            ),
            0..4,
        ),
        has_boundary in any::<bool>(),
    ) {
        let parts: Vec<Part> = parts
            .into_iter()
            .map(|(name, media_type, file_name, mut content)| {
                if has_boundary {
                    content.extend_from_slice(b"\r\n--part--\r\n");
                }
                Part { name, media_type, file_name, content }
            })
            .filter(|part| !part.name.contains("%2") && !part.name.contains("%0"))
            .collect();
        let boundary = find_boundary(&parts);
        prop_assert_eq!(decode_parts(&boundary, &encode_parts(&boundary, &parts)), Some(parts));
    }
}

#[test]
fn property_is_a_part_as_its_schema_and_its_encoding_say() {
    use PartKind::{File, Json, Text};
    let (text, number) = (json!({"type": "string"}), json!({"type": "integer"}));
    let list = |items: &Value| json!({"type": "array", "items": items});
    let file = json!({"type": "string", "format": "binary"});
    let object = json!({"type": "object"});
    let (as_json, bytes) = (Some("application/json"), Some("application/octet-stream"));
    let images = Some("image/png; q=1, image/*");
    for (schema, declared, kind, media_type, value, contents) in [
        (text.clone(), None, Text, None, json!("a"), vec!["a"]),
        (number.clone(), None, Text, None, json!(7), vec!["7"]),
        (
            list(&text),
            None,
            Text,
            None,
            json!(["a", "b"]),
            vec!["a", "b"],
        ),
        (
            json!({"allOf": [{"anyOf": [list(&number), {"type": "null"}]}]}),
            None,
            Text,
            None,
            json!([1, 2]),
            vec!["1", "2"],
        ),
        (
            object.clone(),
            None,
            Json,
            as_json,
            json!({"a": 1}),
            vec![r#"{"a":1}"#],
        ),
        (
            list(&object),
            None,
            Json,
            as_json,
            json!([{}, {}]),
            vec!["{}", "{}"],
        ),
        (
            list(&text),
            as_json,
            Json,
            as_json,
            json!(["a"]),
            vec![r#"["a"]"#],
        ),
        (file.clone(), None, File, bytes, json!("x"), vec!["x"]),
        (file, images, File, Some("image/png"), json!("x"), vec!["x"]),
        (
            text,
            Some("text/csv"),
            Text,
            Some("text/csv"),
            json!("a,b"),
            vec!["a,b"],
        ),
    ] {
        let encoding = declared.map(|it: &str| json!({"contentType": it}));
        let layout = PartLayout::of_property(&json!({}), &schema, encoding.as_ref());
        assert_eq!(
            (layout.kind, layout.media_type()),
            (kind, media_type),
            "{schema} {declared:?}"
        );
        let parts = layout.write("p", &value).into_iter();
        let written: Vec<String> = parts
            .map(|it| String::from_utf8(it.content).unwrap())
            .collect();
        assert_eq!(written, contents, "{schema} {declared:?}");
    }
    let any_image = json!({"contentType": "image/*"});
    let images = PartLayout::of_property(&json!({}), &number, Some(&any_image));
    assert!(images.accepts("image/png; q=1") && !images.accepts("text/plain"));
}
