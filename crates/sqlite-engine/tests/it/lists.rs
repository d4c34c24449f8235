//! Lists: ordered by id, in pages, with filters.

use rusqlite::StatementStatus;
use sqlite_engine::{Engine, EngineError, Page, PageRequest, Select};
use tempfile::TempDir;

use crate::fixture::{open, write_note};

fn list(engine: &Engine, text: Option<&'static str>, after: i64) -> Page<i64> {
    let request = PageRequest { after, limit: 2 };
    let page = engine.read::<_, EngineError>(|db| {
        Select::new("SELECT id FROM notes")
            .where_equal("text", text)
            .page(db, request, |row| row.get(0))
    });
    page.unwrap()
}

/// Returns all pages of a list.
fn list_pages(engine: &Engine, text: Option<&'static str>) -> Vec<Vec<i64>> {
    let mut pages = Vec::new();
    let mut after = 0;
    loop {
        let Page { items, more } = list(engine, text, after);
        after = *items.last().unwrap();
        pages.push(items);
        if !more {
            return pages;
        }
    }
}

#[tokio::test]
async fn pages_contain_every_matching_row_once_and_in_order() {
    let directory = TempDir::new().unwrap();
    let engine = open(&directory, "db");
    for text in ["a", "b", "deleted", "a", "a"] {
        write_note(&engine, text).await;
    }
    let deleted = engine.write::<_, EngineError>(|db| {
        db.execute("DELETE FROM notes WHERE text = 'deleted'", [])?;
        Ok(())
    });
    deleted.await.unwrap();

    assert_eq!(
        list_pages(&engine, None),
        [[1, 2], [4, 5]],
        "no page follows a full last page"
    );
    assert_eq!(list_pages(&engine, Some("a")), [vec![1, 4], vec![5]]);
    let beyond = list(&engine, None, 5);
    assert!(beyond.items.is_empty() && !beyond.more);
}

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
