//! What findings say of who uses the interface, and which of them a policy allows. Today is 2026-11-21.
#![allow(clippy::unwrap_used)]

use std::num::NonZeroU32;

use dropspec_diff::{Finding, Level, Policy, Usage, UsageError};
use serde_json::{Value, json};

use super::common;

const BASE: &str = r##"
paths:
  /pets/{petId}:
    get:
      parameters:
        - { name: petId, in: path, required: true, schema: { type: string } }
        - { name: X-Old, in: header, deprecated: true, schema: { type: string } }
      responses: { "200": { description: d } }
  /pets:
    post:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } }
      responses: { "201": { content: { application/json: { schema: { $ref: "#/components/schemas/Pet" } } } } }
    put:
      requestBody: { content: { application/json: { schema: { $ref: "#/components/schemas/Change" } } } }
components:
  schemas:
    Pet: { type: object, properties: { tag: { deprecated: true, type: string } } }
    Change: { type: object, properties: { tag: { deprecated: true, type: string } } }
"##;

/// Days on which requests were counted, and the days of keys.
fn counts(counted: &[(&str, &str)], keys: &[(Option<i64>, &[&str])]) -> Value {
    let counted = counted
        .iter()
        .map(|(from, to)| json!({ "from": from, "to": to }));
    let keys = keys.iter().map(|(key, days)| {
        let days = days.iter().map(|day| ((*day).to_owned(), json!(2)));
        json!({ "key": key, "name": "x", "days": Value::Object(days.collect()) })
    });
    json!({ "counted": counted.collect::<Value>(), "keys": keys.collect::<Value>() })
}

/// An operation and its inputs in a file of usage.
fn operation(method: &str, path: &str, counts: Value, inputs: &[(&str, Value)]) -> Value {
    let mut operation = counts;
    operation["operation"] = "x".into();
    operation["method"] = method.into();
    operation["path"] = path.into();
    let inputs = inputs.iter().map(|(input, counts)| {
        let mut entry = counts.clone();
        entry["input"] = (*input).into();
        entry
    });
    operation["inputs"] = inputs.collect();
    operation
}

fn policy(operations: &[Value], allow_unused_for: u32) -> Policy {
    let file = json!({ "service": "pets", "from": "2026-08-14", "to": "2026-11-21", "operations": operations });
    Policy {
        usage: Some(Usage::from_json(&file.to_string()).unwrap()),
        allow_unused_for: NonZeroU32::new(allow_unused_for),
        ..common::policy()
    }
}

/// The finding about the removal of `GET /pets/{id}`.
fn removal(operations: &[Value], allow_unused_for: u32) -> Finding {
    let get = BASE.find("  /pets/{petId}:").unwrap()..BASE.find("  /pets:").unwrap();
    let mut revision = BASE.to_owned();
    revision.replace_range(get, "");
    let policy = policy(operations, allow_unused_for);
    let mut findings = common::compare(BASE, &revision, &policy);
    assert_eq!(findings.len(), 1, "{findings:#?}");
    findings.remove(0)
}

#[test]
fn break_says_who_used_the_operation_and_is_allowed_only_if_nobody_did_on_counted_days() {
    const ALL: &[(&str, &str)] = &[("2026-10-01", "2026-11-21")];
    const GAP: &[(&str, &str)] = &[("2026-10-01", "2026-11-01"), ("2026-11-04", "2026-11-19")];
    type Keys = &'static [(Option<i64>, &'static [&'static str])];
    #[rustfmt::skip]
    let cases: [(_, Keys, _, _); 8] = [
        (ALL, &[(Some(1), &["2026-11-20", "2026-10-02"]), (Some(2), &["2026-11-01"]), (Some(3), &["2026-10-22"])],
            "used by 2 keys in the last 30 days (last on 2026-11-20)", false),
        (ALL, &[(Some(1), &["2026-10-23"]), (None, &["2026-11-02"])],
            "used by 1 key and requests without a key in the last 30 days (last on 2026-11-02)", false),
        (ALL, &[(None, &["2026-11-21"])], "used by requests without a key in the last 30 days (last on 2026-11-21)", false),
        (ALL, &[], "not used by any key since 2026-10-01 (counted days: 52); allowed, as nobody used it for 30 days", true),
        (ALL, &[(Some(1), &["2026-10-20"])],
            "last used on 2026-10-20, and by no key in the last 30 days (counted days: 30 of 30); allowed, as nobody used it for 30 days", true),
        // The 30 days before today begin on 2026-10-22.
        (ALL, &[(Some(1), &["2026-10-22"])], "last used on 2026-10-22, and by no key in the last 30 days (counted days: 30 of 30)", false),
        (GAP, &[], "not used by any key since 2026-10-01 (counted days: 48 of 51); not allowed, as 3 of the 30 days before today were not counted, first 2026-11-02", false),
        (&[], &[], "usage is not known: there is no counted day", false),
    ];
    for (counted, keys, summary, allowed) in cases {
        let get = operation("GET", "/pets/{id}", counts(counted, keys), &[]);
        let finding = removal(&[get], 30);
        let usage = finding.usage.as_ref().unwrap();
        assert_eq!(usage.summary, summary);
        assert_eq!(usage.allowed, allowed, "{summary}");
        let level = if allowed { Level::Info } else { Level::Error };
        assert_eq!(finding.level, level, "{summary}");
        assert_eq!(finding.reach[0].level, level, "{summary}");
    }
}

#[test]
fn operation_that_was_not_counted_is_not_allowed_and_an_allowed_break_needs_a_minor_version() {
    let finding = removal(&[], 1);
    let summary = finding.usage.unwrap().summary;
    let expected = "usage is not known: GET /pets/{petId} was not counted";
    assert_eq!((finding.level, summary.as_str()), (Level::Error, expected));
    let counted = counts(&[("2026-11-01", "2026-11-20")], &[]);
    let get = [operation("GET", "/pets/{petId}", counted, &[])];
    assert_eq!(removal(&get, 20).bump, dropspec_diff::Bump::Minor);
    assert_eq!(removal(&get, 21).bump, dropspec_diff::Bump::Major);
}

#[test]
fn missing_notice_is_not_allowed_whoever_uses_the_operation() {
    let counted = counts(&[("2026-10-01", "2026-11-21")], &[]);
    let get = operation("GET", "/pets/{petId}", counted, &[]);
    let policy = Policy {
        min_notice_days: 180,
        ..policy(&[get], 30)
    };
    let revision = BASE.replacen("get:", "get:\n      deprecated: true", 1);
    let findings = common::compare(BASE, &revision, &policy);
    assert_eq!(findings[0].level, Level::Error, "{findings:#?}");
    let summary = &findings[0].usage.as_ref().unwrap().summary;
    assert_eq!(
        summary,
        "not used by any key since 2026-10-01 (counted days: 52)"
    );
}

#[test]
fn deprecated_parameter_and_property_are_looked_up_and_responses_are_not() {
    let all = [("2026-10-01", "2026-11-21")];
    let used = || counts(&all, &[(Some(1), &["2026-11-20"])]);
    let with_input = |method: &str, path: &str, input: &str| {
        operation(method, path, used(), &[(input, counts(&all, &[]))])
    };
    let operations = [
        with_input("GET", "/pets/{petId}", "header x-old"),
        with_input("POST", "/pets", "/components/schemas/Pet/properties/tag"),
        with_input("PUT", "/pets", "/components/schemas/Change/properties/tag"),
    ];
    let policy = policy(&operations, 30);
    let compare = |from: &str, to: &str| {
        assert!(BASE.contains(from), "{from}");
        common::compare(BASE, &BASE.replacen(from, to, 1), &policy)
    };
    let usage = |findings: Vec<Finding>| {
        let breaks = findings.into_iter().filter_map(|it| it.usage);
        let of = breaks.map(|it| (it.of.join(", "), it.allowed));
        of.collect::<Vec<_>>()
    };
    let old_header = "deprecated: true, schema: { type: string } }\n      responses";
    let shorter = "deprecated: true, schema: { type: string, maxLength: 3 } }\n      responses";
    let found = usage(compare(old_header, shorter));
    assert_eq!(
        found,
        [("GET /pets/{petId}: header x-old".to_owned(), true)]
    );

    let change = "Change: { type: object, properties: { tag: { deprecated: true";
    let found = usage(compare(change, &format!("{change}, maxLength: 3")));
    let property = "PUT /pets: /components/schemas/Change/properties/tag";
    assert_eq!(found, [(property.to_owned(), true)]);

    // In the response it is new that the property is a number, whoever sends it.
    let pet = "Pet: { type: object, properties: { tag: { deprecated: true, type: string";
    let number = pet.replace("type: string", "type: number");
    let found = usage(compare(pet, &number));
    assert_eq!(found, [("POST /pets".to_owned(), false)]);
}

#[test]
fn file_of_one_key_or_of_something_else_is_refused() {
    let read = |file: Value| Usage::from_json(&file.to_string());
    let one_key = read(json!({ "only_key": 3, "operations": [] }));
    assert!(matches!(one_key, Err(UsageError::OneKey)));
    assert!(matches!(read(json!([])), Err(UsageError::Unreadable(_))));
    let endless = operation(
        "GET",
        "/",
        counts(&[("0001-01-01", "9999-01-01")], &[]),
        &[],
    );
    let endless = read(json!({ "operations": [endless] }));
    assert!(matches!(endless, Err(UsageError::Unreadable(_))));
}

#[test]
fn settings_can_allow_what_nobody_uses() {
    let today = common::policy().today;
    let policy = Policy::from_toml("[settings]\nallow-unused-for = 30\n", today).unwrap();
    assert_eq!(policy.allow_unused_for, NonZeroU32::new(30));
    assert!(Policy::from_toml("[settings]\nallow-unused-for = 0\n", today).is_err());
}

#[test]
fn last_day_of_a_key_counts_and_a_file_that_contradicts_itself_is_refused() {
    let file = |period: [&str; 2], key: Value| {
        let mut counts = counts(&[("2026-10-01", "2026-11-21")], &[]);
        counts["keys"] = json!([key]);
        let operations = [operation("GET", "/pets/{id}", counts, &[])];
        let file = json!({ "from": period[0], "to": period[1], "operations": operations });
        Usage::from_json(&file.to_string()).map_err(|error| {
            let source = std::error::Error::source(&error).map(ToString::to_string);
            format!("{error} {}", source.unwrap_or_default())
        })
    };
    let all = ["2026-08-14", "2026-11-21"];
    let last = json!({ "key": 1, "requests": 5, "last": "2026-11-21", "days": {} });
    let day = json!({ "key": 1, "requests": 2, "days": { "2026-11-21": 2 } });
    assert_eq!(file(all, last.clone()), file(all, day));
    let no_day = file(all, json!({ "key": 1, "requests": 5, "days": {} })).unwrap_err();
    assert!(
        no_day.contains("a key has 5 requests on no day"),
        "{no_day}"
    );
    let expected = "it counts 2026-11-21, which is not from `from` to `to` ";
    assert_eq!(
        file(["2026-08-14", "2026-11-20"], last).unwrap_err(),
        expected
    );
}

#[test]
fn example_of_the_page_is_a_file_of_usage() {
    let page = include_str!("../../../../docs/contract.md");
    let example = page.split("```json\n").nth(1).unwrap();
    let usage = Usage::from_json(example.split("```").next().unwrap()).unwrap();
    assert_eq!(usage.title.as_deref(), Some("Petstore"));
}
