//! The rows of a table: read in the order of their key, and inserted in batches.

use engine_types::EngineError;
use engine_types::transfer::{Column, Kind, Row, Table, Value};
use futures::{TryStreamExt, pin_mut};
use tokio_postgres::types::ToSql;

use super::quote;
use crate::db::Db;
use crate::sql_error::to_engine_error;

/// A column of several rows, as an array.
type Array = Box<dyn ToSql + Sync + Send>;

/// Calls `each` with all rows of a table, while they arrive.
pub(super) async fn read<E: From<EngineError>>(
    db: &Db,
    table: &Table,
    mut each: impl AsyncFnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let columns = table.columns.iter();
    let columns: Vec<String> = columns
        .map(|it| format!("t.{}::{}", quote(&it.name), type_of(&it.kind)))
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
        .map(|(index, column)| format!("${}::{}[]", index + 1, type_of(&column.kind)))
        .collect();
    let names: Vec<String> = table.columns.iter().map(|it| quote(&it.name)).collect();
    let sql = format!(
        "INSERT INTO {} ({}) OVERRIDING SYSTEM VALUE SELECT * FROM unnest({})",
        quote(&table.name),
        names.join(", "),
        arrays.join(", ")
    );
    let arrays: Vec<Array> = columns
        .map(|(index, column)| to_array(rows, index, &column.kind))
        .collect();
    let parameters: Vec<&(dyn ToSql + Sync)> = arrays
        .iter()
        .map(|it| &**it as &(dyn ToSql + Sync))
        .collect();
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
    let value = match kind {
        Kind::Integer => row
            .try_get::<_, Option<i64>>(index)
            .map(|it| it.map(Value::Integer)),
        Kind::Boolean => row
            .try_get::<_, Option<bool>>(index)
            .map(|it| it.map(|it| Value::Integer(i64::from(it)))),
        Kind::Real => row
            .try_get::<_, Option<f64>>(index)
            .map(|it| it.map(Value::Real)),
        Kind::Text | Kind::Other(_) => row
            .try_get::<_, Option<String>>(index)
            .map(|it| it.map(Value::Text)),
        Kind::Bytes => row
            .try_get::<_, Option<Vec<u8>>>(index)
            .map(|it| it.map(Value::Bytes)),
    };
    Ok(value.map_err(EngineError::internal)?.unwrap_or(Value::Null))
}

/// A column of all rows. A value of another kind was refused before.
fn to_array(rows: &[Row], index: usize, kind: &Kind) -> Array {
    let values = rows.iter().map(|row| &row[index]);
    let integers = values.clone().map(|value| match value {
        Value::Integer(number) => Some(*number),
        _ => None,
    });
    match kind {
        Kind::Integer => Box::new(integers.collect::<Vec<_>>()),
        Kind::Boolean => Box::new(integers.map(|it| it.map(|it| it != 0)).collect::<Vec<_>>()),
        Kind::Real => Box::new(
            values
                .map(|value| match value {
                    Value::Real(number) => Some(*number),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
        Kind::Text | Kind::Other(_) => Box::new(
            values
                .map(|value| match value {
                    Value::Text(text) => Some(text.clone()),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
        Kind::Bytes => Box::new(
            values
                .map(|value| match value {
                    Value::Bytes(bytes) => Some(bytes.clone()),
                    _ => None,
                })
                .collect::<Vec<_>>(),
        ),
    }
}
