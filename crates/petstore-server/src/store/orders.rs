//! The table `orders`: the store's operations on orders, and their SQL.

use rusqlite::{Connection, OptionalExtension, Row, named_params};
use sqlite_engine::{Created, IdempotentRequest, Page, PageRequest, Select, run_idempotent};

use crate::inventory::InventoryItem;
use crate::orders::{self, NewOrder, OpenOrder, Order, OrderChange, Placement};
use crate::refusal::Refusal;
use crate::store::error::StoreError;
use crate::store::{Store, pets};

/// Which orders are wanted. What is `None` does not narrow the list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderFilter {
    /// Only orders of this pet.
    pub pet_id: Option<i64>,
    /// Only completed orders, or only open ones.
    pub complete: Option<bool>,
}

impl Store {
    /// Places an order: its units leave the pet's stock.
    ///
    /// # Errors
    ///
    /// Refusals: `ValidationFailed`, `UnknownPet`, `PetNotAvailable`, `InsufficientStock`, `IdempotencyKeyReused`.
    pub async fn place_order(
        &self,
        new: NewOrder,
        idempotency: Option<IdempotentRequest>,
    ) -> Result<Created<Order>, StoreError> {
        self.write(move |db| {
            run_idempotent(db, idempotency, || {
                let placement = Placement::of(&new)?;
                let item = pets::stock(db, placement.pet_id)?;
                pets::save_stock(db, &orders::place(&placement, item.as_ref())?)?;
                insert(db, placement)
            })
        })
        .await
    }

    /// The order `id`.
    ///
    /// # Errors
    ///
    /// Refusals: `OrderNotFound`.
    pub async fn order(&self, id: i64) -> Result<Order, StoreError> {
        self.read(|db| load(db, id))
    }

    /// A page of the orders that `filter` lets through.
    ///
    /// # Errors
    ///
    /// No refusals.
    pub async fn orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        self.read(|db| {
            Ok(
                Select::new("SELECT id, pet_id, quantity, ship_date, complete FROM orders")
                    .equal("pet_id", filter.pet_id)
                    .equal("complete", filter.complete)
                    .page(db, page, from_row)?,
            )
        })
    }

    /// Changes the open order `id`.
    ///
    /// # Errors
    ///
    /// Refusals: `OrderNotFound`, `OrderAlreadyComplete`, `ValidationFailed`, `InsufficientStock`.
    pub async fn update_order(&self, id: i64, change: OrderChange) -> Result<Order, StoreError> {
        self.write(move |db| {
            let (order, item) = load_open(db, id)?;
            let open_orders = count_open(db, item.pet_id)?;
            let (order, item) = orders::update(&order, &change, &item, open_orders)?;
            save(db, &order)?;
            pets::save_stock(db, &item)?;
            Ok(order)
        })
        .await
    }

    /// Cancels the open order `id`: its units return to the stock, and it is gone.
    ///
    /// # Errors
    ///
    /// Refusals: `OrderNotFound`, `OrderAlreadyComplete`.
    pub async fn cancel_order(&self, id: i64) -> Result<(), StoreError> {
        self.write(move |db| {
            let (order, item) = load_open(db, id)?;
            db.prepare_cached("DELETE FROM orders WHERE id = ?1")?
                .execute([id])?;
            pets::save_stock(db, &orders::cancel(&order, &item))?;
            Ok(())
        })
        .await
    }
}

/// How many open orders hold units of a pet.
pub(super) fn count_open(db: &Connection, pet_id: i64) -> rusqlite::Result<i64> {
    db.prepare_cached("SELECT count(*) FROM orders WHERE open_pet_id = ?1")?
        .query_row([pet_id], |row| row.get(0))
}

/// The open order `id` with the stock of its pet, which cannot have been deleted.
fn load_open(db: &Connection, id: i64) -> Result<(OpenOrder, InventoryItem), StoreError> {
    let order = OpenOrder::of(load(db, id)?)?;
    let item = pets::stock(db, order.pet_id())?
        .ok_or_else(|| StoreError::internal(format!("open order {id} has no pet")))?;
    Ok((order, item))
}

fn load(db: &Connection, id: i64) -> Result<Order, StoreError> {
    let order = db
        .prepare_cached(
            "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = ?1",
        )?
        .query_row([id], from_row)
        .optional()?;
    Ok(order.ok_or(Refusal::OrderNotFound { id })?)
}

fn insert(db: &Connection, placement: Placement) -> Result<Order, StoreError> {
    let Placement {
        pet_id,
        quantity,
        ship_date,
    } = placement;
    db.prepare_cached(
        "INSERT INTO orders (pet_id, quantity, ship_date, complete) VALUES (:pet_id, :quantity, :ship_date, FALSE)",
    )?
    .execute(named_params! { ":pet_id": pet_id, ":quantity": quantity, ":ship_date": ship_date })?;
    Ok(Order {
        id: db.last_insert_rowid(),
        pet_id,
        quantity,
        ship_date,
        complete: false,
    })
}

fn save(db: &Connection, order: &Order) -> rusqlite::Result<()> {
    db.prepare_cached(
        "UPDATE orders SET quantity = :quantity, ship_date = :ship_date, complete = :complete WHERE id = :id",
    )?
    .execute(named_params! {
        ":quantity": order.quantity, ":ship_date": order.ship_date, ":complete": order.complete, ":id": order.id,
    })
    .map(|_| ())
}

fn from_row(row: &Row<'_>) -> rusqlite::Result<Order> {
    Ok(Order {
        id: row.get(0)?,
        pet_id: row.get(1)?,
        quantity: row.get(2)?,
        ship_date: row.get(3)?,
        complete: row.get(4)?,
    })
}
