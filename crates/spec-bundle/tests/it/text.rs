//! The text of a bundle.

use crate::common::bundle;

const OVERLAY: &str =
    "overlay: 1.1.0\ninfo: {title: a, version: '1'}\nactions: [{target: $, update: {x-a: 1}}]\n";

#[test]
fn text_has_the_format_of_the_document() {
    let files = [
        ("api.json", r#"{"openapi": "3.0.3"}"#),
        ("overlay.yaml", OVERLAY),
    ];
    let json = "{\n  \"openapi\": \"3.0.3\",\n  \"x-a\": 1\n}\n";
    assert_eq!(bundle(&files).unwrap().text(), json);
    let files = [
        ("api.yaml", "openapi: 3.0.3 # new\n"),
        ("overlay.yaml", OVERLAY),
    ];
    assert_eq!(
        bundle(&files).unwrap().text(),
        "openapi: \"3.0.3\"\nx-a: 1\n"
    );
}
