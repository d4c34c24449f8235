//! The table `orders`: the operations of the store on orders.

use petstore_api::ErrorCode;
use rusqlite::{Connection, OptionalExtension, Row, named_params};
use spec_gate::conditional::Precondition;
use sqlite_engine::{
    Created, EngineError, IdempotentRequest, Page, PageRequest, Select, run_idempotent,
};

use crate::inventory::InventoryItem;
use crate::orders::{self, OpenOrder, Order, OrderBody, ValidOrder};
use crate::rule_violation::RuleViolation;
use crate::store::orders::{OrderFilter, OrderStore};
use crate::store::sqlite::{SqliteStore, pets};
use crate::store::{StoreError, check_precondition};

impl OrderStore for SqliteStore {
    async fn place_order(
        &self,
        new: OrderBody,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Order>, StoreError> {
        self.engine
            .write(move |db| {
                run_idempotent(db, request.as_ref(), || {
                    let order = new.validate_new()?;
                    let item = pets::find_stock(db, order.pet_id)?;
                    pets::save_stock(db, &orders::take_stock(&order, item.as_ref())?)?;
                    insert(db, order)
                })
            })
            .await
    }

    async fn get_order(&self, id: i64) -> Result<Order, StoreError> {
        self.engine.read(|db| load(db, id))
    }

    async fn list_orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        // The open and the completed orders of a pet have an index each.
        let select = Select::new("SELECT id, pet_id, quantity, ship_date, complete FROM orders");
        let select = match (filter.pet_id, filter.complete) {
            (Some(pet_id), Some(false)) => select.where_equal("open_pet_id", Some(pet_id)),
            (Some(pet_id), Some(true)) => select.where_equal("completed_pet_id", Some(pet_id)),
            (pet_id, complete) => select
                .where_equal("pet_id", pet_id)
                .where_equal("complete", complete),
        };
        self.engine.read(|db| Ok(select.page(db, page, from_row)?))
    }

    async fn update_order(
        &self,
        id: i64,
        change: OrderBody,
        precondition: Precondition,
    ) -> Result<Order, StoreError> {
        self.engine
            .write(move |db| {
                let (order, item) = load_open(db, id, &precondition)?;
                let open_orders = pets::count_open_orders(db, item.pet_id)?;
                let (order, item) = orders::apply_change(&order, &change, &item, open_orders)?;
                save(db, &order)?;
                pets::save_stock(db, &item)?;
                Ok(order)
            })
            .await
    }

    async fn cancel_order(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        self.engine
            .write(move |db| {
                let (order, item) = load_open(db, id, &precondition)?;
                db.prepare_cached("DELETE FROM orders WHERE id = ?1")?
                    .execute([id])?;
                pets::save_stock(db, &orders::return_stock(&order, &item))?;
                Ok(())
            })
            .await
    }
}

/// Loads the order `id`, which must meet the precondition and be open, and the stock of its pet, which exists while the
/// order is open.
fn load_open(
    db: &Connection,
    id: i64,
    precondition: &Precondition,
) -> Result<(OpenOrder, InventoryItem), StoreError> {
    let order = load(db, id)?;
    check_precondition(precondition, &order)?;
    let order = OpenOrder::new(order)?;
    let item = pets::find_stock(db, order.pet_id())?
        .ok_or_else(|| EngineError::internal(format!("open order {id} has no pet")))?;
    Ok((order, item))
}

fn load(db: &Connection, id: i64) -> Result<Order, StoreError> {
    let order = db
        .prepare_cached(
            "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = ?1",
        )?
        .query_row([id], from_row)
        .optional()?;
    Ok(order.ok_or(RuleViolation::NotFound {
        code: ErrorCode::OrderNotFound,
        id,
    })?)
}

fn insert(db: &Connection, order: ValidOrder) -> Result<Order, StoreError> {
    let ValidOrder {
        pet_id,
        quantity,
        ship_date,
    } = order;
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
