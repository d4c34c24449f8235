//! `x-rate-limits` at the root describes plans, and every operation is affordable on each of them.

use spec_model::{Object, Place};

use super::find_extension;
use crate::linter::{Linter, as_count};
use crate::rules::rule;

/// The rate limit windows of a plan in `x-rate-limits`, the shorter one first.
const WINDOWS: [&str; 2] = ["per-minute", "per-day"];

impl Linter<'_> {
    pub(super) fn check_rate_limits(&mut self) {
        let root = Place::root(&self.spec.document);
        let found = find_extension(&root, &self.spec.extensions, "x-rate-limits");
        let Some((node, at)) = found else { return };
        let Some(plans) = node.as_object().filter(|plans| !plans.is_empty()) else {
            let help = "write each plan with `per-minute` and `per-day`";
            let message = "`x-rate-limits` has no plans";
            self.report(rule!("house-rate-limits"), &at, message, help);
            return;
        };
        for (plan, member) in plans {
            let at = at.member(plan, member);
            match member.node.as_object() {
                Some(limits) => self.check_plan(plan, &at, limits),
                None => {
                    let message = format!("the plan `{plan}` is not an object");
                    let help = "write `{per-minute: 60, per-day: 1000}`";
                    self.report(rule!("house-rate-limits"), &at, message, help);
                }
            }
        }
        self.check_costs(plans);
    }

    fn check_plan(&mut self, plan: &str, at: &Place, limits: &Object) {
        let custom = limits
            .get("custom")
            .and_then(|member| member.node.as_bool());
        if custom == Some(true) {
            if limits.len() > 1 {
                let message = format!("the plan `{plan}` is custom and has limits");
                let help = "write either `custom: true` or the limits";
                self.report(rule!("house-rate-limits"), at, message, help);
            }
            return;
        }
        for key in limits.keys().filter(|key| !WINDOWS.contains(&key.as_str())) {
            let message = format!("the plan `{plan}` has an unknown window `{key}`");
            let help = "the windows are `per-minute` and `per-day`";
            self.report(rule!("house-rate-limits"), at, message, help);
        }
        let [minute, day] = WINDOWS.map(|window| {
            let limit = limits.get(window).and_then(|member| as_count(&member.node));
            if limit.is_none_or(|limit| limit == 0) {
                let message = format!("the plan `{plan}` needs `{window}`, a whole number from 1");
                let help = "write the number of requests";
                self.report(rule!("house-rate-limits"), at, message, help);
            }
            limit
        });
        if let (Some(minute), Some(day)) = (minute, day)
            && minute > day
        {
            let message = format!("the plan `{plan}` allows more in a minute than in a day");
            let help = "raise `per-day`, or lower `per-minute`";
            self.report(rule!("house-rate-limits"), at, message, help);
        }
    }

    /// Reports operations that cost more than the smallest limit: some callers could never call them.
    fn check_costs(&mut self, plans: &Object) {
        let limits = plans.values().flat_map(|plan| {
            let limits = WINDOWS.iter().map(|window| plan.node.get(window));
            limits.flatten().filter_map(as_count)
        });
        let Some(smallest) = limits.min() else { return };
        for operation in &self.spec.operations {
            let found = find_extension(&operation.at, &operation.extensions, "x-rate-limit-cost");
            let Some((node, at)) = found else { continue };
            if let Some(cost) = as_count(node).filter(|cost| *cost > smallest) {
                let message =
                    format!("the operation costs {cost}, but the smallest limit is {smallest}");
                let help = "lower the cost: some callers could never call the operation";
                self.report(rule!("house-rate-limits"), &at, message, help);
            }
        }
    }
}
