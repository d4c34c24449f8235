//! The extensions that code is generated from: stability, deprecation, access, costs, plans, error codes.

use std::collections::HashSet;

use spec_model::{
    Member, Node, Object, Operation, Place, SecurityRequirement, Spec, Value, escape_token,
};

use crate::model::{Date, Deprecation, ErrorCode, Plan, Traits};
use crate::names;
use crate::plan::Problems;

/// What the extensions of an operation say.
pub(super) fn traits(spec: &Spec, problems: &Problems<'_>, operation: &Operation) -> Traits {
    let reader = Extensions {
        problems,
        object: &operation.extensions,
        pointer: &operation.at.pointer,
    };
    let deprecation = Deprecation {
        since: reader.date("x-deprecated-since"),
        sunset: reader.date("x-deprecated-sunset"),
        successor: reader.text("x-successor"),
    };
    if let Some(successor) = &deprecation.successor
        && spec.operation(successor).is_none()
    {
        reader.report(
            "x-successor",
            &format!("there is no operation `{successor}`"),
            "name an operationId",
        );
    }
    for key in ["x-deprecated-since", "x-deprecated-sunset", "x-successor"] {
        if !operation.deprecated && operation.extensions.contains_key(key) {
            reader.report(
                key,
                "the operation is not deprecated",
                "add `deprecated: true`",
            );
        }
    }
    let stability = match reader.text("x-stability").as_deref() {
        None | Some("stable") => "Stable",
        Some("beta") => "Beta",
        Some("experimental") => "Experimental",
        Some(other) => {
            let message = format!("`{other}` is no stability");
            reader.report(
                "x-stability",
                &message,
                "write `beta` or `experimental`, or leave it out",
            );
            "Stable"
        }
    };
    let rate_limit_cost = match reader.object.get("x-rate-limit-cost") {
        None => 1,
        Some(member) => {
            let cost = member.node.as_number().and_then(serde_json::Number::as_u64);
            cost.and_then(|cost| u32::try_from(cost).ok())
                .unwrap_or_else(|| {
                    reader.report(
                        "x-rate-limit-cost",
                        "the cost is no count of requests",
                        "write 0, 1, 2, …",
                    );
                    1
                })
        }
    };
    Traits {
        stability,
        deprecation: operation.deprecated.then_some(deprecation),
        required_access: reader.text("x-required-access"),
        rate_limit_cost,
        public: is_public(spec, operation),
    }
}

/// Whether the operation can be called without authentication.
fn is_public(spec: &Spec, operation: &Operation) -> bool {
    let alternatives = operation.security.as_ref().unwrap_or(&spec.security);
    let empty = |requirement: &SecurityRequirement| requirement.schemes.is_empty();
    alternatives.is_empty() || alternatives.iter().any(empty)
}

/// The root's `x-rate-limits`.
pub(super) fn plans(spec: &Spec, problems: &Problems<'_>) -> Option<Vec<Plan>> {
    let reader = Extensions {
        problems,
        object: &spec.extensions,
        pointer: "",
    };
    let members = reader.members("x-rate-limits")?;
    let mut taken = HashSet::new();
    let mut plans = Vec::new();
    for (name, member) in members {
        let figure = |key| {
            member
                .node
                .get(key)
                .and_then(Node::as_number)
                .and_then(serde_json::Number::as_u64)
        };
        let custom = member.node.get("custom").and_then(Node::as_bool) == Some(true);
        let limits = match (figure("per-minute"), figure("per-day"), custom) {
            (Some(minute), Some(day), false) => Some((minute, day)),
            (None, None, true) => None,
            _ => {
                let at = reader.place("x-rate-limits", Some((name, member)));
                problems.report(
                    &at,
                    format!("the plan `{name}` has no clear limits"),
                    "write `per-minute` and `per-day`, or `custom: true`",
                );
                None
            }
        };
        let variant =
            names::variant_name(name).unwrap_or_else(|| format!("Plan{}", plans.len() + 1));
        plans.push(Plan {
            name: name.clone(),
            variant: names::distinct(variant, &mut taken),
            limits,
        });
    }
    Some(plans)
}

/// The root's `x-error-codes`.
pub(super) fn error_codes(spec: &Spec, problems: &Problems<'_>) -> Option<Vec<ErrorCode>> {
    let reader = Extensions {
        problems,
        object: &spec.extensions,
        pointer: "",
    };
    let members = reader.members("x-error-codes")?;
    let mut taken = HashSet::new();
    let mut codes = Vec::new();
    for (name, member) in members {
        let status = member.node.as_number().and_then(serde_json::Number::as_u64);
        let status = status.and_then(|status| u16::try_from(status).ok());
        let Some(status) = status.filter(|status| (400..600).contains(status)) else {
            let at = reader.place("x-error-codes", Some((name, member)));
            let message = format!("the code `{name}` has no error status");
            problems.report(&at, message, "write a status from 400 to 599");
            continue;
        };
        let variant =
            names::variant_name(name).unwrap_or_else(|| format!("Code{}", codes.len() + 1));
        codes.push(ErrorCode {
            name: name.clone(),
            variant: names::distinct(variant, &mut taken),
            status,
        });
    }
    Some(codes)
}

struct Extensions<'e> {
    problems: &'e Problems<'e>,
    object: &'e Object,
    pointer: &'e str,
}

impl Extensions<'_> {
    fn text(&self, key: &str) -> Option<String> {
        let member = self.object.get(key)?;
        match &member.node.value {
            Value::String(text) => Some(text.clone()),
            _ => {
                let message = format!("`{key}` is {}, not a string", member.node.kind());
                self.report(key, &message, "write it in quotes");
                None
            }
        }
    }

    fn date(&self, key: &str) -> Option<Date> {
        let text = self.text(key)?;
        let date = parse_date(&text);
        if date.is_none() {
            self.report(
                key,
                &format!("`{text}` is no date"),
                "write it as \"2027-06-30\"",
            );
        }
        date
    }

    fn members(&self, key: &str) -> Option<&Object> {
        let member = self.object.get(key)?;
        let members = member
            .node
            .as_object()
            .filter(|members| !members.is_empty());
        if members.is_none() {
            self.report(
                key,
                &format!("`{key}` lists nothing"),
                "write an object with an entry for each",
            );
        }
        members
    }

    fn report(&self, key: &str, message: &str, help: &str) {
        self.problems.report(&self.place(key, None), message, help);
    }

    fn place(&self, key: &str, inner: Option<(&String, &Member)>) -> Place {
        let pointer = format!("{}/{}", self.pointer, escape_token(key));
        match (inner, self.object.get(key)) {
            (Some((name, member)), _) => Place {
                pointer: format!("{pointer}/{}", escape_token(name)),
                position: member.key_position,
            },
            (None, Some(member)) => Place {
                pointer,
                position: member.key_position,
            },
            (None, None) => Place {
                pointer,
                position: spec_model::Position { line: 1, column: 1 },
            },
        }
    }
}

/// `2027-06-30`, a day that exists.
fn parse_date(text: &str) -> Option<Date> {
    let mut parts = text.split('-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    let digits =
        |part: &str, count| part.len() == count && part.bytes().all(|b| b.is_ascii_digit());
    if parts.next().is_some() || !digits(year, 4) || !digits(month, 2) || !digits(day, 2) {
        return None;
    }
    let date = Date {
        year: year.parse().ok()?,
        month: month.parse().ok()?,
        day: day.parse().ok()?,
    };
    let leap = date.year.is_multiple_of(4)
        && (!date.year.is_multiple_of(100) || date.year.is_multiple_of(400));
    let days = match date.month {
        2 if leap => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        1..=12 => 31,
        _ => 0,
    };
    (1..=days).contains(&date.day).then_some(date)
}
