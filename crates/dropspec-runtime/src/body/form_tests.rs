//! Bodies of other types than JSON.
use http::HeaderValue;
use serde_json::json;

use super::*;
use crate::tests::{document, rows};
use crate::{Decoder, Method, OperationInfo};

static TABLE: [OperationInfo; 1] = [OperationInfo::new("x", Method::Post, "/x")];

fn decoder(request_body: Value) -> Decoder {
    let operation = json!({ "requestBody": request_body });
    Decoder::new(
        document(json!({ "paths": { "/x": { "post": operation } } })),
        &TABLE,
    )
    .unwrap()
}

/// The index of the media type and the decoded body, or the message of the rejection.
fn decode(decoder: &Decoder, content_type: &str, body: &str) -> String {
    let headers = HeaderMap::from_iter(
        (!content_type.is_empty())
            .then(|| (CONTENT_TYPE, HeaderValue::from_str(content_type).unwrap())),
    );
    let selected = match decoder.select_media_type(0, &headers) {
        Err(rejection) => return rejection.to_string(),
        Ok(Some(selected)) if selected.is_streamed() => {
            let body = Body::from(body.to_owned());
            decoder.stream_body(0, selected, &headers, body)
        }
        Ok(selected) => decoder.decode_body(0, selected, body.as_bytes()),
    };
    match selected {
        Err(rejection) => rejection.to_string(),
        Ok(body) => match body.content {
            Content::None => "none".to_owned(),
            Content::Value(value) => format!("{} {value}", body.media_type),
            Content::Text(text) => format!("{} {text:?}", body.media_type),
            Content::Stream(_) => format!("{} stream", body.media_type),
        },
    }
}

#[test]
fn forms_are_decoded_by_their_schemas() {
    let decoder = decoder(
        json!({ "required": true, "content": { "application/x-www-form-urlencoded": {
        "schema": { "type": "object", "required": ["name"], "properties": {
            "name": { "type": "string" },
            "age": { "type": "integer", "minimum": 0 },
            "tags": { "type": "array", "items": { "type": "string" } },
            "codes": { "type": "array", "items": { "type": "integer" } },
            "pets": { "type": "array", "items": { "type": "object" } },
            "home": { "type": "object", "properties": { "town": { "type": "string" }, "no": { "type": "integer" } } }
        } },
        "encoding": { "codes": { "style": "spaceDelimited", "explode": false } }
    } } }),
    );
    const ROWS: &str = r#"
        name=a+b%26c&age=3                  -> 0 {"name":"a b&c","age":3}
        name=a&tags=x&tags=y                -> 0 {"name":"a","tags":["x","y"]}
        name=a&tags[]=x                     -> 0 {"name":"a","tags":["x"]}
        name=a&codes=1%202                  -> 0 {"codes":[1,2],"name":"a"}
        name=a&home[town]=b&home[no]=7      -> 0 {"name":"a","home":{"town":"b","no":7}}
        name=a&home={"town":"b"}            -> 0 {"name":"a","home":{"town":"b"}}
        name=a&pets={"id":1}                -> 0 {"name":"a","pets":[{"id":1}]}
        name=a&pets={"id":1}&pets={}        -> 0 {"name":"a","pets":[{"id":1},{}]}
        name=a&other=1                      -> 0 {"name":"a","other":"1"}
        age=3                               -> /name: is required
        name=a&age=x                        -> /age: must be an integer, got "x"
        name=a&age=-1                       -> /age: must be at least 0
        name=a&name=b                       -> /name: must be given once, got 2 values
        name=%zz                            -> /name: has a % that is not followed by two hexadecimal digits
    "#;
    for (body, expected) in rows(ROWS) {
        let found = decode(&decoder, "application/x-www-form-urlencoded", body);
        assert_eq!(found, expected, "{body}");
    }
    let empty = decode(&decoder, "application/x-www-form-urlencoded", "");
    assert_eq!(empty, "/name: is required");
}

#[test]
fn most_exact_media_type_decodes_the_body() {
    let decoder = decoder(json!({ "content": {
        "*/*": {}, "text/*": { "schema": { "type": "string", "maxLength": 3 } }, "application/*+json": {},
        "application/json": {}, "application/xml": { "schema": { "type": "object" } },
        "multipart/form-data": { "schema": { "type": "object" } }
    } }));
    let latin1 = "the charset \"latin1\" is not supported, only utf-8 is; \
        send */* or text/* or application/*+json or application/json or application/xml or multipart/form-data";
    let no_boundary = "the content type of a multipart body needs a boundary";
    let table = [
        ("image/png", "x", "0 stream"),
        ("text/csv", "a,b", "1 \"a,b\""),
        (
            "text/csv",
            "a,b,c",
            "\"\": must be at most 3 characters long",
        ),
        ("text/csv; charset=latin1", "a", latin1),
        ("application/a+json", "1", "2 1"),
        ("application/json", "1", "3 1"),
        ("application/xml", "<a/>", "4 \"<a/>\""),
        ("multipart/form-data; boundary=b", "", "5 stream"),
        ("multipart/form-data", "", no_boundary),
        ("", "", "none"),
    ];
    for (content_type, body, expected) in table {
        assert_eq!(
            decode(&decoder, content_type, body),
            expected,
            "{content_type}"
        );
    }
}

#[test]
fn bytes_need_no_content_type() {
    let decoder =
        decoder(json!({ "required": true, "content": { "application/octet-stream": {} } }));
    let headers = HeaderMap::from_iter([(CONTENT_LENGTH, HeaderValue::from_static("1"))]);
    let selected = decoder.select_media_type(0, &headers).unwrap();
    assert!(selected.is_some_and(MediaType::is_streamed));
}

#[test]
fn required_text_may_be_empty() {
    let text = |required: bool| json!({ "required": required, "content": { "text/plain": {} } });
    assert_eq!(decode(&decoder(text(true)), "text/plain", ""), "0 \"\"");
    assert_eq!(decode(&decoder(text(false)), "text/plain", ""), "none");
}
