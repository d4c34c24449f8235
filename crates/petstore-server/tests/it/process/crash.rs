//! `kill -9` with writes in flight, again and again on the same database: every acknowledged write is stored.

use std::collections::BTreeMap;
use std::sync::mpsc;
use std::thread;

use petstore_server::store::Store;
use serde_json::{Value, json};
use test_support::{Backend, ServerProcess, Storage};

use crate::store::snapshot::Snapshot;

const KILLS: usize = 20;

const CLIENTS: usize = 16;

/// What the clients know about the records in the database.
#[derive(Debug, Default)]
struct Known {
    /// The possible states of each record, by its path; null if it was deleted.
    records: BTreeMap<String, Vec<Value>>,
    /// Orders without a response: their idempotency keys and pets.
    interrupted: Vec<(String, i64)>,
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_are_stored_after_each_of_20_kills() {
    let mut server = ServerProcess::start();
    let mut known = Known::default();
    for kill in 0..KILLS {
        // Idempotency keys belong to an API key, so all servers are sent the same one.
        let key = server.key.clone();
        let storage = write_until_killed(server, kill, &mut known);
        server = ServerProcess::start_in(storage, &[]);
        server.key = key;
        check_records(&server, &mut known);
        check_database(&server.storage).await;
    }
    let written = known.records.len();
    assert!(written > 3 * KILLS, "only {written} records were written");
}

/// Kills the server while clients write. Each kill comes after more acknowledged writes than the last.
fn write_until_killed(server: ServerProcess, kill: usize, known: &mut Known) -> Storage {
    let (acknowledge, acknowledged) = mpsc::channel();
    thread::scope(|scope| {
        let write = |number: usize| {
            let mut writer = Writer {
                server: &server,
                acknowledged: acknowledge.clone(),
                known: Known::default(),
            };
            scope.spawn(move || {
                for turn in 0.. {
                    let name = format!("{kill}/{number}/{turn}");
                    if writer.write(&name, turn).is_none() {
                        break;
                    }
                }
                writer.known
            })
        };
        let writers: Vec<_> = (0..CLIENTS).map(write).collect();
        drop(acknowledge);
        acknowledged.iter().take(20 + 7 * kill).for_each(drop);
        server.process.signal("KILL");
        for written in writers {
            let written = written.join().unwrap();
            known.records.extend(written.records);
            known.interrupted.extend(written.interrupted);
        }
    });
    server.kill()
}

/// A client that writes until the server is gone.
struct Writer<'s> {
    server: &'s ServerProcess,
    acknowledged: mpsc::Sender<()>,
    known: Known,
}

impl Writer<'_> {
    /// Writes a category, a pet in it, an order for its only unit, and a change of the order. `None` once the server is
    /// gone.
    fn write(&mut self, name: &str, turn: u32) -> Option<()> {
        let body = json!({ "name": name, "description": format!("that of {name}") });
        let category = self.send("POST", "/categories", body, "")?;
        let body = json!({ "name": name, "categoryId": category["id"] });
        self.expect("/categories", &category["id"].clone(), vec![category]);
        let pet = self.send("POST", "/pets", body, "")?;
        let id = pet["id"].as_i64()?;
        self.expect("/pets", &json!(id), vec![pet]);

        self.known.interrupted.push((name.to_owned(), id));
        let key = format!("Idempotency-Key: {name}\r\n");
        let order = self.send("POST", "/store/orders", json!({ "petId": id }), &key)?;
        self.known.interrupted.pop();
        let (id, list) = (order["id"].clone(), "/store/orders");
        self.expect(list, &id, vec![order.clone()]);
        let path = format!("{list}/{id}");
        match turn % 3 {
            0 => {
                let mut completed = order.clone();
                completed["complete"] = json!(true);
                self.expect(list, &id, vec![order, completed.clone()]);
                self.send("PATCH", &path, json!({ "complete": true }), "")?;
                self.expect(list, &id, vec![completed]);
            }
            1 => {
                self.expect(list, &id, vec![order, Value::Null]);
                self.send("DELETE", &path, Value::Null, "")?;
                self.expect(list, &id, vec![Value::Null]);
            }
            _ => {}
        }
        Some(())
    }

    fn expect(&mut self, list: &str, id: &Value, states: Vec<Value>) {
        let states = states.into_iter().map(without_status);
        let path = format!("{list}/{id}");
        self.known.records.insert(path, states.collect());
    }

    /// The body of a response; `None` if the server was killed before. It has no reason to reject a request.
    fn send(&self, method: &str, path: &str, body: Value, headers: &str) -> Option<Value> {
        let body = if body.is_null() {
            String::new()
        } else {
            body.to_string()
        };
        let response = self.server.try_send(method, path, &body, headers)?;
        assert!(response.is_success(), "{path}: {}", response.text());
        // Nobody receives it after the kill.
        let _ = self.acknowledged.send(());
        Some(serde_json::from_slice(&response.body).unwrap_or_default())
    }
}

/// A record without the status of a pet, which its orders change.
fn without_status(mut record: Value) -> Value {
    if let Some(members) = record.as_object_mut() {
        members.remove("status");
    }
    record
}

/// Checks that a restarted server has all records, and repeats the requests without a response.
fn check_records(server: &ServerProcess, known: &mut Known) {
    for (key, pet) in std::mem::take(&mut known.interrupted) {
        let body = json!({ "petId": pet }).to_string();
        let header = format!("Idempotency-Key: {key}\r\n");
        let order: Value = server
            .send_with("POST", "/store/orders", &body, &header)
            .json();
        let path = format!("/store/orders/{}", order["id"]);
        known.records.insert(path, vec![order]);
        let orders = server.send("GET", &format!("/store/orders?petId={pet}"), "");
        let orders: Vec<Value> = orders.json();
        assert_eq!(orders.len(), 1, "{key}: written twice");
    }
    let records = read_records(server);
    for (path, possible) in &mut known.records {
        let record = records.get(path).cloned().unwrap_or_default();
        assert!(
            possible.contains(&record),
            "{path}: {record} is not in {possible:?}"
        );
        // It cannot change any more.
        *possible = vec![record];
    }
}

/// Reads all records, by their paths.
fn read_records(server: &ServerProcess) -> BTreeMap<String, Value> {
    let mut records = BTreeMap::new();
    for list in ["/categories", "/pets", "/store/orders"] {
        let mut after = 0;
        loop {
            let target = format!("{list}?limit=100&after={after}");
            let page: Vec<Value> = server.send("GET", &target, "").json();
            let Some(last) = page.last() else { break };
            after = last["id"].as_i64().unwrap();
            let page = page.into_iter();
            records.extend(page.map(|it| (format!("{list}/{}", it["id"]), without_status(it))));
        }
    }
    records
}

/// Checks the file, and the rules of the store on all of its records.
async fn check_database(storage: &Storage) {
    if Backend::chosen().is_file() {
        assert_eq!(storage.query("PRAGMA integrity_check"), ["ok"]);
        let violations = storage.query("PRAGMA foreign_key_check");
        assert!(violations.is_empty(), "foreign key violations");
    }
    let snapshot = Snapshot::read(&Store::new(storage.open_beside_server().await)).await;
    snapshot.check();
    for (pet, units) in snapshot.units() {
        assert_eq!(units, 1, "pet {pet} does not have one unit");
    }
}
