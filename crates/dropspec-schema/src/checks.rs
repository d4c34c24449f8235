//! Checks values by many schemas of one document. Where these refer to each other, one validator for each of them would hold
//! the whole document.

use serde_json::{Map, Value};

use crate::json_schema::{Direction, SchemaError, to_json_schema_of_lists};
use crate::validator::{build_validator, compile};

/// Values that are to be valid by a schema of a document.
#[derive(Debug)]
pub struct Check<'d> {
    /// The schema.
    pub schema: &'d Value,
    /// The values.
    pub values: Vec<Value>,
}

/// What is wrong with a [`Check`].
#[derive(Debug)]
pub enum Fault {
    /// The schema cannot be compiled.
    Schema(SchemaError),
    /// A value is not valid.
    Value {
        /// The number of the value.
        index: usize,
        /// The JSON pointer of the wrong part in the value.
        inside: String,
        /// What is wrong.
        message: String,
    },
}

/// Checks values of messages in one direction. Each fault is reported with the number of its check.
pub fn check_all<'d>(
    document: &'d Value,
    checks: &mut [Check<'d>],
    direction: Direction,
    report: &mut dyn FnMut(usize, Fault),
) {
    let schemas = checks.iter().map(|check| check.schema);
    let validator = to_json_schema_of_lists(document, schemas, direction)
        .and_then(|schema| build_validator(&schema));
    match (validator, checks) {
        (Ok(validator), checks) => {
            let lists = checks
                .iter_mut()
                .map(|it| std::mem::take(&mut it.values).into());
            let lists = lists.enumerate();
            let lists = lists.map(|(number, list): (usize, Value)| (number.to_string(), list));
            for error in validator.iter_errors(&Value::Object(Map::from_iter(lists))) {
                let pointer = error.instance_path().to_string();
                let mut tokens = pointer.splitn(4, '/').skip(1);
                let mut number = || tokens.next()?.parse().ok();
                let (Some(check), Some(index)) = (number(), number()) else {
                    continue;
                };
                let inside = tokens.next().map(|inside| format!("/{inside}"));
                let fault = Fault::Value {
                    index,
                    inside: inside.unwrap_or_default(),
                    message: error.to_string(),
                };
                report(check, fault);
            }
        }
        (Err(error), [only]) => {
            // That of the schema alone does not quote what is around it here.
            let own = compile(document, only.schema, direction).err();
            report(0, Fault::Schema(own.unwrap_or(error)));
        }
        (Err(_), []) => {}
        (Err(_), checks) => {
            // Those of the other schemas are checked all the same.
            let half = checks.len() / 2;
            let (before, after) = checks.split_at_mut(half);
            check_all(document, before, direction, report);
            let mut report = |number, fault| report(half + number, fault);
            check_all(document, after, direction, &mut report);
        }
    }
}
