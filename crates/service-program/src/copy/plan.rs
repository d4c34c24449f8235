//! What a copy copies: the tables that both databases have, in the order in which they can be filled.

use engine_types::transfer::{Column, Table};

/// The tables that only one engine has. What is in them means nothing to the other: on PostgreSQL no credit is given.
const OF_ONE_ENGINE: [&str; 1] = ["credit"];

/// Tables and their columns that only one engine has. Servers that have stopped hold no leases.
const COLUMNS_OF_ONE_ENGINE: [(&str, &str); 1] = [("usage", "leases")];

/// Compares the tables of both databases, and returns those to copy, referenced ones first.
///
/// # Errors
///
/// Everything in which the databases differ: what only one of them has would be lost.
pub(super) fn plan(source: &[Table], target: &[Table]) -> Result<Vec<Table>, Vec<String>> {
    let mut differences = Vec::new();
    let common: Vec<Table> = of_both(source)
        .filter_map(|table| match find(target, &table.name) {
            Some(other) => Some(merge(table, other, &mut differences)),
            None => {
                differences.push(format!("the target has no table {}", table.name));
                None
            }
        })
        .collect();
    let missing = of_both(target).filter(|table| find(source, &table.name).is_none());
    differences.extend(missing.map(|table| format!("the source has no table {}", table.name)));
    if differences.is_empty() {
        in_order(common).map_err(|circle| vec![circle])
    } else {
        Err(differences)
    }
}

fn of_both(tables: &[Table]) -> impl Iterator<Item = &Table> {
    let is_of_both = |table: &&Table| !OF_ONE_ENGINE.contains(&table.name.as_str());
    tables.iter().filter(is_of_both)
}

fn find<'a>(tables: &'a [Table], name: &str) -> Option<&'a Table> {
    tables.iter().find(|table| table.name == name)
}

/// The columns that both have. Rows are ordered by the key if it is the same.
fn merge(source: &Table, target: &Table, differences: &mut Vec<String>) -> Table {
    let find = |table: &Table, name: &str| -> Option<Column> {
        table.columns.iter().find(|it| it.name == name).cloned()
    };
    let name = &source.name;
    let mut columns = Vec::new();
    let is_of_both =
        |column: &&Column| !COLUMNS_OF_ONE_ENGINE.contains(&(name.as_str(), column.name.as_str()));
    for column in source.columns.iter().filter(is_of_both) {
        let Some(other) = find(target, &column.name) else {
            differences.push(format!("the target has no column {name}.{}", column.name));
            continue;
        };
        match column.kind.common(&other.kind) {
            Some(kind) => columns.push(Column {
                name: other.name,
                kind,
            }),
            None => differences.push(format!(
                "{name}.{} is {} in the source and {} in the target, which cannot be copied",
                column.name, column.kind, other.kind
            )),
        }
    }
    for column in target.columns.iter().filter(is_of_both) {
        if find(source, &column.name).is_none() {
            differences.push(format!("the source has no column {name}.{}", column.name));
        }
    }
    // So a checksum is the same in both directions.
    columns.sort_by(|one, other| one.name.cmp(&other.name));
    let is_same_key = source.key.len() == target.key.len()
        && source.key.iter().all(|column| target.key.contains(column));
    let mut references = [source.references.clone(), target.references.clone()].concat();
    references.retain(|table| table != name);
    Table {
        name: name.clone(),
        columns,
        key: if is_same_key {
            source.key.clone()
        } else {
            Vec::new()
        },
        references,
    }
}

/// Orders tables so that each comes after those that it references.
fn in_order(mut tables: Vec<Table>) -> Result<Vec<Table>, String> {
    let mut ordered: Vec<Table> = Vec::new();
    while !tables.is_empty() {
        let is_free = |table: &Table| {
            let mut references = table.references.iter();
            references.all(|name| find(&ordered, name).is_some())
        };
        let (free, rest): (Vec<Table>, Vec<Table>) = tables.into_iter().partition(is_free);
        if free.is_empty() {
            let names: Vec<&str> = rest.iter().map(|table| table.name.as_str()).collect();
            return Err(format!(
                "the tables {} reference each other in a circle, so none can be filled first",
                names.join(", ")
            ));
        }
        ordered.extend(free);
        tables = rest;
    }
    Ok(ordered)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use engine_types::transfer::Kind;

    use super::*;

    fn table(name: &str, columns: &[(&str, Kind)], references: &[&str]) -> Table {
        let columns = columns.iter().map(|(name, kind)| Column {
            name: (*name).to_owned(),
            kind: kind.clone(),
        });
        Table {
            name: name.to_owned(),
            columns: columns.collect(),
            key: vec!["id".to_owned()],
            references: references.iter().map(|it| (*it).to_owned()).collect(),
        }
    }

    const ID: (&str, Kind) = ("id", Kind::Integer);

    #[test]
    fn tables_come_after_those_that_either_side_references() {
        let names = |tables: Vec<Table>| -> Vec<String> {
            tables.into_iter().map(|table| table.name).collect()
        };
        let source = [
            table("a", &[ID], &["b"]),
            table("b", &[ID], &["b"]),
            table("c", &[ID], &[]),
            table("credit", &[ID], &[]),
        ];
        let target = [
            table("c", &[ID], &["a"]),
            table("b", &[ID], &[]),
            table("a", &[ID], &[]),
        ];
        assert_eq!(names(plan(&source, &target).unwrap()), ["b", "a", "c"]);
        let circle = [table("a", &[ID], &["b"]), table("b", &[ID], &["a"])];
        let error = plan(&circle, &circle).unwrap_err();
        assert!(error[0].contains("a, b reference each other"), "{error:?}");
    }

    #[test]
    fn leases_of_servers_are_not_copied() {
        let sqlite = [table("usage", &[ID], &[])];
        let postgres = [table("usage", &[ID, ("leases", Kind::Text)], &[])];
        assert_eq!(plan(&sqlite, &postgres).unwrap(), sqlite);
        assert_eq!(plan(&postgres, &sqlite).unwrap(), sqlite);
    }

    #[test]
    fn everything_that_only_one_side_has_is_named() {
        let time = ("at", Kind::Other("timestamptz".to_owned()));
        let source = [
            table("a", &[ID, ("x", Kind::Text), ("at", Kind::Text)], &[]),
            table("b", &[ID], &[]),
        ];
        let target = [
            table("a", &[ID, time, ("y", Kind::Text)], &[]),
            table("c", &[ID], &[]),
        ];
        let expected = [
            "the target has no column a.x",
            "a.at is text in the source and timestamptz in the target, which cannot be copied",
            "the source has no column a.y",
            "the target has no table b",
            "the source has no table c",
        ];
        assert_eq!(plan(&source, &target).unwrap_err(), expected);
    }

    #[test]
    fn rows_of_tables_with_different_keys_are_ordered_by_all_columns() {
        let with_key = [table("a", &[ID, ("x", Kind::Integer)], &[])];
        let mut without = with_key.clone();
        without[0].key = vec!["x".to_owned()];
        without[0].columns[1].kind = Kind::Boolean;
        let merged = plan(&with_key, &without).unwrap();
        assert_eq!(merged[0].key, [""; 0]);
        assert_eq!(merged[0].columns[1].kind, Kind::Boolean);
    }
}
