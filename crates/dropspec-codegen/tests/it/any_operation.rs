//! Operations beyond what dropshot's own types can express: their methods, and the enums of their bodies and responses.

use dropspec_codegen::{Generated, Settings, Unsupported, generate};
use dropspec_model::Spec;

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

const BODIES: &str = include_str!("../documents/bodies.yaml");

#[test]
fn endpoint_names_the_media_type_of_a_body_that_dropshot_knows() {
    let methods = methods(BODIES);
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
    insta::assert_snapshot!(file(BODIES, "bodies.rs"), @r#"
    //! Request bodies that have several media types or parts.
    #![allow(rustdoc::all, reason = "comments are in the Markdown of the document")]

    use std::collections::BTreeMap;

    use dropspec_runtime::{File, FromPart, Part, RawBody, Rejection, Text};

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
    let text = file(BODIES, "interface.rs");
    let bodies = text.split("Box::pin(async move {\n").skip(1);
    let bodies = bodies.map(|text| text.split("    })\n").next().unwrap());
    let bodies: Vec<&str> = bodies.collect();
    insta::assert_snapshot!(bodies.concat(), @r"
    let body: Option<i64> = request.body()?;
    to_response(A::optional(rqctx, body.into()).await)
    let body: FormBody = request.body()?;
    to_response(A::form(rqctx, body.into()).await)
    let body: Text = Text(request.text());
    to_response(A::text(rqctx, body).await)
    let body: RawBody = request.raw();
    to_response(A::bytes(rqctx, body).await)
    let body: Multipart<PartsPart> = request.multipart()?;
    to_response(A::parts(rqctx, body).await)
    let body = match request.has_body() {
        true => Some(match request.media_type() {
            0 => SeveralBody::Json(request.body()?),
            1 => SeveralBody::Csv(Text(request.text())),
            _ => SeveralBody::Bytes(request.raw()),
        }),
        false => None,
    };
    to_response(A::several(rqctx, body.into()).await)
    ");
}

#[test]
fn list_is_a_part_for_each_item_unless_it_is_declared_as_json_and_a_union_with_a_file_is_a_file() {
    let text = include_str!("../documents/parts.yaml");
    let bodies = file(text, "bodies.rs");
    for variant in [
        "Tags(String)",
        "Sizes(Vec<i64>)",
        "Notes(Vec<String>)",
        "Cover(File)",
        "Pages(File)",
        "Counts(i64)",
    ] {
        assert!(bodies.contains(variant), "no {variant} in {bodies}");
    }
}

#[test]
fn statuses_from_100_to_199_are_no_responses_of_a_method() {
    let paths = "
  /both:
    get: {operationId: both, responses: {'100': {description: x}, '103': {description: x}, '200': {description: x}, '404': {description: x}}}
  /range:
    get: {operationId: range, responses: {1XX: {description: x}, '204': {description: x}, default: {description: x}}}
  /only:
    get: {operationId: only, responses: {'101': {description: x}}}
  /failing:
    get: {operationId: failing, responses: {'102': {description: x}, default: {description: x}}}
  /socket:
    get: {operationId: socket, x-dropshot-websocket: {}, responses: {'101': {description: x}, '404': {description: x}}}
";
    let document = document(paths);
    let methods = methods(&document);
    let results = methods.split("async fn ").skip(1);
    let results: Vec<&str> = results
        .filter_map(|method| method.split("-> ").nth(1)?.split(';').next())
        .collect();
    let expected = [
        "Result<BothResponse, BothError>",
        "Result<HttpResponseUpdatedNoContent, RangeError>",
        "Result<Response<Body>, HttpError>",
        "Result<Response<Body>, HttpError>",
        "WebsocketChannelResult",
    ];
    assert_eq!(results, expected);
    let warnings = diagnose(&document);
    let is_warned = |status: &str| warnings.contains(&format!("status {status} comes before"));
    assert!(
        ["100", "103", "1XX", "101", "102"]
            .iter()
            .all(|it| is_warned(it)),
        "{warnings}"
    );
    assert_eq!(warnings.matches("comes before").count(), 5, "{warnings}");
    assert_eq!(
        warnings.matches("declares no success").count(),
        1,
        "{warnings}"
    );
    let responses = file(&document, "responses.rs");
    // A WebSocket is opened by 101.
    for none in ["Continue", "EarlyHints", "Processing", "OnlyResponse"] {
        assert!(!responses.contains(none), "{responses}");
    }
}

const RESPONSES: &str = include_str!("../documents/responses.yaml");

#[test]
fn responses_of_any_status_and_media_type_become_enums() {
    insta::assert_snapshot!(file(RESPONSES, "responses.rs"), @r#"
    //! What operations respond with, where that is more than one type and status.
    #![allow(rustdoc::all, reason = "comments are in the Markdown of the document")]

    use std::collections::BTreeMap;

    use dropshot::{Body, ErrorStatusCode, HttpError};
    use dropspec_runtime::respond::{
        EnumResponse, ResponseResult, bytes, empty, json, json_as, text, with_headers,
    };
    use dropspec_runtime::{error_response, success_response};
    use serde_json::Value;

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

    impl EnumResponse for SeveralResponse {
        fn status(&self) -> u16 {
            match self {
                Self::OkJson(_) => 200,
                Self::OkCsv(_) => 200,
                Self::OkImageAny { .. } => 200,
                Self::PartialContent { .. } => 206,
            }
        }

        fn respond(self) -> ResponseResult {
            match self {
                Self::OkJson(body) => json(200, &body),
                Self::OkCsv(body) => text(200, "text/csv", body),
                Self::OkImageAny { media_type, body } => bytes(200, &media_type, body),
                Self::PartialContent { headers, body } => {
                    with_headers(bytes(206, "application/octet-stream", body)?, &headers)
                }
            }
        }
    }

    success_response!(SeveralResponse);

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

    impl EnumResponse for SeveralError {
        fn status(&self) -> u16 {
            match self {
                Self::ClientError { status, .. } => status.as_u16(),
                Self::NotFound => 404,
                Self::Default { status, .. } => status.as_u16(),
                Self::Dropshot(error) => error.status_code.as_u16(),
            }
        }

        fn respond(self) -> ResponseResult {
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

    error_response!(SeveralError);
    "#);
}

const PARAMETERS: &str = include_str!("../documents/parameters.yaml");

#[test]
fn parameters_of_any_style_and_location_become_fields() {
    insta::assert_snapshot!(methods(PARAMETERS), @r"
    fn search(
        rqctx: RequestContext<Self::Context>,
        path: Path<IdsPath>,
        query: Query<SearchQuery>,
        cookies: Cookies<SearchCookies>,
    ) -> impl Future<Output = Result<HttpResponseUpdatedNoContent, HttpError>> + Send;
    ");
    insta::assert_snapshot!(file(PARAMETERS, "parameters.rs"), @r#"
    //! The parameters of operations, and the response headers that their implementations set.
    #![allow(rustdoc::all, reason = "comments are in the Markdown of the document")]

    use dropspec_runtime::parameter_schemas;
    use serde::Deserialize;

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
    let document = include_str!("../documents/unregistered.yaml");
    insta::assert_snapshot!(methods(document), @r#"
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
    insta::assert_snapshot!(diagnose(document), @r"
    api.yaml:5:5: the operation has no `operationId`, so that it is called `getPetsId` (/paths/~1pets~1{id}/get)
      help: add `operationId: getPetsId`
    ");
}

/// What is generated of a document without the operations that have an error.
fn generate_partly(text: &str) -> Generated {
    let spec = Spec::parse_with_errors("api.yaml", text).unwrap();
    let partial = Settings {
        partial: true,
        ..settings()
    };
    generate(&spec, &partial).unwrap()
}

#[test]
fn operation_with_an_error_is_left_out_and_the_others_are_generated() {
    let text = include_str!("../documents/errors.yaml");
    let spec = Spec::parse_with_errors("api.yaml", text).unwrap();
    let errors = generate(&spec, &settings()).unwrap_err();
    assert_eq!(errors.len(), 5, "all errors at once");
    let generated = generate_partly(text);
    let (answered, unserved): (Vec<_>, Vec<_>) =
        generated.unsupported.iter().partition(|of| of.is_answered);
    let names = |of: &[&Unsupported]| {
        let names = of.iter().map(|of| of.operation.clone());
        names.collect::<Vec<_>>().join(", ")
    };
    assert_eq!(names(&answered), "broken, through");
    assert_eq!(
        names(&unserved),
        "path, GET /open{, PUT /open{, GET /number"
    );
    let table = formatted(&generated.files, "operations.rs");
    assert_eq!(table.matches("generated: false").count(), 3);
    let dispatch = formatted(&generated.files, "interface.rs");
    assert!(dispatch.contains("return Err(DispatchError::NotImplemented)"));
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
    for (version, scheme, all) in [
        ("3.0.3", "{type: mutualTLS}", "[]"),
        ("3.0.3", "{type: apiKey, in: body, name: key}", "[]"),
        ("3.0.3", "{type: mutualTLS}", "[{broken: []}]"),
        ("3.0.3", "{$ref: '#/components/securitySchemes/none'}", "[]"),
        // It is known to 3.1, but no request has its credentials.
        ("3.1.0", "{type: mutualTLS}", "[]"),
        ("3.1.0", "{type: mutualTLS}", "[{broken: []}]"),
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
        let text = text.replacen("openapi: 3.0.3", &format!("openapi: {version}"), 1);
        let generated = generate_partly(&text);
        let left_out = generated.unsupported.iter().map(|of| of.operation.as_str());
        let left_out: Vec<_> = left_out.collect();
        let inherits = all != "[]";
        // What is left of `both` demands the key.
        let both = version == "3.0.3";
        let expected = [("alone", true), ("both", both), ("inherits", inherits)];
        let expected = expected.into_iter().filter(|(_, is_left_out)| *is_left_out);
        let expected: Vec<&str> = expected.map(|(id, _)| id).collect();
        assert_eq!(left_out, expected, "{version} {scheme}");
    }
}

#[test]
fn unknown_method_and_wrong_path_without_operations_leave_out_nothing_else() {
    let text = document(
        r##"
  /pets:
    get: {operationId: listPets, responses: {"204": {description: ok}}}
    additionalOperations:
      COPY: {operationId: copyPets, responses: {"204": {description: ok}}}
      SCRUB: {operationId: scrubPets, responses: {"204": {description: ok}}}
  /proxy/{proxy+}:
    x-any-method: {responses: {}}
"##,
    );
    let text = text.replacen("openapi: 3.0.3", "openapi: 3.2.0", 1);
    let generated = generate_partly(&text);
    let left_out = generated.unsupported.iter().map(|of| of.operation.as_str());
    assert_eq!(left_out.collect::<Vec<_>>(), ["SCRUB /pets"]);
    let paths = generated
        .warnings
        .iter()
        .filter(|it| it.message.contains("{proxy+}"));
    assert_eq!(paths.count(), 1);
}

#[test]
fn properties_that_only_a_condition_declares_are_optional_fields() {
    let text = "openapi: 3.1.0
info: {title: T, version: '1'}
paths: {}
components:
  schemas:
    Payment:
      type: object
      required: [kind]
      properties: {kind: {type: string}, mode: {type: string}}
      if: {properties: {kind: {const: card}}}
      then: {required: [number], properties: {number: {type: string}, mode: {const: fast}, code: {type: integer}}}
      else: {properties: {iban: {enum: [a]}, code: {type: string}}}
      dependentSchemas: {mode: {properties: {level: {type: integer}}}}
    Closed:
      type: object
      properties: {kind: {type: string}}
      then: {properties: {number: {type: string}}}
      additionalProperties: false
";
    let types = file(text, "types.rs");
    let fields = types
        .lines()
        .map(str::trim)
        .filter(|it| it.starts_with("pub ") && it.contains(": "));
    let fields: Vec<&str> = fields.filter(|it| !it.contains("fn ")).collect();
    let expected = [
        "pub kind: String,",
        "pub mode: Option<String>,",
        "pub number: Option<String>,",
        "pub code: Option<Value>,",
        "pub iban: Option<Value>,",
        "pub level: Option<i64>,",
        "pub kind: Option<String>,",
    ];
    assert_eq!(fields, expected, "{types}");
}

#[test]
fn carriage_return_of_a_text_ends_a_line_of_the_comment() {
    let text = document(
        "  /a: {get: {operationId: getA, summary: \"One\\rtwo\\r\\nthree.\", responses: {'204': {description: x}}}}\n",
    );
    let methods = methods(&text);
    assert!(
        methods.contains("/// One\n    /// two three.\n"),
        "{methods}"
    );
}

#[test]
fn trait_has_neither_304_nor_headers_that_the_server_handles() {
    let files = generate_files(include_str!("../documents/handled.yaml"));
    let parameters = formatted(&files, "parameters.rs");
    let row = r#"ListBooksRequestHeaders => "/paths/~1books/get", header, "Accept-Language";"#;
    for part in ["pub e_tag: Option<String>", row] {
        assert!(parameters.contains(part), "{parameters}");
    }
    for name in ["If-None-Match", "X-Request-Id"] {
        assert!(!parameters.contains(name), "{parameters}");
    }
    let client = formatted(&files, "client/builder.rs");
    assert!(client.contains("pub fn if_none_match("), "{client}");
    let success = "success: &[DeclaredResponse::json(\n                Status::Exact(200),\n                \"application/json\",\n            )],";
    assert!(client.contains(success), "304 is no success: {client}");
}
