//! Tests of `annotate`.

use chrono::NaiveDate;
use dropspec_runtime::security::SchemeUse;
use dropspec_runtime::{Deprecation, Method, RateLimits};

use super::*;

const KEY: &[&[SchemeUse]] = &[&[SchemeUse::new(0, &[])]];

fn list_pets() -> OperationInfo {
    OperationInfo {
        security: KEY,
        ..OperationInfo::new("listPets", Method::Get, "/pets")
    }
}

/// The operation `GET /pets` of an annotated document.
fn annotated(info: OperationInfo, operation: Value) -> Value {
    let document = json!({
        "servers": [{ "url": "{base_url}", "variables": { "base_url": { "default": "http://a" } } }],
        "tags": [{ "name": "Pets" }],
        "paths": {
            "/pets": { "parameters": [], "summary": "Pets", "get": operation },
            "/pets/{id}": { "put": { "operationId": "replacePet", "tags": ["Old pets"], "summary": "Replace a pet" } },
        }
    });
    annotate(document, "", &[], &[info])["paths"]["/pets"]["get"].take()
}

#[test]
fn stability_and_sunset_become_badges() {
    let sunset = "Sunset 2027-06-30";
    for (stability, date, badges) in [
        (Some("beta"), None, &["Beta"][..]),
        (Some("experimental"), None, &["Experimental"]),
        (None, Some("2027-06-30"), &[sunset]),
        (Some("beta"), Some("2027-06-30"), &["Beta", sunset]),
    ] {
        let mut operation = json!({ "deprecated": true });
        for (name, value) in [("x-stability", stability), ("x-deprecated-sunset", date)] {
            if let Some(value) = value {
                operation[name] = value.into();
            }
        }
        let found = annotated(list_pets(), operation)["x-badges"].take();
        let badges: Vec<Value> = badges.iter().map(|name| json!({ "name": name })).collect();
        assert_eq!(found, Value::from(badges));
    }
}

#[test]
fn description_ends_with_access_and_cost() {
    let any = "**Access:** any valid credentials; `read` access is enough.";
    let write = "**Access:** credentials with `write` access. **Cost:** 5 requests.";
    let public = "**Access:** everybody, without credentials. **Cost:** none; it does not count against the limits.";
    for (security, access, cost, expected) in [
        (KEY, None, 1, any),
        (KEY, Some("write"), 5, write),
        (&[], None, 0, public),
    ] {
        let info = OperationInfo {
            security,
            required_access: access,
            rate_limit_cost: cost,
            ..list_pets()
        };
        let text = annotated(info, json!({ "description": "All pets.\n" }))["description"].take();
        assert_eq!(text, json!(format!("All pets.\n\n{expected}")));
        let text = annotated(info, json!({}))["description"].take();
        assert_eq!(text, json!(expected), "without a description");
    }
}

#[test]
fn deprecated_operation_links_to_its_successor_by_its_title() {
    let deprecated = |deprecation| OperationInfo {
        deprecation: Some(deprecation),
        ..list_pets()
    };
    let rows = [
        (
            Deprecation {
                since: NaiveDate::from_ymd_opt(2026, 11, 21),
                sunset: NaiveDate::from_ymd_opt(2027, 6, 30),
                successor: Some("replacePet"),
            },
            "**Deprecated since 2026-11-21;** it may be removed on 2027-06-30. \
             Use [Replace a pet](#tag/old-pets/PUT/pets/{id}) instead.",
        ),
        (Deprecation::default(), "**Deprecated.**"),
        (
            Deprecation {
                successor: Some("gone"),
                ..Deprecation::default()
            },
            "**Deprecated.** Use `gone` instead.",
        ),
    ];
    for (deprecation, expected) in rows {
        let operation = annotated(deprecated(deprecation), json!({}));
        let text = operation["description"].as_str().unwrap();
        assert_eq!(text.split_once("\n\n").unwrap().1, expected);
    }
}

#[test]
fn description_of_the_service_ends_with_plans_and_bans() {
    let plans = [
        PlanInfo {
            name: "business",
            limits: Some(RateLimits::new(1000, 1_000_000)),
        },
        PlanInfo {
            name: "enterprise",
            limits: None,
        },
    ];
    let document =
        json!({ "info": { "title": "Pets", "description": "All about pets." }, "paths": {} });
    let with_plans = annotate(document.clone(), "", &plans, &[]);
    let text = with_plans["info"]["description"].as_str().unwrap();
    for part in [
        "All about pets.\n\n## Plans\n",
        "\n| business | 1,000 | 1,000,000 |\n",
        "\n| enterprise | custom | custom |\n",
        "\n## Bans\n\nA key with more than 30 refused requests within 5 minutes",
    ] {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
    let without = annotate(document.clone(), "", &[], &[]);
    assert_eq!(without["info"], document["info"]);
}

#[test]
fn only_server_is_that_of_the_page() {
    let document = annotate(
        json!({ "servers": [{ "url": "{base_url}" }] }),
        "",
        &[],
        &[],
    );
    assert_eq!(document["servers"][0]["url"], json!("/"));
    assert_eq!(document["servers"][0].get("variables"), None);
}

#[test]
fn tags_have_their_summaries_parents_become_groups_and_those_of_the_kind_badge_badges() {
    let document = json!({
        "tags": [
            { "name": "toys", "parent": "goods", "summary": "Toys" },
            { "name": "orders" },
            { "name": "goods", "summary": "Goods" },
            { "name": "new", "kind": "badge", "summary": "New!" },
        ],
        "paths": {
            "/pets": { "get": { "operationId": "listPets", "tags": ["new", "toys"] } },
            "/orders": { "get": { "tags": ["orders"] } },
            "/health": { "get": { "tags": ["new"] } },
        }
    });
    let document = annotate(document, "", &[], &[list_pets()]);
    let groups = json!([
        { "name": "orders", "tags": ["orders"] },
        { "name": "Goods", "tags": ["goods", "toys"] },
        { "name": "default", "tags": ["default"] },
    ]);
    assert_eq!(document["x-tagGroups"], groups);
    assert_eq!(document["tags"][0]["x-displayName"], "Toys");
    let operation = &document["paths"]["/pets"]["get"];
    assert_eq!(operation["tags"], json!(["toys"]));
    assert_eq!(operation["x-badges"], json!([{ "name": "New!" }]));
    let plain = json!({ "tags": [{ "name": "a" }], "paths": {} });
    assert_eq!(annotate(plain, "", &[], &[]).get("x-tagGroups"), None);
}

#[test]
fn security_schemes_say_what_is_new_in_3_2() {
    let document = json!({ "paths": {}, "components": { "securitySchemes": {
        "New": { "type": "oauth2", "description": "Log in.", "deprecated": true, "oauth2MetadataUrl": "https://m", "flows": {
            "deviceAuthorization": { "deviceAuthorizationUrl": "https://d", "tokenUrl": "https://t", "scopes": {} }
        } },
        "Old": { "type": "http", "scheme": "bearer" }
    } } });
    let document = annotate(document, "", &[], &[]);
    let schemes = &document["components"]["securitySchemes"];
    let expected = "Log in.\n\n**Deprecated.** **Metadata of the authorization server:** https://m \
        **Device authorization:** begins at https://d, tokens from https://t";
    assert_eq!(schemes["New"]["description"], expected);
    assert_eq!(
        schemes["Old"],
        json!({ "type": "http", "scheme": "bearer" })
    );
}
