//! Categories in a store, whichever database it is.

use spec_gate::conditional::Precondition;

use crate::categories::{Category, NewCategory};
use crate::store::{AnyStore, Created, IdempotentRequest, Page, PageRequest, StoreError};

/// The operations of a store on categories.
pub trait CategoryStore {
    /// Creates a category.
    ///
    /// # Errors
    ///
    /// Rule violations: `CategoryExists`, `IdempotencyKeyReused`.
    fn create_category(
        &self,
        new: NewCategory,
        request: Option<IdempotentRequest>,
    ) -> impl Future<Output = Result<Created<Category>, StoreError>> + Send;

    /// Reads the category `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`.
    fn get_category(&self, id: i64) -> impl Future<Output = Result<Category, StoreError>> + Send;

    /// Reads a page of the categories.
    ///
    /// # Errors
    ///
    /// When the database cannot be read.
    fn list_categories(
        &self,
        page: PageRequest,
    ) -> impl Future<Output = Result<Page<Category>, StoreError>> + Send;

    /// Replaces the category `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `CategoryExists`.
    fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
        precondition: Precondition,
    ) -> impl Future<Output = Result<Category, StoreError>> + Send;

    /// Deletes the category `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: `NotFound`, `PreconditionFailed`, `CategoryInUse`.
    fn delete_category(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> impl Future<Output = Result<(), StoreError>> + Send;
}

impl CategoryStore for AnyStore {
    async fn create_category(
        &self,
        new: NewCategory,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<Category>, StoreError> {
        on_either!(self.create_category(new, request))
    }

    async fn get_category(&self, id: i64) -> Result<Category, StoreError> {
        on_either!(self.get_category(id))
    }

    async fn list_categories(&self, page: PageRequest) -> Result<Page<Category>, StoreError> {
        on_either!(self.list_categories(page))
    }

    async fn replace_category(
        &self,
        id: i64,
        new: NewCategory,
        precondition: Precondition,
    ) -> Result<Category, StoreError> {
        on_either!(self.replace_category(id, new, precondition))
    }

    async fn delete_category(&self, id: i64, precondition: Precondition) -> Result<(), StoreError> {
        on_either!(self.delete_category(id, precondition))
    }
}
