//! Answers of a mock that keeps nothing: which value is sent, to whom, and what is said at the start.

use super::*;

const ANSWERS: &str = "openapi: 3.2.0
info: {title: Answers, version: 1.0.0}
paths:
  /data:
    get:
      operationId: getData
      responses:
        '200':
          description: Data.
          content:
            application/json:
              schema: {type: object, required: [a], properties: {a: {type: integer}}}
              examples:
                both: {dataValue: {a: 7}, serializedValue: '{\"a\":7}'}
                text: {serializedValue: '{\"a\":8}'}
            application/xml:
              schema: {type: object, required: [a], properties: {a: {type: integer}}}
              examples:
                both: {dataValue: {a: 7}, serializedValue: '<a>7</a>'}
        '400':
          description: Wrong.
          content:
            application/xml: {schema: {type: object, required: [a], properties: {a: {type: integer}}}}
            text/plain: {schema: {type: integer}}
        4XX: {$ref: '#/components/responses/Failed'}
        '500':
          description: Failed.
          content: {application/json: {schema: {type: integer, minimum: 2, maximum: 1}}}
        '503':
          description: Busy.
          content: {application/json: {schema: {$ref: '#/components/schemas/Failure'}, example: {status: 200, error: {code: 7}}}}
  /docs:
    get:
      operationId: listDocs
      responses: {'200': {description: Docs., content: {application/json: {schema: {const: mine}}}}}
components:
  responses:
    Failed:
      description: Failed.
      content: {application/json: {schema: {$ref: '#/components/schemas/Failure'}}}
  schemas:
    Failure:
      type: object
      required: [status, error]
      properties:
        status: {type: integer}
        error:
          type: object
          properties: {code: {type: integer, example: 200}, reason: {type: object, properties: {code: {type: integer, example: 1007}}}}
";

#[test]
fn examples_of_3_2_and_the_status_of_errors_are_sent() {
    let mock = Mock::start(ANSWERS, &[]);
    let failed = |status: u16| json!({"status": status, "error": {"code": status, "reason": {"code": 1007}}});
    for (prefer, accept, status, expected) in [
        ("", "*/*", 200, json!({"a": 7})),
        ("example=text", "*/*", 200, json!({"a": 8})),
        ("", "application/xml", 200, json!("<a>7</a>")),
        ("code=400", "*/*", 400, json!(1)),
        ("code=400", "application/xml", 400, json!({"a": 1})),
        ("code=404", "*/*", 404, failed(404)),
        ("code=409", "*/*", 409, failed(409)),
        (
            "code=503",
            "*/*",
            503,
            json!({"status": 200, "error": {"code": 7}}),
        ),
    ] {
        let answer = mock.get("/data", &[("prefer", prefer), ("accept", accept)]);
        assert_eq!(answer, (status, expected), "{prefer} {accept}");
    }
    let (status, error) = mock.get("/data", &[("prefer", "code=500")]);
    let reason = "no value was found for the response 500 of getData, as application/json: give it an example";
    assert_eq!(status, 500);
    assert!(error.to_string().contains(reason), "{error}");
}

#[test]
fn start_names_what_is_written_as_json_and_no_page_in_the_place_of_an_operation() {
    let mock = Mock::start(ANSWERS, &[]);
    let expected = "written as JSON: application/xml, as in 400 of getData (responses: 1): an example that is a text is sent as it is";
    assert_eq!(mock.notes, [expected]);
    assert_eq!(mock.get("/docs", &[]), (200, json!("mine")));
}
