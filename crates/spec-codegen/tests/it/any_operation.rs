//! Operations beyond what dropshot's own types can express: their methods, and the enums of their bodies and responses.

use spec_codegen::{Settings, Unsupported, generate};
use spec_model::Spec;

use crate::{diagnose, formatted, generate_files, settings};

/// The methods of the generated trait.
fn methods(document: &str) -> String {
    let text = formatted(&generate_files(document), "api.rs");
    let (_, methods) = text.split_once("type Context;\n").unwrap();
    methods.trim_matches(['\n', '}']).to_owned()
}

fn file(document: &str, name: &str) -> String {
    let text = formatted(&generate_files(document), name);
    let (_, items) = text.split_once("Do not edit.\n\n").unwrap();
    items.to_owned()
}

/// A document with these paths.
fn document(paths: &str) -> String {
    format!("openapi: 3.0.3\ninfo: {{title: T, version: \"1\"}}\npaths:\n{paths}")
}

const BODIES: &str = r##"
  /optional:
    post:
      operationId: optional
      requestBody: {content: {application/json: {schema: {type: integer}}}}
      responses: {"204": {description: ok}}
  /form:
    post:
      operationId: form
      requestBody:
        required: true
        content:
          application/x-www-form-urlencoded:
            schema: {type: object, properties: {a: {type: string}}}
      responses: {"204": {description: ok}}
  /text:
    post:
      operationId: text
      requestBody: {required: true, content: {text/plain: {schema: {type: string}}}}
      responses: {"204": {description: ok}}
  /bytes:
    put:
      operationId: bytes
      requestBody: {required: true, content: {image/png: {}}}
      responses: {"204": {description: ok}}
  /parts:
    post:
      operationId: parts
      requestBody:
        required: true
        content:
          multipart/form-data:
            schema:
              type: object
              required: [file]
              properties:
                file: {type: string, format: binary}
                tags: {type: array, items: {type: string}}
                meta: {type: object, additionalProperties: {type: string}}
      responses: {"204": {description: ok}}
  /several:
    post:
      operationId: several
      requestBody:
        content:
          application/json: {schema: {type: string}}
          text/csv: {schema: {type: string}}
          application/octet-stream: {}
      responses: {"204": {description: ok}}
"##;

#[test]
fn endpoint_names_the_media_type_of_a_body_that_dropshot_knows() {
    let methods = methods(&document(BODIES));
    let types = methods.lines().filter(|line| line.contains("content_type"));
    let types: Vec<&str> = types.map(str::trim).collect();
    let expected = [
        "content_type = \"application/x-www-form-urlencoded\",",
        "content_type = \"multipart/form-data\",",
    ];
    assert_eq!(types, expected, "{methods}");
}

#[test]
fn media_types_and_parts_of_a_body_become_enums() {
    insta::assert_snapshot!(file(&document(BODIES), "bodies.rs"), @r#"
    //! Request bodies that have several media types or parts.

    use std::collections::BTreeMap;

    use spec_runtime::{File, FromPart, Part, RawBody, Rejection, Text};

    /// The body of `several`, by its media type.
    #[derive(Debug)]
    pub enum SeveralBody {
        /// `application/json`
        Json(String),
        /// `text/csv`
        Csv(Text),
        /// `application/octet-stream`
        Bytes(RawBody),
    }

    /// A part of the body of `parts`.
    #[derive(Debug)]
    pub enum PartsPart {
        /// `file`
        File(File),
        /// `tags`
        Tags(String),
        /// `meta`
        Meta(BTreeMap<String, String>),
    }

    impl FromPart for PartsPart {
        fn from_part(part: Part) -> Result<Self, Rejection> {
            match part.name() {
                "file" => part.file().map(Self::File),
                "tags" => part.value().map(Self::Tags),
                "meta" => part.value().map(Self::Meta),
                _ => Err(part.unknown()),
            }
        }
    }
    "#);
}

#[test]
fn dispatch_takes_each_body_out_of_the_request() {
    let text = file(&document(BODIES), "interface.rs");
    let (_, arms) = text
        .split_once("match Operation::ALL[permit.operation()] {")
        .unwrap();
    let (arms, _) = arms.split_once("\n        }").unwrap();
    let arms: Vec<&str> = arms
        .lines()
        .map(|line| line.strip_prefix("            ").unwrap_or(line))
        .collect();
    insta::assert_snapshot!(arms.join("\n"), @r"
    Operation::Optional => {
        let body: Option<i64> = request.body()?;
        to_response(A::optional(rqctx, body.into()).await)
    }
    Operation::Form => {
        let body: FormBody = request.body()?;
        to_response(A::form(rqctx, body.into()).await)
    }
    Operation::Text => {
        let body: Text = Text(request.text());
        to_response(A::text(rqctx, body).await)
    }
    Operation::Bytes => {
        let body: RawBody = request.raw();
        to_response(A::bytes(rqctx, body).await)
    }
    Operation::Parts => {
        let body: Multipart<PartsPart> = request.multipart()?;
        to_response(A::parts(rqctx, body).await)
    }
    Operation::Several => {
        let body = match request.has_body() {
            true => Some(match request.media_type() {
                0 => SeveralBody::Json(request.body()?),
                1 => SeveralBody::Csv(Text(request.text())),
                _ => SeveralBody::Bytes(request.raw()),
            }),
            false => None,
        };
        to_response(A::several(rqctx, body.into()).await)
    }
    ");
}

#[test]
fn list_is_a_part_for_each_item_unless_it_is_declared_as_json() {
    let text = document(
        r##"
  /parts:
    post:
      operationId: parts
      requestBody:
        content:
          multipart/form-data:
            schema:
              type: object
              properties:
                tags: {type: array, items: {type: string}}
                sizes: {type: array, items: {type: integer}}
                notes: {type: array, items: {type: string}}
            encoding:
              sizes: {contentType: application/json}
              notes: {contentType: "application/json, text/plain"}
      responses: {"204": {description: ok}}
"##,
    );
    let bodies = file(&text, "bodies.rs");
    for variant in ["Tags(String)", "Sizes(Vec<i64>)", "Notes(Vec<String>)"] {
        assert!(bodies.contains(variant), "no {variant} in {bodies}");
    }
}

const RESPONSES: &str = r##"
  /several:
    get:
      operationId: several
      responses:
        "200":
          description: All of it.
          content:
            application/json: {schema: {type: integer}}
            text/csv: {schema: {type: string}}
            image/*: {}
        "206":
          description: A part of it.
          headers: {Content-Range: {required: true, schema: {type: string}}}
          content: {application/octet-stream: {}}
        "4XX": {description: Refused., content: {application/problem+json: {schema: {type: object}}}}
        "404": {description: Not there.}
        default: {description: Broken., content: {text/plain: {schema: {type: string}}}}
"##;

#[test]
fn responses_of_any_status_and_media_type_become_enums() {
    insta::assert_snapshot!(file(&document(RESPONSES), "responses.rs"), @r#"
    //! What operations respond with, where that is more than one type and status.

    use std::collections::BTreeMap;

    use dropshot::{ApiEndpointResponse, Body, ErrorStatusCode, HttpError, HttpResponse};
    use http::{Response, StatusCode};
    use serde_json::Value;
    use spec_runtime::error_response;
    use spec_runtime::respond::{ErrorResponse, bytes, empty, json, json_as, text, with_headers};

    use crate::parameters::SeveralPartialContentHeaders;

    /// What `several` responds with.
    #[derive(Debug)]
    pub enum SeveralResponse {
        /// `200` as `application/json`: All of it.
        OkJson(i64),
        /// `200` as `text/csv`: All of it.
        OkCsv(String),
        /// `200` as `image/*`: All of it.
        OkImageAny {
            /// The media type of the body.
            media_type: String,
            /// The body.
            body: Body,
        },
        /// `206` as `application/octet-stream`: A part of it.
        PartialContent {
            /// The headers.
            headers: SeveralPartialContentHeaders,
            /// The body.
            body: Body,
        },
    }

    impl HttpResponse for SeveralResponse {
        fn to_result(self) -> Result<Response<Body>, HttpError> {
            match self {
                Self::OkJson(body) => json(200, &body),
                Self::OkCsv(body) => text(200, "text/csv", body),
                Self::OkImageAny { media_type, body } => bytes(200, &media_type, body),
                Self::PartialContent { headers, body } => {
                    with_headers(bytes(206, "application/octet-stream", body)?, &headers)
                }
            }
        }

        fn response_metadata() -> ApiEndpointResponse {
            ApiEndpointResponse::default()
        }

        fn status_code(&self) -> StatusCode {
            match self {
                Self::OkJson(_) => StatusCode::OK,
                Self::OkCsv(_) => StatusCode::OK,
                Self::OkImageAny { .. } => StatusCode::OK,
                Self::PartialContent { .. } => StatusCode::PARTIAL_CONTENT,
            }
        }
    }

    /// The errors of `several`.
    #[derive(Debug)]
    pub enum SeveralError {
        /// `4XX` as `application/problem+json`: Refused.
        ClientError {
            /// The status.
            status: ErrorStatusCode,
            /// The body.
            body: BTreeMap<String, Value>,
        },
        /// `404`: Not there.
        NotFound,
        /// `default` as `text/plain`: Broken.
        Default {
            /// The status.
            status: ErrorStatusCode,
            /// The body.
            body: String,
        },
        /// An error of dropshot itself, which the server writes.
        Dropshot(HttpError),
    }

    impl ErrorResponse for SeveralError {
        fn status(&self) -> ErrorStatusCode {
            match self {
                Self::ClientError { status, .. } => *status,
                Self::NotFound => ErrorStatusCode::NOT_FOUND,
                Self::Default { status, .. } => *status,
                Self::Dropshot(error) => error.status_code,
            }
        }

        fn respond(self) -> Result<Response<Body>, HttpError> {
            match self {
                Self::ClientError { status, body } => {
                    json_as(status.as_u16(), "application/problem+json", &body)
                }
                Self::NotFound => empty(404),
                Self::Default { status, body } => text(status.as_u16(), "text/plain", body),
                Self::Dropshot(error) => Err(error),
            }
        }
    }

    impl From<HttpError> for SeveralError {
        fn from(error: HttpError) -> Self {
            Self::Dropshot(error)
        }
    }

    error_response!(SeveralError);
    "#);
}

const PARAMETERS: &str = r##"
  /a/{ids}:
    get:
      operationId: search
      parameters:
        - {name: ids, in: path, required: true, schema: {type: array, items: {type: integer}}}
        - {name: filter, in: query, style: deepObject, schema: {type: object, properties: {x: {type: string}}}}
        - {name: json, in: query, content: {application/json: {schema: {type: array, items: {type: number}}}}}
        - {name: session, in: cookie, required: true, schema: {type: string}}
        - {name: Accept, in: header, schema: {type: string}}
      responses: {"204": {description: ok}}
"##;

#[test]
fn parameters_of_any_style_and_location_become_fields() {
    let document = document(PARAMETERS);
    insta::assert_snapshot!(methods(&document), @r"
    fn search(
        rqctx: RequestContext<Self::Context>,
        path: Path<IdsPath>,
        query: Query<SearchQuery>,
        cookies: Cookies<SearchCookies>,
    ) -> impl Future<Output = Result<HttpResponseUpdatedNoContent, HttpError>> + Send;
    ");
    insta::assert_snapshot!(file(&document, "parameters.rs"), @r#"
    //! The parameters of operations, and the response headers that their implementations set.

    use serde::Deserialize;
    use spec_runtime::parameter_schemas;

    use crate::document::DOCUMENT;
    use crate::types::SearchFilter;

    /// The path parameter `ids`.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct IdsPath {
        /// `ids`
        pub ids: Vec<i64>,
    }

    /// The query parameters of `search`.
    #[derive(Clone, Debug, Default, PartialEq, Deserialize)]
    pub struct SearchQuery {
        /// `filter`
        pub filter: Option<SearchFilter>,
        /// `json`
        pub json: Option<Vec<f64>>,
    }

    /// The cookies of `search`.
    #[derive(Clone, Debug, PartialEq, Deserialize)]
    pub struct SearchCookies {
        /// `session`
        pub session: String,
    }

    parameter_schemas! {
        DOCUMENT;
        IdsPath => "/paths/~1a~1{ids}/get", path, "ids";
        SearchQuery => "/paths/~1a~1{ids}/get", query, "filter", "json";
    }
    "#);
}

#[test]
fn what_dropshot_cannot_register_is_a_method_without_endpoint() {
    let document = document(
        r##"
  /pets/{id}:
    get:
      parameters: [{name: id, in: path, required: true, schema: {type: string}}]
      responses: {"204": {description: ok}}
  /pets/mine:
    get: {operationId: mine, responses: {"204": {description: ok}}}
  /files/{name}.{ending}:
    get:
      operationId: file
      parameters:
        - {name: name, in: path, required: true, schema: {type: string}}
        - {name: ending, in: path, required: true, schema: {type: string}}
      responses: {"204": {description: ok}}
  /echo:
    trace: {operationId: echo, responses: {"204": {description: ok}}}
    head: {operationId: peek, responses: {"204": {description: ok}}}
  /live:
    get:
      operationId: live
      x-dropshot-websocket: {}
      responses: {default: {description: "", content: {"*/*": {schema: {}}}}}
"##,
    );
    insta::assert_snapshot!(methods(&document), @r#"
    #[endpoint {
        method = GET,
        path = "/pets/{id}",
        operation_id = "getPetsId",
    }]
    async fn get_pets_id(
        rqctx: RequestContext<Self::Context>,
        path: Path<IdPath>,
    ) -> Result<HttpResponseUpdatedNoContent, HttpError>;

    fn mine(
        rqctx: RequestContext<Self::Context>,
    ) -> impl Future<Output = Result<HttpResponseUpdatedNoContent, HttpError>> + Send;

    fn file(
        rqctx: RequestContext<Self::Context>,
        path: Path<NameEndingPath>,
    ) -> impl Future<Output = Result<HttpResponseUpdatedNoContent, HttpError>> + Send;

    fn echo(
        rqctx: RequestContext<Self::Context>,
    ) -> impl Future<Output = Result<HttpResponseUpdatedNoContent, HttpError>> + Send;

    #[endpoint {
        method = HEAD,
        path = "/echo",
        operation_id = "peek",
    }]
    async fn peek(
        rqctx: RequestContext<Self::Context>,
    ) -> Result<HttpResponseUpdatedNoContent, HttpError>;

    #[channel {
        protocol = WEBSOCKETS,
        path = "/live",
        operation_id = "live",
    }]
    async fn live(
        rqctx: RequestContext<Self::Context>,
        connection: WebsocketConnection,
    ) -> WebsocketChannelResult;
    "#);
    insta::assert_snapshot!(diagnose(&document), @r"
    api.yaml:6:5: the operation has no `operationId`, so that it is called `getPetsId` (/paths/~1pets~1{id}/get)
      help: add `operationId: getPetsId`
    ");
}

#[test]
fn operation_with_an_error_is_left_out_and_the_others_are_generated() {
    let text = document(
        r##"
  /broken:
    get:
      operationId: broken
      parameters: [{name: id, in: path, required: true, schema: {type: string}}, {name: size, in: query, schema: {type: object, properties: {a: {type: string}}}}]
      requestBody: {content: {multipart/form-data: {schema: {type: object, properties: {a: {type: string}}}}}}
      responses:
        "200": {description: ok, headers: {x-a: {schema: {type: string}}}, content: {application/json: {schema: {type: object, properties: {a: {type: string}}}}}}
        "204": {description: ok}
  /through:
    get:
      operationId: through
      responses: {"200": {description: ok, content: {application/json: {schema: {$ref: "#/components/schemas/Bad"}}}}}
  /whole:
    get: {operationId: whole, responses: {"204": {description: ok}}}
  /path?a=b:
    get: {operationId: path, responses: {"204": {description: ok}}}
  /open{:
    get: {operationId: open, responses: {"204": {description: ok}}}
    put: {operationId: close, responses: {"204": {description: ok}}}
  /number:
    get: 1
components:
  schemas:
    Bad: {type: object, properties: {a: {type: text}}}
"##,
    );
    let spec = Spec::parse_with_errors("api.yaml", &text).unwrap();
    let errors = generate(&spec, &settings()).unwrap_err();
    assert_eq!(errors.len(), 5, "all errors at once");
    let partial = Settings {
        partial: true,
        ..settings()
    };
    let generated = generate(&spec, &partial).unwrap();
    let (answered, unread): (Vec<_>, Vec<_>) =
        generated.unsupported.iter().partition(|of| of.is_answered);
    let names = |of: &[&Unsupported]| {
        let names = of.iter().map(|of| of.operation.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names(&answered), "broken, through, path");
    assert_eq!(names(&unread), "GET /open{, PUT /open{, GET /number");
    let table = formatted(&generated.files, "operations.rs");
    assert_eq!(table.matches("generated: false").count(), 3);
    let dispatch = formatted(&generated.files, "interface.rs");
    assert!(dispatch.contains("Operation::Broken => Err(DispatchError::NotImplemented)"));
    assert!(!formatted(&generated.files, "api.rs").contains("fn broken"));
    for name in ["bodies.rs", "responses.rs", "client/builder.rs"] {
        let file = generated.files.iter().find(|file| file.name == name);
        let is_left_out = file.is_none_or(|file| !file.content.contains("Broken"));
        assert!(is_left_out, "{file:?}");
    }
}

/// A scheme that is left out of the interface would leave its operations open to everybody.
#[test]
fn operation_whose_security_scheme_has_an_error_is_left_out() {
    for (scheme, all) in [
        ("{type: mutualTLS}", "[]"),
        ("{type: apiKey, in: body, name: key}", "[]"),
        ("{type: mutualTLS}", "[{broken: []}]"),
        ("{$ref: '#/components/securitySchemes/none'}", "[]"),
    ] {
        let text = document(&format!(
            r##"
  /alone:
    get: {{operationId: alone, security: [{{broken: []}}], responses: {{"204": {{description: ok}}}}}}
  /both:
    get: {{operationId: both, security: [{{key: []}}, {{broken: [], key: []}}], responses: {{"204": {{description: ok}}}}}}
  /keyed:
    get: {{operationId: keyed, security: [{{key: []}}], responses: {{"204": {{description: ok}}}}}}
  /inherits:
    get: {{operationId: inherits, responses: {{"204": {{description: ok}}}}}}
security: {all}
components:
  securitySchemes:
    key: {{type: apiKey, in: header, name: X-Key}}
    broken: {scheme}
"##
        ));
        let spec = Spec::parse_with_errors("api.yaml", &text).unwrap();
        let partial = Settings {
            partial: true,
            ..settings()
        };
        let generated = generate(&spec, &partial).unwrap();
        let left_out = generated.unsupported.iter().map(|of| of.operation.as_str());
        let left_out: Vec<_> = left_out.collect();
        let expected: &[&str] = match all {
            "[]" => &["alone", "both"],
            _ => &["alone", "both", "inherits"],
        };
        assert_eq!(left_out, expected, "{scheme}");
    }
}
