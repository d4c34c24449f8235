//! How values are judged while they are read.

use serde_json::Value;

/// Judges values by the schema of a parameter.
pub trait Check {
    /// Whether a value is valid.
    fn is_valid(&self, value: &Value) -> bool;

    /// The first problem of a value, as a phrase to follow the name of the parameter; `None` if it is to be accepted.
    fn describe_problem(&self, value: &Value) -> Option<String>;

    /// The rule that a value breaks first, without the value.
    fn describe_rule(&self, value: &Value) -> Option<String>;
}
