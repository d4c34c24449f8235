//! The tables of a database as its catalog describes them, and the last ids that they gave.

use engine_types::transfer::{Column, ENGINE_TABLES, Kind, Table};
use rusqlite::{Connection, OptionalExtension, params};

use super::quote;

/// Reads the tables, without those of the engine and of SQLite itself.
pub(super) fn read(db: &Connection) -> rusqlite::Result<Vec<Table>> {
    let mut select = db.prepare(
        "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT GLOB 'sqlite_*' ORDER BY name",
    )?;
    let names = select.query_map([], |row| row.get::<_, String>(0))?;
    let names = names.collect::<rusqlite::Result<Vec<String>>>()?;
    let names = names.into_iter();
    names
        .filter(|name| !ENGINE_TABLES.contains(&name.as_str()))
        .map(|name| read_table(db, name))
        .collect()
}

/// The largest id that a table has ever given; `None` unless it gives each only once (`AUTOINCREMENT`).
pub(super) fn last_id(db: &Connection, table: &Table) -> rusqlite::Result<Option<i64>> {
    let Some(id) = table.id().filter(|_| is_autoincrement(db, table)) else {
        return Ok(None);
    };
    let select = format!(
        "SELECT max(ifnull((SELECT max(seq) FROM sqlite_sequence WHERE name = ?1), 0),
                    ifnull((SELECT max({}) FROM {}), 0))",
        quote(&id.name),
        quote(&table.name)
    );
    let last = db.query_row(&select, [&table.name], |row| row.get(0))?;
    Ok(Some(last))
}

pub(super) fn set_last_id(
    db: &Connection,
    table: &Table,
    last: Option<i64>,
) -> rusqlite::Result<()> {
    let (Some(last), Some(known)) = (last, last_id(db, table)?) else {
        return Ok(());
    };
    forget_last_id(db, table)?;
    let insert = "INSERT INTO sqlite_sequence (name, seq) VALUES (?1, ?2)";
    db.execute(insert, params![table.name, last.max(known)])?;
    Ok(())
}

pub(super) fn forget_last_id(db: &Connection, table: &Table) -> rusqlite::Result<()> {
    if is_autoincrement(db, table) {
        db.execute("DELETE FROM sqlite_sequence WHERE name = ?1", [&table.name])?;
    }
    Ok(())
}

fn is_autoincrement(db: &Connection, table: &Table) -> bool {
    // The catalog shows it only in the statement that created the table. SQLite creates `sqlite_sequence` with the first one.
    let select = "SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?1 AND sql LIKE '%AUTOINCREMENT%'";
    let found = db.query_row(select, [&table.name], |_| Ok(())).optional();
    matches!(found, Ok(Some(())))
}

fn read_table(db: &Connection, name: String) -> rusqlite::Result<Table> {
    // Generated columns are hidden: 2 and 3.
    let mut select = db.prepare(
        "SELECT name, type, pk FROM pragma_table_xinfo(?1) WHERE hidden = 0 ORDER BY cid",
    )?;
    let mut rows = select.query([&name])?;
    let mut table = Table {
        name: name.clone(),
        columns: Vec::new(),
        key: Vec::new(),
        references: Vec::new(),
    };
    while let Some(row) = rows.next()? {
        let column = Column {
            name: row.get(0)?,
            kind: kind_of(row.get(1)?),
        };
        if row.get::<_, i64>(2)? > 0 {
            table.key.push(column.name.clone());
        }
        table.columns.push(column);
    }
    let mut select = db.prepare("SELECT DISTINCT \"table\" FROM pragma_foreign_key_list(?1)")?;
    let references = select.query_map([&name], |row| row.get(0))?;
    table.references = references.collect::<rusqlite::Result<_>>()?;
    Ok(table)
}

fn kind_of(declared: String) -> Kind {
    match declared.to_ascii_uppercase().as_str() {
        "INTEGER" | "INT" => Kind::Integer,
        "REAL" => Kind::Real,
        "TEXT" => Kind::Text,
        "BLOB" => Kind::Bytes,
        _ => Kind::Other(declared),
    }
}
