//! Tests of `routes`.

use super::*;
use crate::tests::rows;

static OPERATIONS: [OperationInfo; 10] = [
    OperationInfo::new("listPets", Method::Get, "/pets"),
    OperationInfo::new("createPet", Method::Post, "/pets"),
    OperationInfo::new("getPet", Method::Get, "/pets/{petId}"),
    OperationInfo::new("deletePet", Method::Delete, "/pets/{id}"),
    OperationInfo::new("feedPet", Method::Put, "/pets/{pet}/food/{food}"),
    OperationInfo::new("getOldest", Method::Get, "/pets/oldest"),
    OperationInfo::new("getPicture", Method::Get, "/pictures/{name}.png"),
    OperationInfo::new("home", Method::Get, "/"),
    OperationInfo::new("getUnicode", Method::Get, "/ü/{id}"),
    OperationInfo::new("getEuro", Method::Get, "/€%2f"),
];

/// The route of a request line as text.
fn find(request: &str) -> String {
    find_in(&OPERATIONS, request)
}

fn find_in(operations: &'static [OperationInfo], request: &str) -> String {
    let routes = Routes::new(operations).unwrap();
    let (method, path) = request.split_once(' ').unwrap_or((request, ""));
    let method = http::Method::from_bytes(method.as_bytes()).unwrap();
    match routes.find(&method, path) {
        Route::Found {
            operation,
            parameters,
        } => {
            let values = parameters.values.iter();
            let values: String = values.map(|(n, v)| format!(" {n}={v}")).collect();
            format!("{}{values}", operations[operation].operation_id)
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
        GET /pets/a%2fb        -> getPet petId=a%2fb
        GET /pets/%+f          -> getPet petId=%+f
        GET /pets/%FF          -> getPet petId=%FF
        GET /%C3%BC/1          -> getUnicode id=1
        GET /%c3%bc/1          -> getUnicode id=1
        GET /%e2%82%AC%2f      -> getEuro
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
    for path in "/pets/ //pets /pets//food/8 /pets/7/ /PETS /dogs *".split(' ') {
        assert_eq!(find(&format!("GET {path}")), "not found", "{path}");
    }
    assert_eq!(find("GET"), "not found");
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
fn most_exact_template_wins() {
    static TABLE: [OperationInfo; 16] = [
        OperationInfo::new("at", Method::Get, "/at/{lat},{lng}.{format}"),
        OperationInfo::new("user", Method::Get, "/users/{name}"),
        OperationInfo::new("me", Method::Get, "/users/me"),
        OperationInfo::new("userPets", Method::Get, "/users/{name}/pets"),
        OperationInfo::new("myToys", Method::Get, "/users/me/toys"),
        OperationInfo::new("users", Method::Get, "/users/"),
        OperationInfo::new("compare", Method::Get, "/compare/{base}...{head}"),
        OperationInfo::new("compareAll", Method::Get, "/compare/all...all"),
        OperationInfo::new("report", Method::Get, "/compare/{name}"),
        OperationInfo::new("json", Method::Get, "/files/{name}.json"),
        OperationInfo::new("file", Method::Get, "/files/{name}"),
        OperationInfo::new("day", Method::Get, "/days/{year}-{month}-{day}"),
        OperationInfo::new("month", Method::Get, "/days/{year}-{month}"),
        OperationInfo::new("search", Method::Get, "/items/{id}:search"),
        OperationInfo::new("either", Method::Get, "/{a}/{b}"),
        OperationInfo::new("space", Method::Get, "/with space/é?x"),
    ];
    const ROWS: &str = "
        GET /users/me              -> me
        GET /users/7               -> user name=7
        GET /users/me/pets         -> userPets name=me
        GET /users/me/toys         -> myToys
        GET /users/                -> users
        GET /users/7/              -> not found
        GET /compare/a...b         -> compare base=a head=b
        GET /compare/a...b...c     -> compare base=a...b head=c
        GET /compare/all...all     -> compareAll
        GET /compare/...b          -> report name=...b
        GET /compare/a             -> report name=a
        GET /files/a.json          -> json name=a
        GET /files/.json           -> file name=.json
        GET /files/a.txt           -> file name=a.txt
        GET /days/2026-11-22       -> day year=2026 month=11 day=22
        GET /days/2026-11          -> month year=2026 month=11
        GET /days/2026             -> either a=days b=2026
        GET /at/1.5,2.5.json       -> at lat=1.5 lng=2.5 format=json
        GET /at/1,.json            -> either a=at b=1,.json
        GET /items/7:search        -> search id=7
        GET /items/7               -> either a=items b=7
        GET /with%20space/%C3%A9%3Fx -> space
        POST /users/me             -> not allowed GET, OPTIONS, HEAD
    ";
    for (request, expected) in rows(ROWS) {
        assert_eq!(find_in(&TABLE, request), expected, "{request}");
    }
}

#[test]
fn parameter_of_several_segments_takes_as_few_as_it_can() {
    static TABLE: [OperationInfo; 7] = [
        OperationInfo::new("get", Method::Get, "/v1/{+name}"),
        OperationInfo::new("items", Method::Get, "/v1/{+parent}/items"),
        OperationInfo::new("item", Method::Get, "/v1/{+parent}/items/{id}"),
        OperationInfo::new("cancel", Method::Get, "/v1/{+name}:cancel"),
        OperationInfo::new("short", Method::Get, "/v1/{id}"),
        OperationInfo::new("mine", Method::Get, "/v1/projects/mine"),
        OperationInfo::new("dash", Method::Get, "/files/x-{+name}"),
    ];
    const ROWS: &str = "
        GET /v1/a                  -> short id=a
        GET /v1/a/b/c              -> get name=a/b/c
        GET /v1/a/items            -> items parent=a
        GET /v1/a/b/items          -> items parent=a/b
        GET /v1/a/items/7          -> item parent=a id=7
        GET /v1/a/items/items      -> item parent=a id=items
        GET /v1/a/items/7/8        -> get name=a/items/7/8
        GET /v1/a/b:cancel         -> cancel name=a/b
        GET /v1/a:cancel/b         -> get name=a:cancel/b
        GET /v1/projects/mine      -> mine
        GET /v1/projects/other     -> get name=projects/other
        GET /v1/a%2Fb/%25c         -> get name=a%252Fb/%25c
        GET /v1/a%2fb              -> short id=a%2fb
        GET /files/x-a/b           -> dash name=a/b
        GET /files/y-a/b           -> not found
        GET /v1/                   -> not found
        GET /v1/a/                 -> not found
        GET /v1/a//b               -> not found
        GET /v1/a/../b             -> not found
        GET /v1/a/%2E/b            -> not found
        POST /v1/a/b               -> not allowed GET, OPTIONS, HEAD
    ";
    for (request, expected) in rows(ROWS) {
        assert_eq!(find_in(&TABLE, request), expected, "{request}");
    }
}

proptest::proptest! {
    #[test]
    fn any_text_of_several_segments_arrives_as_it_was_sent(
        text in r"([a-zé/%:?#\[\]@!$&'()*+,;= .2Ff-]|%2F|%2f|%25){1,16}",
    ) {
        static TABLE: [OperationInfo; 2] = [
            OperationInfo::new("get", Method::Get, "/v1/{+name}"),
            OperationInfo::new("cancel", Method::Get, "/v1/{+name}/x:cancel"),
        ];
        let parameter = dropspec_schema::wire::Parameter::path("name");
        let value = serde_json::json!(text);
        for info in &TABLE {
            // What a URL would drop is not sent.
            let Ok(parts) = dropspec_schema::wire::encode_parameters(info.path, [(&parameter, &value)]) else {
                continue;
            };
            let url = format!("http://localhost{}", parts.path).parse::<http::Uri>().unwrap();
            let routes = Routes::new(&TABLE).unwrap();
            let Route::Found { operation, parameters } = routes.find(&http::Method::GET, url.path()) else {
                panic!("{url} has no route");
            };
            proptest::prop_assert_eq!(TABLE[operation].path, info.path, "{}", url);
            let raw = parameters.raw("name").unwrap();
            let read = dropspec_schema::wire::decode(dropspec_schema::wire::Location::Path, raw).unwrap();
            proptest::prop_assert_eq!(read, text.as_str(), "{}", url);
        }
    }
}

#[test]
fn serves_head_and_trace_if_declared() {
    static TABLE: [OperationInfo; 3] = [
        OperationInfo::new("head", Method::Head, "/a"),
        OperationInfo::new("get", Method::Get, "/a"),
        OperationInfo::new("trace", Method::Trace, "/b"),
    ];
    const ROWS: &str = "
        HEAD /a  -> head
        GET /a   -> get
        TRACE /b -> trace
        HEAD /b  -> not allowed OPTIONS, TRACE
    ";
    for (request, expected) in rows(ROWS) {
        assert_eq!(find_in(&TABLE, request), expected, "{request}");
    }
}

#[test]
fn rejects_ambiguous_and_malformed_templates() {
    static TWICE: [OperationInfo; 2] = [
        OperationInfo::new("a", Method::Get, "/pets/{a}"),
        OperationInfo::new("b", Method::Get, "/pets/{b}"),
    ];
    static OPEN: [OperationInfo; 1] = [OperationInfo::new("a", Method::Get, "/pets/{a")];
    static EMPTY: [OperationInfo; 1] = [OperationInfo::new("a", Method::Get, "/pets/{}")];
    let message = |table| Routes::new(table).unwrap_err().to_string();
    assert_eq!(message(&TWICE), "GET /pets/{b} is declared twice");
    static BESIDE: [OperationInfo; 1] = [OperationInfo::new("a", Method::Get, "/{a}-{+b}")];
    for table in [&OPEN, &EMPTY, &BESIDE] {
        let message = message(table);
        assert!(
            message.ends_with("is not a path of literals and {parameters}"),
            "{message}"
        );
    }
}
