//! The command `copy`: a filled database moves to PostgreSQL and back, and clients notice nothing.

use serde_json::{Value, json};
use test_postgres::TestDatabase;
use test_support::{Response, ServerProcess, petstore};

use super::copy_fixture::copied;
use super::postgres::{keys, start};

/// Requests a day of the key whose limit is nearly used up, and those that it sends before the copy.
const LIMIT: u64 = 100;
const USED: u64 = 90;

/// The keys of a filled database, by what happened to them.
struct Keys {
    customer: String,
    tired: String,
    banned: String,
    revoked: String,
    rotated: String,
}

fn post(server: &ServerProcess, path: &str, body: &Value) -> Value {
    let created = server.send("POST", path, &body.to_string());
    assert_eq!(created.status, 201, "{path}: {}", created.text());
    created.json()
}

/// Sends a request that may be repeated.
fn send_idempotent(server: &ServerProcess, key: &str, name: &str) -> Response {
    let body = json!({ "name": name, "categoryId": 1 }).to_string();
    let headers = format!("Idempotency-Key: {key}\r\n");
    server.send_with("POST", "/pets", &body, &headers)
}

fn send_with(server: &ServerProcess, key: &str) -> Response {
    server.get_as(key, "/categories?limit=1")
}

/// Fills the database of a server as its clients and its operator do.
fn fill(server: &ServerProcess) -> Keys {
    for name in ["Katze", "Hund – groß", "鳥", "Fish 🐟"] {
        post(server, "/categories", &json!({ "name": name }));
    }
    let described = json!({ "name": "Reptile", "description": "They\n\"hiss\"; 'quoted' \\ too" });
    post(server, "/categories", &described);
    for number in 1..=25 {
        let pet = json!({ "name": format!("Pet {number} – ñ"), "categoryId": number % 5 + 1 });
        let id = post(server, "/pets", &pet)["id"].as_i64().unwrap();
        let stock = json!({ "quantity": number % 4 }).to_string();
        let set = server.send("PUT", &format!("/store/inventory/{id}"), &stock);
        assert!(set.is_success(), "{}", set.text());
    }
    for pet in [2, 3, 6, 7, 10] {
        let order =
            json!({ "petId": pet, "quantity": 1, "shipDate": "2026-12-31T23:59:60.123456789Z" });
        post(server, "/store/orders", &order);
    }
    let complete = json!({ "complete": true }).to_string();
    let completed = server.send("PATCH", "/store/orders/1", &complete);
    assert!(completed.is_success(), "{}", completed.text());
    for path in ["/store/orders/5", "/pets/25"] {
        // The largest ids, which must not be given again.
        let deleted = server.send("DELETE", path, "");
        assert!(deleted.is_success(), "{path}: {}", deleted.text());
    }
    assert_eq!(send_idempotent(server, "first", "Once").status, 201);

    let keys = Keys {
        customer: server.key.clone(),
        tired: server.create_limited_key(LIMIT, LIMIT),
        banned: server.create_limited_key(5, 1000),
        revoked: server.create_key(&["--plan", "free", "--access", "read"]),
        rotated: server.create_key(&["--plan", "business"]),
    };
    for _ in 0..USED {
        assert_eq!(send_with(server, &keys.tired).status, 200);
    }
    let is_banned = |_: &i32| send_with(server, &keys.banned).outcome() == "429 api_key_banned";
    (0..100).find(is_banned).expect("a ban");
    server.run_keys(&["revoke", &keys.revoked[..8]]);
    server.run_keys(&["rotate", &keys.rotated[..8]]);
    let change = ["change", "1", "--expires", "400d", "--note", "größer"];
    server.run_keys(&change);
    keys
}

/// All that clients can read: each page of each list and each record, with its entity tag.
fn read_all(server: &ServerProcess) -> Vec<(String, u16, Option<String>, String)> {
    let mut seen = Vec::new();
    let mut get = |target: String| {
        let response = server.send("GET", &target, "");
        let tag = response.header("etag").map(str::to_owned);
        seen.push((target, response.status, tag, response.text().to_owned()));
        response
    };
    for (list, id) in [
        ("/categories", "id"),
        ("/pets", "id"),
        ("/pets?status=available", "id"),
        ("/pets?categoryId=2", "id"),
        ("/store/orders", "id"),
        ("/store/orders?complete=false", "id"),
        ("/store/inventory", "petId"),
    ] {
        let mut after = 0;
        loop {
            let separator = if list.contains('?') { '&' } else { '?' };
            let page = get(format!("{list}{separator}limit=7&after={after}"));
            let page: Vec<Value> = page.json();
            let Some(last) = page.last() else { break };
            after = last[id].as_i64().unwrap();
            if !list.contains('?') {
                for record in &page {
                    get(format!("{list}/{}", record[id]));
                }
            }
        }
    }
    assert!(
        seen.iter()
            .all(|(_, status, tag, _)| *status == 200 && tag.is_some()),
        "{seen:?}"
    );
    seen
}

/// All that the operator can read of the keys, except for the minute, which may end meanwhile.
fn read_keys(database: &str) -> Vec<Value> {
    let listed = keys(database, &["list"]);
    let ids = listed
        .as_array()
        .unwrap()
        .iter()
        .map(|key| key["id"].to_string());
    let show = |id: String| {
        let mut shown = keys(database, &["show", &id]);
        shown["minute"] = Value::Null;
        shown
    };
    let log = keys(database, &["log"]);
    assert!(log.as_array().unwrap().len() >= 8, "{log}");
    ids.map(show).chain([log]).collect()
}

/// Checks on a server over a copy what a client and its keys had before.
fn check(server: &ServerProcess, keys: &Keys, used: u64) {
    let replayed = send_idempotent(server, "first", "Once");
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
    let reused = send_idempotent(server, "first", "Another");
    assert_eq!(reused.outcome(), "422 idempotency_key_reused");
    for (key, outcome) in [
        (&keys.banned, "429 api_key_banned"),
        (&keys.revoked, "401 revoked_api_key"),
        // Its overlap lasts a day.
        (&keys.rotated, "200"),
    ] {
        assert_eq!(send_with(server, key).outcome(), outcome);
    }
    let response = send_with(server, &keys.tired);
    assert_eq!(response.status, 200);
    let refused = (0..2 * LIMIT).position(|_| send_with(server, &keys.tired).status == 429);
    let admitted = refused.unwrap() as u64 + 1;
    assert!(admitted <= LIMIT - used, "{admitted} of {}", LIMIT - used);
}

#[test]
fn clients_notice_no_difference_on_postgres_and_back() {
    let Some(database) = TestDatabase::create("clients_notice_no_difference_on_postgres") else {
        return;
    };
    let server = ServerProcess::start_on_file();
    let keys = fill(&server);
    let records = read_all(&server);
    let stopped = server.stop();
    let file = stopped.path().join("petstore.db");
    let shown = read_keys(&file.display().to_string());

    let there = copied(stopped.path(), "petstore.db", database.url());
    assert_eq!(read_keys(database.url()), shown);
    // Back at once: each table has the same rows.
    let back = copied(stopped.path(), database.url(), "back.db");
    let sums = |report: &Value| -> Vec<Value> {
        let tables = report["tables"].as_array().unwrap().iter();
        tables
            .map(|it| json!([it["name"], it["rows"], it["checksum"]]))
            .collect()
    };
    assert_eq!(sums(&back), sums(&there));
    assert_eq!(
        read_keys(&stopped.path().join("back.db").display().to_string()),
        shown
    );

    let mut server = start(database.url());
    server.key.clone_from(&keys.customer);
    assert_eq!(read_all(&server), records);
    check(&server, &keys, USED);
    // The ids of a deleted pet and of a cancelled order are not given again.
    assert_eq!(
        post(&server, "/pets", &json!({ "name": "New", "categoryId": 1 }))["id"],
        27
    );
    assert_eq!(
        post(&server, "/store/orders", &json!({ "petId": 11 }))["id"],
        6
    );
    assert_eq!(send_idempotent(&server, "second", "Twice").status, 201);
    let records = read_all(&server);
    server.stop();

    let report = copied(stopped.path(), database.url(), "again.db");
    let next = |table: &str| -> Value {
        let mut tables = report["tables"].as_array().unwrap().iter();
        tables.find(|it| it["name"] == table).unwrap()["next_id"].clone()
    };
    assert_eq!(next("orders"), 7);
    let mut serve = petstore();
    serve.env("PETSTORE_DATABASE", "again.db");
    let mut server = ServerProcess::run(serve, stopped, &[]);
    server.key.clone_from(&keys.customer);
    assert_eq!(read_all(&server), records);
    let replayed = send_idempotent(&server, "second", "Twice");
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
    for (key, outcome) in [
        (&keys.banned, "429 api_key_banned"),
        (&keys.tired, "429 rate_limit_exceeded"),
        (&keys.revoked, "401 revoked_api_key"),
    ] {
        assert_eq!(send_with(&server, key).outcome(), outcome);
    }
    assert_eq!(
        post(&server, "/store/orders", &json!({ "petId": 15 }))["id"],
        next("orders")
    );
    server.stop();
}
