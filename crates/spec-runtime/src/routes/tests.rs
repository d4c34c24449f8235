#![allow(clippy::unwrap_used)]

use super::*;
use crate::example::operation;

static OPERATIONS: [OperationInfo; 8] = [
    operation("listPets", Method::Get, "/pets"),
    operation("createPet", Method::Post, "/pets"),
    operation("getPet", Method::Get, "/pets/{petId}"),
    operation("deletePet", Method::Delete, "/pets/{id}"),
    operation("feedPet", Method::Put, "/pets/{pet}/food/{food}"),
    operation("getOldest", Method::Get, "/pets/oldest"),
    operation("getPicture", Method::Get, "/pictures/{name}.png"),
    operation("home", Method::Get, "/"),
];

/// What a request finds, in a word or two.
fn found(method: &str, path: &str) -> String {
    let routes = Routes::new(&OPERATIONS).unwrap();
    let method = http::Method::from_bytes(method.as_bytes()).unwrap();
    let allow = |allow: &Allow| allow.header_value().to_str().unwrap().to_owned();
    match routes.find(&method, path) {
        Route::Found {
            operation,
            parameters,
        } => {
            let values = parameters.values.iter();
            let values: Vec<String> = values.map(|(n, v)| format!(" {n}={v}")).collect();
            format!("{}{}", OPERATIONS[operation].operation_id, values.concat())
        }
        Route::Options { allow: methods } => format!("options {}", allow(methods)),
        Route::MethodNotAllowed { allow: methods } => format!("not allowed {}", allow(methods)),
        Route::NotFound => "not found".to_owned(),
    }
}

#[test]
fn paths_are_matched_strictly() {
    let rows = [
        ("GET", "/pets", "listPets", "plain text"),
        ("GET", "/", "home", "the root"),
        ("GET", "/pets/7", "getPet petId=7", "a parameter"),
        (
            "DELETE",
            "/pets/7",
            "deletePet id=7",
            "each method has its own names",
        ),
        (
            "PUT",
            "/pets/7/food/8",
            "feedPet pet=7 food=8",
            "two, in order",
        ),
        (
            "GET",
            "/pets/oldest",
            "getOldest",
            "plain text goes before a parameter",
        ),
        (
            "GET",
            "/pictures/a.png",
            "getPicture name=a",
            "a parameter with text around it",
        ),
        (
            "GET",
            "/pets/a%2Fb",
            "getPet petId=a%2Fb",
            "an escaped slash separates nothing",
        ),
        (
            "GET",
            "/pets/%FF",
            "getPet petId=%FF",
            "what cannot be decoded is told of later",
        ),
        (
            "GET",
            "/p%65ts",
            "listPets",
            "an escaped letter is the letter",
        ),
        (
            "GET",
            "/pets/%",
            "getPet petId=%",
            "half an escape is kept as it is",
        ),
        (
            "GET",
            "/pets/%é",
            "getPet petId=%é",
            "and no character is cut in two",
        ),
        (
            "GET",
            "/pets/",
            "not found",
            "no empty segment for a parameter",
        ),
        ("GET", "//pets", "not found", "no empty segment before text"),
        (
            "GET",
            "/pets//food/8",
            "not found",
            "no empty segment within",
        ),
        ("GET", "/pets/7/", "not found", "no trailing slash"),
        ("GET", "/PETS", "not found", "case matters"),
        ("GET", "/dogs", "not found", "no such path"),
        ("GET", "", "not found", "no path at all"),
        ("GET", "*", "not found", "the form of OPTIONS * is no path"),
    ];
    for (method, path, expected, reason) in rows {
        assert_eq!(found(method, path), expected, "{method} {path}: {reason}");
    }
}

#[test]
fn methods_are_told() {
    let rows = [
        ("HEAD", "/pets", "listPets", "HEAD is served where GET is"),
        (
            "PATCH",
            "/pets",
            "not allowed GET, POST, OPTIONS, HEAD",
            "another method",
        ),
        (
            "BREW",
            "/pets/7",
            "not allowed GET, DELETE, OPTIONS, HEAD",
            "an unknown method",
        ),
        (
            "HEAD",
            "/pets/7/food/8",
            "not allowed PUT, OPTIONS",
            "HEAD without GET",
        ),
        (
            "OPTIONS",
            "/pets/7/food/8",
            "options PUT, OPTIONS",
            "OPTIONS tells the methods",
        ),
        ("OPTIONS", "/dogs", "not found", "but only of what there is"),
        (
            "DELETE",
            "/pets/oldest",
            "not allowed GET, OPTIONS, HEAD",
            "plain text hides the parameter",
        ),
    ];
    for (method, path, expected, reason) in rows {
        assert_eq!(found(method, path), expected, "{method} {path}: {reason}");
    }
}

#[test]
fn tables_that_cannot_be_told_apart_are_refused() {
    static TWICE: [OperationInfo; 2] = [
        operation("a", Method::Get, "/pets/{a}"),
        operation("b", Method::Get, "/pets/{b}"),
    ];
    static BRACES: [OperationInfo; 1] = [operation("a", Method::Get, "/pets/{a}-{b}")];
    static OPEN: [OperationInfo; 1] = [operation("a", Method::Get, "/pets/{a")];
    let message = |table| Routes::new(table).unwrap_err().to_string();
    assert_eq!(message(&TWICE), "GET /pets/{b} is declared twice");
    assert!(message(&BRACES).starts_with("GET /pets/{a}-{b} has a segment"));
    assert!(message(&OPEN).starts_with("GET /pets/{a has a segment"));
}
