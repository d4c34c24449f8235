//! Who uses a service, as its command `usage` prints it as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;
use serde::Deserialize;

/// More days than any service keeps. A longer range is a mistake.
const MAX_DAYS: i64 = 3660;

/// Which keys call which operations of a service, on which days.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// By method and path, without the names of path parameters.
    operations: HashMap<String, KnownOperation>,
    /// Those that several of the compared documents have: it is not known of which of them the counts are.
    shared: HashSet<String>,
}

/// A file of usage cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// It does not have the form that `usage --json` prints.
    #[error("it is not what `usage --json` of a service prints")]
    Unreadable(#[source] serde_json::Error),
    /// It has the requests of one key, so others would be missed.
    #[error("it has the requests of one key only: print it without --key")]
    OneKey,
    /// A range of days is too long, or ends before it begins.
    #[error("the counted days from {0} to {1} are no range of at most {MAX_DAYS} days")]
    Range(NaiveDate, NaiveDate),
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct KnownOperation {
    pub(crate) counts: Counts,
    inputs: BTreeMap<String, Counts>,
}

/// The counts of an operation, or of a deprecated input of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Counts {
    pub(crate) counted: BTreeSet<NaiveDate>,
    /// The days of each key; `None` are requests without a key of their own.
    days: BTreeMap<Option<i64>, BTreeSet<NaiveDate>>,
}

#[derive(Deserialize)]
struct File {
    only_key: Option<i64>,
    operations: Vec<OperationEntry>,
}

#[derive(Deserialize)]
struct OperationEntry {
    method: Option<String>,
    path: Option<String>,
    #[serde(flatten)]
    counts: Entry,
    inputs: Vec<InputEntry>,
}

#[derive(Deserialize)]
struct InputEntry {
    input: String,
    #[serde(flatten)]
    counts: Entry,
}

#[derive(Deserialize)]
struct Entry {
    counted: Vec<Range>,
    keys: Vec<Key>,
}

#[derive(Deserialize)]
struct Range {
    from: NaiveDate,
    to: NaiveDate,
}

#[derive(Deserialize)]
struct Key {
    key: Option<i64>,
    days: BTreeMap<NaiveDate, u64>,
}

impl Usage {
    /// Reads the output of `usage --json`.
    ///
    /// # Errors
    /// The text is something else, or has one key only.
    pub fn from_json(text: &str) -> Result<Usage, UsageError> {
        let file: File = serde_json::from_str(text).map_err(UsageError::Unreadable)?;
        if file.only_key.is_some() {
            return Err(UsageError::OneKey);
        }
        let mut operations = HashMap::new();
        for entry in file.operations {
            let (Some(method), Some(path)) = (entry.method, entry.path) else {
                continue;
            };
            let mut known = KnownOperation {
                counts: entry.counts.read()?,
                inputs: BTreeMap::new(),
            };
            for InputEntry { input, counts } in entry.inputs {
                known.inputs.insert(input, counts.read()?);
            }
            operations.insert(to_key(&format!("{method} {path}")), known);
        }
        let shared = HashSet::new();
        Ok(Usage { operations, shared })
    }

    /// The same without the counts of operations that several documents have.
    pub(crate) fn without_shared(&self, operations: &[String]) -> Usage {
        Usage {
            shared: operations.iter().map(|it| to_key(it)).collect(),
            ..self.clone()
        }
    }

    /// The counts of an operation, such as `GET /pets`.
    pub(crate) fn find(&self, operation: &str) -> Option<&KnownOperation> {
        let known = self.operations.get(&to_key(operation));
        known.filter(|_| !self.is_shared(operation))
    }

    /// Whether several documents have an operation.
    pub(crate) fn is_shared(&self, operation: &str) -> bool {
        self.shared.contains(&to_key(operation))
    }
}

impl KnownOperation {
    /// The first of these inputs that is counted.
    pub(crate) fn find_input(&self, inputs: &[String]) -> Option<(&str, &Counts)> {
        let find = |wanted: &String| {
            let is_header = wanted.starts_with("header ");
            let mut known = self.inputs.iter();
            known.find(|(input, _)| {
                if is_header {
                    input.eq_ignore_ascii_case(wanted)
                } else {
                    *input == wanted
                }
            })
        };
        let (input, counts) = inputs.iter().find_map(find)?;
        Some((input, counts))
    }
}

impl Counts {
    /// The keys that used it on this day or later.
    pub(crate) fn users_since(&self, day: NaiveDate) -> impl Iterator<Item = Option<i64>> {
        let users = self.days.iter();
        let users = users.filter(move |(_, days)| days.last().is_some_and(|last| *last >= day));
        users.map(|(key, _)| *key)
    }

    /// The last day on which it was used.
    pub(crate) fn last(&self) -> Option<NaiveDate> {
        self.days
            .values()
            .filter_map(|days| days.last().copied())
            .max()
    }
}

impl Entry {
    fn read(self) -> Result<Counts, UsageError> {
        let mut counts = Counts::default();
        for Range { from, to } in self.counted {
            let length = (to - from).num_days();
            if !(0..MAX_DAYS).contains(&length) {
                return Err(UsageError::Range(from, to));
            }
            counts
                .counted
                .extend(from.iter_days().take_while(|day| *day <= to));
        }
        for Key { key, days } in self.keys {
            let used = days.into_iter().filter(|(_, requests)| *requests > 0);
            let entry = counts.days.entry(key).or_default();
            entry.extend(used.map(|(day, _)| day));
        }
        Ok(counts)
    }
}

/// The name of an operation without the names of its path parameters, which clients do not see.
pub(crate) fn to_key(operation: &str) -> String {
    let mut key = String::with_capacity(operation.len());
    let mut in_name = false;
    for character in operation.chars() {
        in_name &= character != '}';
        if !in_name {
            key.push(character);
        }
        in_name |= character == '{';
    }
    key
}
