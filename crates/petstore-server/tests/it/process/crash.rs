//! `kill -9` with writes in flight, again and again on the same database: every acknowledged write is stored.

use std::collections::BTreeMap;

use petstore_client::types::{NewCategory, NewPet, Order};
use petstore_client::{Client, RequestError, ResponseValue};
use petstore_server::api::Petstore;
use serde::Serialize;
use serde_json::Value;
use service_program::Program;
use test_support::{Backend, ServerProcess, Storage};
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::store::snapshot::Snapshot;

const KILLS: usize = 20;

const CLIENTS: usize = 16;

/// What the clients know about the records in the database.
#[derive(Debug, Default)]
struct Known {
    /// The possible states of each record, by its path; `None` if it was deleted.
    records: BTreeMap<String, Vec<Option<Value>>>,
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
        let storage = write_until_killed(server, kill, &mut known).await;
        server = ServerProcess::start_in(storage, &[]);
        server.key = key;
        check_records(&server, &mut known).await;
        check_database(&server.storage).await;
    }
    let written = known.records.len();
    assert!(written > 3 * KILLS, "only {written} records were written");
}

/// Kills the server while clients write. Each kill comes after more acknowledged writes than the last.
async fn write_until_killed(server: ServerProcess, kill: usize, known: &mut Known) -> Storage {
    let (acknowledge, mut acknowledged) = mpsc::unbounded_channel();
    let mut writers = JoinSet::new();
    for number in 0..CLIENTS {
        let writer = Writer {
            client: server.client(),
            acknowledged: acknowledge.clone(),
            known: Known::default(),
        };
        writers.spawn(writer.write_until_killed(format!("{kill}/{number}")));
    }
    for _ in 0..20 + 7 * kill {
        acknowledged.recv().await.unwrap();
    }
    let storage = server.kill();
    for written in writers.join_all().await {
        known.records.extend(written.records);
        known.interrupted.extend(written.interrupted);
    }
    storage
}

/// A client that writes until the server is gone.
struct Writer {
    client: Client,
    acknowledged: mpsc::UnboundedSender<()>,
    known: Known,
}

impl Writer {
    async fn write_until_killed(mut self, name: String) -> Known {
        let mut turn = 0;
        while self.write(&format!("{name}/{turn}"), turn).await.is_some() {
            turn += 1;
        }
        self.known
    }

    /// Writes a category, a pet in it, an order for its only unit, and a change of the order. `None` once the server is
    /// gone.
    async fn write(&mut self, name: &str, turn: usize) -> Option<()> {
        let body = NewCategory::builder().name(name);
        let body = body.description(format!("that of {name}"));
        let category = self.client.create_category().body(body).send().await;
        let category = self.acknowledge(category)?;
        self.expect(
            format!("/categories/{}", category.id),
            [to_record(&category)],
        );

        let body = NewPet::builder().name(name).category_id(category.id);
        let pet = self.client.create_pet().body(body).send().await;
        let pet = self.acknowledge(pet)?;
        self.expect(format!("/pets/{}", pet.id), [to_record(&pet)]);

        self.known.interrupted.push((name.to_owned(), pet.id));
        let order = place_order(&self.client, name, pet.id).await;
        let order = self.acknowledge(order)?;
        self.known.interrupted.pop();
        let id = order.id.unwrap();
        let path = format!("/store/orders/{id}");
        let open = to_record(&order);
        self.expect(path.clone(), [open.clone()]);

        match turn % 3 {
            0 => {
                let completed = Order {
                    complete: Some(true),
                    ..order
                };
                let completed = to_record(&completed);
                self.expect(path.clone(), [open, completed.clone()]);
                let body = Order::builder().complete(true);
                let update = self.client.update_order().order_id(id).body(body);
                self.acknowledge(update.send().await)?;
                self.expect(path, [completed]);
            }
            1 => {
                self.expect(path.clone(), [open, None]);
                let cancel = self.client.cancel_order().order_id(id);
                self.acknowledge(cancel.send().await)?;
                self.expect(path, [None]);
            }
            _ => {}
        }
        Some(())
    }

    fn expect<const N: usize>(&mut self, path: String, bodies: [Option<Value>; N]) {
        self.known.records.insert(path, bodies.into());
    }

    /// The body of a response; `None` if the server was killed before. It has no reason to reject a request.
    fn acknowledge<T>(&self, result: Result<ResponseValue<T>, RequestError>) -> Option<T> {
        match result {
            Ok(response) => {
                // Nobody receives it after the kill.
                let _ = self.acknowledged.send(());
                Some(response.into_inner())
            }
            Err(RequestError::CommunicationError(_) | RequestError::ResponseBodyError(_)) => None,
            Err(other) => panic!("{other}"),
        }
    }
}

/// The JSON of a record without the status of a pet, which its orders change.
fn to_record(record: &impl Serialize) -> Option<Value> {
    let mut record = serde_json::to_value(record).unwrap();
    record.as_object_mut().unwrap().remove("status");
    Some(record)
}

async fn place_order(
    client: &Client,
    key: &str,
    pet: i64,
) -> Result<ResponseValue<Order>, RequestError> {
    let body = Order::builder().pet_id(pet);
    let place = client.place_order().idempotency_key(key).body(body);
    place.send().await
}

/// Checks that a restarted server has all records, and repeats the requests without a response.
async fn check_records(server: &ServerProcess, known: &mut Known) {
    let client = server.client();
    for (key, pet) in std::mem::take(&mut known.interrupted) {
        let order = place_order(&client, &key, pet).await.unwrap();
        let path = format!("/store/orders/{}", order.id.unwrap());
        known.records.insert(path, vec![to_record(&*order)]);
        let orders = client.list_orders().pet_id(pet).send().await.unwrap();
        assert_eq!(orders.len(), 1, "{key}: written twice");
    }
    let records = read_records(server);
    for (path, possible) in &mut known.records {
        let record = records.get(path).cloned();
        assert!(
            possible.contains(&record),
            "{path}: {record:?} is not in {possible:?}"
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
            records.extend(
                page.iter()
                    .filter_map(|it| Some((format!("{list}/{}", it["id"]), to_record(it)?))),
            );
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
    let petstore = Petstore::new(storage.open_beside_server().await);
    let snapshot = Snapshot::read(&petstore.store).await;
    snapshot.check();
    for (pet, units) in snapshot.units() {
        assert_eq!(units, 1, "pet {pet} does not have one unit");
    }
}
