//! The typed view: references, merged parameters, defaults, extensions.
#![allow(clippy::unwrap_used)]

use dropspec_model::{
    AdditionalProperties, Method, Operation, ParameterStyle, PathPart, PathTemplate, SchemaRef,
    SchemaType, Spec,
};

fn every_element() -> Spec {
    Spec::parse("every.yaml", include_str!("data/every_element.yaml")).unwrap()
}

fn operation<'s>(spec: &'s Spec, id: &str) -> &'s Operation {
    spec.operation(id).unwrap()
}

#[test]
fn operations_have_the_parameters_of_their_path_that_they_do_not_replace() {
    let spec = every_element();
    let operations = spec.operations.iter().map(|operation| {
        let parameters = operation.parameters.iter().map(|it| {
            let flags = [(it.required, " required"), (it.explode, " explode")];
            let flags = flags.map(|(is_set, name)| if is_set { name } else { "" });
            format!(
                "\n  {} in {} {}{}",
                it.name,
                it.location.name(),
                ParameterStyle::NAMES[it.style as usize],
                flags.concat()
            )
        });
        format!(
            "{} {}{}",
            operation.method,
            operation.path,
            parameters.collect::<String>()
        )
    });
    insta::assert_snapshot!(operations.collect::<Vec<_>>().join("\n"), @r"
    POST /pets
      limit in query form explode
      trace in header simple
    GET /pets
      trace in header simple
      limit in query form required explode
      status in query form
    GET /pets/{petId}
      petId in path simple required
    GET /animals/{petId}
      petId in path simple required
    ");
    assert_eq!(spec.paths.len(), 3);
}

#[test]
fn referenced_element_has_component_name_and_both_locations() {
    let spec = every_element();
    let response = &operation(&spec, "listPets").responses["200"];
    let header = &response.headers["X-Request-Id"];
    assert_eq!(header.component.as_deref(), Some("RequestId"));
    assert!(header.required);
    let supplied = &header.extensions["x-supplied-by"].node;
    assert_eq!(supplied.as_str(), Some("gate"));
    assert_eq!(header.at.pointer, "/components/headers/RequestId");
    let reference = header.reference.as_ref().unwrap();
    let end = "/get/responses/200/headers/X-Request-Id/$ref";
    assert!(reference.pointer.ends_with(end));
    let document = include_str!("data/every_element.yaml");
    for (place, text) in [
        (&header.at, "RequestId: {required"),
        (reference, "'#/components/headers/RequestId'"),
    ] {
        let position = place.position;
        let line = document.lines().nth(position.line as usize - 1).unwrap();
        let found = &line[position.column as usize - 1..];
        assert!(found.starts_with(text), "{found}");
    }
    assert_eq!(response.headers["Link"].component, None);
}

#[test]
fn references_to_schemas_are_not_replaced() {
    let spec = every_element();
    assert_eq!(spec.schemas["Pet"].name(), None, "it is written out");
    let pet = spec.schema("Pet").unwrap();
    assert_eq!(pet.properties["parent"].name(), Some("Pet"));
    assert_eq!(pet.properties["status"].name(), Some("Status"));
    let others = pet.additional_properties.as_ref();
    assert_eq!(others, Some(&AdditionalProperties::Forbidden));
    assert!(pet.requires("id") && !pet.requires("tags"));
    let names: Vec<&String> = spec.schemas.keys().collect();
    assert_eq!(names, ["Status", "Pet", "Alias", "Name", "Either"]);
}

#[test]
fn reads_schema_with_two_names_and_reference_into_schema() {
    let spec = every_element();
    assert_eq!(spec.schemas["Alias"].name(), Some("Pet"));
    assert_eq!(spec.schema("Alias"), spec.schema("Pet"));
    let name = spec.schema("Name").unwrap();
    assert_eq!(name.schema_type, Some(SchemaType::String));
    assert_eq!(name.at.pointer, "/components/schemas/Pet/properties/name");
}

#[test]
fn empty_security_differs_from_absent_security() {
    let spec = every_element();
    assert_eq!(operation(&spec, "createPet").security, Some(Vec::new()));
    assert_eq!(operation(&spec, "listPets").security, None);
    assert!(spec.security[0].schemes.contains_key("key"));
}

#[test]
fn extensions_are_read_at_each_element() {
    let spec = every_element();
    let root = spec.extensions["x-root"].node.to_json();
    assert_eq!(root, serde_json::json!({"a": [1, 2]}));
    let list = operation(&spec, "listPets");
    assert!(list.extensions.contains_key("x-cost"));
    let statuses: Vec<&String> = list.responses.keys().collect();
    assert_eq!(statuses, ["200", "4XX", "default"]);
}

#[test]
fn parses_path_templates_into_segments() {
    let segments = |raw| PathTemplate::parse(raw).unwrap().segments;
    let literal = |text: &str| PathPart::Literal(text.into());
    let parameter = |name: &str| PathPart::Parameter(name.into());
    assert_eq!(segments("/"), Vec::<Vec<PathPart>>::new());
    assert_eq!(segments("/a/"), [vec![literal("a")], vec![]]);
    assert_eq!(
        segments("/a/{b}"),
        [vec![literal("a")], vec![parameter("b")]]
    );
    assert_eq!(
        segments("/{b}.json"),
        [vec![parameter("b"), literal(".json")]]
    );
    for wrong in ["", "a", "/{", "/}", "/{}", "/{a}/{a}", "/{a{b}}"] {
        assert!(PathTemplate::parse(wrong).is_err(), "{wrong}");
    }
    assert_eq!(
        segments("/v1/{+b}:x"),
        [
            vec![literal("v1")],
            vec![PathPart::Reserved("b".into()), literal(":x")]
        ]
    );
    for (wrong, part) in [
        ("/a{/b}", "write `/{b}`"),
        ("/a{?b}", "declare `b` with `in: query`"),
        ("/a{&b}", "declare `b` with `in: query`"),
        ("/a{;b}", "`style: matrix`"),
        ("/a{.b}", "`style: label`"),
        ("/a{#b}", "remove it"),
        ("/{b*}", "`explode: true`"),
        ("/{+a}/{+b}", "where a `{+name}` ends"),
        ("/{a}-{+b}", "where a `{+name}` ends"),
        ("/{+}", "without a name"),
        ("/{a}/{+a}", "twice"),
    ] {
        let error = PathTemplate::parse(wrong).unwrap_err();
        assert!(error.contains(part), "{wrong}: {error}");
    }
    let shape = |raw| PathTemplate::parse(raw).unwrap().shape();
    assert_eq!(shape("/a/{b}.{c}"), shape("/a/{d}.{e}"));
    assert_ne!(shape("/a/{b}"), shape("/a/b"));
    assert_eq!(shape("/a/{+b}"), shape("/a/{+c}"));
    assert_ne!(shape("/a/{+b}"), shape("/a/{b}"));
}

#[test]
fn security_schemes_are_typed() {
    let text = "openapi: 3.0.3
info: {title: A, version: '1'}
paths: {}
components:
  securitySchemes:
    key: {type: apiKey, in: cookie, name: sid, description: Yours.}
    token: {type: http, scheme: Bearer, bearerFormat: JWT}
    oauth:
      type: oauth2
      flows:
        password: {tokenUrl: /t, scopes: {read: Reads.}}
        clientCredentials: {tokenUrl: /t, scopes: {write: Writes., read: Reads.}}
    openid: {type: openIdConnect, openIdConnectUrl: 'https://a.example'}
    again: {$ref: '#/components/securitySchemes/key'}
";
    let spec = Spec::parse("api.yaml", text).unwrap();
    let kind = |name: &str| spec.security_schemes[name].kind.clone();
    let found =
        ["key", "again", "token", "oauth", "openid"].map(|name| format!("{:?}", kind(name)));
    insta::assert_snapshot!(found.join("\n"), @r#"
    ApiKey { location: Cookie, name: "sid" }
    ApiKey { location: Cookie, name: "sid" }
    Http { scheme: "Bearer", bearer_format: Some("JWT") }
    OAuth2 { scopes: {"read", "write"} }
    OpenIdConnect { url: "https://a.example" }
    "#);
    let description = spec.security_schemes["again"].description.as_deref();
    assert_eq!(description, Some("Yours."));
    let names: Vec<&String> = spec.security_schemes.keys().collect();
    assert_eq!(names, ["key", "token", "oauth", "openid", "again"]);
}

#[test]
fn webhooks_are_operations_without_a_path_from_3_1_on() {
    let text = "openapi: 3.1.0
info: {title: A, version: '1'}
webhooks:
  newPet: {$ref: '#/components/pathItems/pet'}
  gone: {post: {description: It left., parameters: [{name: a}]}}
components:
  pathItems:
    pet:
      parameters: [{name: X-Event, in: header, schema: {type: string}}]
      put: {}
      post: {requestBody: {content: {application/json: {schema: {type: string}}}}}
";
    let spec = Spec::parse_with_errors("api.yaml", text).unwrap();
    let methods =
        |name: &str| -> Vec<Method> { spec.webhooks[name].iter().map(|of| of.method).collect() };
    assert_eq!(
        (methods("newPet"), methods("gone")),
        (vec![Method::Put, Method::Post], vec![Method::Post])
    );
    let post = &spec.webhooks["newPet"][1];
    assert_eq!(post.at.pointer, "/components/pathItems/pet/post");
    assert_eq!(post.parameters[0].name, "X-Event");
    assert_eq!((spec.operations.len(), spec.paths.len()), (0, 0));
    assert_eq!(spec.errors[0].message, "a parameter needs `in`");
    let older = text.replace("3.1.0", "3.0.3") + "paths: {}\n";
    assert!(Spec::parse("api.yaml", &older).unwrap().webhooks.is_empty());
}

#[test]
fn reference_to_a_media_type_is_followed_from_3_2_on() {
    let text = "openapi: 3.2.0
info: {title: A, version: '1'}
paths:
  /a:
    put:
      requestBody: {content: {application/json: {$ref: '#/components/mediaTypes/second'}}}
      responses: {'200': {description: ok, content: {application/json: {$ref: '#/components/mediaTypes/none'}}}}
components:
  mediaTypes:
    first: {schema: {type: string}}
    second: {$ref: '#/components/mediaTypes/first'}
";
    let spec = Spec::parse_with_errors("api.yaml", text).unwrap();
    let body = spec.operations[0].request_body.as_ref().unwrap();
    let SchemaRef::Inline(schema) = body.content["application/json"].schema.as_ref().unwrap()
    else {
        panic!("{body:?}");
    };
    assert_eq!(schema.schema_type, Some(SchemaType::String));
    let errors: Vec<String> = spec.errors.iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(errors.join("\n"), @"
    api.yaml:7:79: `#/components/mediaTypes/none` is no media type of this document (/paths/~1a/put/responses/200/content/application~1json/$ref)
      help: refer to one under `components/mediaTypes`, or write it here
    ");
}
