//! What is the same for the records of every table: they are created, read, listed, replaced and deleted, by the rules of their kind.

use dropspec_gate::conditional::Precondition;

use crate::rule_violation::RuleViolation;
use crate::store::row::{FromRow, Statement, Value};
use crate::store::table::{Filters, Statements, Table};
use crate::store::{
    Created, Found, IdempotentRequest, Page, PageRequest, Store, StoreError, check_precondition,
};

/// Records that requests create, replace and delete.
pub trait Resource: Table {
    /// The body of a request that creates or replaces one.
    type New: Send + Sync + 'static;

    /// What the rules read to create a record, or to change the record `id`. Statements that lock rows of other tables come first; the
    /// record itself is locked behind them, and the rest is read then.
    fn reads(new: &Self::New, id: Option<i64>) -> Vec<Statement>;

    /// Applies the rules: the record that a request creates, or that it makes of the record `before`. The rows of `reads` are
    /// found in their order. It may be called several times.
    fn apply(
        new: &Self::New,
        before: Option<&Self>,
        found: &mut Found<'_>,
    ) -> Result<Change<Self>, StoreError>;

    /// What the rules read to delete the record `id`, as in [`Resource::reads`].
    fn reads_of_deletion(_id: i64) -> Vec<Statement> {
        Vec::new()
    }

    /// Checks that the record may be deleted, and returns what else is written then.
    fn check_deletion(&self, _found: &mut Found<'_>) -> Result<Option<Statement>, StoreError> {
        Ok(None)
    }
}

/// Records that requests create, replace and delete, and whose properties are those of the request.
pub trait PlainResource: Table {
    /// The body of a request that creates or replaces one.
    type New: Body<Self> + Send + Sync + 'static;

    /// What the rules read, as in [`Resource::reads`].
    fn reads(_new: &Self::New) -> Vec<Statement> {
        Vec::new()
    }

    /// Checks that a request may create a record, or replace the record `id`. The rows of `reads` are found in their order. It may
    /// be called several times.
    fn check(_new: &Self::New, _id: Option<i64>, _found: &mut Found<'_>) -> Result<(), StoreError> {
        Ok(())
    }
}

impl<T: PlainResource> Resource for T {
    type New = <T as PlainResource>::New;

    fn reads(new: &Self::New, _: Option<i64>) -> Vec<Statement> {
        <T as PlainResource>::reads(new)
    }

    fn apply(
        new: &Self::New,
        before: Option<&T>,
        found: &mut Found<'_>,
    ) -> Result<Change<T>, StoreError> {
        T::check(new, before.map(T::id), found)?;
        Ok(Change::to(new.to_record()))
    }
}

/// What the rules make of a request: the record to store, whose id the store sets, and what else is written.
#[derive(Debug)]
pub struct Change<T> {
    /// The record.
    pub record: T,
    /// The values of [`Table::HIDDEN`].
    pub hidden: Vec<Value>,
    /// What is written before it.
    pub also: Option<Statement>,
}

impl<T> Change<T> {
    /// A change of nothing but the record.
    pub fn to(record: T) -> Change<T> {
        Change {
            record,
            hidden: Vec::new(),
            also: None,
        }
    }
}

/// A body with the same properties as the record that it creates.
pub trait Body<T> {
    /// The record, without its id.
    fn to_record(&self) -> T;
}

/// Finds the record that another one refers to, if it is there. It cannot be deleted before the end of the transaction.
pub fn find_referenced<T: Table>(id: i64) -> Statement {
    Statement::new(Statements::<T>::SHARE, [id.into()])
}

impl Store {
    /// Creates a record. A request that is repeated gets that of the first one.
    ///
    /// # Errors
    ///
    /// Rule violations: those of [`Resource::apply`], `IdempotencyKeyReused`.
    pub async fn create<T: Resource>(
        &self,
        new: T::New,
        request: Option<IdempotentRequest>,
    ) -> Result<Created<T>, StoreError> {
        let (reads, is_sqlite) = (T::reads(&new, None), self.is_sqlite());
        let decide = move |found: &mut Found<'_>| {
            let Change {
                record,
                hidden,
                also,
            } = T::apply(&new, None, found)?;
            let mut values = record.values();
            values.extend(hidden);
            check_texts::<T>(is_sqlite, &values)?;
            let insert = Statement::of(Statements::<T>::INSERT, values);
            Ok((also.into_iter().chain([insert]).collect(), record))
        };
        self.write(request, reads, decide).await
    }

    /// Reads the record `id`.
    ///
    /// # Errors
    ///
    /// Rule violations: [`Table::NOT_FOUND`].
    pub async fn get<T: Table>(&self, id: i64) -> Result<T, StoreError> {
        let found = self.find(Statements::<T>::FIND, id).await?;
        Ok(require(found, id)?)
    }

    /// Reads a page of the records that meet the conditions, in the order of their ids.
    pub async fn list<T: Table>(
        &self,
        mut filters: Filters,
        page: PageRequest,
    ) -> Result<Page<T>, StoreError> {
        filters.retain(|(_, value)| *value != Value::Null);
        if self.is_sqlite() {
            filters = T::filters_on_sqlite(filters);
        }
        self.page(Statements::<T>::LIST, filters, page).await
    }

    /// Replaces the record `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: [`Table::NOT_FOUND`], `PreconditionFailed`, those of [`Resource::apply`].
    pub async fn replace<T: Resource>(
        &self,
        id: i64,
        new: T::New,
        precondition: Precondition,
    ) -> Result<T, StoreError> {
        let mut reads = T::reads(&new, Some(id));
        let place = insert_lock::<T>(&mut reads, id);
        let is_sqlite = self.is_sqlite();
        let decide = move |found: &mut Found<'_>| {
            let before: T = find_itself(found, place, id, &precondition)?;
            let Change {
                mut record,
                hidden,
                also,
            } = T::apply(&new, Some(&before), found)?;
            record.set_id(id);
            let mut values = record.values();
            values.extend(hidden);
            check_texts::<T>(is_sqlite, &values)?;
            values.drain(..T::FIXED);
            values.push(id.into());
            let update = Statement::of(Statements::<T>::UPDATE, values);
            Ok((also.into_iter().chain([update]).collect(), record))
        };
        self.change(reads, decide).await
    }

    /// Deletes the record `id` if it meets the precondition.
    ///
    /// # Errors
    ///
    /// Rule violations: [`Table::NOT_FOUND`], `PreconditionFailed`, those of [`Resource::check_deletion`].
    pub async fn delete<T: Resource>(
        &self,
        id: i64,
        precondition: Precondition,
    ) -> Result<(), StoreError> {
        let mut reads = T::reads_of_deletion(id);
        let place = insert_lock::<T>(&mut reads, id);
        let decide = move |found: &mut Found<'_>| {
            let before: T = find_itself(found, place, id, &precondition)?;
            let also = before.check_deletion(found)?;
            let delete = Statement::new(Statements::<T>::DELETE, [id.into()]);
            Ok((also.into_iter().chain([delete]).collect(), ()))
        };
        self.change(reads, decide).await
    }
}

/// The record that the path of a request names.
pub(super) fn require<T: Table>(record: Option<T>, id: i64) -> Result<T, RuleViolation> {
    record.ok_or_else(|| RuleViolation::not_found(T::NOT_FOUND, id))
}

/// Locks the record behind the last statement that locks others, and returns the place of its statement.
fn insert_lock<T: Table>(reads: &mut Vec<Statement>, id: i64) -> usize {
    let place = reads.iter().rposition(Statement::locks);
    let place = place.map_or(0, |last| last + 1);
    let lock = Statement::new(Statements::<T>::LOCK, [id.into()]);
    reads.insert(place, lock);
    place
}

/// The record itself, which must be there and meet the precondition.
fn find_itself<T: Table + FromRow>(
    found: &mut Found<'_>,
    place: usize,
    id: i64,
    precondition: &Precondition,
) -> Result<T, StoreError> {
    let record = require(found.take(place)?, id)?;
    check_precondition(precondition, &record)?;
    Ok(record)
}

/// Checks that all texts can be stored: PostgreSQL has no texts with U+0000.
fn check_texts<T: Table>(is_sqlite: bool, values: &[Value]) -> Result<(), RuleViolation> {
    let is_refused = |value: &Value| matches!(value, Value::Text(text) if text.contains('\0'));
    match values.iter().position(is_refused) {
        Some(place) if !is_sqlite => {
            let column = T::COLUMNS.iter().chain(T::HIDDEN).nth(place);
            let message = "must not contain the character U+0000";
            Err(RuleViolation::invalid(&pointer_of(column), message))
        }
        _ => Ok(()),
    }
}

/// The JSON pointer to the property of a column: `/shipDate` for `ship_date`.
fn pointer_of(column: Option<&&str>) -> String {
    let mut words = column.map_or("", |it| *it).split('_');
    let mut pointer = format!("/{}", words.next().unwrap_or_default());
    for word in words.filter(|word| !word.is_empty()) {
        pointer.push_str(&word[..1].to_uppercase());
        pointer.push_str(&word[1..]);
    }
    pointer
}
