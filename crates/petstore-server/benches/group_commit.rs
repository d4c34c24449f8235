//! What group commit brings: 64 callers place orders, sharing commits and then with a commit for each order.
//!
//! Both runs use the same store with `synchronous=FULL`; only `max_batch` differs. The database must lie on a real
//! disk, as on one in memory a commit costs nothing: it is made below this package's target directory, or in the
//! directory that the environment variable `PETSTORE_BENCH_DIR` names. The figures mean something in a release build:
//! `cargo bench -p petstore-server --bench group_commit`.
#![allow(clippy::unwrap_used)]

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use futures::future::join_all;
use petstore_server::categories::NewCategory;
use petstore_server::orders::NewOrder;
use petstore_server::pets::NewPet;
use petstore_server::store::{EngineConfig, Store};
use tempfile::TempDir;

const CALLERS: usize = 64;
const ORDERS_EACH: usize = 200;
/// Each way runs this often, in turns, so that both meet the same weather; the median counts.
const ROUNDS: usize = 5;

fn main() {
    let directory = directory();
    println!(
        "{CALLERS} callers, {ORDERS_EACH} orders each, synchronous=FULL, in {}",
        directory.display()
    );
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let grouped = EngineConfig::at("grouped.db").max_batch;
    let (mut shared, mut single) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        shared.push(runtime.block_on(rate(&directory, grouped)));
        single.push(runtime.block_on(rate(&directory, 1)));
    }
    let (shared, single) = (median(shared), median(single));
    println!("group commit:         {shared:>8.0} orders/s");
    println!("one commit per order: {single:>8.0} orders/s");
    println!("ratio:                {:>8.1}", shared / single);
}

/// Orders per second with at most `max_batch` orders in a commit.
async fn rate(directory: &Path, max_batch: usize) -> f64 {
    let place = TempDir::new_in(directory).unwrap();
    let config = EngineConfig {
        max_batch,
        ..EngineConfig::at(place.path().join("bench.db"))
    };
    let store = Arc::new(Store::open(&config).unwrap());
    let pet = stocked_pet(&store).await;
    let before = store.writer_stats();

    let start = Instant::now();
    let callers = (0..CALLERS).map(|_| tokio::spawn(place_orders(Arc::clone(&store), pet)));
    for caller in join_all(callers).await {
        caller.unwrap();
    }
    let rate = (CALLERS * ORDERS_EACH) as f64 / start.elapsed().as_secs_f64();

    let after = store.writer_stats();
    let mean = (after.writes - before.writes) as f64 / (after.commits - before.commits) as f64;
    println!("  up to {max_batch:>3} in a commit, {mean:>4.1} on average: {rate:>8.0} orders/s");
    store.close().await.unwrap();
    rate
}

fn median(mut rates: Vec<f64>) -> f64 {
    rates.sort_by(f64::total_cmp);
    rates[rates.len() / 2]
}

async fn place_orders(store: Arc<Store>, pet: i64) {
    for _ in 0..ORDERS_EACH {
        let new = NewOrder {
            pet_id: Some(pet),
            quantity: Some(1),
            ..NewOrder::default()
        };
        store.place_order(new, None).await.unwrap();
    }
}

async fn stocked_pet(store: &Store) -> i64 {
    let category = NewCategory {
        name: "Fish".to_owned(),
        description: None,
    };
    let category_id = store
        .create_category(category, None)
        .await
        .unwrap()
        .record
        .id;
    let pet = NewPet {
        name: "Nemo".to_owned(),
        category_id,
        status: None,
    };
    let pet = store.create_pet(pet, None).await.unwrap().record.id;
    store.set_inventory(pet, 1_000_000).await.unwrap();
    pet
}

fn directory() -> PathBuf {
    match std::env::var_os("PETSTORE_BENCH_DIR") {
        Some(directory) => directory.into(),
        None => PathBuf::from(env!("CARGO_TARGET_TMPDIR")),
    }
}
