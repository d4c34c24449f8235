//! Tests of `transfer`.

#![allow(clippy::unwrap_used)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use engine_types::transfer::{Column, Kind};

use super::*;

/// A database with one table of texts, in memory.
#[derive(Clone, Default)]
struct Memory {
    rows: Rc<RefCell<Vec<Row>>>,
    last_id: Option<i64>,
    /// The text that it stores otherwise than it was inserted.
    spoils: Option<&'static str>,
    is_finished: Rc<Cell<bool>>,
}

impl Memory {
    fn with(texts: &[&str]) -> Memory {
        let rows = texts.iter().map(|it| vec![Value::Text((*it).to_owned())]);
        Memory {
            rows: Rc::new(RefCell::new(rows.collect())),
            ..Memory::default()
        }
    }
}

impl Side for Memory {
    async fn tables(&self) -> Result<Vec<Table>, EngineError> {
        let name = "texts".to_owned();
        let kind = Kind::Text;
        Ok(vec![Table {
            columns: vec![Column {
                name: "text".to_owned(),
                kind,
            }],
            key: vec!["text".to_owned()],
            references: Vec::new(),
            name,
        }])
    }

    async fn read_rows<E: From<EngineError>>(
        &self,
        _: &Table,
        mut each: impl AsyncFnMut(Row) -> Result<(), E>,
    ) -> Result<(), E> {
        let rows = self.rows.borrow().clone();
        for row in rows {
            each(row).await?;
        }
        Ok(())
    }

    async fn last_id(&self, _: &Table) -> Result<Option<i64>, EngineError> {
        Ok(self.last_id)
    }

    async fn begin(&self, _: &[Table]) -> Result<(), EngineError> {
        self.rows.borrow_mut().clear();
        Ok(())
    }

    async fn insert(&self, _: &Table, rows: &[Row]) -> Result<(), EngineError> {
        let spoiled = self.spoils.map(|it| Value::Text(it.to_owned()));
        let store = |row: &Row| {
            if Some(&row[0]) == spoiled.as_ref() {
                vec![Value::Text("spoiled".to_owned())]
            } else {
                row.clone()
            }
        };
        self.rows.borrow_mut().extend(rows.iter().map(store));
        Ok(())
    }

    async fn set_last_id(&self, _: &Table, _: Option<i64>) -> Result<(), EngineError> {
        Ok(())
    }

    async fn finish(self, _: &[Table]) -> Result<(), EngineError> {
        self.is_finished.set(true);
        Ok(())
    }
}

/// Copies, and returns the outcome and whether the copy was finished.
async fn copied(source: &Memory, target: &Memory) -> (Result<Outcome, CopyError>, bool) {
    let copied = copy(source, target.clone(), false).await;
    (copied.map(|(outcome, _)| outcome), target.is_finished.get())
}

#[tokio::test]
async fn copy_that_differs_from_its_source_is_not_finished() {
    let source = Memory::with(&["a", "b", "c"]);
    for text in ["a", "c"] {
        let target = Memory {
            spoils: Some(text),
            ..Memory::default()
        };
        let (outcome, is_finished) = copied(&source, &target).await;
        let error = outcome.unwrap_err();
        assert!(matches!(error, CopyError::Differs { .. }), "{error}");
        assert!(!is_finished);
    }
    let (one, other) = (Memory::with(&["a"]), Memory::with(&[]));
    let (one, other) = (
        Memory {
            last_id: Some(7),
            ..one
        },
        Memory {
            last_id: Some(6),
            ..other
        },
    );
    let (outcome, is_finished) = copied(&one, &other).await;
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("last id 6 instead of last id 7"), "{error}");
    assert!(!is_finished);
}

#[tokio::test]
async fn unfinished_copy_begins_anew() {
    let source = Memory::with(&["a", "b", "c"]);
    for had in [&[][..], &["a"], &["b"], &["a", "b", "c", "d"]] {
        let target = Memory::with(had);
        let (outcome, is_finished) = copied(&source, &target).await;
        assert_eq!(outcome.unwrap(), Outcome::Copied, "{had:?}");
        assert!(is_finished);
        assert_eq!(*target.rows.borrow(), *source.rows.borrow(), "{had:?}");
    }
}
