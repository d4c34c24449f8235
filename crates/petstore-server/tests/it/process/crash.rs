//! `kill -9` with writes in flight, again and again on the same database: every acknowledged write is stored.

use std::collections::BTreeMap;
use std::path::Path;

use futures::TryStreamExt;
use petstore_client::Client;
use petstore_client::types::{NewCategory, NewPet, Order};
use petstore_server::store::{EngineConfig, Store};
use rusqlite::Connection;
use tempfile::TempDir;
use test_support::ServerProcess;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use crate::store::snapshot::Snapshot;

const KILLS: usize = 20;

const CLIENTS: usize = 16;

/// The state of an order, as far as its client knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum OrderState {
    Open,
    Complete,
    Cancelled,
    /// The server was killed before its response.
    OpenOrComplete,
    OpenOrCancelled,
}

/// The writes that were acknowledged to one client or to all.
#[derive(Debug, Default)]
struct Acknowledged {
    /// By id, the name and the description.
    categories: BTreeMap<i64, (String, Option<String>)>,
    /// By id, the name and the category.
    pets: BTreeMap<i64, (String, i64)>,
    /// By id, the pet and the state.
    orders: BTreeMap<i64, (i64, OrderState)>,
    /// Orders without a response: the idempotency key and the pet.
    interrupted: Vec<(String, i64)>,
}

impl Acknowledged {
    fn add(&mut self, more: Acknowledged) {
        self.categories.extend(more.categories);
        self.pets.extend(more.pets);
        self.orders.extend(more.orders);
        self.interrupted.extend(more.interrupted);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_writes_are_stored_after_each_of_20_kills() {
    let mut server = ServerProcess::start();
    // Idempotency keys belong to an API key, so all servers are sent the same one.
    let key = server.key.clone();
    let mut known = Acknowledged::default();
    for kill in 0..KILLS {
        let client = server.client_with_key(&key);
        let (directory, written) = write_until_killed(server, &client, kill).await;
        known.add(written);
        server = ServerProcess::start_in(directory, &[]);
        check_records(&server.client_with_key(&key), &mut known).await;
        check_database(&server.database()).await;
    }
    assert!(known.orders.len() > KILLS, "too few orders were placed");
}

/// Kills the server while clients write. Each kill comes after more acknowledged writes than the last.
async fn write_until_killed(
    server: ServerProcess,
    client: &Client,
    kill: usize,
) -> (TempDir, Acknowledged) {
    let (acknowledge, mut acknowledged) = mpsc::unbounded_channel();
    let mut writers = JoinSet::new();
    for number in 0..CLIENTS {
        let writer = Writer {
            client: client.clone(),
            acknowledged: acknowledge.clone(),
            known: Acknowledged::default(),
        };
        writers.spawn(writer.write(format!("{kill}/{number}")));
    }
    for _ in 0..20 + 7 * kill {
        acknowledged.recv().await.unwrap();
    }
    let directory = server.kill();
    let mut known = Acknowledged::default();
    for written in writers.join_all().await {
        known.add(written);
    }
    (directory, known)
}

/// A client that writes until the server is gone.
struct Writer {
    client: Client,
    acknowledged: mpsc::UnboundedSender<()>,
    known: Acknowledged,
}

impl Writer {
    async fn write(mut self, name: String) -> Acknowledged {
        let mut turn = 0;
        while self
            .write_one(&format!("{name}/{turn}"), turn)
            .await
            .is_some()
        {
            turn += 1;
        }
        self.known
    }

    /// Writes a category, a pet in it, an order for its only unit, and a change of the order. `None` once the server is gone.
    async fn write_one(&mut self, name: &str, turn: usize) -> Option<()> {
        let description = turn.is_multiple_of(2).then(|| format!("that of {name}"));
        let body = NewCategory::builder().name(name);
        let body = body.description(description.clone());
        let category = self.client.create_category().body(body).send().await;
        let category = self.acknowledge(category)?.id;
        let written = (name.to_owned(), description);
        self.known.categories.insert(category, written);

        let body = NewPet::builder().name(name).category_id(category);
        let pet = self.client.create_pet().body(body).send().await;
        let pet = self.acknowledge(pet)?.id;
        self.known.pets.insert(pet, (name.to_owned(), category));

        self.known.interrupted.push((name.to_owned(), pet));
        let order = place(&self.client, name, pet).await;
        let order = self.acknowledge(order)?.id.unwrap();
        self.known.interrupted.pop();
        self.known.orders.insert(order, (pet, OrderState::Open));

        match turn % 3 {
            0 => {
                let state = (pet, OrderState::OpenOrComplete);
                self.known.orders.insert(order, state);
                let update = self.client.update_order().order_id(order);
                let body = Order::builder().complete(true);
                self.acknowledge(update.body(body).send().await)?;
                self.known.orders.insert(order, (pet, OrderState::Complete));
            }
            1 => {
                let state = (pet, OrderState::OpenOrCancelled);
                self.known.orders.insert(order, state);
                let cancel = self.client.cancel_order().order_id(order);
                self.acknowledge(cancel.send().await)?;
                self.known
                    .orders
                    .insert(order, (pet, OrderState::Cancelled));
            }
            _ => {}
        }
        Some(())
    }

    /// The result of a call; `None` if the server was killed before its response. The server has no reason to reject it.
    fn acknowledge<T>(&self, result: CallResult<T>) -> Option<T> {
        use petstore_client::Error::{CommunicationError, ResponseBodyError};
        match result {
            Ok(response) => {
                // Nobody receives it after the kill.
                let _ = self.acknowledged.send(());
                Some(response.into_inner())
            }
            Err(CommunicationError(_) | ResponseBodyError(_)) => None,
            Err(other) => panic!("{other}"),
        }
    }
}

type CallResult<T> = Result<
    petstore_client::ResponseValue<T>,
    petstore_client::Error<petstore_client::types::Error>,
>;

async fn place(client: &Client, key: &str, pet: i64) -> CallResult<Order> {
    let body = Order::builder().pet_id(pet);
    let place = client.place_order().idempotency_key(key).body(body);
    place.send().await
}

/// Checks that a restarted server has all that was acknowledged, and repeats the requests without a response.
async fn check_records(client: &Client, known: &mut Acknowledged) {
    for (key, pet) in std::mem::take(&mut known.interrupted) {
        let order = place(client, &key, pet).await.unwrap();
        known
            .orders
            .insert(order.id.unwrap(), (pet, OrderState::Open));
        let orders = client.list_orders().pet_id(pet).send().await.unwrap();
        assert_eq!(orders.len(), 1, "{key}: written twice");
    }

    let categories: Vec<_> = client.categories_all().try_collect().await.unwrap();
    let categories: BTreeMap<i64, _> = categories.iter().map(|it| (it.id, it)).collect();
    for (id, written) in &known.categories {
        let category = &categories[id];
        let seen = (category.name.clone(), category.description.clone());
        assert_eq!(seen, *written, "category {id}");
    }

    let pets: Vec<_> = client.pets_all().try_collect().await.unwrap();
    let pets: BTreeMap<i64, _> = pets.iter().map(|it| (it.id, it)).collect();
    for (id, written) in &known.pets {
        let seen = (pets[id].name.clone(), pets[id].category_id);
        assert_eq!(seen, *written, "pet {id}");
    }

    let orders: Vec<Order> = client.orders_all().try_collect().await.unwrap();
    let orders: BTreeMap<_, _> = orders.iter().map(|it| (it.id.unwrap(), it)).collect();
    for (id, (pet, state)) in &mut known.orders {
        let found = orders.get(id);
        let seen = match found.map(|order| order.complete) {
            None => OrderState::Cancelled,
            Some(Some(true)) => OrderState::Complete,
            Some(_) => OrderState::Open,
        };
        let possible = match *state {
            OrderState::OpenOrComplete => [OrderState::Open, OrderState::Complete],
            OrderState::OpenOrCancelled => [OrderState::Open, OrderState::Cancelled],
            certain => [certain; 2],
        };
        assert!(
            possible.contains(&seen),
            "order {id} is {seen:?}, not {state:?}"
        );
        // It cannot change any more.
        *state = seen;
        if let Some(order) = found {
            assert_eq!((order.pet_id, order.quantity), (Some(*pet), Some(1)));
        }
    }
}

/// Checks the file, and the rules of the store on all of its records.
async fn check_database(database: &Path) {
    let connection = Connection::open(database).unwrap();
    let result: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(result, "ok");
    let dangling = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(!{ dangling }.exists([]).unwrap(), "a foreign key violation");

    let store = Store::open_beside_server(&EngineConfig::at(database)).unwrap();
    let snapshot = Snapshot::of(&store).await;
    snapshot.check();
    for (pet, units) in snapshot.units() {
        assert_eq!(units, 1, "pet {pet} does not have one unit");
    }
}
