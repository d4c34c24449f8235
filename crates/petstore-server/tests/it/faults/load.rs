//! The loads: what a process under test does with a database. It reports each write to a file.
//!
//! The writer's batches are the same in each run, so that a fault can be reproduced by its number.

use std::cell::Cell;
use std::fmt::Debug;
use std::fs::{File, OpenOptions};
use std::future::Future;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};

use chrono::{DateTime, Utc};
use dropspec_gate::ApiKeys;
use dropspec_gate::conditional::Precondition;
use dropspec_gate::keys::NewKey;
use dropspec_gate::rate_limit::{Adjusted, Adjustment, Ledger, Now, Window};
use dropspec_service::{api_keys, find_plan};
use dropspec_store::sqlite::Engine;
use futures::FutureExt;
use futures::future::{LocalBoxFuture, join_all};
use petstore_server::api::Petstore;
use petstore_server::categories::{Category, NewCategory};
use petstore_server::orders::{Order, OrderBody};
use petstore_server::pets::Pet;
use petstore_server::store::{EngineConfig, EngineError, IdempotentRequest, SCHEMA, Store};

use super::known::{Effect, Report};
use crate::store::fixture::{category, order, pet};

/// The name of the database in its directory.
pub const DATABASE: &str = "db";

/// The name of the backup.
pub const BACKUP: &str = "backup";

/// Orders with a number from this one on are placed with an idempotency key.
pub const FIRST_WITH_KEY: i64 = 1000;

/// The start of the window in which requests are claimed, in Unix seconds.
const WINDOW: i64 = 1_795_262_400;

/// What a process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Load {
    /// Creates a database and the records that [`Load::Serve`] changes.
    Create,
    /// Opens the database, writes alone and in batches, backs it up and closes it.
    Serve,
    /// Opens the database after whatever happened, writes again and closes it.
    Reopen,
    /// Restores the backup and opens the database.
    Restore,
}

impl Load {
    pub const ALL: [Load; 4] = [Load::Create, Load::Serve, Load::Reopen, Load::Restore];

    /// Runs the load in a directory.
    pub fn run(self, directory: &Path, reports: &Path) {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build();
        runtime.unwrap().block_on(async {
            let reporter = Reporter::open(self, reports);
            match self {
                Load::Create => create(directory, reporter).await,
                Load::Serve => serve(directory, reporter).await,
                Load::Reopen => reopen(directory, reporter).await,
                Load::Restore => restore(directory, reporter).await,
            }
        });
    }
}

/// Writes what is known about the writes to a file, at the moment when a caller would know it.
struct Reporter {
    file: File,
    /// Numbers of writes are unique over all processes of a run.
    next: Cell<u32>,
}

impl Reporter {
    fn open(load: Load, reports: &Path) -> Reporter {
        let file = OpenOptions::new().append(true).create(true).open(reports);
        Reporter {
            file: file.unwrap(),
            next: Cell::new(1000 * (1 + load as u32)),
        }
    }

    /// Does a write with these effects. `None` if it failed.
    async fn write<T, E: Debug>(
        &self,
        effects: Vec<Effect>,
        work: impl Future<Output = Result<T, E>>,
    ) -> Option<T> {
        let number = self.begin(effects);
        let result = work.await;
        match &result {
            Ok(_) => self.report(&Report::Succeeds(number)),
            // Whichever type of error it is in.
            Err(error) if format!("{error:?}").contains("OutcomeUnknown") => {
                self.report(&Report::IsUnknown(number));
                // So does the server.
                std::process::exit(0);
            }
            Err(_) => self.report(&Report::Fails(number)),
        }
        result.ok()
    }

    /// Reports the end of a write that may have happened if it failed.
    fn end<T, E>(&self, number: u32, result: Result<T, E>) {
        self.report(&match result {
            Ok(_) => Report::Succeeds(number),
            Err(_) => Report::IsUnknown(number),
        });
    }

    fn begin(&self, effects: Vec<Effect>) -> u32 {
        let number = self.next.get();
        self.next.set(number + 1);
        self.report(&Report::Begins(number, effects));
        number
    }

    fn report(&self, report: &Report) {
        let line = serde_json::to_string(report).unwrap() + "\n";
        (&self.file).write_all(line.as_bytes()).unwrap();
    }
}

/// An open database under load.
struct Client {
    directory: PathBuf,
    engine: Arc<Engine>,
    store: Store,
    keys: ApiKeys,
    reporter: Reporter,
    /// The claimed requests of each window that this process may spend.
    leased: Cell<i64>,
}

impl Client {
    /// Opens the database as the server does. `None` if that fails.
    fn open(directory: &Path, reporter: Reporter) -> Option<Client> {
        let engine = Engine::open(SCHEMA, &config(directory.join(DATABASE))).ok()?;
        let engine = Arc::new(engine);
        Some(Client {
            directory: directory.to_owned(),
            keys: api_keys::<Petstore>(Arc::clone(&engine)),
            store: Store::new(Arc::clone(&engine)),
            engine,
            reporter,
            leased: Cell::default(),
        })
    }

    /// Runs writes in one batch of the writer.
    async fn in_one_batch(&self, writes: Vec<LocalBoxFuture<'_, ()>>) {
        let (running, runs) = mpsc::channel();
        let (release, released) = mpsc::channel::<()>();
        // A batch of its own, as nothing else is queued. It keeps the writer until the others are queued.
        let mut first = Box::pin(self.engine.write::<_, EngineError>(move |_| {
            let _ = running.send(());
            let _ = released.recv();
            Ok(())
        }));
        let is_done = futures::poll!(&mut first).is_ready();
        // An error means that the writer could not run it.
        let _ = runs.recv();
        let release = async { drop(release) }.boxed_local();
        join_all(writes.into_iter().chain([release])).await;
        if !is_done {
            let _ = first.await;
        }
    }

    /// Begins a read, or ends it. Until it ends, the writer cannot copy what is written after its beginning.
    async fn read(&self, statement: &'static str) {
        // When it runs, the writer has copied what it copies after the last write.
        let _ = self.engine.write::<_, EngineError>(|_| Ok(())).await;
        let run = |db: &rusqlite::Connection| Ok(db.execute_batch(statement)?);
        // The one connection keeps its transaction. A failure leaves nothing to be ended.
        let _ = self.engine.read::<_, EngineError>(run);
    }

    /// Closes the database, as a server does that stops.
    async fn close(self) {
        let _ = self.engine.close().await;
    }

    async fn create_category(&self, name: &str, text: &str) -> Option<i64> {
        let effects = vec![becomes("category", name, text)];
        let created = self.store.create::<Category>(described(name, text), None);
        Some(self.reporter.write(effects, created).await?.record.id)
    }

    async fn replace_category(&self, id: i64, name: &str, text: &str) {
        let effects = vec![becomes("category", name, text)];
        let new = described(name, text);
        let replaced = self.store.replace::<Category>(id, new, Precondition::NONE);
        self.reporter.write(effects, replaced).await;
    }

    async fn delete_category(&self, id: i64, name: &str) {
        let effects = vec![disappears("category", name)];
        let deleted = self.store.delete::<Category>(id, Precondition::NONE);
        self.reporter.write(effects, deleted).await;
    }

    /// Creates a pet with the one unit of a new pet.
    async fn create_pet(&self, name: &str, category: (i64, &str)) -> Option<i64> {
        let (id, kind) = category;
        let effects = vec![becomes("pet", name, kind), becomes("units", name, "1")];
        let created = self.store.create::<Pet>(pet(name, id), None);
        Some(self.reporter.write(effects, created).await?.record.id)
    }

    async fn replace_pet(&self, id: i64, name: &str, category: (i64, &str)) {
        let effects = vec![becomes("pet", name, category.1)];
        let replaced = self
            .store
            .replace::<Pet>(id, pet(name, category.0), Precondition::NONE);
        self.reporter.write(effects, replaced).await;
    }

    async fn delete_pet(&self, id: i64, name: &str) {
        let effects = vec![disappears("pet", name), disappears("units", name)];
        let deleted = self.store.delete::<Pet>(id, Precondition::NONE);
        self.reporter.write(effects, deleted).await;
    }

    /// Sets the stock of a pet without orders.
    async fn set_units(&self, id: i64, name: &str, units: i64) {
        let effects = vec![becomes("units", name, &units.to_string())];
        let set = self.store.set_inventory(id, units, Precondition::NONE);
        self.reporter.write(effects, set).await;
    }

    async fn place_order(&self, number: i64, pet: i64, units: i64) -> Option<i64> {
        let number_text = number.to_string();
        let mut effects = vec![becomes(
            "order",
            &number_text,
            &format!("{units} of {pet}, open"),
        )];
        let request = (number >= FIRST_WITH_KEY).then(|| {
            effects.push(becomes("stored response", &number_text, "present"));
            idempotent_request(number)
        });
        let body = OrderBody {
            // By which it is found.
            ship_date: DateTime::from_timestamp(number, 0),
            ..order(pet, units)
        };
        let placed = self.store.create::<Order>(body, request);
        Some(self.reporter.write(effects, placed).await?.record.id)
    }

    async fn complete_order(&self, id: i64, number: i64, pet: i64, units: i64) {
        let state = format!("{units} of {pet}, complete");
        let effects = vec![becomes("order", &number.to_string(), &state)];
        let body = OrderBody {
            quantity: Some(units),
            complete: Some(true),
            ..OrderBody::default()
        };
        let completed = self.store.replace::<Order>(id, body, Precondition::NONE);
        self.reporter.write(effects, completed).await;
    }

    async fn cancel_order(&self, id: i64, number: i64) {
        let effects = vec![disappears("order", &number.to_string())];
        let cancelled = self.store.delete::<Order>(id, Precondition::NONE);
        self.reporter.write(effects, cancelled).await;
    }

    /// Claims requests of both windows of the API key 1.
    async fn claim(&self, amount: i64) {
        if self.adjust(amount).await.is_some() {
            self.leased.set(self.leased.get() + amount);
        }
    }

    /// Returns claimed requests, no more than there are.
    async fn give_back(&self, amount: i64) {
        let amount = amount.min(self.leased.get());
        self.leased.set(self.leased.get() - amount);
        self.adjust(-amount).await;
    }

    async fn adjust(&self, amount: i64) -> Option<Vec<Adjusted>> {
        let adjustments = [Window::Minute, Window::Day].map(|window| Adjustment {
            key_id: 1,
            window,
            start: WINDOW,
            amount,
            least: 0,
            leased: 0,
            used: 0,
            limit: 1_000_000,
            last_seen: None,
        });
        let effects = ["minute", "day"].map(|it| Effect::Claims(it.to_owned(), amount));
        let adjusted = self.keys.adjust(adjustments.to_vec(), || Now::at(WINDOW));
        self.reporter.write(effects.to_vec(), adjusted).await
    }

    async fn create_key(&self, name: &str) {
        let secret = self.keys.generate_secret().unwrap();
        let new = NewKey::new(name, find_plan::<Petstore>("business"));
        let created = self.keys.create(new, &secret, now());
        let effects = vec![becomes("key", name, "active")];
        self.reporter.write(effects, created).await;
    }

    async fn revoke_key(&self, id: i64, name: &str) {
        let effects = vec![becomes("key", name, "revoked")];
        self.reporter
            .write(effects, self.keys.revoke(id, now()))
            .await;
    }

    fn back_up(&self) {
        let number = self.reporter.begin(vec![Effect::BacksUp]);
        let [database, backup] = [DATABASE, BACKUP].map(|it| self.directory.join(it));
        let backed_up = dropspec_store::sqlite::back_up(SCHEMA, &database, &backup);
        self.reporter.end(number, backed_up);
    }
}

async fn create(directory: &Path, reporter: Reporter) {
    let Some(client) = Client::open(directory, reporter) else {
        return;
    };
    client.create_key("first").await;
    client.create_key("second").await;
    let fish = client.create_category("fish", "new").await;
    client.create_category("reef", "new").await;
    client.create_category("empty", "new").await;
    let mut pets = Vec::new();
    for name in ["Nemo", "Dory", "Bruce", "Gill"] {
        let Some(fish) = fish else { break };
        let pet = client.create_pet(name, (fish, "fish")).await;
        if let Some(pet) = pet {
            client.set_units(pet, name, 100).await;
            pets.push(pet);
        }
    }
    for (number, pet) in (1..).zip(pets).take(2) {
        client.place_order(number, pet, number).await;
    }
    client.claim(6).await;
    client.back_up();
    client.create_category("after the backup", "new").await;
    client.close().await;
}

async fn serve(directory: &Path, reporter: Reporter) {
    let Some(client) = Client::open(directory, reporter) else {
        return;
    };
    client.claim(6).await;
    let it = &client;
    it.in_one_batch(vec![
        it.create_category("birds", "new")
            .map(drop_id)
            .boxed_local(),
        it.create_category("FISH", "a violation")
            .map(drop_id)
            .boxed_local(),
        it.replace_category(1, "fish", "changed").boxed_local(),
        it.place_order(FIRST_WITH_KEY, 1, 3)
            .map(drop_id)
            .boxed_local(),
        it.place_order(3, 2, 1000).map(drop_id).boxed_local(),
        it.set_units(4, "Gill", 50).boxed_local(),
        it.claim(60).boxed_local(),
        it.complete_order(1, 1, 1, 2).boxed_local(),
    ])
    .await;
    // Its pages are not written again.
    it.replace_category(2, "reef", &"long ".repeat(2000)).await;
    it.read("BEGIN; SELECT count(*) FROM categories").await;
    let order = it.place_order(FIRST_WITH_KEY + 1, 2, 5).await;
    // A replay.
    it.place_order(FIRST_WITH_KEY + 1, 2, 5).await;
    it.in_one_batch(vec![
        it.cancel_order(2, 2).boxed_local(),
        it.replace_pet(3, "Bruce", (2, "reef")).boxed_local(),
        it.delete_pet(4, "Gill").boxed_local(),
        it.delete_category(3, "empty").boxed_local(),
        it.revoke_key(2, "second").boxed_local(),
        it.give_back(30).boxed_local(),
        it.create_pet("Marlin", (1, "fish"))
            .map(drop_id)
            .boxed_local(),
    ])
    .await;
    // The log is copied in part by now; the next write copies the rest, and only then is the file synced. The one after
    // that begins the log anew.
    it.read("ROLLBACK").await;
    if let Some(order) = order {
        it.complete_order(order, FIRST_WITH_KEY + 1, 2, 4).await;
    }
    it.create_category("coral", "new").await;
    it.give_back(20).await;
    client.close().await;
}

async fn reopen(directory: &Path, reporter: Reporter) {
    let Some(client) = Client::open(directory, reporter) else {
        panic!("the database cannot be opened after the fault");
    };
    client.create_category("reopened", "new").await;
    client.place_order(FIRST_WITH_KEY + 2, 1, 1).await;
    client.claim(6).await;
    client.close().await;
}

async fn restore(directory: &Path, reporter: Reporter) {
    let number = reporter.begin(vec![Effect::Restores]);
    let [database, backup] = [DATABASE, BACKUP].map(|it| directory.join(it));
    // If it fails, the next process may complete it.
    reporter.end(
        number,
        dropspec_store::sqlite::restore(SCHEMA, &backup, &database),
    );
    let Some(client) = Client::open(directory, reporter) else {
        return;
    };
    client.create_category("restored", "new").await;
    client.close().await;
}

/// The default limits, with one reader connection, and a log that is copied after a few writes.
pub fn config(path: PathBuf) -> EngineConfig {
    EngineConfig {
        read_connections: 1,
        checkpoint_pages: 30,
        ..EngineConfig::new(path)
    }
}

fn idempotent_request(number: i64) -> IdempotentRequest {
    IdempotentRequest {
        caller: "1".to_owned(),
        operation: "placeOrder",
        key: number.to_string(),
        body_hash: [7; 32],
        now: now(),
        expired: now(),
    }
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(WINDOW, 0).unwrap()
}

fn becomes(kind: &str, name: &str, state: &str) -> Effect {
    Effect::Becomes(format!("{kind} {name}"), Some(state.to_owned()))
}

fn described(name: &str, text: &str) -> NewCategory {
    NewCategory {
        description: Some(text.to_owned()),
        ..category(name)
    }
}

fn drop_id(_: Option<i64>) {}

fn disappears(kind: &str, name: &str) -> Effect {
    Effect::Becomes(format!("{kind} {name}"), None)
}
