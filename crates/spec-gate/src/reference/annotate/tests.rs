//! Tests of `annotate`.

use chrono::NaiveDate;
use spec_runtime::security::SchemeUse;
use spec_runtime::{Deprecation, Method, RateLimits};

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
    let cases = [
        (
            json!({ "x-stability": "beta" }),
            json!([{ "name": "Beta" }]),
        ),
        (
            json!({ "x-stability": "experimental" }),
            json!([{ "name": "Experimental" }]),
        ),
        (
            json!({ "deprecated": true, "x-deprecated-sunset": "2027-06-30" }),
            json!([{ "name": "Sunset 2027-06-30" }]),
        ),
        (
            json!({ "x-stability": "beta", "deprecated": true, "x-deprecated-sunset": "2027-06-30" }),
            json!([
                { "name": "Beta" },
                { "name": "Sunset 2027-06-30" }
            ]),
        ),
    ];
    for (operation, badges) in cases {
        assert_eq!(
            annotated(list_pets(), operation.clone())["x-badges"],
            badges,
            "{operation}"
        );
    }
}

#[test]
fn description_ends_with_access_and_cost() {
    let rows = [
        (
            list_pets(),
            "**Access:** any valid credentials; `read` access is enough.",
        ),
        (
            OperationInfo {
                required_access: Some("write"),
                rate_limit_cost: 5,
                ..list_pets()
            },
            "**Access:** credentials with `write` access. **Cost:** 5 requests.",
        ),
        (
            OperationInfo {
                security: &[],
                rate_limit_cost: 0,
                ..list_pets()
            },
            "**Access:** everybody, without credentials. **Cost:** none; it does not count against the limits.",
        ),
    ];
    for (info, expected) in rows {
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
            limits: Some(RateLimits {
                per_minute: 1000,
                per_day: 1_000_000,
            }),
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
