//! Pets in a store, whichever database it is.

use spec_gate::conditional::Precondition;

use crate::pet_status::PetStatus;
use crate::pets::{NewPet, Pet};
use crate::store::{AnyStore, Created, IdempotentRequest, Page, PageRequest, StoreError};

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

/// The operations of a store on pets.
pub trait PetStore {
    /// Creates a pet.
    ///
    /// # Errors
    ///
    /// Rule violations: `UnknownCategory`, `IdempotencyKeyReused`.
    fn create_pet(
        &self,
        new: NewPet,
        request: Option<IdempotentRequest>,
    ) -> impl Future<Output = Result<Created<Pet>, StoreError>> + Send;

    /// Reads the pet `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    fn get_pet(&self, id: i64) -> impl Future<Output = Result<Pet, StoreError>> + Send;

    /// Reads a page of the pets that match `filter`.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn list_pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> impl Future<Output = Result<Page<Pet>, StoreError>> + Send;

    /// Replaces the pet `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `UnknownCategory`, `InvalidStatusTransition`,
    /// `InsufficientStock`, `PetHasOpenOrders`.
    fn replace_pet(
        &self,
        id: i64,
        new: NewPet,
        precondition: Precondition,
    ) -> impl Future<Output = Result<Pet, StoreError>> + Send;

    /// Deletes the pet `id` if it meets the precondition and has no open orders. Its completed orders stay.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `PetHasOpenOrders`.
    fn delete_pet(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl PetStore for AnyStore {
    async fn create_pet(
        &self,
        new: NewPet,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Pet>, StoreError> {
        on_either!(self.create_pet(new, request))
    }

    async fn get_pet(&self, id: i64) -> Result<Pet, StoreError> {
        on_either!(self.get_pet(id))
    }

    async fn list_pets(
        &self,
        filter: PetFilter,
        page: PageRequest,
    ) -> Result<Page<Pet>, StoreError> {
        on_either!(self.list_pets(filter, page))
    }

    async fn replace_pet(
        &self,
        id: i64,
        new: NewPet,
        precondition: Precondition,
    ) -> Result<Pet, StoreError> {
        on_either!(self.replace_pet(id, new, precondition))
    }

    async fn delete_pet(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        on_either!(self.delete_pet(id, precondition))
    }
}
