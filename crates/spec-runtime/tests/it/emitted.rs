//! Tests that the document which dropshot emits from a trait equals the document that the trait was generated from:
//! schemas, parameters, response headers and bodies.
#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::LazyLock;

use serde_json::{Value, json};
use spec_runtime::Document;

static DOCUMENT: LazyLock<Document> =
    LazyLock::new(|| Document::from_json(include_str!("emitted/document.json")));

/// Code as the generator writes it.
#[allow(
    dead_code,
    reason = "the tests use only the descriptions of the trait and its types"
)]
mod api {
    use dropshot::{
        Header, HttpResponseCreated, HttpResponseHeaders, HttpResponseOk, Path, Query,
        RequestContext, TypedBody,
    };
    use serde::{Deserialize, Serialize};
    use spec_runtime::OperationError;

    use super::DOCUMENT;

    #[derive(Serialize, Deserialize)]
    pub struct Widget {
        pub name: String,
    }

    #[derive(Serialize, Deserialize)]
    pub struct Widgets(pub Vec<Widget>);

    #[derive(Serialize, Deserialize)]
    pub struct Status(pub String);

    #[derive(Serialize)]
    pub struct Problem {
        pub code: String,
    }

    #[derive(Deserialize)]
    pub struct ListWidgetsQuery {
        pub limit: i64,
        pub status: Option<Status>,
    }

    #[derive(Deserialize)]
    pub struct WidgetIdPath {
        #[serde(rename = "widgetId")]
        pub widget_id: i64,
    }

    #[derive(Deserialize)]
    pub struct CreateWidgetRequestHeaders {
        #[serde(rename = "Idempotency-Key")]
        pub idempotency_key: Option<String>,
    }

    #[derive(Serialize)]
    pub struct CreateWidgetResponseHeaders {
        #[serde(rename = "Location")]
        pub location: String,
    }

    spec_runtime::document_schemas! {
        DOCUMENT;
        Widget => "/components/schemas/Widget";
        Widgets => "/components/schemas/Widgets";
        Status => "/components/schemas/widget-status";
        Problem => "/components/schemas/Problem";
    }

    spec_runtime::parameter_schemas! {
        DOCUMENT;
        ListWidgetsQuery => "/paths/~1widgets/get", query, "limit", "after", "status", "not", "name";
        WidgetIdPath => "/paths/~1widgets~1{widgetId}/put", path, "widgetId";
        CreateWidgetRequestHeaders => "/paths/~1widgets/post", header, "Idempotency-Key";
    }

    spec_runtime::response_header_schemas! {
        DOCUMENT;
        CreateWidgetResponseHeaders => "/paths/~1widgets/post/responses/201", "Location", "X-Count";
    }

    #[dropshot::api_description]
    pub trait WidgetsApi {
        type Context;

        #[endpoint { method = GET, path = "/widgets", operation_id = "listWidgets" }]
        async fn list_widgets(
            rqctx: RequestContext<Self::Context>,
            query: Query<ListWidgetsQuery>,
        ) -> Result<HttpResponseOk<Widgets>, OperationError<Problem>>;

        #[endpoint { method = POST, path = "/widgets", operation_id = "createWidget" }]
        async fn create_widget(
            rqctx: RequestContext<Self::Context>,
            headers: Header<CreateWidgetRequestHeaders>,
            body: TypedBody<Widget>,
        ) -> Result<
            HttpResponseHeaders<HttpResponseCreated<Widget>, CreateWidgetResponseHeaders>,
            OperationError<Problem>,
        >;

        #[endpoint { method = PUT, path = "/widgets/{widgetId}", operation_id = "replaceWidget" }]
        async fn replace_widget(
            rqctx: RequestContext<Self::Context>,
            path: Path<WidgetIdPath>,
            body: TypedBody<Widget>,
        ) -> Result<HttpResponseOk<Widget>, OperationError<Problem>>;
    }
}

fn emitted() -> Value {
    let api = api::widgets_api_mod::stub_api_description().unwrap();
    let version = "1.0.0".parse().unwrap();
    api.openapi("Widgets", version).json().unwrap()
}

/// The schema with sorted `required`: its order has no meaning.
fn normalize(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter().map(|(key, value)| {
                let value = match (key.as_str(), value) {
                    ("required", Value::Array(names)) => {
                        let mut names = names.clone();
                        names.sort_by_key(Value::to_string);
                        Value::Array(names)
                    }
                    _ => normalize(value),
                };
                (key.clone(), value)
            });
            Value::Object(members.collect())
        }
        Value::Array(items) => items.iter().map(normalize).collect(),
        other => other.clone(),
    }
}

#[test]
fn emitted_schemas_equal_those_of_the_document() {
    let emitted = emitted();
    let schemas = |document: &Value| -> BTreeMap<String, Value> {
        let schemas = document["components"]["schemas"].as_object().unwrap();
        schemas
            .iter()
            .map(|(name, schema)| (name.clone(), normalize(schema)))
            .collect()
    };
    let (found, expected) = (schemas(&emitted), schemas(DOCUMENT.json()));
    assert_eq!(
        found.keys().collect::<Vec<_>>(),
        expected.keys().collect::<Vec<_>>(),
        "names of all schemas that are referred to"
    );
    for (name, schema) in expected {
        assert_eq!(found[&name], schema, "{name}");
    }
}

#[test]
fn emitted_parameters_equal_those_of_the_document() {
    let emitted = emitted();
    for (path, method) in [
        ("/widgets", "get"),
        ("/widgets", "post"),
        ("/widgets/{widgetId}", "put"),
    ] {
        let sorted = |document: &Value| {
            let parameters = document["paths"][path][method]["parameters"]
                .as_array()
                .unwrap();
            let mut parameters = parameters.clone();
            for parameter in &mut parameters {
                // dropshot writes default styles explicitly, and the document does not.
                parameter.as_object_mut().unwrap().shift_remove("style");
            }
            parameters.sort_by_key(|parameter| parameter["name"].to_string());
            parameters
        };
        assert_eq!(sorted(&emitted), sorted(DOCUMENT.json()), "{method} {path}");
    }
}

#[test]
fn emitted_response_headers_are_those_of_the_struct() {
    let pointer = "/paths/~1widgets/post/responses/201/headers";
    let emitted = emitted();
    let mut headers = emitted.pointer(pointer).unwrap().clone();
    for header in headers.as_object_mut().unwrap().values_mut() {
        // dropshot writes the only style of a header explicitly.
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
fn emitted_bodies_refer_to_their_schemas() {
    let emitted = emitted();
    let rows = [
        (
            "/paths/~1widgets/post/requestBody/content/application~1json/schema",
            "Widget",
        ),
        (
            "/paths/~1widgets/get/responses/200/content/application~1json/schema",
            "Widgets",
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
