//! Defaults of properties and parameters: checks that each fits its schema. Its type holds what the schema accepts.

use std::collections::BTreeMap;

use dropspec_model::Spec;
use dropspec_schema::{Check, Direction, Fault, check_all};
use serde_json::Value;

use crate::model::{Field, Presence};
use crate::plan::problems::Problems;

/// Checks defaults. One that does not fit its schema becomes a warning, and the field optional.
pub(super) struct Defaults<'s> {
    problems: &'s Problems<'s>,
    document: Value,
}

impl<'s> Defaults<'s> {
    pub(super) fn new(spec: &Spec, problems: &'s Problems<'s>) -> Self {
        Defaults {
            problems,
            document: spec.document.root().to_json(),
        }
    }

    pub(super) fn check<'f>(&self, fields: impl IntoIterator<Item = &'f mut Field>) {
        let fields = fields.into_iter();
        let mut fields: Vec<&mut Field> = fields
            .filter(|field| matches!(field.presence, Presence::Default(_)))
            .collect();
        let checks = fields.iter().filter_map(|field| match &field.presence {
            Presence::Default(default) => Some(Check {
                schema: &default.schema,
                values: vec![default.value.clone()],
            }),
            _ => None,
        });
        let mut checks: Vec<Check<'_>> = checks.collect();
        let mut wrong: BTreeMap<usize, String> = BTreeMap::new();
        let direction = Direction::Request;
        check_all(
            &self.document,
            &mut checks,
            direction,
            &mut |number, fault| {
                // What cannot be compiled, such as a pattern, is not checked when the server runs either.
                if let Fault::Value { message, .. } = fault {
                    wrong.entry(number).or_insert(message);
                }
            },
        );
        for (number, error) in wrong {
            let field = &mut fields[number];
            if let Presence::Default(default) = &field.presence {
                let message = format!("the default does not fit its schema: {error}");
                let help =
                    "correct the default or the schema; without one, an absent value stays absent";
                self.problems.warn(&default.at, message, help);
            }
            field.presence = Presence::Optional;
            field.ty = field.ty.clone().optional();
        }
    }
}
