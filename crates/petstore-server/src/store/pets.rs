//! The table `pets`: the operations of the store on pets.

use petstore_api::ErrorCode;
use spec_gate::conditional::Precondition;

use crate::categories::Category;
use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::pets::{self, InitialStock, NewPet, Pet};
use crate::rule_violation::RuleViolation;
use crate::store::row::{FromRow, Row, Statement};
use crate::store::{
    Created, EngineError, Found, IdempotentRequest, Page, PageRequest, Record, Store, StoreError,
    categories, check_precondition, inventory, require,
};

const LIST: &str = "SELECT id, name, category_id, status FROM pets";
const FIND: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1";
const INSERT: &str =
    "INSERT INTO pets (name, category_id, status, stock) VALUES ($1, $2, $3, $4) RETURNING id";
const UPDATE: &str =
    "UPDATE pets SET name = $1, category_id = $2, status = $3, stock = $4 WHERE id = $5";
const DELETE: &str = "DELETE FROM pets WHERE id = $1";

/// Locks a pet: whoever changes its stock, its status or its orders does so first.
const LOCK: &str = "SELECT id, name, category_id, status FROM pets WHERE id = $1 FOR UPDATE";

/// The conditions on the pets of a list. A field that is `None` adds no condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PetFilter {
    /// Only the pet with this id.
    pub id: Option<i64>,
    /// Only pets of this category.
    pub category_id: Option<i64>,
    /// Only pets of this status.
    pub status: Option<PetStatus>,
}

impl Store {
    /// Creates a pet.
    ///
    /// # Errors
    ///
    /// Rule violations: `UnknownCategory`, `IdempotencyKeyReused`.
    pub async fn create_pet(
        &self,
        new: NewPet,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Pet>, StoreError> {
        self.check_text("/name", &new.name)?;
        let reads = [categories::find_for_pet(new.category_id)];
        let decide = move |found: &mut Found<'_>| {
            let category: Option<Category> = found.next()?;
            let InitialStock { status, quantity } = pets::initial_stock(&new, category.as_ref())?;
            let values = [
                (&new.name).into(),
                new.category_id.into(),
                status.into(),
                quantity.into(),
            ];
            let insert = Statement::new(INSERT, values);
            Ok(([insert], to_record(0, &new, status)))
        };
        self.write(request, reads, decide).await
    }

    /// Reads the pet `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    pub async fn get_pet(&self, id: i64) -> Result<Pet, StoreError> {
        let found = self.find(FIND, id).await?;
        Ok(require(found, ErrorCode::PetNotFound, id)?)
    }

    /// Reads a page of the pets that match `filter`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    pub async fn list_pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> Result<Page<Pet>, StoreError> {
        let filters = [
            ("id", filter.id.into()),
            ("category_id", filter.category_id.into()),
            ("status", filter.status.into()),
        ];
        self.page(LIST, filters, page).await
    }

    /// Replaces the pet `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `UnknownCategory`, `InvalidStatusTransition`,
    /// `InsufficientStock`, `PetHasOpenOrders`.
    pub async fn replace_pet(
        &self,
        id: i64,
        new: NewPet,
        precondition: Precondition,
    ) -> Result<Pet, StoreError> {
        self.check_text("/name", &new.name)?;
        let reads = [
            categories::find_for_pet(new.category_id),
            Statement::new(LOCK, [id.into()]),
            inventory::lock(id),
            self.count_open_orders(id),
        ];
        let decide = move |found: &mut Found<'_>| {
            let category: Option<Category> = found.next()?;
            check_pet(id, found.next()?, &precondition)?;
            let item: InventoryItem = require(found.next()?, ErrorCode::PetNotFound, id)?;
            let open_orders = found.next()?.unwrap_or(0);
            let item = pets::stock_after_replace(&item, open_orders, &new, category.as_ref())?;
            let values = [
                (&new.name).into(),
                new.category_id.into(),
                item.status.into(),
                item.quantity.into(),
                id.into(),
            ];
            let update = Statement::new(UPDATE, values);
            Ok(([update], to_record(id, &new, item.status)))
        };
        self.change(reads, decide).await
    }

    /// Deletes the pet `id` if it meets the precondition and has no open orders. Its completed orders stay.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `PetHasOpenOrders`.
    pub async fn delete_pet(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        let reads = [
            Statement::new(LOCK, [id.into()]),
            self.count_open_orders(id),
        ];
        let decide = move |found: &mut Found<'_>| {
            check_pet(id, found.next()?, &precondition)?;
            pets::check_delete(id, found.next()?.unwrap_or(0))?;
            Ok(([Statement::new(DELETE, [id.into()])], ()))
        };
        self.change(reads, decide).await
    }
}

/// Checks that the pet is there and meets the precondition.
fn check_pet(id: i64, pet: Option<Pet>, precondition: &Precondition) -> Result<(), RuleViolation> {
    let pet = require(pet, ErrorCode::PetNotFound, id)?;
    check_precondition(precondition, &pet)
}

fn to_record(id: i64, new: &NewPet, status: PetStatus) -> Pet {
    Pet {
        id,
        name: new.name.clone(),
        category_id: new.category_id,
        status,
    }
}

impl Record for Pet {
    fn set_id(&mut self, id: i64) {
        self.id = id;
    }
}

impl FromRow for Pet {
    fn from_row(row: &impl Row) -> Result<Pet, EngineError> {
        Ok(Pet {
            id: row.get(0)?,
            name: row.get(1)?,
            category_id: row.get(2)?,
            status: row.get(3)?,
        })
    }
}
