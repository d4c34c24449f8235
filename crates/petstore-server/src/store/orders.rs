//! The table `orders`: the operations of the store on orders.

use chrono::{DateTime, SecondsFormat, Utc};
use petstore_api::ErrorCode;
use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::orders::{self, OpenOrder, Order, OrderBody};
use crate::store::row::{FromRow, Row, Statement, Value};
use crate::store::{
    Created, EngineError, Found, IdempotentRequest, Page, PageRequest, Record, Store, StoreError,
    check_precondition, inventory, require,
};

const LIST: &str = "SELECT id, pet_id, quantity, ship_date, complete FROM orders";
const FIND: &str = "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = $1";
const LOCK: &str =
    "SELECT id, pet_id, quantity, ship_date, complete FROM orders WHERE id = $1 FOR UPDATE";
const INSERT: &str = "INSERT INTO orders (pet_id, quantity, ship_date, complete) VALUES ($1, $2, $3, FALSE) RETURNING id";
const UPDATE: &str = "UPDATE orders SET quantity = $1, ship_date = $2, complete = $3 WHERE id = $4";
const DELETE: &str = "DELETE FROM orders WHERE id = $1";

/// Locks the pet of an order, before the order. The pet of an order never changes.
const LOCK_PET: &str = "SELECT id, stock, status FROM pets
     WHERE id = (SELECT pet_id FROM orders WHERE id = $1) FOR UPDATE";

/// The conditions on the orders of a list. A field that is `None` adds no condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderFilter {
    /// Only orders of this pet.
    pub pet_id: Option<i64>,
    /// Only completed orders, or only open ones.
    pub complete: Option<bool>,
}

impl Store {
    /// Places an order, and removes its units from the pet's stock.
    ///
    /// # Errors
    ///
    /// Rule violations: `ValidationFailed`, `UnknownPet`, `PetNotAvailable`, `InsufficientStock`, `IdempotencyKeyReused`.
    pub async fn place_order(
        &self,
        new: OrderBody,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Order>, StoreError> {
        // Without a pet the order is not valid.
        let reads = [inventory::lock(new.pet_id.unwrap_or_default())];
        let decide = move |found: &mut Found<'_>| {
            let valid = new.validate_new()?;
            let before: Option<InventoryItem> = found.next()?;
            let after = orders::take_stock(&valid, before.as_ref())?;
            let order = Order {
                id: 0,
                pet_id: valid.pet_id,
                quantity: valid.quantity,
                ship_date: valid.ship_date,
                complete: false,
            };
            let values = [
                order.pet_id.into(),
                order.quantity.into(),
                to_column(order.ship_date),
            ];
            let save = inventory::save(&before.unwrap_or(after), &after);
            Ok(([save, Statement::new(INSERT, values)], order))
        };
        self.write(request, reads, decide).await
    }

    /// Reads the order `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    pub async fn get_order(&self, id: i64) -> Result<Order, StoreError> {
        let found = self.find(FIND, id).await?;
        Ok(require(found, ErrorCode::OrderNotFound, id)?)
    }

    /// Reads a page of the orders that match `filter`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn list_orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        let OrderFilter { pet_id, complete } = filter;
        // On SQLite, the open and the completed orders of a pet have an index each.
        let filters = match complete {
            Some(complete) if self.is_sqlite() && pet_id.is_some() => {
                let columns = ["open_pet_id", "completed_pet_id"];
                [
                    (columns[usize::from(complete)], pet_id.into()),
                    ("", Value::Null),
                ]
            }
            _ => [("pet_id", pet_id.into()), ("complete", complete.into())],
        };
        self.page(LIST, filters, page).await
    }

    /// Changes the open order `id` by the body of a request if it meets the precondition, and the stock of its pet
    /// accordingly.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `OrderAlreadyComplete`, `ValidationFailed`,
    /// `InsufficientStock`.
    pub async fn update_order(
        &self,
        id: i64,
        change: OrderBody,
        precondition: Precondition,
    ) -> Result<Order, StoreError> {
        let reads = [LOCK_PET, LOCK, self.count_open_orders_of_its_pet()];
        let reads = reads.map(|sql| Statement::new(sql, [id.into()]));
        let decide = move |found: &mut Found<'_>| {
            let (order, before) = find_open_order(id, found, &precondition)?;
            let open_orders = found.next()?.unwrap_or(0);
            let (order, after) = orders::apply_change(&order, &change, &before, open_orders)?;
            let values = [
                order.quantity.into(),
                to_column(order.ship_date),
                order.complete.into(),
                id.into(),
            ];
            let update = Statement::new(UPDATE, values);
            Ok(([inventory::save(&before, &after), update], order))
        };
        self.change(reads, decide).await
    }

    /// Deletes the open order `id` if it meets the precondition, and returns its units to the pet's stock.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `OrderAlreadyComplete`.
    pub async fn cancel_order(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> Result<(), StoreError> {
        let reads = [LOCK_PET, LOCK].map(|sql| Statement::new(sql, [id.into()]));
        let decide = move |found: &mut Found<'_>| {
            let (order, before) = find_open_order(id, found, &precondition)?;
            let after = orders::return_stock(&order, &before);
            let delete = Statement::new(DELETE, [id.into()]);
            Ok(([inventory::save(&before, &after), delete], ()))
        };
        self.change(reads, decide).await
    }

    /// Counts the open orders of a pet, after it is locked.
    pub(super) fn count_open_orders(&self, pet_id: i64) -> Statement {
        let count = if self.is_sqlite() {
            "SELECT count(*) FROM orders WHERE open_pet_id = $1"
        } else {
            "SELECT count(*) FROM orders WHERE pet_id = $1 AND NOT complete"
        };
        Statement::new(count, [pet_id.into()])
    }

    fn count_open_orders_of_its_pet(&self) -> &'static str {
        if self.is_sqlite() {
            "SELECT count(*) FROM orders WHERE open_pet_id = (SELECT pet_id FROM orders WHERE id = $1)"
        } else {
            "SELECT count(*) FROM orders WHERE pet_id = (SELECT pet_id FROM orders WHERE id = $1) AND NOT complete"
        }
    }
}

/// The order `id`, which must meet the precondition and be open, and the stock of its pet, which exists while the order is open.
/// Both were found, the stock first.
fn find_open_order(
    id: i64,
    found: &mut Found<'_>,
    precondition: &Precondition,
) -> Result<(OpenOrder, InventoryItem), StoreError> {
    let item: Option<InventoryItem> = found.next()?;
    let order = require(found.next()?, ErrorCode::OrderNotFound, id)?;
    check_precondition(precondition, &order)?;
    let order = OpenOrder::new(order)?;
    let item = item.ok_or_else(|| EngineError::internal(format!("open order {id} has no pet")))?;
    Ok((order, item))
}

fn to_column(ship_date: Option<DateTime<Utc>>) -> Value {
    ship_date.map_or(Value::Null, |date| {
        Value::Text(date.to_rfc3339_opts(SecondsFormat::AutoSi, true))
    })
}

impl Record for Order {
    fn set_id(&mut self, id: i64) {
        self.id = id;
    }
}

impl FromRow for Order {
    fn from_row(row: &impl Row) -> Result<Order, EngineError> {
        let ship_date: Option<String> = row.get(3)?;
        let ship_date = ship_date.map(|date| date.parse());
        Ok(Order {
            id: row.get(0)?,
            pet_id: row.get(1)?,
            quantity: row.get(2)?,
            ship_date: ship_date.transpose().map_err(EngineError::internal)?,
            complete: row.get(4)?,
        })
    }
}
