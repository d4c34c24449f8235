//! Which changes of a schema of requests are proved to make no value invalid that is sent.

use spec_diff::Level;

use crate::common::{self, policy};

/// Whether a change of the schema of a request body is an error.
fn breaks(media_type: &str, base: &str, revision: &str) -> bool {
    let document = |schema: &str| {
        format!(
            "paths: {{/a: {{post: {{requestBody: {{required: true, content: {{{media_type}: {{schema: {schema}}}}}}}}}}}}}\n\
            components: {{schemas: {{\
                Cat: {{type: object, required: [kind], properties: {{kind: {{type: string}}, lives: {{type: integer}}}}}}, \
                Dog: {{type: object, required: [kind], properties: {{kind: {{type: string}}, name: {{type: string}}}}}}}}}}"
        )
    };
    let found = common::compare(&document(base), &document(revision), &policy());
    found.iter().any(|it| it.level == Level::Error)
}

#[test]
fn change_is_an_error_unless_every_value_stays_valid() {
    let text = "{type: string, nullable: true}";
    let number = "{type: integer, nullable: true}";
    let closed = "{type: object, additionalProperties: false, properties: {a: {type: string}}}";
    let with_id = "{type: object, additionalProperties: false, required: [id], properties: {id: {type: string, readOnly: true}, a: {type: string}}}";
    let pets = "[{$ref: '#/components/schemas/Cat'}, {$ref: '#/components/schemas/Dog'}], discriminator: {propertyName: kind}}";
    let in_object = |schema: &str| format!("{{type: object, properties: {{a: {schema}}}}}");
    let rows = [
        // Null is of both members.
        (
            text.to_owned(),
            format!("{{oneOf: [{text}, {number}]}}"),
            true,
        ),
        (
            text.to_owned(),
            format!("{{anyOf: [{text}, {number}]}}"),
            false,
        ),
        (
            text.to_owned(),
            format!("{{oneOf: [{text}, {{type: integer}}]}}"),
            false,
        ),
        // What is read-only may be absent, so that a value is of both.
        (
            closed.to_owned(),
            format!("{{oneOf: [{closed}, {with_id}]}}"),
            true,
        ),
        (
            format!("{{oneOf: {pets}"),
            format!("{{anyOf: {pets}"),
            false,
        ),
    ];
    for (base, revision, expected) in rows {
        let found = breaks("application/json", &base, &revision);
        assert_eq!(found, expected, "{base} → {revision}");
    }
    let (with_null, without) = (in_object(text), in_object("{type: string}"));
    for (media_type, expected) in [
        ("application/json", true),
        ("'*/*'", true),
        ("application/xml", true),
        ("application/x-www-form-urlencoded", false),
    ] {
        assert_eq!(
            breaks(media_type, &with_null, &without),
            expected,
            "{media_type}"
        );
    }
}

#[test]
fn scheme_that_is_still_declared_beside_an_equal_one_is_another_one() {
    let document = |user: &str, schemes: &str| {
        format!(
            "paths: {{/a: {{get: {{security: [{{{user}: []}}]}}}}}}\ncomponents: {{securitySchemes: {{{schemes}}}}}"
        )
    };
    let scheme =
        |name: &str| format!("{name}: {{type: http, scheme: bearer, description: Of {name}}}");
    let both = format!("{}, {}", scheme("user"), scheme("admin"));
    let is_error = |base: &str, revision: &str| {
        let found = common::compare(base, revision, &policy());
        found.iter().any(|it| it.level == Level::Error)
    };
    assert!(is_error(
        &document("user", &both),
        &document("admin", &both)
    ));
    let renamed = document("admin", &scheme("admin"));
    assert!(!is_error(&document("user", &scheme("user")), &renamed));
}
