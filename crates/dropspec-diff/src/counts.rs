//! Who uses a service, as its command `usage` prints it as JSON.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use chrono::NaiveDate;
use serde::Deserialize;

use crate::template::split_template;

/// More days than any service keeps. A longer range is a mistake.
const MAX_DAYS: i64 = 3660;

/// Which keys call which operations of a service, on which days.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Usage {
    /// The title of the document of the service, if the file has it.
    pub title: Option<String>,
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
    /// It counts requests of a day that is not in its period.
    #[error("it counts {0}, which is not from `from` to `to`")]
    OtherPeriod(NaiveDate),
}

#[derive(Debug, Clone, PartialEq, Deserialize)]
pub(crate) struct KnownOperation {
    method: Option<String>,
    path: Option<String>,
    #[serde(flatten)]
    pub(crate) counts: Counts,
    inputs: Vec<KnownInput>,
}

/// A deprecated input of an operation.
#[derive(Debug, Clone, PartialEq, Deserialize)]
struct KnownInput {
    input: String,
    #[serde(flatten)]
    counts: Counts,
}

/// The counts of an operation, or of an input of it.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "Entry")]
pub(crate) struct Counts {
    pub(crate) counted: BTreeSet<NaiveDate>,
    /// The days of each key; `None` are requests without a key of their own.
    days: BTreeMap<Option<i64>, BTreeSet<NaiveDate>>,
}

#[derive(Deserialize)]
struct File {
    title: Option<String>,
    from: Option<NaiveDate>,
    to: Option<NaiveDate>,
    only_key: Option<i64>,
    operations: Vec<KnownOperation>,
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
    #[serde(default)]
    requests: u64,
    last: Option<NaiveDate>,
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
        let inputs = file.operations.iter().flat_map(|it| &it.inputs);
        let counts = inputs.map(|it| &it.counts);
        let counts = counts.chain(file.operations.iter().map(|it| &it.counts));
        let mut days = counts.flat_map(|it| it.counted.iter().chain(it.days.values().flatten()));
        let (from, to) = (file.from, file.to);
        let is_outside =
            |day: NaiveDate| from.is_some_and(|it| day < it) || to.is_some_and(|it| day > it);
        if let Some(day) = days.find(|day| is_outside(**day)) {
            return Err(UsageError::OtherPeriod(*day));
        }
        let operations = file.operations.into_iter().filter_map(|known| {
            let label = format!("{} {}", known.method.as_ref()?, known.path.as_ref()?);
            Some((split_template(&label).0, known))
        });
        Ok(Usage {
            title: file.title,
            operations: operations.collect(),
            shared: HashSet::new(),
        })
    }

    /// The same without the counts of operations that several documents have.
    pub(crate) fn without_shared(&self, operations: &[String]) -> Usage {
        Usage {
            shared: operations.iter().map(|it| split_template(it).0).collect(),
            ..self.clone()
        }
    }

    /// The counts of an operation, such as `GET /pets`.
    pub(crate) fn find(&self, operation: &str) -> Option<&KnownOperation> {
        let known = self.operations.get(&split_template(operation).0);
        known.filter(|_| !self.is_shared(operation))
    }

    /// Whether several documents have an operation.
    pub(crate) fn is_shared(&self, operation: &str) -> bool {
        self.shared.contains(&split_template(operation).0)
    }
}

impl KnownOperation {
    /// The first of these inputs that is counted.
    pub(crate) fn find_input(&self, inputs: &[String]) -> Option<(&str, &Counts)> {
        let find = |wanted: &String| {
            let is_header = wanted.starts_with("header ");
            self.inputs.iter().find(|known| {
                known.input == *wanted || is_header && known.input.eq_ignore_ascii_case(wanted)
            })
        };
        let known = inputs.iter().find_map(find)?;
        Some((&known.input, &known.counts))
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
        let days = self.days.values();
        days.filter_map(|days| days.last().copied()).max()
    }
}

impl TryFrom<Entry> for Counts {
    type Error = String;

    fn try_from(entry: Entry) -> Result<Counts, String> {
        let mut counted = BTreeSet::new();
        for Range { from, to } in entry.counted {
            if !(0..MAX_DAYS).contains(&(to - from).num_days()) {
                return Err(format!(
                    "the counted days from {from} to {to} are no range of at most {MAX_DAYS} days"
                ));
            }
            counted.extend(from.iter_days().take_while(|day| *day <= to));
        }
        let mut all: BTreeMap<Option<i64>, BTreeSet<NaiveDate>> = BTreeMap::new();
        for it in entry.keys {
            let days = it.days.into_iter().filter(|(_, requests)| *requests > 0);
            let days: BTreeSet<_> = days.map(|(day, _)| day).chain(it.last).collect();
            if it.requests > 0 && days.is_empty() {
                return Err(format!("a key has {} requests on no day", it.requests));
            }
            all.entry(it.key).or_default().extend(days);
        }
        Ok(Counts { counted, days: all })
    }
}
