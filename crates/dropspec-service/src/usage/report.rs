//! The usage of operations, as a table for people or as JSON. Days are dates of UTC.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};

use dropspec_gate::keys::KeyCount;
use dropspec_gate::operation_usage::{OTHER_KEYS, TOKENS, WITHOUT_KEY, date_of};
use dropspec_runtime::OperationInfo;
use serde::{Serialize, Serializer};

/// The usage of all operations.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    service: &'static str,
    title: Option<&'static str>,
    from: String,
    to: String,
    /// Set if only the requests of one key are shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    only_key: Option<i64>,
    operations: Vec<Operation>,
}

/// The usage of an operation.
#[derive(Debug, Serialize)]
struct Operation {
    operation: String,
    /// `None` if the interface does not have the operation any more.
    method: Option<&'static str>,
    path: Option<&'static str>,
    deprecated: bool,
    #[serde(flatten)]
    usage: Usage,
    inputs: Vec<Input>,
}

/// The usage of a deprecated parameter or property.
#[derive(Debug, Serialize)]
struct Input {
    input: String,
    #[serde(flatten)]
    usage: Usage,
}

#[derive(Debug, Default, Serialize)]
struct Usage {
    /// The days on which requests were counted, if there were any.
    #[serde(serialize_with = "serialize_ranges")]
    counted: BTreeSet<i64>,
    keys: Vec<Key>,
}

/// Days that follow each other.
#[derive(Debug, Serialize)]
struct Days {
    from: String,
    to: String,
}

/// The requests of a key.
#[derive(Debug, Serialize)]
struct Key {
    /// `None`: requests without a key, of tokens, or of keys beyond the limit of a day.
    key: Option<i64>,
    /// The name of the key; `None` if there is no such key any more.
    name: Option<String>,
    requests: u64,
    last: String,
    days: BTreeMap<String, u64>,
    #[serde(skip)]
    id: i64,
}

impl Report {
    /// The report of the days from the first to the last, for the operations of an interface and those that it had. The
    /// service has a name, and the title of its document. `counts` are in the order of their days.
    pub(super) fn new(
        (service, title): (&'static str, Option<&'static str>),
        (from, to): (i64, i64),
        operations: &[OperationInfo],
        counts: &[KeyCount],
    ) -> Report {
        let mut usage: BTreeMap<&str, BTreeMap<&str, Usage>> = BTreeMap::new();
        for count in counts {
            let of_operation = usage.entry(&count.count.operation).or_default();
            of_operation
                .entry(&count.count.input)
                .or_default()
                .add(count);
        }
        let known = operations.iter().map(|info| {
            let usage = usage.remove(info.operation_id).unwrap_or_default();
            Operation::new(info.operation_id, Some(info), usage)
        });
        let mut operations: Vec<Operation> = known.collect();
        let removed = usage.into_iter();
        operations.extend(removed.map(|(id, usage)| Operation::new(id, None, usage)));
        Report {
            service,
            title,
            from: format_day(from),
            to: format_day(to),
            only_key: None,
            operations,
        }
    }

    /// Removes all operations but this one; whether there is one.
    pub(super) fn retain_operation(&mut self, id: &str) -> bool {
        self.operations.retain(|it| it.operation == id);
        !self.operations.is_empty()
    }

    /// Removes the requests of all keys but this one, and what it did not call.
    pub(super) fn retain_key(&mut self, key: i64) {
        self.only_key = Some(key);
        for operation in &mut self.operations {
            operation.usage.keys.retain(|it| it.id == key);
            for input in &mut operation.inputs {
                input.usage.keys.retain(|it| it.id == key);
            }
            operation.inputs.retain(|it| !it.usage.keys.is_empty());
        }
        self.operations.retain(|it| !it.usage.keys.is_empty());
    }

    /// Writes a table.
    pub(super) fn write_text(&self, out: &mut impl Write) -> io::Result<()> {
        let mut rows =
            vec![["OPERATION", "KEY", "REQUESTS", "LAST", "COUNTED DAYS"].map(str::to_owned)];
        for operation in &self.operations {
            let mark = match (operation.method, operation.deprecated) {
                (None, _) => " (removed)",
                (_, true) => " (deprecated)",
                _ => "",
            };
            let name = format!("{}{mark}", operation.operation);
            rows.extend(operation.usage.rows(name));
            for Input { input, usage } in &operation.inputs {
                rows.extend(usage.rows(format!("  {input}")));
            }
        }
        writeln!(
            out,
            "Admitted requests from {} to {} (UTC)\n",
            self.from, self.to
        )?;
        let width = |column: usize| {
            let widths = rows.iter().map(|row| row[column].chars().count());
            widths.max().unwrap_or(0)
        };
        let (operation, key, requests) = (width(0), width(1), width(2));
        for [name, sender, count, last, days] in &rows {
            writeln!(
                out,
                "{name:<operation$}  {sender:<key$}  {count:>requests$}  {last:<10}  {days}"
            )?;
        }
        Ok(())
    }
}

impl Operation {
    /// The operation with its usage by input; without `info` the interface does not have it any more.
    fn new(id: &str, info: Option<&OperationInfo>, mut usage: BTreeMap<&str, Usage>) -> Operation {
        Operation {
            operation: id.to_owned(),
            method: info.map(|it| it.method.as_str()),
            path: info.map(|it| it.path),
            deprecated: info.is_some_and(|it| it.deprecation.is_some()),
            usage: usage.remove("").unwrap_or_default(),
            inputs: usage
                .into_iter()
                .map(|(input, usage)| Input {
                    input: input.to_owned(),
                    usage,
                })
                .collect(),
        }
    }
}

impl Usage {
    /// Adds a count. Those of a key follow each other, in the order of their days.
    fn add(&mut self, KeyCount { count, key_name }: &KeyCount) {
        if count.key_id == WITHOUT_KEY || count.requests > 0 {
            self.counted.insert(count.day);
        }
        if count.requests == 0 {
            return;
        }
        if self.keys.last().is_none_or(|it| it.id != count.key_id) {
            self.keys.push(Key {
                key: (count.key_id > 0).then_some(count.key_id),
                name: key_name.clone().or_else(|| fixed_name(count.key_id)),
                requests: 0,
                last: String::new(),
                days: BTreeMap::new(),
                id: count.key_id,
            });
        }
        let day = format_day(count.day);
        if let Some(key) = self.keys.last_mut() {
            key.requests += count.requests;
            key.last.clone_from(&day);
            key.days.insert(day, count.requests);
        }
    }

    /// A row for each key, the first with this name and the number of counted days.
    fn rows(&self, name: String) -> Vec<[String; 5]> {
        let row = |sender: String, requests: u64, last: &str| {
            let (requests, last) = (requests.to_string(), last.to_owned());
            [String::new(), sender, requests, last, String::new()]
        };
        let keys = self.keys.iter().map(|key| {
            let sender = match (key.key, &key.name) {
                (Some(id), Some(name)) => format!("{id} {name}"),
                (Some(id), None) => format!("{id} (deleted)"),
                (None, name) => name.clone().unwrap_or_default(),
            };
            row(sender, key.requests, &key.last)
        });
        let mut rows: Vec<[String; 5]> = keys.collect();
        if rows.is_empty() {
            rows.push(row("-".to_owned(), 0, "-"));
        }
        rows[0][4] = self.counted.len().to_string();
        rows[0][0] = name;
        rows
    }
}

/// The name of what has no key of its own.
fn fixed_name(id: i64) -> Option<String> {
    let name = match id {
        WITHOUT_KEY => "without a key",
        TOKENS => "tokens",
        OTHER_KEYS => "other keys",
        _ => return None,
    };
    Some(name.to_owned())
}

/// Writes days as ranges of those that follow each other.
fn serialize_ranges<S: Serializer>(days: &BTreeSet<i64>, serializer: S) -> Result<S::Ok, S::Error> {
    let days: Vec<i64> = days.iter().copied().collect();
    let ranges = days.chunk_by(|day, next| day + 1 == *next);
    serializer.collect_seq(ranges.map(|range| Days {
        from: format_day(range[0]),
        to: format_day(range[range.len() - 1]),
    }))
}

fn format_day(day: i64) -> String {
    date_of(day).map_or_else(|| day.to_string(), |date| date.to_string())
}
