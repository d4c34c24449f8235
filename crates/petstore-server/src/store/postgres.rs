//! The calls of the store on PostgreSQL. Each write locks the rows that its rules depend on, in the order categories, pets, orders, so that no
//! two wait for each other.

use std::array::from_fn;
use std::error::Error;

use postgres_engine::types::{ToSql, Type};
use postgres_engine::{Db, Select, run_idempotent};
use rusqlite::types::FromSql;

use crate::pet_status::PetStatus;
use crate::store::row::{FromPostgres, FromRow, Row, Statement, Value};
use crate::store::{
    Created, Decide, EngineError, Found, IdempotentRequest, Page, PageRequest, Record, StoreError,
};

/// Reads the record that a statement finds by its id.
pub async fn find<T: FromRow>(
    db: &Db,
    sql: &'static str,
    id: i64,
) -> Result<Option<T>, EngineError> {
    let [rows] = run(db, &[Statement::new(sql, [id.into()])]).await?;
    first(&rows)
}

/// Runs statements in their order, sent together, and returns the rows of each.
async fn run<const N: usize>(
    db: &Db,
    statements: &[Statement; N],
) -> Result<[Vec<postgres_engine::Row>; N], EngineError> {
    let parameters = statements
        .each_ref()
        .map(|it| it.parameters.iter().map(parameter).collect::<Vec<_>>());
    db.query_all(from_fn(|it| {
        (statements[it].sql, parameters[it].as_slice())
    }))
    .await
}

/// The first row, if there is one.
pub fn first<T: FromRow>(rows: &[postgres_engine::Row]) -> Result<Option<T>, EngineError> {
    rows.first().map(T::from_row).transpose()
}

/// Reads a page of a list, with a condition for each filter that has a value.
pub async fn page<T: FromRow, const N: usize>(
    db: &Db,
    from: &'static str,
    filters: &[(&'static str, Value); N],
    page: PageRequest,
) -> Result<Page<T>, EngineError> {
    let select = filters
        .iter()
        .fold(Select::new(from), |select, (column, value)| match value {
            Value::Null => select,
            Value::Integer(number) => select.where_equal(column, Some(*number)),
            Value::Text(text) => select.where_equal(column, Some(text.clone())),
            Value::Boolean(value) => select.where_equal(column, Some(*value)),
        });
    select.page(db, page, T::from_row).await
}

/// Reads, decides and writes.
pub async fn write<T: Record, const R: usize, const W: usize>(
    db: &Db,
    request: Option<&IdempotentRequest>,
    reads: &[Statement; R],
    decide: &impl Decide<T, W>,
) -> Result<Created<T>, StoreError> {
    let write = async {
        let found = Vec::from(run(db, reads).await?);
        let (writes, record) = decide(&mut Found::Postgres(found.into_iter()))?;
        let last = run(db, &writes).await?.into_iter().next_back();
        Ok(record.with_id(first(&last.unwrap_or_default())?))
    };
    run_idempotent(db, request, write).await
}

fn parameter(value: &Value) -> &(dyn ToSql + Sync) {
    match value {
        Value::Null => &None::<&str>,
        Value::Integer(number) => number,
        Value::Text(text) => text,
        Value::Boolean(value) => value,
    }
}

impl Row for postgres_engine::Row {
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError> {
        self.get(column)
    }
}

impl<'a> postgres_engine::types::FromSql<'a> for PetStatus {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<PetStatus, Box<dyn Error + Sync + Send>> {
        Ok(PetStatus::read(<&str>::from_sql(kind, bytes)?)?)
    }

    fn accepts(kind: &Type) -> bool {
        <&str as postgres_engine::types::FromSql>::accepts(kind)
    }
}
