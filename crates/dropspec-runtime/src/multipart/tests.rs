//! Tests of `multipart`.

use futures::executor::block_on;
use futures::stream;
use http::header::CONTENT_TYPE;
use http::{HeaderMap, HeaderValue};
use http_body_util::StreamBody;
use hyper::body::Frame;
use serde_json::json;

use super::*;
use crate::tests::document;
use crate::{DecodedRequest, Decoder, Method, OperationInfo, Parameters};

static TABLE: [OperationInfo; 1] = [OperationInfo::new("upload", Method::Post, "/files")];

/// A part as text: its value or what is in its file.
enum Shown {
    Value(String, Value),
    File(File),
}

impl FromPart for Shown {
    fn from_part(part: Part) -> Result<Self, Rejection> {
        let name = part.name().to_owned();
        match name.as_str() {
            "photo" | "scan" => part.file().map(Self::File),
            // Of an array, each part is one item.
            "size" => part
                .value::<u64>()
                .map(|size| Self::Value(name, size.into())),
            _ => part.value().map(|value| Self::Value(name, value)),
        }
    }
}

fn upload_decoder(closed: bool) -> Decoder {
    let document = document(json!({ "paths": { "/files": { "post": {
        "requestBody": { "required": true, "content": { "multipart/form-data": {
            "schema": {
                "type": "object",
                "required": ["title", "photo", "notes"],
                "additionalProperties": !closed,
                "properties": {
                    "title": { "type": "string", "maxLength": 5 },
                    "size": { "type": "integer" },
                    "labels": { "type": "array", "items": { "type": "string" } },
                    "tags": { "type": "array", "items": { "type": "string" }, "minItems": 2, "maxItems": 3 },
                    "notes": { "type": "array", "items": { "type": "string" } },
                    "photo": { "type": "string", "format": "binary" },
                    "scan": { "type": "string", "format": "binary" }
                }
            },
            "encoding": {
                "photo": { "contentType": "image/png, image/*" },
                "labels": { "contentType": "application/json" }
            }
        } } },
        "responses": {}
    } } } }));
    Decoder::new(document, &TABLE).unwrap()
}

/// Parts as `name[;type][;filename]=content`, sent in pieces of a few bytes.
fn read(decoder: &Decoder, parts: &[&str]) -> Vec<String> {
    let mut text = String::new();
    for part in parts {
        let (head, content) = part.split_once('=').unwrap();
        let mut head = head.split(';');
        let name = head.next().unwrap();
        text += &format!("--XX\r\nContent-Disposition: form-data; name=\"{name}\"");
        let media_type = head.next();
        if let Some(file) = head.next() {
            text += &format!("; filename=\"{file}\"");
        }
        if let Some(media_type) = media_type.filter(|it| !it.is_empty()) {
            text += &format!("\r\nContent-Type: {media_type}");
        }
        text += &format!("\r\n\r\n{content}\r\n");
    }
    text += "--XX--\r\n";
    read_body(decoder, text.as_bytes())
}

fn read_body(decoder: &Decoder, bytes: &[u8]) -> Vec<String> {
    let pieces: Vec<Result<Frame<Bytes>, Rejection>> = bytes
        .chunks(7)
        .map(|piece| Ok(Frame::data(Bytes::copy_from_slice(piece))))
        .collect();
    let body = Body::wrap(StreamBody::new(stream::iter(pieces)));
    let value = HeaderValue::from_static("multipart/form-data; boundary=XX");
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, value)]);
    let media_type = decoder.select_media_type(0, &headers).unwrap().unwrap();
    assert!(media_type.is_streamed());
    let body = decoder.stream_body(0, media_type, &headers, body).unwrap();
    let request = DecodedRequest::new(Parameters::default(), body);
    let mut found = Vec::new();
    let mut parts = request.multipart::<Shown>().unwrap();
    loop {
        found.push(match block_on(parts.next()) {
            Ok(None) => return found,
            Ok(Some(Shown::Value(name, value))) => format!("{name} {value}"),
            Ok(Some(Shown::File(file))) => {
                let about = format!("{file:?}");
                let content = block_on(file.collect(100)).unwrap();
                format!("{about} {:?}", String::from_utf8_lossy(&content))
            }
            Err(rejection) => {
                found.push(rejection.to_string());
                return found;
            }
        });
    }
}

#[test]
fn parts_arrive_typed_and_files_are_streamed() {
    let decoder = upload_decoder(false);
    let sent = [
        "title=a cat",
        "size=12",
        "labels=[\"a\",\"b\"]",
        "tags=x",
        "other=skipped",
        "photo;image/png;cat.png=\u{89}PNG and so on",
        "tags=y",
        "scan;;scan.tif=\u{89}II",
    ];
    let expected = [
        r#"title "a cat""#,
        "size 12",
        r#"labels ["a","b"]"#,
        r#"tags "x""#,
        r#"File(Some("cat.png"), Some("image/png")) "\u{89}PNG and so on""#,
        r#"tags "y""#,
        r#"File(Some("scan.tif"), None) "\u{89}II""#,
    ];
    assert_eq!(read(&decoder, &sent), expected);
}

#[test]
fn part_is_what_one_of_the_members_of_a_union_declares() {
    let members = json!([
        { "properties": { "age": { "type": "integer", "minimum": 5 }, "kind": { "const": "cat" },
            "tags": { "type": ["array", "null"], "items": { "type": "integer" } },
            "scan": { "type": "string" } } },
        { "properties": { "age": { "type": "integer", "maximum": 2 }, "kind": { "const": "dog" },
            "tags": { "type": "array", "items": { "type": "boolean" } },
            "scan": { "type": "string", "format": "binary" } } },
    ]);
    let schema = json!({ "allOf": [
        { "oneOf": members },
        { "properties": { "age": { "type": "integer", "minimum": 0 } } }
    ] });
    let document = document(json!({ "openapi": "3.1.0", "paths": { "/files": { "post": {
            "requestBody": { "content": { "multipart/form-data": { "schema": schema } } }, "responses": {}
        } } } }));
    let decoder = Decoder::new(document, &TABLE).unwrap();
    let sent = ["age=1", "kind=dog", "tags=7", "tags=true", "scan=text"];
    let expected = [
        "age 1",
        r#"kind "dog""#,
        "tags 7",
        "tags true",
        r#"File(None, None) "text""#,
    ];
    assert_eq!(read(&decoder, &sent), expected);
    // The first fits no member, and the second one member, but not what holds for all.
    for age in [3, -1] {
        let found = read(&decoder, &[&format!("age={age}")]);
        assert!(found[0].starts_with("/age"), "{found:?}");
    }
}

#[test]
fn charset_of_a_body_that_the_handler_reads_is_up_to_the_handler() {
    let value = HeaderValue::from_static("multipart/form-data; boundary=XX; charset=latin1");
    let headers = HeaderMap::from_iter([(CONTENT_TYPE, value)]);
    let media_type = upload_decoder(false).select_media_type(0, &headers);
    assert!(media_type.unwrap().unwrap().is_streamed());
}

#[test]
fn parts_that_do_not_fit_the_document_are_rejected() {
    let (open, closed) = (upload_decoder(false), upload_decoder(true));
    let photo = "photo;image/png=x";
    let large = format!("title={}", "x".repeat(MAX_DECODED + 1));
    let not_json = "the part \"labels\" is not valid JSON: expected value at line 1 column 1";
    let not_image = "the content type text/plain of the part \"photo\" is not supported; send image/png or image/*";
    let complete = ["title=a", photo];
    let tags = |count: usize| [&complete[..], &["tags=x"].repeat(count)].concat();
    let rows: [(&Decoder, &[&str], &str); 13] = [
        (&open, &[photo], "/title: is required"),
        (&open, &["title=a"], "/photo: is required"),
        (&open, &tags(1), "/tags: must have at least 2 parts"),
        (&open, &tags(4), "/tags: must have at most 3 parts"),
        (&open, &["title=a", "title=b"], "/title: must be given once"),
        (
            &open,
            &["title=abcdef"],
            "/title: must be at most 5 characters long",
        ),
        (&open, &["size=x"], r#"/size: must be an integer, got "x""#),
        (&open, &["labels=[1]"], "/labels/0: must be a string"),
        (&open, &["labels=a"], not_json),
        (&open, &["photo;text/plain=x"], not_image),
        (&closed, &["other=x"], "/other: is not a known part"),
        (&open, &["title;text/html=a"], "/photo: is required"),
        (
            &open,
            &[&large],
            "the part \"title\" is larger than 65536 bytes",
        ),
    ];
    for (decoder, parts, expected) in rows {
        let found = read(decoder, parts);
        assert_eq!(found.last().unwrap(), expected, "{parts:?}");
    }
    let largest = format!("labels=[\"{}\"]", "x".repeat(MAX_DECODED - 4));
    assert!(
        read(&open, &[&largest])[0].starts_with("labels ["),
        "as large as allowed"
    );
    let broken = read_body(
        &open,
        b"--XX\r\nContent-Disposition: form-data; name=\"title\"\r\n\r\na",
    );
    assert!(
        broken[0].starts_with("the multipart body is malformed: "),
        "{broken:?}"
    );
}
