//! `x-rate-limits` at the root, and what an operation costs.

use super::{Lint, whole};
use crate::document::Object;
use crate::reader::Place;

/// The windows of a plan, the shorter first.
const WINDOWS: [&str; 2] = ["per-minute", "per-day"];

impl Lint<'_> {
    pub(super) fn limits(&mut self) {
        let root = Place::root(&self.spec.document);
        let Some((node, at)) = self.extension(&root, &self.spec.extensions, "x-rate-limits") else {
            return;
        };
        let Some(plans) = node.as_object().filter(|plans| !plans.is_empty()) else {
            self.find(
                &at,
                "`x-rate-limits` has no plans",
                "write each plan with `per-minute` and `per-day`",
            );
            return;
        };
        for (plan, member) in plans {
            let at = at.member(plan, member);
            match member.node.as_object() {
                Some(windows) => self.plan(plan, &at, windows),
                None => self.find(
                    &at,
                    format!("the plan `{plan}` is not an object"),
                    "write `{per-minute: 60, per-day: 1000}`",
                ),
            }
        }
        self.costs(plans);
    }

    fn plan(&mut self, plan: &str, at: &Place, windows: &Object) {
        if windows
            .get("custom")
            .and_then(|member| member.node.as_bool())
            == Some(true)
        {
            if windows.len() > 1 {
                let message = format!("the plan `{plan}` is custom and has figures");
                self.find(at, message, "write either `custom: true` or the figures");
            }
            return;
        }
        for key in windows
            .keys()
            .filter(|key| !WINDOWS.contains(&key.as_str()))
        {
            let message = format!("the plan `{plan}` has an unknown window `{key}`");
            self.find(at, message, "the windows are `per-minute` and `per-day`");
        }
        let figures =
            WINDOWS.map(|window| windows.get(window).and_then(|member| whole(&member.node)));
        for (window, figure) in WINDOWS.iter().zip(figures) {
            if figure.is_none_or(|figure| figure == 0) {
                let message = format!("the plan `{plan}` needs `{window}`, a whole number from 1");
                self.find(at, message, "write how many requests it admits");
            }
        }
        if let [Some(minute), Some(day)] = figures
            && minute > day
        {
            let message = format!("the plan `{plan}` admits more in a minute than in a day");
            self.find(at, message, "raise `per-day`, or lower `per-minute`");
        }
    }

    /// An operation that costs more than the smallest limit could never be called.
    fn costs(&mut self, plans: &Object) {
        let windows = plans.values().filter_map(|member| member.node.as_object());
        let figures =
            windows.flat_map(|windows| WINDOWS.iter().filter_map(|window| windows.get(*window)));
        let smallest = figures.filter_map(|member| whole(&member.node)).min();
        for operation in &self.spec.operations {
            let found = self.extension(&operation.at, &operation.extensions, "x-rate-limit-cost");
            let Some((node, at)) = found else { continue };
            match (whole(node), smallest) {
                (None, _) => {
                    let help = "write how many requests it counts for";
                    self.find(
                        &at,
                        "`x-rate-limit-cost` is not a whole number from 0",
                        help,
                    );
                }
                (Some(cost), Some(smallest)) if cost > smallest => {
                    let message =
                        format!("the operation costs {cost}, and the smallest limit is {smallest}");
                    self.find(
                        &at,
                        message,
                        "lower the cost: some callers could never call it",
                    );
                }
                _ => {}
            }
        }
    }
}
