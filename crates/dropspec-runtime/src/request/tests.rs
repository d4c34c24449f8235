//! What types accept of decoded requests.
use serde::Deserialize;
use serde_json::json;

use super::*;

#[derive(Debug, Deserialize, PartialEq)]
struct Query {
    limit: i64,
    small: Option<i8>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct Body {
    #[serde(rename = "na/mes")]
    names: Vec<Narrow>,
}

#[derive(Debug, Deserialize, PartialEq)]
enum Narrow {
    #[serde(rename = "a/b")]
    AB,
}

fn request(query: Vec<(&'static str, Value)>, body: Option<Value>) -> DecodedRequest {
    let parameters = Parameters([vec![], query, vec![], vec![]]);
    let content = body.map_or(Content::None, Content::Value);
    DecodedRequest::new(
        parameters,
        IncomingBody {
            media_type: 0,
            content,
        },
    )
}

#[test]
fn value_out_of_range_of_its_type_is_rejected_with_name_or_pointer() {
    let valid = request(vec![("limit", json!(7))], None);
    let query = valid.query::<Query>().unwrap();
    assert_eq!((query.limit, query.small), (7, None));
    let out_of_range = request(vec![("limit", json!(7)), ("small", json!(1000))], None);
    let rejection = out_of_range.query::<Query>().unwrap_err().to_string();
    assert_eq!(
        rejection,
        r#"query parameter "small" is not acceptable: invalid value: integer `1000`, expected i8"#
    );

    let body = request(Vec::new(), Some(json!({"na/mes": ["a/b", "c"]})));
    let Rejection::ValidationFailed { problems } = body.body::<Body>().unwrap_err() else {
        panic!("expected ValidationFailed");
    };
    assert_eq!(problems[0].pointer, "/na~1mes/1");
    assert!(
        problems[0]
            .message
            .starts_with("is not acceptable: unknown variant")
    );
}

#[test]
fn missing_body_deserializes_to_none_or_is_rejected() {
    let missing = request(Vec::new(), None);
    assert_eq!(missing.body::<Option<Body>>(), Ok(None));
    assert_eq!(
        missing.body::<Body>(),
        Err(Rejection::malformed(BODY_MISSING))
    );
    assert_eq!(missing.body_value(), None);

    let present = request(Vec::new(), Some(json!({"na/mes": ["a/b"]})));
    let names = vec![Narrow::AB];
    assert_eq!(present.body::<Option<Body>>(), Ok(Some(Body { names })));
}
