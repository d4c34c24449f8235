//! What all servers share: the records as JSON, the SQL, and how connections are opened.

use std::cell::OnceCell;
use std::path::Path;
use std::time::Duration;

use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::{Connection, OptionalExtension, TransactionBehavior};
use serde::{Deserialize, Serialize};

/// A pet, with the properties that the petstore sends.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Pet {
    id: i64,
    name: String,
    category_id: i64,
    status: String,
}

/// The body of a request that places an order.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct NewOrder {
    pet_id: i64,
    #[serde(default = "one")]
    quantity: i64,
}

/// An order, with the properties that the petstore sends.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Order {
    id: i64,
    pet_id: i64,
    quantity: i64,
    complete: bool,
}

thread_local! {
    static CONNECTION: OnceCell<Connection> = const { OnceCell::new() };
}

/// Reads a pet on the calling thread, over a connection that the thread keeps.
pub fn load_pet_inline(database: &Path, id: i64) -> rusqlite::Result<Option<Pet>> {
    CONNECTION.with(|cell| {
        if let Some(connection) = cell.get() {
            return load_pet(connection, id);
        }
        let mut connection = Connection::open(database)?;
        configure(&mut connection)?;
        load_pet(cell.get_or_init(|| connection), id)
    })
}

/// Opens a pool of `size` connections.
pub fn connect(database: &Path, size: u32) -> Result<Pool<SqliteConnectionManager>, r2d2::Error> {
    let manager = SqliteConnectionManager::file(database).with_init(configure);
    // Connections to a file do not go stale.
    Pool::builder()
        .max_size(size)
        .test_on_check_out(false)
        .build(manager)
}

/// Reads a pet.
pub fn load_pet(connection: &Connection, id: i64) -> rusqlite::Result<Option<Pet>> {
    connection
        .prepare_cached("SELECT id, name, category_id, status FROM pets WHERE id = ?1")?
        .query_row([id], |row| {
            Ok(Pet {
                id: row.get(0)?,
                name: row.get(1)?,
                category_id: row.get(2)?,
                status: row.get(3)?,
            })
        })
        .optional()
}

/// Places an order in a transaction of its own, which is on the disk when this returns. `None` if the pet does not exist
/// or has too few units.
pub fn place_order(
    connection: &mut Connection,
    order: &NewOrder,
) -> rusqlite::Result<Option<Order>> {
    let NewOrder { pet_id, quantity } = *order;
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    let stock: Option<i64> = transaction
        .prepare_cached("SELECT stock FROM pets WHERE id = ?1 AND status = 'available'")?
        .query_row([pet_id], |row| row.get(0))
        .optional()?;
    let Some(rest) = stock.map(|it| it - quantity).filter(|it| *it >= 0) else {
        return Ok(None);
    };
    let status = if rest == 0 { "pending" } else { "available" };
    transaction
        .prepare_cached("UPDATE pets SET stock = ?1, status = ?2 WHERE id = ?3")?
        .execute((rest, status, pet_id))?;
    transaction
        .prepare_cached("INSERT INTO orders (pet_id, quantity, complete) VALUES (?1, ?2, FALSE)")?
        .execute((pet_id, quantity))?;
    let id = transaction.last_insert_rowid();
    transaction.commit()?;
    Ok(Some(Order {
        id,
        pet_id,
        quantity,
        complete: false,
    }))
}

/// Finds the id of the API key with this SHA-256. A revoked key and a replaced secret are not found.
pub fn find_key(connection: &Connection, hash: [u8; 32]) -> rusqlite::Result<Option<i64>> {
    connection
        .prepare_cached(
            "SELECT k.id FROM api_key_secrets s JOIN api_keys k ON k.id = s.key_id
             WHERE s.hash = ?1 AND k.revoked_at IS NULL
               AND (s.expires_at IS NULL OR s.expires_at > unixepoch())",
        )?
        .query_row([hash], |row| row.get(0))
        .optional()
}

/// Durable commits, as those of the petstore.
fn configure(connection: &mut Connection) -> rusqlite::Result<()> {
    connection.busy_timeout(Duration::from_secs(3))?;
    connection.execute_batch(
        "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA foreign_keys = ON;",
    )
}

fn one() -> i64 {
    1
}
