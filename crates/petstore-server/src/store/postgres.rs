//! The calls of the store on PostgreSQL. Each write locks the rows that its rules depend on, in the order categories, pets, orders, so that no
//! two wait for each other.

use std::error::Error;

use dropspec_store::postgres::types::{IsNull, ToSql, Type, private::BytesMut, to_sql_checked};
use dropspec_store::postgres::{Db, Select, run_idempotent};
use rusqlite::types::FromSql;

use crate::store::found::{Results, first_of};
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
    let parameters: [&(dyn ToSql + Sync); 1] = [&id];
    first_of(&db.query(sql, &parameters).await?)
}

/// Runs statements in their order, sent together, and returns the rows of each.
async fn run(
    db: &Db,
    statements: &[Statement],
) -> Result<Vec<Vec<dropspec_store::postgres::Row>>, EngineError> {
    let parameters = statements.iter().map(|it| it.parameters.iter());
    let parameters: Vec<Vec<_>> = parameters.map(|it| it.map(parameter).collect()).collect();
    let statements = statements.iter().zip(&parameters);
    let statements: Vec<_> = statements
        .map(|(statement, parameters)| (statement.postgres, parameters.as_slice()))
        .collect();
    db.query_list(&statements).await
}

/// Reads a page of a list.
pub async fn page<T: FromRow>(
    db: &Db,
    from: &'static str,
    filters: &[(&'static str, Value)],
    page: PageRequest,
) -> Result<Page<T>, EngineError> {
    let select = filters
        .iter()
        .fold(Select::new(from), |select, (column, value)| {
            select.where_equal(column, Some(value.clone()))
        });
    select.page(db, page, T::from_row).await
}

/// Reads, decides and writes.
pub async fn write<T: Record>(
    db: &Db,
    request: Option<&IdempotentRequest>,
    reads: &[Statement],
    decide: &impl Decide<T>,
) -> Result<Created<T>, StoreError> {
    let write = async {
        let found = run(db, reads).await?;
        let (writes, record) = decide(&mut Found::new(Results::Postgres(found)))?;
        let last = run(db, &writes).await?.pop();
        Ok(record.with_id(first_of(&last.unwrap_or_default())?))
    };
    run_idempotent(db, request, write).await
}

fn parameter(value: &Value) -> &(dyn ToSql + Sync) {
    value
}

/// A text that PostgreSQL cannot have is no value: nothing equals it. Such a text is not written, as the rules refuse it.
impl ToSql for Value {
    fn to_sql(
        &self,
        kind: &Type,
        bytes: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Value::Null => Ok(IsNull::Yes),
            Value::Integer(number) => number.to_sql_checked(kind, bytes),
            Value::Real(number) => number.to_sql_checked(kind, bytes),
            Value::Text(text) if text.contains('\0') => Ok(IsNull::Yes),
            Value::Text(text) => text.to_sql_checked(kind, bytes),
            Value::Boolean(value) => value.to_sql_checked(kind, bytes),
        }
    }

    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}

impl Row for dropspec_store::postgres::Row {
    fn get<T: FromSql + FromPostgres>(&self, column: usize) -> Result<T, EngineError> {
        self.get(column)
    }
}
