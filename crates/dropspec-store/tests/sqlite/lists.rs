//! Lists. Their pages and filters are tested end to end on either engine.

use dropspec_store::sqlite::Select;
use dropspec_store::{EngineError, PageRequest};
use rusqlite::StatementStatus;
use tempfile::TempDir;

use crate::fixture::open;

#[test]
fn statement_of_a_list_is_compiled_once() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    let compiled_again = engine.read::<_, EngineError>(|db| {
        let select = || Select::new("SELECT id FROM notes");
        for limit in 1..4 {
            select().page(db, PageRequest { after: 0, limit }, |_| Ok(()))?;
        }
        let statement = db.prepare_cached(&select().sql())?;
        Ok(statement.get_status(StatementStatus::RePrepare))
    });
    assert_eq!(compiled_again.unwrap(), 0);
}
