//! Who uses what a finding touches, by the counts of a running service, and breaks that are allowed because nobody does.

use std::collections::BTreeSet;

use chrono::{Days, NaiveDate};

use crate::counts::{Counts, Usage};
use crate::finding::{Finding, FindingUsage};
use crate::policy::Policy;
use crate::rules::{Category, Level};

/// Keys are counted that used something in so many days, with the current one.
const RECENT_DAYS: u64 = 30;

/// What is known of everything that a finding touches.
#[derive(Default)]
struct Touched<'u> {
    of: Vec<String>,
    counts: Vec<&'u Counts>,
    /// The operations of which nothing is known.
    unknown: Vec<&'u str>,
    /// Those of them that several documents have.
    shared: Vec<&'u str>,
    /// The days on which all was counted.
    counted: BTreeSet<NaiveDate>,
}

/// Adds to each finding who uses what it touches, and lowers those that the policy allows to infos.
pub(crate) fn apply(findings: &mut [Finding], policy: &Policy) {
    let Some(usage) = &policy.usage else {
        return;
    };
    for finding in findings {
        let Some(found) = look_up(finding, usage, policy) else {
            continue;
        };
        if found.allowed {
            finding.lower(Level::Info);
        }
        finding.usage = Some(found);
    }
}

/// Who uses what a finding touches; `None` if it breaks no operation.
fn look_up(finding: &Finding, usage: &Usage, policy: &Policy) -> Option<FindingUsage> {
    let broken = finding.reach.iter().filter(|it| it.level > Level::Info);
    let operations: Vec<&str> = broken.map(|it| it.operation.as_str()).collect();
    if operations.is_empty() {
        return None;
    }
    let touched = Touched::new(&operations, finding, usage);
    let recent = last_days(policy.today, RECENT_DAYS);
    let since = recent.first().copied().unwrap_or(policy.today);
    let mut users = BTreeSet::new();
    for counts in &touched.counts {
        users.extend(counts.users_since(since));
    }
    let keys = users.iter().filter(|id| id.is_some()).count();
    let mut found = FindingUsage {
        keys,
        without_key: users.len() > keys,
        last: touched.counts.iter().filter_map(|it| it.last()).max(),
        counted_since: touched.counted.first().copied(),
        counted_days: touched.counted.len(),
        summary: String::new(),
        allowed: false,
        of: touched.of.clone(),
    };
    found.summary = found.summarize(&touched, &recent, policy.today);
    // A notice that is missing is missing whoever listens.
    let is_break = finding.id.rule().category == Category::Interface;
    if let Some(days) = policy.allow_unused_for.filter(|_| is_break) {
        let (allowed, reason) = found.check_allowance(&touched, days.get(), policy.today);
        found.allowed = allowed;
        found.summary.push_str(&reason);
    }
    Some(found)
}

impl<'u> Touched<'u> {
    fn new(operations: &[&'u str], finding: &Finding, usage: &'u Usage) -> Touched<'u> {
        let mut touched = Touched::default();
        for operation in operations {
            let known = usage.find(operation);
            let input = known.and_then(|known| known.find_input(&finding.inputs));
            match (known, input) {
                (_, Some((input, counts))) => {
                    touched.of.push(format!("{operation}: {input}"));
                    touched.counts.push(counts);
                    continue;
                }
                (Some(known), None) => touched.counts.push(&known.counts),
                (None, None) => touched.unknown.push(operation),
            }
            touched.of.push((*operation).to_owned());
        }
        let shared = touched.unknown.iter().filter(|it| usage.is_shared(it));
        touched.shared = shared.copied().collect();
        let all = touched.counts.iter().map(|it| it.counted.clone());
        let counted = all.reduce(|all, days| &all & &days);
        let counted = counted.filter(|_| touched.unknown.is_empty());
        touched.counted = counted.unwrap_or_default();
        touched
    }
}

impl FindingUsage {
    fn summarize(&self, touched: &Touched<'_>, recent: &[NaiveDate], today: NaiveDate) -> String {
        let keys = match self.keys {
            1 => "1 key".to_owned(),
            keys => format!("{keys} keys"),
        };
        let who = match (self.keys, self.without_key) {
            (0, true) => Some("requests without a key".to_owned()),
            (0, false) => None,
            (_, true) => Some(format!("{keys} and requests without a key")),
            (_, false) => Some(keys),
        };
        let unknown = touched.unknown.join(", ");
        let shared = touched.shared.join(", ");
        match (who, self.last, self.counted_since) {
            (Some(who), Some(last), _) => {
                format!("used by {who} in the last {RECENT_DAYS} days (last on {last})")
            }
            (_, Some(last), _) => {
                let counted = recent
                    .iter()
                    .filter(|it| touched.counted.contains(it))
                    .count();
                format!(
                    "last used on {last}, and by no key in the last {RECENT_DAYS} days (counted days: {counted} of {RECENT_DAYS})"
                )
            }
            (_, None, _) if !shared.is_empty() => {
                format!(
                    "usage is not known: several documents have {shared}, name that of the service"
                )
            }
            (_, None, _) if !unknown.is_empty() => {
                format!("usage is not known: {unknown} was not counted")
            }
            (_, None, None) => "usage is not known: there is no counted day".to_owned(),
            (_, None, Some(since)) => {
                // The current day may not be stored yet.
                let end = today.pred_opt().unwrap_or(today);
                let all = since
                    .iter_days()
                    .take_while(|day| *day <= end.max(since))
                    .count();
                let counted = self.counted_days;
                if counted < all {
                    format!("not used by any key since {since} (counted days: {counted} of {all})")
                } else {
                    format!("not used by any key since {since} (counted days: {counted})")
                }
            }
        }
    }

    /// Whether nobody used it for so many days before today, and a text to follow the summary.
    fn check_allowance(
        &self,
        touched: &Touched<'_>,
        days: u32,
        today: NaiveDate,
    ) -> (bool, String) {
        let yesterday = today.pred_opt().unwrap_or(today);
        let window = last_days(yesterday, u64::from(days));
        let is_used = self
            .last
            .is_some_and(|last| window.first().is_none_or(|first| last >= *first));
        // The summary says both.
        if is_used || touched.counted.is_empty() {
            return (false, String::new());
        }
        let mut gaps = window.iter().filter(|day| !touched.counted.contains(day));
        match gaps.next() {
            None => (
                true,
                format!("; allowed, as nobody used it for {days} days"),
            ),
            Some(first) => {
                let count = 1 + gaps.count();
                let text = format!(
                    "; not allowed, as {count} of the {days} days before today were not counted, first {first}"
                );
                (false, text)
            }
        }
    }
}

/// So many days until this one, in their order.
fn last_days(until: NaiveDate, days: u64) -> Vec<NaiveDate> {
    let first = (0..days).rev();
    first
        .filter_map(|back| until.checked_sub_days(Days::new(back)))
        .collect()
}
