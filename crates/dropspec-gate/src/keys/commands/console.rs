//! The key commands for the page of the operator: each is given as the words of the command line, so that both check and do the
//! same.

mod key_page;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context, Result, bail};
use chrono::{DateTime, Utc};
use clap::{CommandFactory, FromArgMatches};
use dropspec_runtime::OperationInfo;
use serde_json::{Value, json};

use self::key_page::{KeyQuery, is_banned};
use super::key::Key;
use super::{Caller, KeyCommands, Report, scopes_of};
use crate::keys::{ApiKeys, Author, KeyCount};
use crate::operation_usage::{OTHER_KEYS, TOKENS, WITHOUT_KEY, date_of, day_of};

/// The days of which callers are shown.
const DAYS: i64 = 30;

/// Runs key commands, and reads keys and their usage.
#[derive(Debug)]
pub struct KeyConsole {
    /// The keys, which are the ledger of the service as well.
    pub keys: Arc<ApiKeys>,
    /// The operations of the interface.
    pub operations: &'static [OperationInfo],
    /// The plan of a new key that names none.
    pub default_plan: &'static str,
}

/// A line of words, as the command line has it after `keys`.
#[derive(Debug, clap::Parser)]
#[command(
    name = "keys",
    no_binary_name = true,
    disable_help_flag = true,
    disable_help_subcommand = true
)]
struct Line {
    #[command(flatten)]
    commands: KeyCommands,
}

impl KeyConsole {
    /// The plans and scopes that a key can have.
    pub fn settings(&self) -> Value {
        let plans = self.keys.settings().plans.iter();
        let plans = plans.map(|plan| {
            let limits = plan.limits.map(|it| (it.per_minute, it.per_day)).unzip();
            json!({ "name": plan.name, "custom": plan.limits.is_none(), "per_minute": limits.0, "per_day": limits.1 })
        });
        let scopes = scopes_of(self.operations);
        json!({ "plans": plans.collect::<Vec<_>>(), "scopes": scopes, "default_plan": self.default_plan })
    }

    /// A page of the keys with their limits and bans at `now`, by the query of a URL; how many keys there are of each kind, and
    /// the keys that have one of these prefixes.
    pub async fn list(
        &self,
        query: &str,
        prefixes: &BTreeSet<String>,
        now: DateTime<Utc>,
    ) -> Result<Value> {
        let keys = self.keys.list().await?;
        let (all, seconds) = (keys.len(), now.timestamp());
        let valid = keys.iter().filter(|key| key.is_valid_at(seconds));
        let mut plans: BTreeMap<&str, u64> = BTreeMap::new();
        valid
            .clone()
            .for_each(|key| *plans.entry(key.given.plan.name()).or_default() += 1);
        let mut names = BTreeMap::new();
        for key in &keys {
            let known = key.secrets.iter().map(|secret| &secret.prefix);
            let known = known.filter(|prefix| prefixes.contains(*prefix));
            names.extend(known.map(|prefix| (prefix.clone(), json!([key.id, key.given.name]))));
        }
        let counts = json!({
            "all": all,
            "used": valid.clone().count(),
            "banned": valid.filter(|key| is_banned(key, seconds)).count(),
            "plans": plans,
        });
        let page = KeyQuery::of_url(query).select(keys, now);
        let shown = page.keys.into_iter().map(|key| Key::new(key, now));
        let shown = serde_json::to_value(shown.collect::<Vec<_>>())?;
        Ok(json!({
            "keys": shown, "page": page.number, "pages": page.pages, "found": page.found, "more": page.more,
            "counts": counts, "names": names,
        }))
    }

    /// Runs a command, such as `revoke 3`, and returns its result.
    pub async fn run(&self, words: Vec<String>, author: Author) -> Result<Value> {
        let plans = self.keys.settings().plans;
        let command = KeyCommands::restrict_plans(Line::command(), plans, self.default_plan);
        let mut command = KeyCommands::restrict_scopes(command, self.operations);
        let line = command.try_get_matches_from_mut(words);
        let line = line.and_then(|matches| Line::from_arg_matches(&matches));
        let line = match line {
            Ok(line) => line,
            Err(error) => {
                let text = error.render().to_string();
                // The rest is about the command line.
                let text = text.split("\n\n").next().unwrap_or_default();
                bail!("{}", text.trim_start_matches("error: ").trim())
            }
        };
        let report: Report = line
            .commands
            .action
            .run(&self.keys, &Caller::new(author))
            .await?;
        serde_json::to_value(report).context("cannot write the result")
    }

    /// The deprecated operations, and inputs that were used, with their callers in the last 30 days.
    pub async fn deprecated(&self, now: DateTime<Utc>) -> Result<Value> {
        let counts = self
            .keys
            .read_operation_usage(day_of(now) - DAYS + 1)
            .await?;
        let mut callers: BTreeMap<(&str, &str), BTreeMap<i64, Vec<&KeyCount>>> = BTreeMap::new();
        for count in counts.iter().filter(|it| it.count.requests > 0) {
            let of_subject = callers.entry((&count.count.operation, &count.count.input));
            let of_key = of_subject.or_default().entry(count.count.key_id);
            of_key.or_default().push(count);
        }
        let deprecated = self
            .operations
            .iter()
            .filter_map(|it| Some((it, it.deprecation?)));
        let operations = deprecated.map(|(operation, deprecation)| {
            let callers = callers.get(&(operation.operation_id, ""));
            let sunset = deprecation.sunset.map(|it| it.to_string());
            json!({ "operation": operation.operation_id, "sunset": sunset, "callers": describe(callers) })
        });
        let used_inputs = callers.iter().filter(|((_, input), _)| !input.is_empty());
        let inputs = used_inputs.map(|((operation, input), callers)| {
            json!({ "operation": operation, "input": input, "callers": describe(Some(callers)) })
        });
        Ok(json!({ "operations": operations.chain(inputs).collect::<Vec<_>>() }))
    }
}

fn describe(callers: Option<&BTreeMap<i64, Vec<&KeyCount>>>) -> Vec<Value> {
    let callers = callers.into_iter().flatten();
    let describe = callers.map(|(key, counts)| {
        let name = counts.iter().find_map(|it| it.key_name.as_deref());
        let name = match (*key, name) {
            (_, Some(name)) => format!("{name} (key {key})"),
            (WITHOUT_KEY, None) => "without a key".to_owned(),
            (TOKENS, None) => "tokens".to_owned(),
            (OTHER_KEYS, None) => "further keys".to_owned(),
            (key, None) => format!("key {key}, which does not exist any more"),
        };
        let requests: u64 = counts.iter().map(|it| it.count.requests).sum();
        let last = counts.iter().map(|it| it.count.day).max().and_then(date_of);
        json!({ "name": name, "requests": requests, "last": last.map(|it| it.to_string()) })
    });
    describe.collect()
}
