//! The tables of a database as its catalog describes them, and the last ids that they gave.

use engine_types::EngineError;
use engine_types::transfer::{Column, ENGINE_TABLES, Kind, Table};

use super::quote;
use crate::db::{Db, at_most_one};
use crate::row::Row;

/// The tables of the schema in which the application creates its own; without those of extensions and parts of other tables.
const TABLES: &str = "SELECT c.relname::text, c.oid FROM pg_class c
    WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    AND NOT EXISTS (SELECT FROM pg_depend d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
    ORDER BY c.relname";

const COLUMNS: &str = "SELECT attname::text, format_type(atttypid, NULL) FROM pg_attribute
    WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum";

const KEY: &str = "SELECT a.attname::text FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = $1 AND i.indisprimary";

const REFERENCES: &str =
    "SELECT DISTINCT f.relname::text FROM pg_constraint k JOIN pg_class f ON f.oid = k.confrelid
    WHERE k.conrelid = $1 AND k.contype = 'f'";

/// Reads the tables, without those of the engine.
pub(super) async fn read(db: &Db) -> Result<Vec<Table>, EngineError> {
    let mut tables = Vec::new();
    for row in db.query(TABLES, &[]).await? {
        let (name, oid): (String, u32) = (row.get(0)?, row.get(1)?);
        if ENGINE_TABLES.contains(&name.as_str()) {
            continue;
        }
        let [columns, key, references] = db
            .query_all([(COLUMNS, &[&oid]), (KEY, &[&oid]), (REFERENCES, &[&oid])])
            .await?;
        let columns = columns.iter().map(|row| {
            Ok(Column {
                name: row.get(0)?,
                kind: kind_of(row.get(1)?),
            })
        });
        tables.push(Table {
            name,
            columns: columns.collect::<Result<_, EngineError>>()?,
            key: names(&key)?,
            references: names(&references)?,
        });
    }
    Ok(tables)
}

/// The name of a table, if there is any.
pub(super) async fn find_any(db: &Db) -> Result<Option<String>, EngineError> {
    let rows = db.query(TABLES, &[]).await?;
    rows.first().map(|row| row.get(0)).transpose()
}

/// The largest id that a table has ever given; `None` unless a sequence gives them.
pub(super) async fn last_id(db: &Db, table: &Table) -> Result<Option<i64>, EngineError> {
    let Some(sequence) = sequence(db, table).await? else {
        return Ok(None);
    };
    let select = format!(
        "SELECT greatest((SELECT max({id})::bigint FROM {table}),
                         (SELECT last_value - CASE WHEN is_called THEN 0 ELSE 1 END FROM {sequence}))",
        id = quote(&sequence_column(table)),
        table = quote(&table.name),
    );
    let row = at_most_one(db.query(&select, &[]).await?)?;
    row.map(|row| row.get(0)).transpose()
}

pub(super) async fn set_last_id(
    db: &Db,
    table: &Table,
    last: Option<i64>,
) -> Result<(), EngineError> {
    let Some(sequence) = sequence(db, table).await? else {
        return Ok(());
    };
    let max = format!(
        "SELECT coalesce(max({})::bigint, 0) FROM {}",
        quote(&sequence_column(table)),
        quote(&table.name)
    );
    let max = at_most_one(db.query(&max, &[]).await?)?;
    let max: i64 = max.map_or(Ok(0), |row| row.get(0))?;
    let last = last.unwrap_or(0).max(max);
    // A sequence has no value below 1, but can be set to give it.
    let set = "SELECT setval($1::text::regclass, $2, $3)";
    db.query(set, &[&sequence, &last.max(1), &(last > 0)])
        .await?;
    Ok(())
}

/// The name of the sequence that gives the ids of a table, in SQL.
async fn sequence(db: &Db, table: &Table) -> Result<Option<String>, EngineError> {
    let Some(id) = table.id() else {
        return Ok(None);
    };
    let select = "SELECT pg_get_serial_sequence($1, $2)";
    let row = db.query(select, &[&quote(&table.name), &id.name]).await?;
    match at_most_one(row)? {
        Some(row) => row.get(0),
        None => Ok(None),
    }
}

fn sequence_column(table: &Table) -> String {
    table.id().map_or_else(String::new, |id| id.name.clone())
}

fn names(rows: &[Row]) -> Result<Vec<String>, EngineError> {
    rows.iter().map(|row| row.get(0)).collect()
}

fn kind_of(name: String) -> Kind {
    match name.as_str() {
        "smallint" | "integer" | "bigint" => Kind::Integer,
        "boolean" => Kind::Boolean,
        "real" | "double precision" => Kind::Real,
        "text" | "character varying" => Kind::Text,
        "bytea" => Kind::Bytes,
        _ => Kind::Other(name),
    }
}
