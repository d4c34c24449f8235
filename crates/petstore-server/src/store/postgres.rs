//! The calls of the store on PostgreSQL. Each write locks the rows that its rules depend on, in the order categories, pets, orders, so that no
//! two wait for each other.

use std::array::from_fn;
use std::error::Error;

use postgres_engine::types::{FromSql, ToSql, Type};
use postgres_engine::{Db, Select, run_idempotent};

use crate::store::row::{Row, Statement, Value};
use crate::store::{
    Created, Decide, EngineError, IdempotentRequest, Page, PageRequest, Record, StoreError,
};

/// Runs statements in their order, sent together, and returns the rows of each.
pub async fn run<const N: usize>(
    db: &Db,
    statements: &[Statement; N],
) -> Result<[Vec<Row>; N], EngineError> {
    let parameters = statements
        .each_ref()
        .map(|it| it.parameters.iter().map(parameter).collect::<Vec<_>>());
    let sent = from_fn(|it| (statements[it].sql, parameters[it].as_slice()));
    let rows = db.query_all(sent).await?;
    Ok(rows.map(|rows| rows.iter().map(read).collect()))
}

/// Reads a page of a list, with a condition for each filter that has a value.
pub async fn page<const N: usize>(
    db: &Db,
    from: &'static str,
    filters: &[(&'static str, Value); N],
    page: PageRequest,
) -> Result<Page<Row>, EngineError> {
    let select = filters
        .iter()
        .fold(Select::new(from), |select, (column, value)| match value {
            Value::Null => select,
            Value::Integer(number) => select.where_equal(column, Some(*number)),
            Value::Text(text) => select.where_equal(column, Some(text.clone())),
            Value::Boolean(value) => select.where_equal(column, Some(*value)),
        });
    select.page(db, page, |row| Ok(read(row))).await
}

/// Reads, decides and writes.
pub async fn write<T: Record, const R: usize, const W: usize>(
    db: &Db,
    request: Option<&IdempotentRequest>,
    reads: &[Statement; R],
    decide: &impl Decide<T, R, W>,
) -> Result<Created<T>, StoreError> {
    let write = async {
        let (writes, record) = decide(run(db, reads).await?)?;
        let last = run(db, &writes).await?.into_iter().next_back();
        record.with_id_of(last.unwrap_or_default())
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

/// Reads all columns: the row does not say how many there are.
fn read(row: &postgres_engine::Row) -> Row {
    Row((0..).map_while(|column| row.get(column).ok()).collect())
}

impl<'a> FromSql<'a> for Value {
    fn from_sql(kind: &Type, bytes: &'a [u8]) -> Result<Value, Box<dyn Error + Sync + Send>> {
        match *kind {
            Type::INT8 => i64::from_sql(kind, bytes).map(Value::Integer),
            Type::BOOL => bool::from_sql(kind, bytes).map(Value::Boolean),
            _ => String::from_sql(kind, bytes).map(Value::Text),
        }
    }

    fn from_sql_null(_: &Type) -> Result<Value, Box<dyn Error + Sync + Send>> {
        Ok(Value::Null)
    }

    fn accepts(kind: &Type) -> bool {
        [Type::INT8, Type::BOOL, Type::TEXT].contains(kind)
    }
}
