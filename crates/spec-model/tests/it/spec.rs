//! The typed view: references, merged parameters, defaults, extensions.
#![allow(clippy::unwrap_used)]

use spec_model::{
    AdditionalProperties, ApiKeyLocation, Method, Operation, ParameterLocation, ParameterStyle,
    PathPart, PathTemplate, SchemaRef, SchemaType, SecuritySchemeKind, Spec,
};

fn every_element() -> Spec {
    Spec::parse("every.yaml", include_str!("data/every_element.yaml")).unwrap()
}

fn operation<'s>(spec: &'s Spec, id: &str) -> &'s Operation {
    spec.operation(id).unwrap()
}

/// `line:column` of a text's first occurrence in the document.
fn find(text: &str) -> String {
    let document = include_str!("data/every_element.yaml");
    let (index, line) = document
        .lines()
        .enumerate()
        .find(|(_, l)| l.contains(text))
        .unwrap();
    format!("{}:{}", index + 1, line.find(text).unwrap() + 1)
}

#[test]
fn operations_are_in_the_order_of_the_document() {
    let spec = every_element();
    let operations: Vec<String> = spec
        .operations
        .iter()
        .map(|op| format!("{} {}", op.method, op.path))
        .collect();
    assert_eq!(
        operations,
        [
            "POST /pets",
            "GET /pets",
            "GET /pets/{petId}",
            "GET /animals/{petId}"
        ]
    );
    assert_eq!(spec.paths.len(), 3);
}

#[test]
fn operation_parameter_replaces_path_parameter_of_same_name() {
    let spec = every_element();
    let names = |id| -> Vec<(String, ParameterLocation, bool)> {
        let parameters = operation(&spec, id).parameters.iter();
        parameters
            .map(|p| (p.name.clone(), p.location, p.required))
            .collect()
    };
    let limit = |required| ("limit".to_owned(), ParameterLocation::Query, required);
    let trace = ("trace".to_owned(), ParameterLocation::Header, false);
    let status = ("status".to_owned(), ParameterLocation::Query, false);
    assert_eq!(names("createPet"), [limit(false), trace.clone()]);
    assert_eq!(names("listPets"), [trace, limit(true), status]);
}

#[test]
fn style_and_explode_default_by_location() {
    let spec = every_element();
    let parameters = &operation(&spec, "listPets").parameters;
    let styles: Vec<_> = parameters.iter().map(|p| (p.style, p.explode)).collect();
    assert_eq!(
        styles,
        [
            (ParameterStyle::Simple, false),
            (ParameterStyle::Form, true),
            (ParameterStyle::Form, false)
        ]
    );
}

#[test]
fn referenced_element_has_component_name_and_both_locations() {
    let spec = every_element();
    let response = &operation(&spec, "listPets").responses["200"];
    let header = &response.headers["X-Request-Id"];
    assert_eq!(header.component.as_deref(), Some("RequestId"));
    assert!(header.required);
    assert_eq!(
        header.extensions["x-supplied-by"].node.as_str(),
        Some("gate")
    );
    assert_eq!(header.at.pointer, "/components/headers/RequestId");
    let location = spec.location(&header.at).to_string();
    assert_eq!(
        location,
        format!("every.yaml:{}", find("RequestId: {required"))
    );
    let reference = header.reference.as_ref().unwrap();
    assert!(
        reference
            .pointer
            .ends_with("/get/responses/200/headers/X-Request-Id/$ref")
    );
    let location = spec.location(reference).to_string();
    assert_eq!(
        location,
        format!("every.yaml:{}", find("'#/components/headers/RequestId'"))
    );

    assert_eq!(response.headers["Link"].component, None);
}

#[test]
fn references_to_schemas_are_not_replaced() {
    let spec = every_element();
    let SchemaRef::Inline(pet) = &spec.schemas["Pet"] else {
        panic!("Pet is written out")
    };
    assert_eq!(pet.properties["parent"].name(), Some("Pet"));
    assert_eq!(pet.properties["status"].name(), Some("Status"));
    assert_eq!(
        pet.additional_properties,
        Some(AdditionalProperties::Forbidden)
    );
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
    assert_eq!(
        spec.extensions["x-root"].node.to_json(),
        serde_json::json!({"a": [1, 2]})
    );
    let list = operation(&spec, "listPets");
    assert_eq!(list.method, Method::Get);
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
    let shape = |raw| PathTemplate::parse(raw).unwrap().shape();
    assert_eq!(shape("/a/{b}.{c}"), shape("/a/{d}.{e}"));
    assert_ne!(shape("/a/{b}"), shape("/a/b"));
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
    let key = SecuritySchemeKind::ApiKey {
        location: ApiKeyLocation::Cookie,
        name: "sid".to_owned(),
    };
    assert_eq!(kind("key"), key);
    assert_eq!(kind("again"), key);
    let description = spec.security_schemes["again"].description.as_deref();
    assert_eq!(description, Some("Yours."));
    let token = SecuritySchemeKind::Http {
        scheme: "Bearer".to_owned(),
        bearer_format: Some("JWT".to_owned()),
    };
    assert_eq!(kind("token"), token);
    let SecuritySchemeKind::OAuth2 { scopes } = kind("oauth") else {
        panic!("another kind");
    };
    assert_eq!(scopes.iter().collect::<Vec<_>>(), ["read", "write"]);
    let url = "https://a.example".to_owned();
    assert_eq!(kind("openid"), SecuritySchemeKind::OpenIdConnect { url });
    let names: Vec<&String> = spec.security_schemes.keys().collect();
    assert_eq!(names, ["key", "token", "oauth", "openid", "again"]);
}
