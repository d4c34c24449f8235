//! Collects the records of a response, or of all pages of a list, and formats them.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::io::{self, IsTerminal, Write};
use std::path::Path;

use anyhow::Result;
use chrono::{DateTime, Utc};
use futures::TryStreamExt;
use petstore_client::{AllPages, ResponseMetadata, ResponseValue};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::cli::CliConfig;
use spec_cli::{Format, Times, Width, format_value, sanitize};

use crate::body;

/// The properties whose integers are Unix seconds.
const UNIX_SECONDS: [&str; 2] = ["bannedUntil", "reset"];

/// Collects the records that a command received, and formats them.
#[derive(Debug)]
pub struct Output {
    format: Format,
    all: bool,
    more_pages: Cell<bool>,
    etag: RefCell<Option<String>>,
    value: RefCell<Option<Value>>,
}

impl Output {
    /// An empty output in this format. `all`: lists are read to their last page.
    pub fn new(format: Format, all: bool) -> Self {
        Self {
            format,
            all,
            more_pages: Cell::new(false),
            etag: RefCell::new(None),
            value: RefCell::new(None),
        }
    }

    /// Whether the records are a page of a list that has a next page.
    pub fn has_more_pages(&self) -> bool {
        self.more_pages.get()
    }

    /// The entity tag of the response, if it has one.
    pub fn etag(&self) -> Option<String> {
        self.etag.borrow().as_deref().map(sanitize::escape_line)
    }

    /// What people read beside an empty list of the command with this name.
    pub fn describe_empty(&self, command: &str) -> Option<String> {
        spec_cli::describe_empty(self.value.borrow().as_ref()?, self.format, command)
    }

    /// Formats the collected records as text; empty if the response had no body. `now`: what times are compared with. `width`: that
    /// of a table.
    pub fn into_text(self, now: DateTime<Utc>, width: Width) -> String {
        let times = Times {
            now: Some(now),
            unix_seconds: UNIX_SECONDS.map(str::to_owned).into(),
        };
        let value = self.value.into_inner();
        value.map_or_else(String::new, |value| {
            format_value(&value, self.format, &times, width)
        })
    }
}

impl CliConfig for &Output {
    fn success_item<T: Serialize + Debug>(&self, value: &ResponseValue<T>) {
        self.more_pages.set(value.next_page().is_some());
        self.etag.replace(value.etag().map(str::to_owned));
        // The value was parsed from JSON, so it can be written as JSON.
        let value = serde_json::to_value(value.as_ref()).unwrap_or_default();
        self.value.replace(Some(value));
    }

    fn success_no_item(&self, _: &ResponseValue<()>) {}

    fn read_body<T: DeserializeOwned>(&self, file: &Path) -> Result<T> {
        body::read_body(file)
    }

    fn wants_all_pages(&self) -> bool {
        self.all
    }

    async fn all_pages<T: Serialize + Debug>(&self, mut records: AllPages<'_, T>) -> Result<()> {
        let shows_progress = io::stderr().is_terminal();
        let mut values = Vec::new();
        // A closed standard error must not end the command.
        let show = |text: &str| {
            let _ = write!(io::stderr(), "\r{text}\u{1b}[K");
        };
        while let Some(record) = records.try_next().await.inspect_err(|_| {
            if shows_progress {
                show("");
            }
        })? {
            values.push(serde_json::to_value(record)?);
            if shows_progress && values.len() % 100 == 0 {
                show(&format!("{} records…", values.len()));
            }
        }
        if shows_progress && values.len() >= 100 {
            show("");
        }
        self.value.replace(Some(Value::Array(values)));
        Ok(())
    }
}
