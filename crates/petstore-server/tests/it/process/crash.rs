//! `kill -9` with writes in flight, again and again on the same database: what was acknowledged is there.

use std::collections::BTreeMap;
use std::ops::Deref;
use std::path::Path;

use petstore_client::Client;
use petstore_client::types::{NewCategory, NewPet, Order};
use petstore_server::store::{EngineConfig, Store};
use rusqlite::Connection;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tokio::task::JoinSet;

use super::running::Running;
use crate::store::snapshot::Snapshot;

const KILLS: usize = 20;

const CLIENTS: usize = 16;

/// What became of an order, as far as its client knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fate {
    Open,
    Complete,
    Cancelled,
    /// The server was killed before it answered.
    OpenOrComplete,
    OpenOrCancelled,
}

/// The writes that were acknowledged to one client, or to all of them.
#[derive(Debug, Default)]
struct Acknowledged {
    /// By id, the name and the description.
    categories: BTreeMap<i64, (String, Option<String>)>,
    /// By id, the name and the category.
    pets: BTreeMap<i64, (String, i64)>,
    /// By id, the pet and the fate.
    orders: BTreeMap<i64, (i64, Fate)>,
    /// Orders whose answer never came: the idempotency key and the pet.
    unanswered: Vec<(String, i64)>,
}

impl Acknowledged {
    fn add(&mut self, more: Acknowledged) {
        self.categories.extend(more.categories);
        self.pets.extend(more.pets);
        self.orders.extend(more.orders);
        self.unanswered.extend(more.unanswered);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_acknowledged_write_survives_every_kill() {
    let folder = TempDir::new().unwrap();
    let database = folder.path().join("db");
    let mut known = Acknowledged::default();
    for kill in 0..KILLS {
        let server = Running::start(&database);
        look(&server.client, &mut known).await;
        is_sound(&database).await;
        known.add(write_until_killed(server, kill).await);
    }
    let server = Running::start(&database);
    look(&server.client, &mut known).await;
    is_sound(&database).await;
    assert!(known.orders.len() > KILLS, "hardly anything was written");
}

/// Lets clients write, and kills the server in the middle: after ever more acknowledged writes.
async fn write_until_killed(server: Running, kill: usize) -> Acknowledged {
    let (acknowledge, mut acknowledged) = mpsc::unbounded_channel();
    let mut clients = JoinSet::new();
    for client in 0..CLIENTS {
        let name = format!("{kill}/{client}");
        let writer = Writer {
            client: server.client.clone(),
            acknowledge: acknowledge.clone(),
            known: Acknowledged::default(),
        };
        clients.spawn(writer.write(name));
    }
    for _ in 0..20 + 7 * kill {
        acknowledged.recv().await.unwrap();
    }
    server.kill();
    let mut known = Acknowledged::default();
    for one in clients.join_all().await {
        known.add(one);
    }
    known
}

/// A client that writes until the server is gone.
struct Writer {
    client: Client,
    acknowledge: mpsc::UnboundedSender<()>,
    known: Acknowledged,
}

impl Writer {
    async fn write(mut self, name: String) -> Acknowledged {
        let mut turn = 0;
        while self.turn(&format!("{name}/{turn}"), turn).await.is_some() {
            turn += 1;
        }
        self.known
    }

    /// A category, a pet in it, an order for its one unit, and the end of the order. `None` once the server is gone.
    async fn turn(&mut self, name: &str, turn: usize) -> Option<()> {
        let description = turn.is_multiple_of(2).then(|| format!("that of {name}"));
        let body = NewCategory::builder().name(name);
        let body = body.description(description.clone());
        let category = self.client.create_category().body(body).send().await;
        let category = self.answered(category)?.id;
        let written = (name.to_owned(), description);
        self.known.categories.insert(category, written);

        let body = NewPet::builder().name(name).category_id(category);
        let pet = self.client.create_pet().body(body).send().await;
        let pet = self.answered(pet)?.id;
        self.known.pets.insert(pet, (name.to_owned(), category));

        self.known.unanswered.push((name.to_owned(), pet));
        let order = place(&self.client, name, pet).await;
        let order = self.answered(order)?.id.unwrap();
        self.known.unanswered.pop();
        self.known.orders.insert(order, (pet, Fate::Open));

        match turn % 3 {
            0 => {
                let fate = (pet, Fate::OpenOrComplete);
                self.known.orders.insert(order, fate);
                let update = self.client.update_order().order_id(order);
                let body = Order::builder().complete(true);
                self.answered(update.body(body).send().await)?;
                self.known.orders.insert(order, (pet, Fate::Complete));
            }
            1 => {
                let fate = (pet, Fate::OpenOrCancelled);
                self.known.orders.insert(order, fate);
                let cancel = self.client.cancel_order().order_id(order);
                self.answered(cancel.send().await)?;
                self.known.orders.insert(order, (pet, Fate::Cancelled));
            }
            _ => {}
        }
        Some(())
    }

    /// What the server answered, if it still did. It has no reason to refuse anything.
    fn answered<T>(&self, answer: Answer<T>) -> Option<T> {
        use petstore_client::Error::{CommunicationError, ResponseBodyError};
        match answer {
            Ok(answer) => {
                // Nobody counts any more once enough were counted.
                let _ = self.acknowledge.send(());
                Some(answer.into_inner())
            }
            Err(CommunicationError(_) | ResponseBodyError(_)) => None,
            Err(other) => panic!("{other}"),
        }
    }
}

type Answer<T> = Result<
    petstore_client::ResponseValue<T>,
    petstore_client::Error<petstore_client::types::Error>,
>;

async fn place(client: &Client, key: &str, pet: i64) -> Answer<Order> {
    let body = Order::builder().pet_id(pet);
    let place = client.place_order().idempotency_key(key).body(body);
    place.send().await
}

/// Asks a restarted server for all that is known to have been written, and repeats what was never answered.
async fn look(client: &Client, known: &mut Acknowledged) {
    for (key, pet) in std::mem::take(&mut known.unanswered) {
        let order = place(client, &key, pet).await.unwrap();
        known.orders.insert(order.id.unwrap(), (pet, Fate::Open));
        let orders = client.list_orders().pet_id(pet).send().await.unwrap();
        assert_eq!(orders.len(), 1, "{key}: written twice");
    }

    let page = |after| client.list_categories().limit(100).after(after).send();
    let categories = every(page, |category| category.id).await;
    for (id, written) in &known.categories {
        let category = &categories[id];
        let seen = (category.name.clone(), category.description.clone());
        assert_eq!(seen, *written, "category {id}");
    }

    let page = |after| client.list_pets().limit(100).after(after).send();
    let pets = every(page, |pet| pet.id).await;
    for (id, written) in &known.pets {
        let seen = (pets[id].name.clone(), pets[id].category_id);
        assert_eq!(seen, *written, "pet {id}");
    }

    let page = |after| client.list_orders().limit(100).after(after).send();
    let orders = every(page, |order| order.id.unwrap()).await;
    for (id, (pet, fate)) in &mut known.orders {
        let found = orders.get(id);
        let seen = match found.map(|order| order.complete) {
            None => Fate::Cancelled,
            Some(Some(true)) => Fate::Complete,
            Some(_) => Fate::Open,
        };
        let possible = match *fate {
            Fate::OpenOrComplete => [Fate::Open, Fate::Complete],
            Fate::OpenOrCancelled => [Fate::Open, Fate::Cancelled],
            certain => [certain; 2],
        };
        assert!(
            possible.contains(&seen),
            "order {id} is {seen:?}, not {fate:?}"
        );
        // What is seen once is settled.
        *fate = seen;
        if let Some(order) = found {
            assert_eq!((order.pet_id, order.quantity), (Some(*pet), Some(1)));
        }
    }
}

/// A whole list by id, a page at a time.
async fn every<P, T, F>(page: impl Fn(i64) -> F, id: impl Fn(&T) -> i64) -> BTreeMap<i64, T>
where
    F: Future<Output = Answer<P>>,
    P: Deref<Target = Vec<T>>,
    T: Clone,
{
    let mut all = BTreeMap::new();
    let mut last = 0;
    loop {
        let page = page(last).await.unwrap();
        let Some(end) = page.last() else { return all };
        last = id(end);
        all.extend(page.iter().map(|one| (id(one), one.clone())));
    }
}

/// Checks the file, and the rules of the store on all that is in it.
async fn is_sound(database: &Path) {
    let connection = Connection::open(database).unwrap();
    let verdict: String = connection
        .query_row("PRAGMA integrity_check", [], |row| row.get(0))
        .unwrap();
    assert_eq!(verdict, "ok");
    let dangling = connection.prepare("PRAGMA foreign_key_check").unwrap();
    assert!(
        !{ dangling }.exists([]).unwrap(),
        "a reference leads nowhere"
    );

    let store = Store::open_beside_server(&EngineConfig::at(database)).unwrap();
    let snapshot = Snapshot::of(&store).await;
    snapshot.check();
    for (pet, units) in snapshot.units() {
        assert_eq!(units, 1, "units of pet {pet} were made or lost");
    }
}
