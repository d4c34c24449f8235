#![allow(clippy::unwrap_used)]

use super::*;
use crate::tests::rows;

static OPERATIONS: [OperationInfo; 8] = [
    OperationInfo::new("listPets", Method::Get, "/pets"),
    OperationInfo::new("createPet", Method::Post, "/pets"),
    OperationInfo::new("getPet", Method::Get, "/pets/{petId}"),
    OperationInfo::new("deletePet", Method::Delete, "/pets/{id}"),
    OperationInfo::new("feedPet", Method::Put, "/pets/{pet}/food/{food}"),
    OperationInfo::new("getOldest", Method::Get, "/pets/oldest"),
    OperationInfo::new("getPicture", Method::Get, "/pictures/{name}.png"),
    OperationInfo::new("home", Method::Get, "/"),
];

/// The route of a request line as text.
fn find(request: &str) -> String {
    let routes = Routes::new(&OPERATIONS).unwrap();
    let (method, path) = request.split_once(' ').unwrap_or((request, ""));
    let method = http::Method::from_bytes(method.as_bytes()).unwrap();
    match routes.find(&method, path) {
        Route::Found {
            operation,
            parameters,
        } => {
            let values = parameters.values.iter();
            let values: String = values.map(|(n, v)| format!(" {n}={v}")).collect();
            format!("{}{values}", OPERATIONS[operation].operation_id)
        }
        Route::Options { allow } => format!("options {}", allow.to_str().unwrap()),
        Route::MethodNotAllowed { allow } => format!("not allowed {}", allow.to_str().unwrap()),
        Route::NotFound => "not found".to_owned(),
    }
}

#[test]
fn finds_operations_by_path() {
    const TABLE: &str = "
        GET /pets              -> listPets
        GET /                  -> home
        GET /pets/7            -> getPet petId=7
        DELETE /pets/7         -> deletePet id=7
        PUT /pets/7/food/8     -> feedPet pet=7 food=8
        GET /pets/oldest       -> getOldest
        GET /pictures/a.png    -> getPicture name=a
        GET /pets/a%2Fb        -> getPet petId=a%2Fb
        GET /pets/%FF          -> getPet petId=%FF
        GET /p%65ts            -> listPets
        GET /pets/%            -> getPet petId=%
        GET /pets/%é           -> getPet petId=%é
        GET /pets/%%41         -> getPet petId=%A
    ";
    for (request, expected) in rows(TABLE) {
        assert_eq!(find(request), expected, "{request}");
    }
}

#[test]
fn matches_paths_strictly() {
    for path in [
        "/pets/",
        "//pets",
        "/pets//food/8",
        "/pets/7/",
        "/PETS",
        "/dogs",
        "",
        "*",
    ] {
        assert_eq!(find(&format!("GET {path}")), "not found", "{path}");
    }
}

#[test]
fn lists_allowed_methods() {
    const TABLE: &str = "
        HEAD /pets             -> listPets
        PATCH /pets            -> not allowed GET, POST, OPTIONS, HEAD
        BREW /pets/7           -> not allowed GET, DELETE, OPTIONS, HEAD
        HEAD /pets/7/food/8    -> not allowed PUT, OPTIONS
        OPTIONS /pets/7/food/8 -> options PUT, OPTIONS
        OPTIONS /dogs          -> not found
        DELETE /pets/oldest    -> not allowed GET, OPTIONS, HEAD
    ";
    for (request, expected) in rows(TABLE) {
        assert_eq!(find(request), expected, "{request}");
    }
}

#[test]
fn rejects_ambiguous_and_malformed_templates() {
    static TWICE: [OperationInfo; 2] = [
        OperationInfo::new("a", Method::Get, "/pets/{a}"),
        OperationInfo::new("b", Method::Get, "/pets/{b}"),
    ];
    static BRACES: [OperationInfo; 1] = [OperationInfo::new("a", Method::Get, "/pets/{a}-{b}")];
    static OPEN: [OperationInfo; 1] = [OperationInfo::new("a", Method::Get, "/pets/{a")];
    let message = |table| Routes::new(table).unwrap_err().to_string();
    assert_eq!(message(&TWICE), "GET /pets/{b} is declared twice");
    assert!(message(&BRACES).starts_with("GET /pets/{a}-{b} has a segment"));
    assert!(message(&OPEN).starts_with("GET /pets/{a has a segment"));
}
