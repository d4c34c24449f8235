//! The table `orders` on PostgreSQL.

use chrono::{DateTime, SecondsFormat, Utc};
use petstore_api::ErrorCode;
use postgres_engine::{
    Created, Db, EngineError, IdempotentRequest, Page, PageRequest, Row, Select, run_idempotent,
};
use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::orders::{self, OpenOrder, Order, OrderBody, ValidOrder};
use crate::rule_violation::RuleViolation;
use crate::store::orders::{OrderFilter, OrderStore};
use crate::store::postgres::{PostgresStore, pets};
use crate::store::{StoreError, check_precondition};

const SELECT: &str = "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = $1";
const LOCK: &str =
    "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = $1 FOR UPDATE";

/// Locks the pet of an order, before the order. The pet of an order never changes.
const LOCK_PET: &str = "SELECT id, stock, status FROM pets
     WHERE id = (SELECT pet_id FROM orders WHERE id = $1) FOR UPDATE";
const COUNT_OPEN_OF_PET: &str = "SELECT count(*) FROM orders
     WHERE pet_id = (SELECT pet_id FROM orders WHERE id = $1) AND NOT complete";

/// An open order, the stock of its pet, and the number of the pet's open orders.
struct Locked {
    order: OpenOrder,
    item: InventoryItem,
    open_orders: i64,
}

impl OrderStore for PostgresStore {
    async fn place_order(
        &self,
        new: OrderBody,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Order>, StoreError> {
        let input = (new, request);
        let place = self.engine.write(&input, |db, (new, request)| {
            let place = async move {
                let order = new.validate_new()?;
                let item = db.query(pets::LOCK_STOCK, &[&order.pet_id]).await?;
                let item = item.first().map(pets::stock_from_row).transpose()?;
                let item = orders::take_stock(&order, item.as_ref())?;
                insert(db, &order, &item).await
            };
            Box::pin(run_idempotent(db, request.as_ref(), place))
        });
        place.await
    }

    async fn get_order(&self, id: i64) -> Result<Order, StoreError> {
        let read = self.engine.read(&id, |db, id| {
            Box::pin(async move { require(*id, &db.query(SELECT, &[id]).await?) })
        });
        read.await
    }

    async fn list_orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        let input = (filter, page);
        let read = self.engine.read(&input, |db, (filter, page)| {
            Box::pin(async move {
                let from = "SELECT id, pet_id, quantity, ship_date, complete FROM orders";
                let select = Select::new(from)
                    .where_equal("pet_id", filter.pet_id)
                    .where_equal("complete", filter.complete);
                Ok(select.page(db, *page, from_row).await?)
            })
        });
        read.await
    }

    async fn update_order(
        &self,
        id: i64,
        change: OrderBody,
        precondition: Precondition,
    ) -> Result<Order, StoreError> {
        let input = (id, change, precondition);
        let update = self.engine.write(&input, |db, (id, change, precondition)| {
            Box::pin(async move {
                let locked = lock_open(db, *id, precondition).await?;
                let Locked {
                    order,
                    item,
                    open_orders,
                } = locked;
                let (order, item) = orders::apply_change(&order, change, &item, open_orders)?;
                let update =
                    "UPDATE orders SET quantity = $2, ship_date = $3, complete = $4 WHERE id = $1";
                let ship_date = order.ship_date.map(to_column);
                db.query_all([
                    (
                        pets::SAVE_STOCK,
                        &[&item.pet_id, &item.quantity, &item.status.as_str()],
                    ),
                    (update, &[id, &order.quantity, &ship_date, &order.complete]),
                ])
                .await?;
                Ok(order)
            })
        });
        update.await
    }

    async fn cancel_order(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        let input = (id, precondition);
        let cancel = self.engine.write(&input, |db, (id, precondition)| {
            Box::pin(async move {
                let Locked { order, item, .. } = lock_open(db, *id, precondition).await?;
                let item = orders::return_stock(&order, &item);
                db.query_all([
                    (
                        pets::SAVE_STOCK,
                        &[&item.pet_id, &item.quantity, &item.status.as_str()],
                    ),
                    ("DELETE FROM orders WHERE id = $1", &[id]),
                ])
                .await?;
                Ok(())
            })
        });
        cancel.await
    }
}

/// Locks the order `id`, which must meet the precondition and be open, and before it its pet, which exists while the order is
/// open.
async fn lock_open(db: &Db, id: i64, precondition: &Precondition) -> Result<Locked, StoreError> {
    let [item, order, open_orders] = db
        .query_all([
            (LOCK_PET, &[&id]),
            (LOCK, &[&id]),
            (COUNT_OPEN_OF_PET, &[&id]),
        ])
        .await?;
    let order = require(id, &order)?;
    check_precondition(precondition, &order)?;
    let order = OpenOrder::new(order)?;
    let item = item
        .first()
        .ok_or_else(|| EngineError::internal(format!("open order {id} has no pet")))?;
    Ok(Locked {
        order,
        item: pets::stock_from_row(item)?,
        open_orders: pets::read_count(&open_orders)?,
    })
}

/// Inserts an order, and saves the stock of its pet.
async fn insert(db: &Db, order: &ValidOrder, item: &InventoryItem) -> Result<Order, StoreError> {
    let insert =
        "INSERT INTO orders (pet_id, quantity, ship_date, complete) VALUES ($1, $2, $3, FALSE)
         RETURNING id, pet_id, quantity, ship_date, complete";
    let ship_date = order.ship_date.map(to_column);
    let [_, inserted] = db
        .query_all([
            (
                pets::SAVE_STOCK,
                &[&item.pet_id, &item.quantity, &item.status.as_str()],
            ),
            (insert, &[&order.pet_id, &order.quantity, &ship_date]),
        ])
        .await?;
    let row = inserted
        .first()
        .ok_or_else(|| EngineError::internal("no row was inserted"))?;
    Ok(from_row(row)?)
}

fn require(id: i64, rows: &[Row]) -> Result<Order, StoreError> {
    let row = rows.first().ok_or(RuleViolation::NotFound {
        code: ErrorCode::OrderNotFound,
        id,
    })?;
    Ok(from_row(row)?)
}

fn from_row(row: &Row) -> Result<Order, EngineError> {
    let ship_date: Option<&str> = row.get(3)?;
    Ok(Order {
        id: row.get(0)?,
        pet_id: row.get(1)?,
        quantity: row.get(2)?,
        ship_date: ship_date
            .map(str::parse)
            .transpose()
            .map_err(EngineError::internal)?,
        complete: row.get(4)?,
    })
}

fn to_column(ship_date: DateTime<Utc>) -> String {
    ship_date.to_rfc3339_opts(SecondsFormat::AutoSi, true)
}
