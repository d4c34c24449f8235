//! The rows of a table: read in the order of their key, and inserted in batches.

use engine_types::EngineError;
use engine_types::transfer::{Column, Kind, Row, Table, Value};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};
use rusqlite::{Connection, OptionalExtension, params_from_iter};

use super::quote;

/// Calls `each` with all rows of a table.
pub(super) async fn read<E: From<EngineError>>(
    db: &Connection,
    table: &Table,
    mut each: impl AsyncFnMut(Row) -> Result<(), E>,
) -> Result<(), E> {
    let order: Vec<String> = table.order().map(order_by).collect();
    let sql = format!(
        "SELECT {} FROM {} ORDER BY {}",
        column_list(table),
        quote(&table.name),
        order.join(", ")
    );
    let mut select = db.prepare(&sql).map_err(EngineError::from)?;
    let mut rows = select.query([]).map_err(EngineError::from)?;
    while let Some(row) = rows.next().map_err(EngineError::from)? {
        let values = (0..table.columns.len()).map(|column| Ok(to_value(row.get_ref(column)?)));
        let values = values.collect::<rusqlite::Result<Row>>();
        each(values.map_err(EngineError::from)?).await?;
    }
    Ok(())
}

/// Inserts all rows in one transaction.
pub(super) fn insert(db: &Connection, table: &Table, rows: &[Row]) -> rusqlite::Result<()> {
    let transaction = db.unchecked_transaction()?;
    let parameters = vec!["?"; table.columns.len()].join(", ");
    let sql = format!(
        "INSERT INTO {} ({}) VALUES ({parameters})",
        quote(&table.name),
        column_list(table)
    );
    {
        let mut insert = transaction.prepare_cached(&sql)?;
        for row in rows {
            insert.execute(params_from_iter(row.iter().map(Parameter)))?;
        }
    }
    transaction.commit()
}

/// Checks that every foreign key names a row that exists.
pub(super) fn check_references(db: &Connection) -> Result<(), EngineError> {
    let select = "SELECT \"table\", parent FROM pragma_foreign_key_check LIMIT 1";
    let found = db.query_row(select, [], |row| {
        Ok((row.get::<_, String>(0)?, row.get::<_, String>(1)?))
    });
    match found.optional()? {
        None => Ok(()),
        Some((table, parent)) => Err(EngineError::internal(format!(
            "a row of {table} refers to a row of {parent} that does not exist"
        ))),
    }
}

/// A value as a parameter, without a copy of it.
struct Parameter<'a>(&'a Value);

impl ToSql for Parameter<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::Borrowed(match self.0 {
            Value::Null => ValueRef::Null,
            Value::Integer(number) => ValueRef::Integer(*number),
            Value::Real(number) => ValueRef::Real(*number),
            Value::Text(text) => ValueRef::Text(text.as_bytes()),
            Value::Bytes(bytes) => ValueRef::Blob(bytes),
        }))
    }
}

fn to_value(value: ValueRef<'_>) -> Value {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Integer(number),
        ValueRef::Real(number) => Value::Real(number),
        ValueRef::Text(text) => match str::from_utf8(text) {
            Ok(text) => Value::Text(text.to_owned()),
            Err(_) => Value::Bytes(text.to_owned()),
        },
        ValueRef::Blob(bytes) => Value::Bytes(bytes.to_owned()),
    }
}

fn column_list(table: &Table) -> String {
    let names: Vec<String> = table.columns.iter().map(|it| quote(&it.name)).collect();
    names.join(", ")
}

/// By bytes, as the other engine orders texts.
fn order_by(column: &Column) -> String {
    let name = quote(&column.name);
    match column.kind {
        Kind::Text => format!("{name} COLLATE BINARY"),
        _ => name,
    }
}
