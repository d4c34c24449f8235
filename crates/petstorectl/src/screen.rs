//! What becomes of the answers: collected, page after page, and shown in the end.

use std::cell::{Cell, RefCell};
use std::fmt::Debug;
use std::io::{self, IsTerminal};

use anyhow::Result;
use clap::ArgMatches;
use petstore_client::{Answered, Error, ResponseValue, builder};
use serde::Serialize;
use serde_json::Value;

use crate::arguments::Format;
use crate::cli::CliConfig;
use crate::{plain, table};

/// Collects what is to be shown.
#[derive(Debug)]
pub struct Screen {
    format: Format,
    /// The size of the pages, if all of them are wanted.
    page: Option<i64>,
    /// The last id seen, if there is more behind it.
    next: Cell<Option<i64>>,
    /// Whether the last page named the same next one as the page before it.
    stuck: Cell<bool>,
    shown: RefCell<Option<Value>>,
    progress: bool,
}

impl Screen {
    /// An empty screen. `page`: the size of the pages, if all of them are wanted.
    pub fn new(format: Format, page: Option<i64>) -> Self {
        Self {
            format,
            page,
            next: Cell::new(None),
            stuck: Cell::new(false),
            shown: RefCell::new(None),
            progress: page.is_some() && io::stderr().is_terminal(),
        }
    }

    /// Whether the last page named another one.
    pub fn has_next_page(&self) -> bool {
        self.next.get().is_some()
    }

    /// Whether the next page would be the last one again: its request does not say where it begins, or nobody listens.
    pub fn is_stuck(&self) -> bool {
        self.stuck.get()
    }

    /// What was collected.
    ///
    /// # Errors
    ///
    /// It cannot be written as JSON.
    pub fn text(&self) -> Result<String> {
        let shown = self.shown.borrow();
        Ok(match (shown.as_ref(), self.format) {
            (None, _) => String::new(),
            (Some(value), Format::Json) => {
                let text = serde_json::to_string_pretty(value)?;
                format!("{}\n", plain::json(&text))
            }
            (Some(value), Format::Table) => table::of(value),
        })
    }

    fn add(&self, value: Value) {
        let mut shown = self.shown.borrow_mut();
        match (shown.as_mut(), value) {
            (Some(Value::Array(records)), Value::Array(more)) => records.extend(more),
            (_, value) => *shown = Some(value),
        }
        if let (true, Some(Value::Array(records))) = (self.progress, shown.as_ref()) {
            // What comes next, be it a message, is written over it.
            let end = if self.has_next_page() { "…\r" } else { " \n" };
            eprint!("{} records{end}", records.len());
        }
    }

    /// Sets where a list begins and how long its pages are, unless the caller did.
    fn turn<B: Clone>(
        &self,
        matches: &ArgMatches,
        request: &mut B,
        after: impl FnOnce(B, i64) -> B,
        limit: impl FnOnce(B, i64) -> B,
    ) -> Result<()> {
        if let Some(page) = self.page.filter(|_| !matches.contains_id("limit")) {
            *request = limit(request.clone(), page);
        }
        if let Some(last) = self.next.get() {
            *request = after(request.clone(), last);
        }
        Ok(())
    }
}

/// The `after` of a link to the next page.
fn after(target: &str) -> Option<i64> {
    let (_, query) = target.split_once('?')?;
    query
        .split('&')
        .find_map(|pair| pair.strip_prefix("after="))?
        .parse()
        .ok()
}

impl CliConfig for &Screen {
    fn success_item<T: Serialize + Debug>(&self, value: &ResponseValue<T>) {
        let next = value.next_page().and_then(after);
        self.stuck.set(next.is_some() && next == self.next.get());
        self.next.set(next);
        // What came as JSON goes as JSON.
        self.add(serde_json::to_value(value.as_ref()).unwrap_or_default());
    }

    fn success_no_item(&self, _: &ResponseValue<()>) {}

    fn error<T: Serialize + Debug>(&self, _: &Error<T>) {}

    fn execute_list_pets(
        &self,
        matches: &ArgMatches,
        request: &mut builder::ListPets,
    ) -> Result<()> {
        self.turn(
            matches,
            request,
            |list, id| list.after(id),
            |list, size| list.limit(size),
        )
    }

    fn execute_list_categories(
        &self,
        matches: &ArgMatches,
        request: &mut builder::ListCategories,
    ) -> Result<()> {
        self.turn(
            matches,
            request,
            |list, id| list.after(id),
            |list, size| list.limit(size),
        )
    }

    fn execute_list_orders(
        &self,
        matches: &ArgMatches,
        request: &mut builder::ListOrders,
    ) -> Result<()> {
        self.turn(
            matches,
            request,
            |list, id| list.after(id),
            |list, size| list.limit(size),
        )
    }

    fn execute_list_inventory(
        &self,
        matches: &ArgMatches,
        request: &mut builder::ListInventory,
    ) -> Result<()> {
        self.turn(
            matches,
            request,
            |list, id| list.after(id),
            |list, size| list.limit(size),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn the_next_page_begins_after_the_last_id() {
        assert_eq!(after("/pets?limit=2&after=7"), Some(7));
        assert_eq!(after("/pets?thereafter=7"), None);
        assert_eq!(after("/pets"), None);
    }

    #[test]
    fn pages_become_one_list() {
        let screen = Screen::new(Format::Json, Some(2));
        screen.add(json!([1, 2]));
        screen.add(json!([3]));
        let shown: Value = serde_json::from_str(&screen.text().expect("text")).expect("JSON");
        assert_eq!(shown, json!([1, 2, 3]));
    }

    #[test]
    fn no_body_shows_nothing() {
        assert_eq!(Screen::new(Format::Json, None).text().expect("text"), "");
    }
}
