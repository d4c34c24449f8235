//! Every style and `explode` of OpenAPI 3.0.3, in each location.
use http::{HeaderName, HeaderValue, Method};
use serde_json::json;

use super::*;
use crate::routes::{Route, Routes};
use crate::tests::{document, rows};

/// A parameter `color` with this location, style and `explode`, and a schema by its name.
fn decoder(location: &str, style: &str, explode: bool, schema: &str) -> Decoder {
    let schema = match schema {
        "number" => json!({ "type": "integer" }),
        "string" => json!({ "type": "string" }),
        "array" => json!({ "type": "array", "items": { "type": "string" } }),
        "numbers" => json!({ "type": "array", "items": { "type": "number" } }),
        "object" => json!({ "type": "object", "required": ["R"], "properties": {
            "R": { "type": "integer" }, "G": { "type": "integer" }, "B": { "type": "string" }
        } }),
        "map" => json!({ "type": "object", "additionalProperties": { "type": "integer" } }),
        "union" => json!({ "oneOf": [
            { "type": "integer" }, { "type": "array", "items": { "type": "integer" } },
            { "type": "object", "required": ["R"], "properties": { "R": { "type": "integer" } } }
        ] }),
        "deep" => json!({ "type": "object", "properties": {
            "name": { "type": "object", "properties": { "first": { "type": "string" } } },
            "ids": { "type": "array", "items": { "type": "integer" } }
        } }),
        "nullable" => json!({ "type": "integer", "nullable": true }),
        "any" => json!({}),
        "free" => json!({ "type": "object" }),
        "mixed" => json!({ "oneOf": [
            { "type": "string" }, { "type": "object", "additionalProperties": { "type": "integer" } }
        ] }),
        other => panic!("no schema {other}"),
    };
    let parameter = json!({
        "name": "color", "in": location, "required": true, "style": style, "explode": explode, "schema": schema
    });
    build(&json!([parameter]))
}

fn build(parameters: &Value) -> Decoder {
    let document =
        document(json!({ "paths": { "/x/{color}": { "get": { "parameters": parameters } } } }));
    Decoder::new(document, &TABLE).unwrap()
}

static TABLE: [OperationInfo; 1] = [OperationInfo::new("x", crate::Method::Get, "/x/{color}")];

/// The decoded parameters of a location as JSON, or the message of the rejection.
fn decode(decoder: &Decoder, location: &str, text: &str) -> String {
    let routes = Routes::new(&TABLE).unwrap();
    let path = match location {
        "path" => format!("/x/{text}"),
        _ => "/x/any".to_owned(),
    };
    let Route::Found { parameters, .. } = routes.find(&Method::GET, &path) else {
        panic!("{path} has no route");
    };
    let header = match location {
        "header" => Some("color"),
        "cookie" => Some("cookie"),
        _ => None,
    };
    let header = header.filter(|_| !text.is_empty()).map(|name| {
        let name: HeaderName = name.parse().unwrap();
        (name, HeaderValue::from_str(text).unwrap())
    });
    let headers = HeaderMap::from_iter(header);
    let query = (location == "query").then_some(text);
    match decoder.decode_parameters(0, &parameters, query, &headers) {
        Err(rejection) => rejection.to_string(),
        Ok(found) => {
            let values = found.0.into_iter().flatten();
            let object: serde_json::Map<_, _> = values
                .map(|(name, value)| (name.to_owned(), value))
                .collect();
            match object.get("color") {
                Some(value) if object.len() == 1 => value.to_string(),
                _ => Value::Object(object).to_string(),
            }
        }
    }
}

#[test]
fn reads_the_table_of_styles() {
    const TABLE: &str = r#"
        path matrix false string   ;color=blue                -> "blue"
        path matrix false string   ;color                     -> ""
        path matrix false array    ;color=blue,black,brown    -> ["blue","black","brown"]
        path matrix false object   ;color=R,100,G,200,B,150   -> {"R":100,"G":200,"B":"150"}
        path matrix true number    ;color=7                   -> 7
        path matrix true array     ;color=blue;color=black    -> ["blue","black"]
        path matrix true object    ;R=100;G=200;B=150         -> {"R":100,"G":200,"B":"150"}
        path label false string    .blue                      -> "blue"
        path label false array     .blue.black.brown          -> ["blue","black","brown"]
        path label false numbers   .1.5,2.5                   -> [1.5,2.5]
        path label false object    .R.100.G.200.B.150         -> {"R":100,"G":200,"B":"150"}
        path label true array      .blue.black                -> ["blue","black"]
        path label true array      .                          -> []
        path label true object     .R=100.G=200               -> {"R":100,"G":200}
        path simple false array    blue,bl%2Cack              -> ["blue","bl,ack"]
        path simple false object   R,100,G,200                -> {"R":100,"G":200}
        path simple true object    R=100,B=a%3Db              -> {"R":100,"B":"a=b"}
        query form false string    color=                     -> ""
        query form false array     color=blue,black           -> ["blue","black"]
        query form false object    color=R,100,G,200          -> {"R":100,"G":200}
        query form true array      color=blue&color=black     -> ["blue","black"]
        query form true object     R=100&B=150                -> {"R":100,"B":"150"}
        query form true map        a=1&b=2                    -> {"a":1,"b":2}
        query spaceDelimited false array  color=blue%20black+a -> ["blue","black","a"]
        query spaceDelimited false object color=R%20100%20G%20200 -> {"R":100,"G":200}
        query pipeDelimited false array   color=blue|black    -> ["blue","black"]
        query pipeDelimited false object  color=R|100|G|200   -> {"R":100,"G":200}
        query deepObject true object      color[R]=100&color%5BG%5D=200 -> {"R":100,"G":200}
        query deepObject true map         color[a]=1&color[b]=2 -> {"a":1,"b":2}
        query deepObject true deep        color[name][first]=x&color[ids]=1&color[ids]=2 -> {"name":{"first":"x"},"ids":[1,2]}
        query deepObject true deep        color[ids][]=1&color[ids][]=2 -> {"ids":[1,2]}
        query deepObject true deep        color[ids]=3         -> {"ids":[3]}
        query form true deep       name={"first":"x"}&ids=1   -> {"name":{"first":"x"},"ids":[1]}
        header simple false array  blue, black                -> ["blue","black"]
        header simple false object R,100,G,200                -> {"R":100,"G":200}
        header simple true object  R=100,G=200                -> {"R":100,"G":200}
        cookie form true string    a=1; color=bl%20ue         -> "bl ue"
        cookie form true string    color="blue"               -> "blue"
        cookie form false array    color=blue,black           -> ["blue","black"]
        cookie form true array     color=blue; color=black    -> ["blue","black"]
        cookie form false object   color=R,100,G,200          -> {"R":100,"G":200}
        cookie form true object    R=100; other=1; B=150      -> {"R":100,"B":"150"}
        query form false union     color=7                    -> 7
        query form false union     color=7,8                  -> [7,8]
        query form false union     color=R,8                  -> {"R":8}
        query form true union      R=8                        -> {"R":8}
        query form true nullable   color=                     -> null
    "#;
    check(TABLE);
}

#[test]
fn schema_without_a_type_takes_texts_lists_and_objects() {
    const TABLE: &str = r#"
        query form true any        color=a,b                  -> "a,b"
        query form true any        color=1&color=2            -> ["1","2"]
        query form true any        a=1&b=2&b=3                -> {"a":"1","b":["2","3"]}
        query form true any        color=1&a=2                -> {"a":"2","color":"1"}
        query form true any        color                      -> ""
        query form false any       color=a,b                  -> ["a","b"]
        query form false any       color=a%2Cb                -> "a,b"
        query form false any       a=1                        -> query parameter "a" is unknown; known parameters: color
        query spaceDelimited true any a=1&b=2                 -> {"a":"1","b":"2"}
        query spaceDelimited false any color=a%20b            -> ["a","b"]
        query pipeDelimited false any  color=a|b              -> ["a","b"]
        query deepObject true any  color[a]=1&color[b][c]=2   -> {"a":"1","b":{"c":"2"}}
        query deepObject true any  color[]=1&color[]=2        -> ["1","2"]
        query deepObject true any  a=1                        -> query parameter "a" is unknown; known parameters: color
        query form true free       a=1&b=2&b=3                -> {"a":"1","b":["2","3"]}
        query form true mixed      color=x                    -> "x"
        query form true mixed      R=1                        -> {"R":1}
        query form true mixed      R=x                        -> query parameter "color" property "R" must be an integer, got "x"
        path simple false any      a,b                        -> ["a","b"]
        path simple false any      a%2Cb                      -> "a,b"
        path simple true any       a=1,b=2                    -> {"a":"1","b":"2"}
        path simple true any       a%3D1                      -> "a=1"
        path label true any        .a=1.b=2                   -> {"a":"1","b":"2"}
        path matrix true any       ;a=1;b=2                   -> {"a":"1","b":"2"}
        header simple false any    a, b                       -> "a, b"
        cookie form true any       color=a; other=b           -> "a"
        cookie form true any       other=b                    -> cookie "color" is required
    "#;
    check(TABLE);
}

#[test]
fn free_names_belong_to_the_object_and_not_to_what_may_be_one() {
    let any = json!({ "name": "any", "in": "query", "schema": {} });
    let other = json!({ "name": "other", "in": "query", "schema": {} });
    let free = json!({ "name": "free", "in": "query", "schema": { "type": "object" } });
    let table = [
        (json!([any, free]), r#"{"any":"1","free":{"a":"2"}}"#),
        (json!([any, other]), r#"{"any":{"a":"2","any":"1"}}"#),
    ];
    for (parameters, expected) in table {
        let decoder = build(&parameters);
        assert_eq!(decode(&decoder, "query", "any=1&a=2"), expected);
    }
}

/// Checks rows of location, style, `explode`, schema and text.
fn check(table: &'static str) {
    for (row, expected) in rows(table) {
        let parts: Vec<&str> = row.splitn(5, char::is_whitespace).map(str::trim).collect();
        let [location, style, explode, schema, text] = parts[..] else {
            panic!("{row}");
        };
        let decoder = decoder(location, style, explode == "true", schema);
        assert_eq!(decode(&decoder, location, text), expected, "{row}");
    }
}

#[test]
fn rejects_what_a_style_cannot_write() {
    const TABLE: &str = r#"
        path matrix false string   blue            -> path parameter "color" must begin with ";color="
        path matrix false string   ;colors=blue    -> path parameter "color" must begin with ";color="
        path label false string    blue            -> path parameter "color" must begin with a dot
        path simple false object   R,100,G         -> path parameter "color" must list the names and values of its properties in turn
        path simple false object   R,x             -> path parameter "color" property "R" must be an integer, got "x"
        path simple true object    G=1             -> path parameter "color" property "R" is required
        query form true object     R=1&X=2         -> query parameter "X" is unknown; known parameters: B, G, R
        query form true object     R=1&R=2         -> query parameter "color" property "R" must be given once, got 2 values
        query deepObject true object color=1       -> query parameter "color" must be an object in JSON
        query deepObject true object color[R=1     -> query parameter "color[R" is unknown; known parameters: color
        query form false numbers   color=1,x       -> query parameter "color" item 2 must be a number, got "x"
        query form false union     color=x         -> query parameter "color" must be an integer, got "x"
        cookie form true string    other=1         -> cookie "color" is required
        cookie form true string    color=%zz       -> cookie "color" has a % that is not followed by two hexadecimal digits
        query form true map        a=x             -> query parameter "color" property "a" must be an integer, got "x"
    "#;
    check(TABLE);
}

#[test]
fn declared_names_come_before_properties_and_free_names() {
    let decoder = build(&json!([
        { "name": "filter", "in": "query", "schema": { "type": "object",
            "properties": { "limit": { "type": "integer" }, "kind": { "type": "string" } },
            "additionalProperties": true } },
        { "name": "limit", "in": "query", "schema": { "type": "integer" } }
    ]));
    assert_eq!(
        decode(&decoder, "query", "limit=1&kind=a&free=b"),
        r#"{"filter":{"kind":"a","free":"b"},"limit":1}"#
    );
}

#[test]
fn property_with_the_name_of_its_object_is_a_property() {
    let decoder = build(&json!([
        { "name": "color", "in": "query", "schema": { "type": "object",
            "properties": { "color": { "type": "string" }, "R": { "type": "integer" } } } }
    ]));
    assert_eq!(
        decode(&decoder, "query", "color=red&R=1"),
        r#"{"color":"red","R":1}"#
    );
}

#[test]
fn json_is_the_whole_query() {
    let decoder = build(&json!([
        { "name": "q", "in": "querystring", "required": true, "content": { "application/json": { "schema":
            { "type": "object", "properties": { "a": { "type": "string" } } } } } }
    ]));
    let table = [
        ("%7B%22a%22:%22b%26c=d+%22%7D", r#"{"q":{"a":"b&c=d+"}}"#),
        // What a query may hold need not be encoded.
        ("{%22a%22:%22b&c=d%22}", r#"{"q":{"a":"b&c=d"}}"#),
        ("", r#"query parameter "q" is required"#),
        (
            "a=1",
            r#"query parameter "q" is not valid JSON: expected value at line 1 column 1"#,
        ),
    ];
    for (query, expected) in table {
        assert_eq!(decode(&decoder, "query", query), expected, "{query}");
    }
}

#[test]
fn content_is_json() {
    let decoder = build(&json!([
        { "name": "color", "in": "query", "content": { "application/json": { "schema":
            { "type": "object", "properties": { "R": { "type": "integer", "maximum": 9 } } } } } }
    ]));
    let table = [
        ("color=%7B%22R%22:1%7D", r#"{"R":1}"#),
        (
            "color=%7B%22R%22:10%7D",
            r#"query parameter "color" property "R" must be at most 9, got 10"#,
        ),
        (
            "color=%7B",
            r#"query parameter "color" is not valid JSON: EOF while parsing an object at line 1 column 1"#,
        ),
    ];
    for (query, expected) in table {
        assert_eq!(decode(&decoder, "query", query), expected, "{query}");
    }
}

#[test]
fn empty_values_are_allowed_where_the_document_says_so() {
    let decoder = build(&json!([
        { "name": "flag", "in": "query", "allowEmptyValue": true, "schema": { "type": "boolean" } },
        { "name": "count", "in": "query", "allowEmptyValue": true, "schema": { "type": "integer" } },
        { "name": "size", "in": "query", "schema": { "type": "integer", "minimum": 1, "default": 0 } }
    ]));
    assert_eq!(decode(&decoder, "query", "flag&count="), r#"{"flag":true}"#);
    assert_eq!(
        decode(&decoder, "query", "size="),
        r#"query parameter "size" must be an integer, got an empty value"#
    );
    let without = decode(&decoder, "query", "");
    assert_eq!(without, "{}", "a default that does not fit is ignored");
}
