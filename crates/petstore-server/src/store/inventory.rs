//! The inventory in a store, whichever database it is.

use spec_gate::conditional::Precondition;

use crate::inventory::InventoryItem;
use crate::pet_status::PetStatus;
use crate::store::{AnyStore, Page, PageRequest, StoreError};

/// The conditions on the inventory items of a list. A field that is `None` adds no condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct InventoryFilter {
    /// Only items of pets with this status.
    pub status: Option<PetStatus>,
}

/// The operations of a store on the inventory.
pub trait InventoryStore {
    /// Reads a page of the inventory, ordered by pet id.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn list_inventory(
        &self,
        filter: InventoryFilter,
        page: PageRequest,
    ) -> impl Future<Output = Result<Page<InventoryItem>, StoreError>> + Send;

    /// Reads the stock of the pet `pet_id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    fn get_inventory_item(
        &self,
        pet_id: i64,
    ) -> impl Future<Output = Result<InventoryItem, StoreError>> + Send;

    /// Sets the free units of the pet `pet_id` to `quantity`, 0 or more, if its stock meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`.
    fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
        precondition: Precondition,
    ) -> impl Future<Output = Result<InventoryItem, StoreError>> + Send;
}

impl InventoryStore for AnyStore {
    async fn list_inventory(
        &self,
        filter: InventoryFilter,
        page: PageRequest,
    ) -> Result<Page<InventoryItem>, StoreError> {
        on_either!(self.list_inventory(filter, page))
    }

    async fn get_inventory_item(&self, pet_id: i64) -> Result<InventoryItem, StoreError> {
        on_either!(self.get_inventory_item(pet_id))
    }

    async fn set_inventory(
        &self,
        pet_id: i64,
        quantity: i64,
        precondition: Precondition,
    ) -> Result<InventoryItem, StoreError> {
        on_either!(self.set_inventory(pet_id, quantity, precondition))
    }
}
