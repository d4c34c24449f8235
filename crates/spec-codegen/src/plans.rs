//! `plans.rs`: the figures of the document's `x-rate-limits`.

use crate::model::Plan;
use crate::source::{Imports, Source, grouped};
use crate::text_enum;

/// The file's text, without its header.
pub(crate) fn render(plans: &[Plan]) -> String {
    let mut source = Source::default();
    source.line("//! The plans that a caller can have, and what each allows.");
    source.blank();
    let mut imports = Imports::default();
    imports.add("std::fmt", "self");
    imports.add("std::str", "FromStr");
    imports.add("spec_runtime", "UnknownValue");
    imports.write(&mut source);
    source.docs("A plan of the document's `x-rate-limits`.");
    source.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    source.block("pub enum Plan", |source| {
        for (index, plan) in plans.iter().enumerate() {
            if index > 0 {
                source.blank();
            }
            source.docs(&match plan.limits {
                Some((minute, day)) => format!(
                    "{} requests a minute, {} a day.",
                    grouped(minute, ','),
                    grouped(day, ',')
                ),
                None => "What is agreed with each customer.".to_owned(),
            });
            source.line(format!("{},", plan.variant));
        }
    });
    source.blank();
    source.docs("Requests that a caller may send.");
    source.line("#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]");
    source.block("pub struct PlanLimits", |source| {
        source.docs("In a minute.");
        source.line("pub per_minute: u64,");
        source.blank();
        source.docs("In a day of UTC.");
        source.line("pub per_day: u64,");
    });
    let values: Vec<_> = plans
        .iter()
        .map(|p| (p.variant.as_str(), p.name.as_str()))
        .collect();
    text_enum::write_impls(
        &mut source,
        "Plan",
        &values,
        "The plan's name in the document.",
    );
    source.blank();
    source.block("impl Plan", |source| {
        source.docs("What the plan allows; `None` if that is agreed with each customer.");
        source.block(
            "pub const fn limits(self) -> Option<PlanLimits>",
            |source| {
                source.block("match self", |source| {
                    for plan in plans {
                        match plan.limits {
                            None => source.line(format!("Self::{} => None,", plan.variant)),
                            Some((minute, day)) => {
                                source
                                    .line(format!("Self::{} => Some(PlanLimits {{", plan.variant));
                                source.indented(|source| {
                                    source.line(format!("per_minute: {},", grouped(minute, '_')));
                                    source.line(format!("per_day: {},", grouped(day, '_')));
                                });
                                source.line("}),");
                            }
                        }
                    }
                });
            },
        );
    });
    source.into_text()
}
