//! Which changes of a schema of requests are proved to make no value invalid that is sent.

use dropspec_diff::Level;

use crate::common::{self, policy};

/// Whether a change of the schema of a request body is an error.
fn breaks(version: &str, media_type: &str, base: &str, revision: &str) -> bool {
    count_errors(version, media_type, base, revision) > 0
}

fn count_errors(version: &str, media_type: &str, base: &str, revision: &str) -> usize {
    let document = |schema: &str| {
        format!(
            "paths: {{/a: {{post: {{requestBody: {{required: true, content: {{{media_type}: {{schema: {schema}}}}}}}}}}}}}\n\
            components: {{schemas: {{\
                Cat: {{type: object, required: [kind], properties: {{kind: {{type: string}}, lives: {{type: integer}}}}}}, \
                Dog: {{type: object, required: [kind], properties: {{kind: {{type: string}}, name: {{type: string}}}}}}}}}}"
        )
    };
    let found = common::compare_versions(
        (version, &document(base)),
        (version, &document(revision)),
        &policy(),
    );
    let errors = found.iter().filter(|it| it.level == Level::Error);
    errors.count()
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
        let found = breaks("3.0.3", "application/json", &base, &revision);
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
            breaks("3.0.3", media_type, &with_null, &without),
            expected,
            "{media_type}"
        );
    }
}

#[test]
fn keyword_of_json_schema_breaks_only_if_a_value_becomes_invalid() {
    let text = "type: object, additionalProperties: {type: string}";
    let named = |property: &str| format!("{text}, properties: {{a: {property}}}");
    let pattern = "type: object, patternProperties: {^x: {type: string}}";
    let tuple = "type: array, prefixItems: [{type: string}]";
    let in_all = "type: array, allOf: [{prefixItems: [{type: string}, {type: integer}]}], unevaluatedItems: false";
    let branch = |properties: &str| {
        format!(
            "type: object, unevaluatedProperties: false, anyOf: [{{required: [b], properties: {{{properties}}}}}]"
        )
    };
    let condition =
        |rest: &str| format!("type: object, if: {{required: [a]}}, then: {{required: [b]}}{rest}");
    let or_else = condition(", else: {required: [c]}");
    #[rustfmt::skip]
    let rows = [
        (text, &*named("{type: string}"), false),
        (text, &named("{type: integer}"), true),
        (text, &named("{type: string, maxLength: 3}"), true),
        (&named("{type: string}"), text, false),
        (&named("{type: string}"), "type: object, additionalProperties: {type: integer}", true),
        (pattern, &format!("{pattern}, properties: {{xa: {{type: integer}}}}"), true),
        (pattern, &format!("{pattern}, properties: {{ya: {{type: integer}}}}"), false),
        (&format!("{pattern}, additionalProperties: false, properties: {{xa: {{type: string}}}}"),
            &format!("{pattern}, additionalProperties: false"), false),
        (&branch("b: {}, c: {}"), &branch("b: {}"), true),
        (&branch("b: {}"), &branch(""), true),
        ("type: number, multipleOf: 10, maximum: 99", "type: number, multipleOf: 10, exclusiveMaximum: 95", false),
        ("type: number, multipleOf: 10, maximum: 99", "type: number, multipleOf: 10, exclusiveMaximum: 90", true),
        ("type: integer", "type: number, multipleOf: 1", false),
        ("type: number", "type: number, multipleOf: 1", true),
        ("type: array", "type: array, contains: {type: string}, minContains: 0", false),
        ("type: array", "type: array, contains: {type: string}", true),
        ("type: object", "type: object, propertyNames: {type: string}", false),
        ("type: object", "type: object, propertyNames: {type: string, maxLength: 3}", true),
        ("type: object, dependentSchemas: {a: {required: [b]}}", "type: object, dependentRequired: {a: [b]}", false),
        (&or_else, &condition(""), false),
        (&condition(""), &or_else, true),
        (&format!("{tuple}, maxItems: 1"), &format!("{tuple}, items: false"), false),
        (&format!("{tuple}, maxItems: 1, items: {{type: boolean}}"), &format!("{tuple}, maxItems: 1, items: false"), false),
        (tuple, &format!("{tuple}, items: false"), true),
        (&format!("{tuple}, items: false"), "type: array, prefixItems: [{type: string}, {type: integer}], items: false", false),
        ("type: array, prefixItems: [{type: string}, {type: integer}], items: false", &format!("{tuple}, items: false"), true),
        (in_all, "type: array, allOf: [{prefixItems: [{type: string}]}], unevaluatedItems: false", true),
        (&format!("{tuple}, items: false"), &format!("{tuple}, items: false, maxItems: 1"), false),
        (&format!("{tuple}, items: false"), &format!("{tuple}, maxItems: 1"), false),
        ("type: object, required: [a]", "type: object, required: [a], minProperties: 1", false),
        ("type: object, required: [a]", "type: object, required: [a], minProperties: 2", true),
        ("type: object, properties: {a: {}}, additionalProperties: false", "type: object, properties: {a: {}}, additionalProperties: false, maxProperties: 1", false),
        ("type: object, properties: {a: false}", "type: object, properties: {a: {type: string}}", false),
        ("type: string, format: uuid", "type: string, format: uuid, maxLength: 36", false),
        ("contains: {}", "minItems: 1", false),
        ("minItems: 1", "contains: true", false),
        ("minItems: 2, maxItems: 3", "contains: {}, minContains: 2, maxContains: 3", false),
        ("contains: {}, unevaluatedItems: false", "minItems: 1, unevaluatedItems: false", true),
        ("if: true, then: {minLength: 1}, else: false", "minLength: 1", false),
        ("minLength: 1", "if: {}, then: {minLength: 1}", false),
        ("minLength: 1", "if: false, then: {minLength: 2}, else: {minLength: 1}", false),
        ("", "if: true, then: {minLength: 1}", true),
        ("", "type: [array, boolean, integer, number, object, string, 'null']", false),
        ("type: [array, boolean, number, object, string, 'null']", "", false),
        ("", "type: [array, boolean, number, object, string]", true),
        ("type: [integer, number]", "type: number", false),
        ("type: object", "type: object, dependentRequired: {a: [a]}", false),
        ("type: integer", "type: integer, contains: {type: string}, dependentRequired: {a: [b]}", false),
        ("type: string", "type: string, if: {type: object}, then: false", false),
        ("minLength: 1", "not: {type: object}, minLength: 1", true),
        ("type: object, additionalProperties: {}, unevaluatedProperties: false", "type: object, unevaluatedProperties: false", true),
        ("type: array, items: {}, unevaluatedItems: false", "type: array, unevaluatedItems: false", true),
        ("type: array, items: {type: string}", "type: array, items: {type: string}, unevaluatedItems: false", false),
        ("type: array, allOf: [{prefixItems: [{type: string}]}]", "type: array, items: {maxLength: 3}, allOf: [{prefixItems: [{type: string}]}]", true),
        ("type: array, items: {type: string}, allOf: [{prefixItems: [{}]}]", "type: array, items: {type: string}, allOf: [{prefixItems: [{type: string}]}]", false),
        (&format!("{pattern}, properties: {{xa: {{maxLength: 3}}}}"), "type: object, patternProperties: {^x: {type: integer}}, properties: {xa: {maxLength: 3}}", true),
        (&format!("{pattern}, properties: {{xa: {{}}}}"), &format!("{pattern}, properties: {{xa: {{type: string}}}}"), false),
        (&format!("{pattern}, allOf: [{{properties: {{xa: {{}}}}}}], additionalProperties: false"), &format!("{pattern}, additionalProperties: false"), false),
        ("type: string, format: uuid", "type: string, format: uuid, maxLength: 35", true),
    ];
    for (base, revision, expected) in rows {
        let [base, revision] = [base, revision].map(|it| format!("{{{it}}}"));
        let found = breaks("3.1.0", "application/json", &base, &revision);
        assert_eq!(found, expected, "{base} → {revision}");
    }
}

#[test]
fn harmless_edit_beside_a_break_is_no_error() {
    let [base, revision] = ["", ", dependentRequired: {b: [a, c]}"]
        .map(|it| format!("{{type: object, required: [a]{it}}}"));
    assert_eq!(
        count_errors("3.1.0", "application/json", &base, &revision),
        1
    );
    let form = "application/x-www-form-urlencoded";
    let [base, revision] = ["nullable: true", "maxLength: 3"]
        .map(|it| format!("{{type: object, properties: {{a: {{type: string, {it}}}}}}}"));
    assert_eq!(count_errors("3.0.3", form, &base, &revision), 1);
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
