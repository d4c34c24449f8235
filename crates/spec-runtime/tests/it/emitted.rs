//! The document that dropshot emits from a trait says what the document behind the trait says: schemas,
//! parameters and response headers survive the way through schemars.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use spec_runtime::Document;

static DOCUMENT: LazyLock<Document> =
    LazyLock::new(|| Document::from_json(include_str!("emitted/document.json")));

/// As the generator writes it.
#[allow(
    dead_code,
    reason = "only the descriptions of the trait and its types are asked for"
)]
mod api {
    use dropshot::{
        ErrorStatusCode, Header, HttpResponseCreated, HttpResponseHeaders, HttpResponseOk, Path,
        Query, RequestContext, TypedBody,
    };
    use serde::{Deserialize, Serialize};
    use spec_runtime::OperationError;

    use super::DOCUMENT;

    #[derive(Serialize, Deserialize)]
    pub struct Thing {
        pub name: String,
    }

    #[derive(Serialize, Deserialize)]
    pub struct Things(pub Vec<Thing>);

    #[derive(Serialize, Deserialize)]
    pub struct Status(pub String);

    #[derive(Serialize)]
    pub struct Problem {
        pub code: String,
    }

    #[derive(Deserialize)]
    pub struct ListThingsQuery {
        pub limit: i64,
        pub status: Option<Status>,
    }

    #[derive(Deserialize)]
    pub struct ThingIdPath {
        #[serde(rename = "thingId")]
        pub thing_id: i64,
    }

    #[derive(Deserialize)]
    pub struct CreateThingRequestHeaders {
        #[serde(rename = "Idempotency-Key")]
        pub idempotency_key: Option<String>,
    }

    #[derive(Serialize)]
    pub struct CreateThingResponseHeaders {
        #[serde(rename = "Location")]
        pub location: String,
    }

    spec_runtime::document_schemas! {
        DOCUMENT;
        Thing => "/components/schemas/Thing", [Status];
        Things => "/components/schemas/Things", [Thing];
        Status => "/components/schemas/thing-status";
        Problem => "/components/schemas/Problem", [];
    }

    spec_runtime::parameter_schemas! {
        DOCUMENT;
        ListThingsQuery => "/paths/~1things/get", query;
        ThingIdPath => "/paths/~1things~1{thingId}/put", path;
        CreateThingRequestHeaders => "/paths/~1things/post", header;
    }

    spec_runtime::response_header_schemas! {
        DOCUMENT;
        CreateThingResponseHeaders => "/paths/~1things/post/responses/201";
    }

    #[dropshot::api_description]
    pub trait ThingsApi {
        type Context;

        #[endpoint { method = GET, path = "/things", operation_id = "listThings" }]
        async fn list_things(
            rqctx: RequestContext<Self::Context>,
            query: Query<ListThingsQuery>,
        ) -> Result<HttpResponseOk<Things>, OperationError<Problem>>;

        #[endpoint { method = POST, path = "/things", operation_id = "createThing" }]
        async fn create_thing(
            rqctx: RequestContext<Self::Context>,
            headers: Header<CreateThingRequestHeaders>,
            body: TypedBody<Thing>,
        ) -> Result<
            HttpResponseHeaders<HttpResponseCreated<Thing>, CreateThingResponseHeaders>,
            OperationError<Problem>,
        >;

        #[endpoint { method = PUT, path = "/things/{thingId}", operation_id = "replaceThing" }]
        async fn replace_thing(
            rqctx: RequestContext<Self::Context>,
            path: Path<ThingIdPath>,
            body: TypedBody<Thing>,
        ) -> Result<HttpResponseOk<Thing>, OperationError<Problem>>;
    }

    pub fn failure() -> OperationError<Problem> {
        let code = "sold_out".to_owned();
        OperationError::new(ErrorStatusCode::CONFLICT, Problem { code })
    }
}

fn emitted() -> Value {
    let api = api::things_api_mod::stub_api_description().unwrap();
    let version = "1.0.0".parse().unwrap();
    api.openapi("Things", version).json().unwrap()
}

/// The schema as it is compared: the order of `required` says nothing.
fn comparable(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                let value = match (key.as_str(), value) {
                    ("required", Value::Array(names)) => {
                        let mut names = names.clone();
                        names.sort_by_key(Value::to_string);
                        Value::Array(names)
                    }
                    _ => comparable(value),
                };
                (key.clone(), value)
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(comparable).collect(),
        other => other.clone(),
    }
}

#[test]
fn every_schema_survives() {
    let emitted = emitted();
    let schemas = |document: &Value| -> BTreeMap<String, Value> {
        let schemas = document["components"]["schemas"].as_object().unwrap();
        schemas
            .iter()
            .map(|(name, schema)| (name.clone(), comparable(schema)))
            .collect()
    };
    let (found, expected) = (schemas(&emitted), schemas(DOCUMENT.json()));
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "all that is reached, under the document's names"
    );
    for (name, schema) in expected {
        assert_eq!(found[&name], schema, "{name}");
    }
}

#[test]
fn every_parameter_survives() {
    let emitted = emitted();
    for (path, method) in [
        ("/things", "get"),
        ("/things", "post"),
        ("/things/{thingId}", "put"),
    ] {
        let sorted = |document: &Value| {
            let parameters = document["paths"][path][method]["parameters"]
                .as_array()
                .unwrap();
            let mut parameters = parameters.clone();
            for parameter in &mut parameters {
                // dropshot spells the default styles out, and the document does not.
                parameter.as_object_mut().unwrap().shift_remove("style");
            }
            parameters.sort_by_key(|parameter| parameter["name"].to_string());
            parameters
        };
        assert_eq!(sorted(&emitted), sorted(DOCUMENT.json()), "{method} {path}");
    }
}

#[test]
fn response_headers_survive_but_for_those_of_the_gate() {
    let pointer = "/paths/~1things/post/responses/201/headers";
    let emitted = emitted();
    let mut headers = emitted.pointer(pointer).unwrap().clone();
    for header in headers.as_object_mut().unwrap().values_mut() {
        // dropshot spells the only style of a header out.
        header.as_object_mut().unwrap().shift_remove("style");
    }
    let mut expected = DOCUMENT.find(pointer).unwrap().clone();
    expected
        .as_object_mut()
        .unwrap()
        .shift_remove("X-Request-Id");
    assert_eq!(headers, expected);
}

#[test]
fn bodies_refer_to_their_schemas() {
    let emitted = emitted();
    let rows = [
        (
            "/paths/~1things/post/requestBody/content/application~1json/schema",
            "Thing",
        ),
        (
            "/paths/~1things/get/responses/200/content/application~1json/schema",
            "Things",
        ),
        (
            "/components/responses/Problem/content/application~1json/schema",
            "Problem",
        ),
    ];
    for (pointer, name) in rows {
        let reference = json!({ "$ref": format!("#/components/schemas/{name}") });
        assert_eq!(emitted.pointer(pointer), Some(&reference), "{pointer}");
    }
}

#[test]
fn a_failure_is_answered_with_its_status_and_body() {
    let result: Result<dropshot::HttpResponseOk<String>, _> = Err(api::failure());
    let response = spec_runtime::to_response(result).unwrap();
    assert_eq!(response.status(), http::StatusCode::CONFLICT);
    assert_eq!(response.headers()["content-type"], "application/json");
}
