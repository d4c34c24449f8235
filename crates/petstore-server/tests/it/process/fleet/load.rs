//! Clients that write all the time, what they know of the records, and the check of it at the end.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use petstore_client::types::{self, InventoryUpdate, NewCategory, NewPet, Order};
use petstore_client::{Client, RequestError, ResponseValue};
use petstore_server::store::Store;
use test_support::process::TIMEOUT;

use super::servers::{AllClients, Clients};
use crate::store::snapshot::Snapshot;

/// Between two attempts, so that the servers have the processor while they recover.
pub const PAUSE: Duration = Duration::from_millis(5);

/// Few pets with little stock, so that it is sold out again and again.
const PETS: usize = 4;
const STOCK: i64 = 20;

/// The load, and what is known of the records.
pub struct Load {
    clients: AllClients,
    pets: Vec<i64>,
    limit: usize,
    /// The end of the day in which the load began, in Unix seconds.
    day_end: i64,
    known: Mutex<Known>,
    acknowledged: AtomicUsize,
    stops: AtomicBool,
    has_failed: AtomicBool,
}

#[derive(Default)]
struct Known {
    /// The orders that were placed, by their idempotency keys.
    orders: BTreeMap<String, Order>,
    /// The ids of those that were cancelled.
    cancelled: BTreeSet<i64>,
    /// Categories by the answers to their creation.
    created: BTreeSet<String>,
    refused: BTreeSet<String>,
}

/// The outcome of a request.
enum Outcome<T> {
    Done(ResponseValue<T>),
    /// The rules refused it.
    Refused(types::Error),
    /// Nothing was stored.
    Unavailable,
    Unknown,
}

/// Marks the load as failed, unless it ends properly.
struct FailureGuard<'a>(&'a AtomicBool);

impl Drop for FailureGuard<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.store(true, Ordering::SeqCst);
        }
    }
}

impl Load {
    /// Creates pets with stock.
    pub async fn prepare(clients: AllClients, limit: usize) -> Load {
        let client = clients.read().unwrap()[0].owner.clone();
        let body = NewCategory::builder().name("Fish");
        let category = client.create_category().body(body).send().await.unwrap().id;
        let mut pets = Vec::new();
        for number in 0..PETS {
            let body = NewPet::builder().name(format!("Nemo {number}"));
            let body = body.category_id(category);
            let pet = client.create_pet().body(body).send().await.unwrap().id;
            let body = InventoryUpdate::builder().quantity(STOCK);
            let set = client.set_inventory().pet_id(pet).body(body).send();
            set.await.unwrap();
            pets.push(pet);
        }
        Load {
            day_end: read_day_end(&clients).await,
            clients,
            pets,
            limit,
            known: Mutex::default(),
            acknowledged: AtomicUsize::new(0),
            stops: AtomicBool::new(false),
            has_failed: AtomicBool::new(false),
        }
    }

    pub fn acknowledged(&self) -> usize {
        self.acknowledged.load(Ordering::SeqCst)
    }

    pub fn stop(&self) {
        self.stops.store(true, Ordering::SeqCst);
    }

    #[track_caller]
    pub fn assert_running(&self) {
        assert!(!self.has_failed.load(Ordering::SeqCst), "a client failed");
    }

    /// Sends requests as one client until the load stops, each to another server.
    pub async fn run(self: std::sync::Arc<Load>, client: usize) {
        let _guard = FailureGuard(&self.has_failed);
        let mut random = fastrand::Rng::with_seed(client as u64);
        let mut open = Vec::new();
        for turn in 0.. {
            if self.stops.load(Ordering::SeqCst) {
                return;
            }
            let name = format!("{client}/{turn}");
            match turn % 4 {
                0 => self.create_category(&name, &mut random).await,
                1 => self.use_limited_key(&name, &mut random).await,
                _ if !open.is_empty() && random.u8(..5) < 2 => {
                    let order = open.swap_remove(random.usize(..open.len()));
                    self.cancel(order, &mut random).await;
                }
                _ => open.extend(self.place_order(&name, &mut random).await),
            }
        }
    }

    fn any_server(&self, random: &mut fastrand::Rng) -> Clients {
        let clients = self.clients.read().unwrap();
        clients[random.usize(..clients.len())].clone()
    }

    fn note(&self, note: impl FnOnce(&mut Known)) {
        note(&mut self.known.lock().unwrap());
    }

    fn acknowledge(&self) {
        self.acknowledged.fetch_add(1, Ordering::SeqCst);
    }

    /// Places an order, by as many attempts as necessary, and returns its id if there was enough stock.
    async fn place_order(&self, key: &str, random: &mut fastrand::Rng) -> Option<i64> {
        let pet = self.pets[random.usize(..self.pets.len())];
        let quantity = random.i64(1..=2);
        let place = async |client: Client| {
            let body = Order::builder().pet_id(pet).quantity(quantity);
            let place = client.place_order().idempotency_key(key).body(body);
            place.send().await
        };
        let order = match self.repeat(random, place).await {
            Ok(order) => order,
            Err(error) => {
                let is_sold_out = ["insufficient_stock", "pet_not_available"];
                assert!(is_sold_out.contains(&error.code.as_str()), "{error:?}");
                return None;
            }
        };
        self.acknowledge();
        let order = order.into_inner();
        let id = order.id;
        self.note(|it| {
            it.orders.insert(key.to_owned(), order.clone());
        });
        // Another server knows the response, too, if it can answer.
        let again = place(self.any_server(random).owner).await;
        if let Outcome::Done(again) = Load::outcome(again) {
            Load::assert_replay(&order, &again);
        }
        id
    }

    fn assert_replay(first: &Order, again: &ResponseValue<Order>) {
        let is_replayed = again.headers().contains_key("idempotency-replayed");
        assert!(is_replayed, "{again:?} is another order than {first:?}");
        let [first, second] = [first, &**again].map(|it| serde_json::to_value(it).unwrap());
        assert_eq!(first, second, "the response is repeated");
    }

    async fn cancel(&self, order: i64, random: &mut fastrand::Rng) {
        let cancel = async |client: Client| client.cancel_order().order_id(order).send().await;
        if let Err(error) = self.repeat(random, cancel).await {
            // An attempt without an answer has cancelled it.
            assert_eq!(error.code, "order_not_found", "{error:?}");
        }
        self.acknowledge();
        self.note(|it| {
            it.cancelled.insert(order);
        });
    }

    /// Creates a category by one attempt, which is not repeated.
    async fn create_category(&self, name: &str, random: &mut fastrand::Rng) {
        let body = NewCategory::builder().name(name);
        let client = self.any_server(random).owner;
        let outcome = Load::outcome(client.create_category().body(body).send().await);
        let name = name.to_owned();
        match outcome {
            Outcome::Done(_) => {
                self.acknowledge();
                self.note(|it| it.created.extend([name]));
            }
            Outcome::Unavailable => self.note(|it| it.refused.extend([name])),
            Outcome::Unknown => {}
            Outcome::Refused(error) => panic!("{error:?}"),
        }
    }

    /// Creates a category with the key that is limited.
    async fn use_limited_key(&self, name: &str, random: &mut fastrand::Rng) {
        let body = NewCategory::builder().name(format!("limited {name}"));
        let client = self.any_server(random).limited;
        let outcome = Load::outcome(client.create_category().body(body).send().await);
        if let Outcome::Refused(error) = outcome {
            let limits = ["rate_limit_exceeded", "api_key_banned"];
            assert!(limits.contains(&error.code.as_str()), "{error:?}");
        }
    }

    /// Sends requests with the key that is limited until every server refuses them.
    async fn use_up_limit(&self) {
        let start = Instant::now();
        let clients = self.clients.read().unwrap().clone();
        for (server, client) in clients.into_iter().enumerate() {
            for number in 0.. {
                let name = format!("limited at the end {server}/{number}");
                let body = NewCategory::builder().name(name);
                let sent = client.limited.create_category().body(body).send().await;
                if let Outcome::Refused(_) = Load::outcome(sent) {
                    break;
                }
                assert!(start.elapsed() < TIMEOUT, "there is no limit");
            }
        }
    }

    /// Sends a request to one server after another until it is answered.
    async fn repeat<T>(
        &self,
        random: &mut fastrand::Rng,
        send: impl AsyncFn(Client) -> Result<ResponseValue<T>, RequestError>,
    ) -> Result<ResponseValue<T>, types::Error> {
        let start = Instant::now();
        loop {
            let client = self.any_server(random).owner;
            match Load::outcome(send(client).await) {
                Outcome::Done(response) => return Ok(response),
                Outcome::Refused(error) => return Err(error),
                Outcome::Unavailable | Outcome::Unknown => {}
            }
            assert!(start.elapsed() < TIMEOUT, "no answer within a minute");
            tokio::time::sleep(PAUSE).await;
        }
    }

    fn outcome<T>(result: Result<ResponseValue<T>, RequestError>) -> Outcome<T> {
        match result {
            Ok(response) => Outcome::Done(response),
            Err(RequestError::ErrorResponse(error)) => match error.code.as_str() {
                "unavailable" => Outcome::Unavailable,
                "outcome_unknown" => Outcome::Unknown,
                "internal_error" => panic!("{error:?}"),
                _ => Outcome::Refused(error.into_inner()),
            },
            Err(RequestError::CommunicationError(error)) if error.is_connect() => {
                Outcome::Unavailable
            }
            Err(RequestError::CommunicationError(_) | RequestError::ResponseBodyError(_)) => {
                Outcome::Unknown
            }
            Err(other) => panic!("{other}"),
        }
    }

    /// Checks all records against what is known of them, once all clients have stopped.
    pub async fn check(&self, store: &Store) {
        self.use_up_limit().await;
        let orders = std::mem::take(&mut self.known.lock().unwrap().orders);
        let mut random = fastrand::Rng::with_seed(0);
        for (key, order) in &orders {
            let place = async |client: Client| {
                let body = Order::builder().pet_id(order.pet_id.unwrap());
                let body = body.quantity(order.quantity.unwrap());
                let place = client.place_order().idempotency_key(key).body(body);
                place.send().await
            };
            let again = self.repeat(&mut random, place).await.unwrap();
            Load::assert_replay(order, &again);
        }
        let known = std::mem::take(&mut *self.known.lock().unwrap());
        let stored = Snapshot::read(store).await;
        stored.check();
        for (pet, units) in stored.units() {
            assert_eq!(units, STOCK, "the units of pet {pet}");
        }
        let placed: BTreeSet<i64> = orders.values().map(|it| it.id.unwrap()).collect();
        assert_eq!(placed.len(), orders.len(), "two keys, one order");
        let expected: BTreeSet<i64> = placed.difference(&known.cancelled).copied().collect();
        let found: BTreeSet<i64> = stored.orders.iter().map(|it| it.id).collect();
        assert_eq!(found, expected, "the orders that are stored");

        let names: BTreeSet<String> = stored.categories.into_iter().map(|it| it.name).collect();
        let lost: Vec<_> = known.created.difference(&names).collect();
        assert!(lost.is_empty(), "acknowledged and lost: {lost:?}");
        let stored: Vec<_> = known.refused.intersection(&names).collect();
        assert!(stored.is_empty(), "refused and stored: {stored:?}");
        let limited = names.iter().filter(|it| it.starts_with("limited "));
        let of_limited_key = limited.count();
        // Another day may have begun, which has its own requests.
        let days = 1 + usize::from(read_day_end(&self.clients).await != self.day_end);
        assert!(
            of_limited_key <= days * self.limit,
            "{of_limited_key} were admitted"
        );
    }
}

/// The end of the day of the key that is limited, in Unix seconds.
async fn read_day_end(clients: &AllClients) -> i64 {
    let client = clients.read().unwrap()[0].limited.clone();
    client.get_rate_limit().send().await.unwrap().day.reset
}
