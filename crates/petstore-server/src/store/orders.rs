//! Orders in a store, whichever database it is.

use spec_gate::conditional::Precondition;

use crate::orders::{Order, OrderBody};
use crate::store::{AnyStore, Created, IdempotentRequest, Page, PageRequest, StoreError};

/// The conditions on the orders of a list. A field that is `None` adds no condition.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct OrderFilter {
    /// Only orders of this pet.
    pub pet_id: Option<i64>,
    /// Only completed orders, or only open ones.
    pub complete: Option<bool>,
}

/// The operations of a store on orders.
pub trait OrderStore {
    /// Places an order, and removes its units from the pet's stock.
    ///
    /// # Errors
    ///
    /// Rule violations: `ValidationFailed`, `UnknownPet`, `PetNotAvailable`, `InsufficientStock`, `IdempotencyKeyReused`.
    fn place_order(
        &self,
        new: OrderBody,
        request: Option<IdempotentRequest>,
    ) -> impl Future<Output = Result<Created<Order>, StoreError>> + Send;

    /// Reads the order `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    fn get_order(&self, id: i64) -> impl Future<Output = Result<Order, StoreError>> + Send;

    /// Reads a page of the orders that match `filter`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn list_orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> impl Future<Output = Result<Page<Order>, StoreError>> + Send;

    /// Changes the open order `id` by the body of a request if it meets the precondition, and the stock of its pet
    /// accordingly.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `OrderAlreadyComplete`, `ValidationFailed`,
    /// `InsufficientStock`.
    fn update_order(
        &self,
        id: i64,
        change: OrderBody,
        precondition: Precondition,
    ) -> impl Future<Output = Result<Order, StoreError>> + Send;

    /// Deletes the open order `id` if it meets the precondition, and returns its units to the pet's stock.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `OrderAlreadyComplete`.
    fn cancel_order(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl OrderStore for AnyStore {
    async fn place_order(
        &self,
        new: OrderBody,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Order>, StoreError> {
        on_either!(self.place_order(new, request))
    }

    async fn get_order(&self, id: i64) -> Result<Order, StoreError> {
        on_either!(self.get_order(id))
    }

    async fn list_orders(
        &self,
        filter: OrderFilter,
        page: PageRequest,
    ) -> Result<Page<Order>, StoreError> {
        on_either!(self.list_orders(filter, page))
    }

    async fn update_order(
        &self,
        id: i64,
        change: OrderBody,
        precondition: Precondition,
    ) -> Result<Order, StoreError> {
        on_either!(self.update_order(id, change, precondition))
    }

    async fn cancel_order(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        on_either!(self.cancel_order(id, precondition))
    }
}
