//! Every operation is affordable on each plan of `x-rate-limits`. That plans are well formed is said by the generator.

use dropspec_model::{Node, Place};

use super::find_extension;
use crate::linting::linter::{Linter, as_count};
use crate::linting::rules::rule;

impl Linter<'_> {
    pub(super) fn check_rate_limits(&mut self) {
        let root = Place::root(&self.spec.document);
        let found = find_extension(&root, &self.spec.extensions, "x-rate-limits");
        let Some((node, at)) = found else { return };
        let mut smallest = u64::MAX;
        for (plan, member) in node.as_object().into_iter().flatten() {
            let limit = |window: &str| member.node.get(window).and_then(as_count);
            let (Some(minute), Some(day)) = (limit("per-minute"), limit("per-day")) else {
                continue;
            };
            smallest = smallest.min(minute).min(day);
            if minute > day {
                let message = format!("the plan `{plan}` allows more in a minute than in a day");
                let help = "raise `per-day`, or lower `per-minute`";
                let at = at.member(plan, member);
                self.report(rule!("house-rate-limits"), &at, message, help);
            }
        }
        for operation in &self.spec.operations {
            let found = find_extension(&operation.at, &operation.extensions, "x-rate-limit-cost");
            let cost = found
                .as_ref()
                .and_then(|(node, _): &(&Node, Place)| as_count(node));
            if let (Some(cost), Some((_, at))) = (cost, &found)
                && cost > smallest
            {
                let message =
                    format!("the operation costs {cost}, but the smallest limit is {smallest}");
                let help = "lower the cost: some callers could never call the operation";
                self.report(rule!("house-rate-limits"), at, message, help);
            }
        }
    }
}
