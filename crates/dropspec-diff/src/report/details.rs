//! What reports say of a finding beside its message, in one order for all of them.

use std::collections::HashMap;
use std::fmt::{self, Write};

use super::to_one_line;
use crate::finding::{Exchange, Finding, MessageKind, Proof, Side};

/// One thing that is said of a finding.
pub(super) struct Detail<'f> {
    /// What it is, such as `usage`.
    pub(super) label: &'static str,
    pub(super) value: DetailValue<'f>,
}

/// The value of a [`Detail`].
pub(super) enum DetailValue<'f> {
    /// Prose, with code between backticks.
    Prose(String),
    /// Operations, JSON, names.
    Code(Vec<String>),
    /// The JSON that is printed with an earlier finding, which is here.
    SameAs(&'f Finding),
    Exchange(&'f Exchange),
}

/// Which instances were printed, and with which finding: each value is printed once.
#[derive(Default)]
pub(super) struct Instances<'f>(HashMap<(String, Side), &'f Finding>);

impl<'f> Instances<'f> {
    /// All that is said of a finding. In the group of an operation, that is not repeated.
    pub(super) fn describe(
        &mut self,
        finding: &'f Finding,
        group: Option<&str>,
    ) -> Vec<Detail<'f>> {
        use DetailValue::{Code, Exchange, Prose, SameAs};
        let mut details = Vec::new();
        let mut add = |label, value| details.push(Detail { label, value });
        let label = if group.is_some() {
            "also affects"
        } else {
            "affects"
        };
        let operations = finding.describe_other_operations(group);
        if !operations.is_empty() {
            add(label, Code(operations));
        }
        if !finding.also.is_empty() {
            let also = finding.also.iter();
            let also = also.map(|it| format!("{} ({})", it.id, it.level.as_str()));
            add("also", Prose(also.collect::<Vec<_>>().join(", ")));
        }
        if let Some(instance) = &finding.instance {
            let label = match instance.accepted_by {
                Side::Base => "valid before, now rejected",
                Side::Revision => "impossible before, now possible",
            };
            let value = instance.value.to_string();
            let key = (value.clone(), instance.accepted_by);
            let first = *self.0.entry(key).or_insert(finding);
            if std::ptr::eq(first, finding) {
                add(label, Code(vec![value]));
            } else {
                add(label, SameAs(first));
            }
        }
        match &finding.proof {
            Some(Proof::Exchange(exchange)) => add("exchange", Exchange(exchange)),
            Some(Proof::None(reason)) if finding.unproven.is_none() => {
                add("no exchange", Prose(reason.clone()));
            }
            _ => {}
        }
        if let Some(reason) = &finding.unproven {
            add("not proven", Prose(reason.clone()));
        }
        if let Some(usage) = &finding.usage {
            add("usage", Prose(usage.summary.clone()));
        }
        if let Some(reason) = &finding.acknowledged {
            add("acknowledged", Prose(reason.clone()));
        } else if let Some(advice) = finding.advice() {
            add("help", Prose(advice));
            add("fingerprint", Code(vec![finding.fingerprint.clone()]));
        }
        details
    }
}

/// The message of a finding, and a line for each detail.
pub(super) fn describe<'f>(finding: &'f Finding, instances: &mut Instances<'f>) -> String {
    let details = instances.describe(finding, None).into_iter();
    let details: String = details.map(|detail| detail.to_string()).collect();
    format!("{}\n{details}", finding.message)
}

/// The text of a line; an exchange has several, those of its messages indented.
impl fmt::Display for Detail<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let label = self.label;
        match &self.value {
            DetailValue::Prose(text) => writeln!(f, "{label}: {}", to_one_line(text)),
            DetailValue::Code(parts) => writeln!(f, "{label}: {}", to_one_line(&parts.join(", "))),
            DetailValue::SameAs(before) => {
                writeln!(f, "{label}: the same value as at {}", before.revision)
            }
            DetailValue::Exchange(exchange) => {
                writeln!(f, "{label}:")?;
                for line in exchange.messages().lines() {
                    let indent = if line.is_empty() { "" } else { "  " };
                    writeln!(f, "{indent}{}", to_one_line(line))?;
                }
                writeln!(f, "{}", to_one_line(&exchange.explanation()))
            }
        }
    }
}

impl Exchange {
    /// Both messages as they go over the wire.
    pub(super) fn messages(&self) -> String {
        let (request, response) = (&self.request, &self.response);
        let mut out = format!("{} {} HTTP/1.1\n", request.method, request.target);
        write_rest(&mut out, &request.headers, request.body.as_deref());
        out.push_str(&format!("\nHTTP/1.1 {}\n", response.status));
        write_rest(&mut out, &response.headers, response.body.as_deref());
        out
    }

    /// Which document refuses what, in one line.
    pub(super) fn explanation(&self) -> String {
        let refused = &self.refused;
        let what = match refused.message {
            MessageKind::Request => "request",
            MessageKind::Response => "response",
        };
        let by = match refused.by {
            Side::Base => "clients of the base refuse",
            Side::Revision => "the revision refuses",
        };
        format!("{by} the {what}: {}: {}", refused.place, refused.reason)
    }
}

fn write_rest(out: &mut String, headers: &[(String, String)], body: Option<&str>) {
    for (name, value) in headers {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{name}: {value}");
    }
    if let Some(body) = body {
        let _ = writeln!(out, "\n{body}");
    }
}
