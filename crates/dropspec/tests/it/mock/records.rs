//! `mock --stateful`: which records are kept, and what is said of those that are not.

use super::*;

/// A document with these paths and schemas. Operations get their ids, and paths their parameters.
fn api(mut paths: Value, schemas: &Value) -> String {
    for (number, (path, operations)) in paths.as_object_mut().unwrap().iter_mut().enumerate() {
        let names = path
            .split('{')
            .skip(1)
            .map(|it| it.split_once('}').unwrap().0);
        let parameters = names.map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}));
        let parameters: Vec<Value> = parameters.collect();
        for (method, operation) in operations.as_object_mut().unwrap() {
            operation["operationId"] = format!("{method}{number}").into();
        }
        operations["parameters"] = parameters.into();
    }
    json!({
        "openapi": "3.1.0", "info": {"title": "Records", "version": "1.0.0"},
        "paths": paths, "components": {"schemas": schemas}
    })
    .to_string()
}

/// An operation that answers with this schema, or with nothing for null.
fn gives(status: &str, schema: Value) -> Value {
    let mut response = json!({"description": "Done."});
    if !schema.is_null() {
        response["content"] = json!({"application/json": {"schema": schema}});
    }
    json!({"responses": {status: response}})
}

/// The same with a body of this schema in a request.
fn takes(media_type: &str, schema: &Value, mut operation: Value) -> Value {
    operation["requestBody"] =
        json!({"required": true, "content": {media_type: {"schema": schema}}});
    operation
}

fn schema(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn list_of(name: &str) -> Value {
    json!({"type": "array", "items": schema(name)})
}

/// An operation that creates a record of this schema.
fn creates(name: &str) -> Value {
    takes(
        "application/json",
        &json!({"type": "object"}),
        gives("201", schema(name)),
    )
}

/// The schema of a record with these properties, and with those of them required.
fn record(required: &[&str], properties: Value) -> Value {
    json!({"type": "object", "required": required, "properties": properties})
}

/// The schema of an object that has all these properties.
fn object(properties: Value) -> Value {
    let names: Vec<&String> = properties.as_object().unwrap().keys().collect();
    json!({"type": "object", "required": names, "properties": properties})
}

impl Mock {
    fn post(&self, path: &str, body: Value) -> (u16, Value) {
        self.call(Method::POST, path, body)
    }

    fn patch(&self, path: &str, body: &Value, media_type: &str) -> (u16, Value) {
        let headers = [("content-type", media_type)];
        read(self.send(Method::PATCH, path, body, &headers))
    }
}

#[test]
fn next_id_is_one_that_its_schema_allows() {
    let rows = [
        (
            json!({"type": "integer", "minimum": 1000, "multipleOf": 10}),
            json!([1000, 1010, 1020]),
        ),
        (json!({"type": "integer", "maximum": -5}), json!([-5, -6])),
        (
            json!({"type": "string", "pattern": "^[A-Z]{3}-[0-9]{2}$"}),
            json!(["AAA-00", "AAA-01", "AAA-02"]),
        ),
        (
            json!({"type": "string", "pattern": "^[a-z]{2}$"}),
            json!(["aa", "ab", "ac"]),
        ),
        (
            json!({"type": "string", "format": "date"}),
            json!(["2026-11-22", "2026-11-23", "2026-11-24"]),
        ),
        (
            json!({"type": "string", "enum": ["small", "large"]}),
            json!(["small", "large", null]),
        ),
    ];
    let (mut paths, mut schemas) = (json!({}), json!({}));
    for (number, (id, _)) in rows.iter().enumerate() {
        let name = format!("R{number}");
        paths[format!("/r{number}")] = json!({"post": creates(&name)});
        paths[format!("/r{number}/{{id}}")] = json!({"get": gives("200", schema(&name))});
        schemas[name] = record(&["id"], json!({"id": id}));
    }
    let mock = Mock::start(&api(paths, &schemas), &["--stateful"]);
    for (number, (_, expected)) in rows.iter().enumerate() {
        for id in expected.as_array().unwrap() {
            let (status, made) = mock.post(&format!("/r{number}"), json!({}));
            if id.is_null() {
                let message = "no further value of `id` was found that its schema allows: send one, or delete a record";
                assert_eq!(status, 409);
                assert!(made.to_string().contains(message), "{made}");
            } else {
                assert_eq!((status, &made["id"]), (201, id), "{number}");
                assert_eq!(
                    mock.get(
                        &format!("/r{number}/{}", dropspec_schema::wire::plain(id)),
                        &[]
                    )
                    .0,
                    200
                );
            }
        }
    }
}

#[test]
fn paths_with_a_slash_or_in_the_singular_have_the_same_records() {
    let both = || json!({"get": gives("200", list_of("Item")), "post": creates("Item")});
    let one = || json!({"get": gives("200", schema("Item")), "delete": gives("204", json!(null))});
    let mut with_parts = one();
    with_parts["post"] = creates("Item");
    let paths = json!({
        "/items/": both(), "/items/{id}": one(),
        "/users": both(), "/user/{id}": one(),
        "/cars": both(), "/cars/{id}/": one(),
        "/me": both(), "/me/{id}": with_parts,
        "/notes": {"get": gives("200", json!({"type": "array", "items": {"type": "string"}})), "post": creates("Item")},
        "/notes/{id}": one(),
    });
    let schemas = json!({"Item": record(&["id"], json!({"id": {"type": "integer"}, "name": {"type": "string"}}))});
    let mock = Mock::start(&api(paths, &schemas), &["--stateful"]);
    let expected = [
        "kept: /items/ by `id` in /items/{id}",
        "kept: /users by `id` in /user/{id}",
        "kept: /cars by `id` in /cars/{id}/",
        "kept: /me by `id` in /me/{id}",
        "kept: /notes by `id` in /notes/{id}",
        "not kept: GET /notes: its response has no list of such records",
        "not kept: POST /me/{id}: it is not known what it does with a record, so that it answers with the sample",
    ];
    assert_eq!(mock.notes, expected);
    for (all, one) in [
        ("/items/", "/items/1"),
        ("/users", "/user/1"),
        ("/cars", "/cars/1/"),
    ] {
        let made = mock.send(Method::POST, all, &json!({"name": "a"}), &[]);
        assert_eq!(made.headers()["location"], one);
        let record = json!({"id": 1, "name": "a"});
        assert_eq!(read(made), (201, record.clone()));
        assert_eq!(mock.get(all, &[]), (200, json!([record])));
        assert_eq!(mock.get(one, &[]), (200, record));
        assert_eq!(mock.call(Method::DELETE, one, Value::Null).0, 204);
        assert_eq!(mock.get(all, &[]), (200, json!([])));
    }
}

#[test]
fn records_are_in_the_list_whose_items_have_their_schema() {
    let texts = json!({"type": "array", "items": {"type": "string"}});
    let others =
        json!({"type": "array", "items": record(&["label"], json!({"label": {"type": "string"}}))});
    let map = json!({"type": "object", "additionalProperties": schema("Item")});
    let item = json!({"id": 1, "name": "a"});
    let rows = [
        (
            object(json!({"facets": others, "data": list_of("Item"), "warnings": texts})),
            json!({"facets": [], "data": [item], "warnings": []}),
        ),
        (
            object(
                json!({"_links": {"type": "object"}, "_embedded": object(json!({"facets": others, "items": list_of("Item")}))}),
            ),
            json!({"_links": {}, "_embedded": {"facets": [], "items": [item]}}),
        ),
        (map.clone(), json!({"1": item})),
        (object(json!({"items": map})), json!({"items": {"1": item}})),
        (
            json!({"type": "array", "items": record(&[], json!({"id": {"type": "integer"}}))}),
            json!([item]),
        ),
    ];
    let mut paths = json!({});
    for (number, (list, _)) in rows.iter().enumerate() {
        paths[format!("/r{number}")] =
            json!({"get": gives("200", list.clone()), "post": creates("Item")});
        paths[format!("/r{number}/{{id}}")] = json!({"get": gives("200", schema("Item"))});
    }
    let schemas = json!({"Item": record(&["id", "name"], json!({"id": {"type": "integer"}, "name": {"type": "string"}}))});
    let mock = Mock::start(&api(paths, &schemas), &["--stateful"]);
    for (number, (_, expected)) in rows.iter().enumerate() {
        let path = format!("/r{number}");
        assert_eq!(mock.post(&path, json!({"name": "a"})).0, 201);
        assert_eq!(mock.get(&path, &[]), (200, expected.clone()));
    }
}

#[test]
fn what_stands_beside_a_page_is_true_of_it_and_filters_know_lists() {
    let number = json!({"type": "integer"});
    let text = json!({"type": "string"});
    let list = record(
        &["data", "meta", "has_more", "count", "page", "per_page"],
        json!({
            "data": list_of("Item"), "has_more": {"type": "boolean"}, "count": number, "page": number, "per_page": number,
            "next_cursor": text, "next": {"type": "string", "format": "uri"},
            "meta": record(&["total", "totalPages", "note"], json!({"total": number, "totalPages": number, "note": text}))
        }),
    );
    let mut listed = gives("200", list);
    let many = json!({"type": "array", "items": text});
    listed["parameters"] = json!([
        {"name": "limit", "in": "query", "schema": number}, {"name": "page", "in": "query", "schema": number},
        {"name": "cursor", "in": "query", "schema": text}, {"name": "name", "in": "query", "schema": many},
        {"name": "tags", "in": "query", "schema": text}, {"name": "size", "in": "query", "schema": number}
    ]);
    let paths = json!({
        "/items": {"get": listed, "post": creates("Item")},
        "/items/{id}": {"get": gives("200", schema("Item"))}
    });
    let item = record(
        &["id", "name"],
        json!({"id": number, "name": text, "tags": many, "size": number}),
    );
    let mock = Mock::start(&api(paths, &json!({"Item": item})), &["--stateful"]);
    for (name, tags, size) in [
        ("a", json!(["x", "y"]), 1),
        ("b", json!(["y"]), 2),
        ("c", json!([]), 2),
    ] {
        assert_eq!(
            mock.post("/items", json!({"name": name, "tags": tags, "size": size}))
                .0,
            201
        );
    }
    let page = |query: &str| {
        let (status, mut page) = mock.get(&format!("/items{query}"), &[]);
        let data = page.as_object_mut().unwrap().shift_remove("data").unwrap();
        let names = data
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["name"].as_str().unwrap());
        (status, names.collect::<String>(), page)
    };
    let meta = |total: u8, pages: u8| json!({"total": total, "totalPages": pages, "note": ""});
    assert_eq!(
        page("?limit=2"),
        (
            200,
            "ab".into(),
            json!({"has_more": true, "count": 3, "page": 1, "per_page": 2, "next_cursor": "2", "meta": meta(3, 2)})
        )
    );
    let last = json!({"has_more": false, "count": 3, "page": 2, "per_page": 2, "meta": meta(3, 2)});
    for query in ["?limit=2&page=2", "?limit=2&cursor=2"] {
        assert_eq!(page(query), (200, "c".into(), last.clone()), "{query}");
    }
    for (query, expected) in [
        ("?name=a&name=c", "ac"),
        ("?tags=y", "ab"),
        ("?size=2", "bc"),
        ("?tags=y&name=b", "b"),
    ] {
        assert_eq!(page(query).1, expected, "{query}");
    }
}

#[test]
fn pages_are_counted_as_their_parameters_say() {
    let (number, flag) = (json!({"type": "integer"}), json!({"type": "boolean"}));
    let list = |parameters: Vec<Value>, page: Value| {
        let mut listed = gives("200", object(page));
        listed["parameters"] = parameters.into();
        json!({"get": listed, "post": creates("Item")})
    };
    let ask = |name: &str, schema: &Value| json!({"name": name, "in": "query", "schema": schema});
    let sizes = "take top $top count rows first itemsPerPage maxpagesize page[size]".split(' ');
    let asked = sizes.clone().chain(["page"]).map(|it| ask(it, &number));
    let one = || json!({"get": gives("200", schema("Item"))});
    let spring = json!({
        "content": list_of("Item"), "number": number, "numberOfElements": number, "totalPages": number, "totalElements": number,
        "first": flag, "last": flag, "empty": flag, "sort": record(&[], json!({"empty": flag})), "pageable": object(json!({"offset": number, "pageNumber": number, "pageSize": number}))
    });
    let paths = json!({
        "/a": list(asked.collect(), json!({"data": list_of("Item"), "page": number, "pages": number})), "/a/{id}": one(),
        "/b": list(vec![ask("page", &json!({"type": "integer", "minimum": 0, "default": 0})), ask("size", &number)], spring), "/b/{id}": one()
    });
    let schemas = json!({"Item": object(json!({"id": number}))});
    let mock = Mock::start(&api(paths, &schemas), &["--stateful"]);
    let paths = ["/a", "/b"].repeat(3);
    paths
        .iter()
        .for_each(|path| drop(mock.post(path, json!({}))));
    let ids = |all: &[u8]| all.iter().map(|id| json!({"id": id})).collect::<Value>();
    let page = |all: &[u8], page: u8, of: u8| json!({"data": ids(all), "page": page, "pages": of});
    let spring = |content: &[u8], page: usize| {
        json!({
            "content": ids(content), "number": page, "numberOfElements": content.len(), "totalPages": 2, "totalElements": 3,
            "first": page == 0, "last": page >= 1, "empty": content.is_empty(), "sort": {}, "pageable": {"offset": page * 2, "pageNumber": page, "pageSize": 2}
        })
    };
    let rows = [
        ("/a", page(&[1, 2, 3], 1, 1)),
        ("/a?page=2", page(&[], 2, 1)),
        ("/b?page=0&size=2", spring(&[1, 2], 0)),
        ("/b?page=1&size=2", spring(&[3], 1)),
        ("/b?page=2&size=2", spring(&[], 2)),
    ];
    for (path, expected) in rows {
        assert_eq!(mock.get(path, &[]), (200, expected), "{path}");
    }
    for size in sizes {
        let (_, got) = mock.get(&format!("/a?{size}=2"), &[]);
        assert_eq!(got, page(&[1, 2], 1, 2), "{size}");
    }
}

#[test]
fn records_below_others_know_them() {
    let mut one = json!({"get": gives("200", schema("Pet"))});
    one["put"] = takes(
        "application/json",
        &json!({"type": "object"}),
        gives("200", schema("Pet")),
    );
    let paths = json!({
        "/owners": {"post": creates("Owner")},
        "/owner/{ownerId}": {"get": gives("200", schema("Owner")), "delete": gives("204", json!(null))},
        "/owners/{ownerId}/pets": {"get": gives("200", list_of("Pet")), "post": creates("Pet")},
        "/owners/{ownerId}/pets/{petId}": one,
    });
    let number = json!({"type": "integer"});
    let schemas = json!({
        "Owner": record(&["id"], json!({"id": number})),
        "Pet": record(&["id", "owner_id"], json!({"id": number, "owner_id": number, "name": {"type": "string"}}))
    });
    let mock = Mock::start(&api(paths, &schemas), &["--stateful"]);
    let missing = |(status, error): (u16, Value)| {
        assert_eq!(status, 404);
        assert!(
            error.to_string().contains("there is no `1` in /owners"),
            "{error}"
        );
    };
    missing(mock.post("/owners/1/pets", json!({})));
    missing(mock.get("/owners/1/pets", &[]));
    for id in [1, 2] {
        assert_eq!(mock.post("/owners", json!({})), (201, json!({"id": id})));
    }
    let pet = json!({"id": 1, "owner_id": 1, "name": "a"});
    assert_eq!(
        mock.post("/owners/1/pets", json!({"name": "a", "owner_id": 2})),
        (201, pet.clone())
    );
    let put = mock.call(Method::PUT, "/owners/1/pets/1", json!({"name": "a"}));
    assert_eq!(put, (200, pet.clone()));
    assert_eq!(mock.get("/owners/1/pets", &[]), (200, json!([pet])));
    assert_eq!(mock.get("/owners/2/pets", &[]), (200, json!([])));
    assert_eq!(mock.call(Method::DELETE, "/owner/1", Value::Null).0, 204);
    missing(mock.get("/owners/1/pets/1", &[]));
    assert_eq!(mock.post("/owners", json!({})), (201, json!({"id": 1})));
    assert_eq!(
        mock.get("/owners/1/pets", &[]),
        (200, json!([])),
        "they went with their owner"
    );
}

#[test]
fn fields_in_an_object_or_a_form_are_kept() {
    let around = record(&["pet"], json!({"pet": schema("Pet")}));
    let one = || json!({"get": gives("200", schema("Pet"))});
    let plain = |status: &str| {
        let it = json!({"schema": schema("Pet")});
        json!({"responses": {status: {"description": "Done.", "content": {"text/plain": it, "text/json": it}}}})
    };
    let draft = json!({"type": "object", "properties": {
        "id": {"type": "integer", "default": 0}, "name": {"type": "string", "default": "anon"},
        "prio": {"type": "integer", "default": 7}, "due": {"type": ["string", "null"], "default": null}
    }});
    let paths = json!({
        "/around": {"post": takes("application/json", &around, gives("201", around.clone()))},
        "/around/{id}": {"get": gives("200", around.clone())},
        "/sent": {"post": takes("application/json", &around, gives("201", schema("Pet")))},
        "/sent/{id}": one(),
        "/forms": {"post": takes("application/x-www-form-urlencoded", &schema("Pet"), gives("201", schema("Pet")))},
        "/forms/{id}": one(),
        "/parts": {"post": takes("multipart/form-data", &schema("Pet"), gives("201", schema("Pet")))},
        "/parts/{id}": one(),
        "/drafts": {"post": takes("application/json", &draft, gives("201", draft.clone()))},
        "/drafts/{id}": {"get": gives("200", draft)},
        "/plain": {"post": takes("application/json", &schema("Pet"), plain("201"))},
        "/plain/{id}": {"get": plain("200")},
    });
    let text = json!({"type": "string"});
    let pet =
        json!({"id": {"type": "integer"}, "name": text, "tags": {"type": "array", "items": text}});
    let mock = Mock::start(
        &api(paths, &json!({"Pet": record(&["name"], pet)})),
        &["--stateful"],
    );
    let pet = json!({"id": 1, "name": "Rex", "tags": ["a"]});
    let body = json!({"pet": {"name": "Rex", "tags": ["a"]}});
    assert_eq!(
        mock.post("/around", body.clone()),
        (201, json!({"pet": pet}))
    );
    assert_eq!(mock.post("/sent", body), (201, pet.clone()));
    let filled = (
        201,
        json!({"id": 1, "name": "anon", "prio": 7, "due": null}),
    );
    assert_eq!(mock.post("/drafts", json!({})), filled);
    assert_eq!(mock.post("/plain", pet.clone()), (201, pet.clone()));
    let got = mock.send(Method::GET, "/plain/1", &Value::Null, &[]);
    assert_eq!(got.headers()["content-type"], "text/json");
    assert_eq!(read(got), (200, pet.clone()));
    let send = |path: &str, media_type: &str, body: String| {
        let request = Client::new().post(format!("{}{path}", mock.url));
        read(
            request
                .header("content-type", media_type)
                .body(body)
                .send()
                .unwrap(),
        )
    };
    let form = send(
        "/forms",
        "application/x-www-form-urlencoded",
        "name=Rex&tags=a".to_owned(),
    );
    assert_eq!(form, (201, pet.clone()));
    let part = |name: &str, text: &str| {
        format!("--X\r\nContent-Disposition: form-data; name=\"{name}\"\r\n\r\n{text}\r\n")
    };
    let parts = part("name", "Rex") + &part("tags", "a");
    let sent = send(
        "/parts",
        "multipart/form-data; boundary=X",
        parts.clone() + "--X--\r\n",
    );
    assert_eq!(sent, (201, pet));
    let two = parts + &part("tags", "b") + "--X--\r\n";
    let (_, sent) = send("/parts", "multipart/form-data; boundary=X", two);
    assert_eq!(sent["tags"], json!(["a", "b"]));
}

#[test]
fn patches_of_both_kinds_are_applied() {
    let (json_patch, merge_patch) = (
        "application/json-patch+json",
        "application/merge-patch+json",
    );
    let body = json!({"required": true, "content": {
        json_patch: {"schema": {"type": "array", "items": {"type": "object"}}}, merge_patch: {"schema": {"type": "object"}}
    }});
    let mut changed = gives("200", schema("Pet"));
    changed["requestBody"] = body;
    let paths = json!({
        "/pets": {"post": creates("Pet")},
        "/pets/{id}": {"get": gives("200", schema("Pet")), "patch": changed}
    });
    let pet = record(
        &["id", "name", "owner"],
        json!({
            "id": {"type": "integer"}, "name": {"type": "string"}, "owner": {"type": ["string", "null"]},
            "tags": {"type": "array", "items": {"type": "string"}}
        }),
    );
    let mock = Mock::start(&api(paths, &json!({"Pet": pet})), &["--stateful"]);
    let pet = |name: &str, owner: Value, tags: Value| json!({"id": 1, "name": name, "owner": owner, "tags": tags});
    let made = mock.post("/pets", json!({"name": "a", "owner": "b", "tags": ["x"]}));
    assert_eq!(made, (201, pet("a", json!("b"), json!(["x"]))));
    let patch = json!([
        {"op": "test", "path": "/name", "value": "a"}, {"op": "replace", "path": "/name", "value": "c"},
        {"op": "add", "path": "/tags/-", "value": "y"}
    ]);
    let patched = pet("c", json!("b"), json!(["x", "y"]));
    assert_eq!(
        mock.patch("/pets/1", &patch, json_patch),
        (200, patched.clone())
    );
    for (patch, status) in [
        (json!([{"op": "test", "path": "/name", "value": "a"}]), 409),
        (json!([{"op": "remove", "path": "/gone"}]), 409),
        (json!([{"op": "remove", "path": "/name"}]), 422),
        (json!([{"op": "replace", "path": "/name", "value": 1}]), 422),
        (json!([{"op": "jump"}]), 400),
    ] {
        assert_eq!(
            mock.patch("/pets/1", &patch, json_patch).0,
            status,
            "{patch}"
        );
        assert_eq!(mock.get("/pets/1", &[]), (200, patched.clone()));
    }
    let unowned = json!({"id": 1, "name": "c", "owner": null});
    let nulls = json!({"owner": null, "tags": null});
    assert_eq!(
        mock.patch("/pets/1", &nulls, merge_patch),
        (200, unowned),
        "required, and may be null"
    );
    assert_eq!(
        mock.patch("/pets/1", &json!({"name": null}), merge_patch).0,
        422
    );
}

#[test]
fn put_says_what_it_did_and_respects_the_entity_tag() {
    let mut put = takes(
        "application/json",
        &schema("Pet"),
        gives("201", schema("Pet")),
    );
    put["responses"]["204"] =
        json!({"description": "Replaced.", "headers": {"ETag": {"schema": {"type": "string"}}}});
    put["parameters"] = json!([{"name": "If-Match", "in": "header", "schema": {"type": "string"}}]);
    let mut got = gives("200", schema("Pet"));
    got["responses"]["200"]["headers"] = json!({"ETag": {"schema": {"type": "string"}}});
    let only = || {
        takes(
            "application/json",
            &schema("Pet"),
            gives("200", schema("Pet")),
        )
    };
    let deleted = gives(
        "200",
        json!({"type": "object", "required": ["done"], "properties": {"done": {"const": true}}}),
    );
    let paths = json!({
        "/pets/{id}": {"get": got, "put": put, "delete": deleted},
        "/todo": {"post": creates("Pet")},
        "/todo/{id}": {"put": gives("200", json!(null)), "get": gives("200", schema("Pet"))},
        "/cars/{id}": {"put": only(), "get": gives("200", schema("Pet")), "delete": gives("404", json!(null))}
    });
    let pet = record(
        &["id"],
        json!({"id": {"type": "string"}, "name": {"type": "string"}}),
    );
    let mock = Mock::start(&api(paths, &json!({"Pet": pet})), &["--stateful"]);
    assert_eq!(
        mock.call(Method::PUT, "/cars/a", json!({"id": "a"})).0,
        200,
        "201 is not declared"
    );
    let delete = || mock.call(Method::DELETE, "/cars/a", Value::Null).0;
    assert_eq!((delete(), delete()), (204, 404), "only 404 is declared");
    let put = |name: &str, tag: &str| {
        let headers = [("if-match", tag)];
        let headers = if tag.is_empty() { &[][..] } else { &headers };
        let sent = mock.send(
            Method::PUT,
            "/pets/a",
            &json!({"id": "a", "name": name}),
            headers,
        );
        let tag = sent
            .headers()
            .get("etag")
            .map(|it| it.to_str().unwrap().to_owned());
        (sent.status().as_u16(), tag)
    };
    assert_eq!(put("a", "*").0, 412, "there is none");
    assert_eq!(put("a", "").0, 201);
    let got = mock.send(Method::GET, "/pets/a", &Value::Null, &[]);
    let tag = got.headers()["etag"].to_str().unwrap().to_owned();
    let (status, next) = put("b", &format!("\"x\", {tag}"));
    assert_eq!(status, 204);
    assert_eq!(put("c", &tag).0, 412, "it was of the record before");
    assert_eq!(put("c", &next.unwrap()).0, 204);
    assert_eq!(mock.get("/pets/a", &[]).1["name"], "c");
    assert_eq!(
        mock.call(Method::DELETE, "/pets/a", Value::Null),
        (200, json!({"done": true}))
    );
    let (_, todo) = mock.post("/todo", json!({"id": "a", "name": "b"}));
    assert_eq!(mock.call(Method::PUT, "/todo/a", Value::Null).0, 200);
    assert_eq!(mock.get("/todo/a", &[]), (200, todo), "no body");
}
