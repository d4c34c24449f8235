//! The rows of a table: read in the order of their key, and inserted in batches. Other values than bytes travel as texts, which
//! the server converts from and to the types of their columns.

use engine_types::EngineError;
use engine_types::transfer::{Column, Kind, Row, Table, Value};
use futures::{TryStreamExt, pin_mut};
use tokio_postgres::types::ToSql;

use super::quote;
use crate::db::Db;
use crate::sql_error::to_engine_error;

/// Calls `each` with all rows of a table, while they arrive.
pub(super) async fn read<E: From<EngineError>>(
    db: &Db,
    table: &Table,
    mut each: impl AsyncFnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let columns = table.columns.iter();
    let columns: Vec<String> = columns
        .map(|it| {
            let text = match it.kind {
                Kind::Bytes => "",
                _ => "::text",
            };
            format!("t.{}::{}{text}", quote(&it.name), type_of(&it.kind))
        })
        .collect();
    let order: Vec<String> = table.order().map(|it| order_by(table, it)).collect();
    let sql = format!(
        "SELECT {} FROM {} t ORDER BY {}",
        columns.join(", "),
        quote(&table.name),
        order.join(", ")
    );
    let rows = db.query_stream(&sql).await?;
    pin_mut!(rows);
    while let Some(row) = rows.try_next().await.map_err(to_engine_error)? {
        let values = table.columns.iter().enumerate();
        let values = values.map(|(index, column)| to_value(&row, index, &column.kind));
        each(values.collect::<Result<Row, EngineError>>()?).await?;
    }
    Ok(())
}

/// Inserts all rows by one statement, each column as an array.
pub(super) async fn insert(db: &Db, table: &Table, rows: &[Row]) -> Result<(), EngineError> {
    let columns = table.columns.iter().enumerate();
    let arrays: Vec<String> = columns
        .clone()
        .map(|(index, column)| format!("${}::text[]::{}[]", index + 1, type_of(&column.kind)))
        .collect();
    let names: Vec<String> = table.columns.iter().map(|it| quote(&it.name)).collect();
    let sql = format!(
        "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({})",
        quote(&table.name),
        names.join(", "),
        arrays.join(", ")
    );
    let arrays: Vec<Vec<Option<String>>> = columns
        .map(|(index, _)| rows.iter().map(|row| text_of(&row[index])).collect())
        .collect();
    let parameters: Vec<&(dyn ToSql + Sync)> =
        arrays.iter().map(|it| it as &(dyn ToSql + Sync)).collect();
    db.query(&sql, &parameters).await.map(|_| ())
}

/// The type in which a column is read and written. The server converts it to that of the column.
fn type_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Integer => "int8",
        Kind::Boolean => "bool",
        Kind::Real => "float8",
        // A column of another kind is not copied.
        Kind::Text | Kind::Other(_) => "text",
        Kind::Bytes => "bytea",
    }
}

/// By bytes and NULL first, as the other engine orders. A key has no NULL, and its index is used only without that.
fn order_by(table: &Table, column: &Column) -> String {
    let collation = match column.kind {
        Kind::Text => " COLLATE \"C\"",
        _ => "",
    };
    let nulls = if table.key.is_empty() {
        " NULLS FIRST"
    } else {
        ""
    };
    format!("t.{}{collation}{nulls}", quote(&column.name))
}

fn to_value(row: &tokio_postgres::Row, index: usize, kind: &Kind) -> Result<Value, EngineError> {
    if *kind == Kind::Bytes {
        let bytes: Option<Vec<u8>> = row.try_get(index).map_err(EngineError::internal)?;
        return Ok(bytes.map_or(Value::Null, Value::Bytes));
    }
    let text: Option<&str> = row.try_get(index).map_err(EngineError::internal)?;
    let Some(text) = text else {
        return Ok(Value::Null);
    };
    Ok(match kind {
        Kind::Integer => Value::Integer(text.parse().map_err(EngineError::internal)?),
        Kind::Boolean => Value::Integer(i64::from(text == "true")),
        Kind::Real => Value::Real(text.parse().map_err(EngineError::internal)?),
        _ => Value::Text(text.to_owned()),
    })
}

/// The value as a text that the server reads; `None` for NULL.
fn text_of(value: &Value) -> Option<String> {
    match value {
        Value::Null => None,
        Value::Text(text) => Some(text.clone()),
        Value::Bytes(_) => Some(format!("\\x{value}")),
        Value::Integer(_) | Value::Real(_) => Some(value.to_string()),
    }
}
