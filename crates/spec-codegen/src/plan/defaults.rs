//! Defaults of properties and parameters: checks that each fits its schema. Its type holds what the schema accepts.

use serde_json::Value;
use spec_model::Spec;
use spec_schema::Direction;

use crate::model::{DefaultValue, Field, Presence};
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
        for field in fields {
            let Presence::Default(default) = &field.presence else {
                continue;
            };
            if let Err(error) = self.check_value(default) {
                let message = format!("the default does not fit its schema: {error}");
                let help =
                    "correct the default or the schema; without one, an absent value stays absent";
                self.problems.warn(&default.at, message, help);
                field.presence = Presence::Optional;
                field.ty = field.ty.clone().optional();
            }
        }
    }

    fn check_value(&self, default: &DefaultValue) -> Result<(), String> {
        let validator = spec_schema::compile(&self.document, &default.schema, Direction::Request);
        // What cannot be compiled, such as a pattern, is not checked when the server runs either.
        let Ok(validator) = validator else {
            return Ok(());
        };
        let checked = validator.validate(&default.value);
        checked.map_err(|error| error.to_string())
    }
}
