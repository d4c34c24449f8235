//! Extensions are those of the settings, at the objects they belong to, with valid values.

use chrono::NaiveDate;
use dropspec_model::{Node, ObjectType, Place, lifecycle};

use crate::linting::linter::{Linter, as_count};
use crate::linting::rules::rule;
use crate::linting::settings::ExtensionValue;

impl Linter<'_> {
    pub(crate) fn check_extension(
        &mut self,
        object: ObjectType,
        name: &str,
        node: &Node,
        at: &Place,
    ) {
        let all = &self.settings.extensions;
        let allowed = all.get(&object);
        match allowed.and_then(|allowed| allowed.get(name)) {
            Some(value) => self.check_extension_value(name, value, node, at),
            None if all.is_empty() => {}
            None => {
                let help = match allowed {
                    None => "remove it: no extension has a meaning here".to_owned(),
                    Some(allowed) => {
                        let names: Vec<&str> = allowed.keys().map(String::as_str).collect();
                        format!("the extensions here are {}", names.join(", "))
                    }
                };
                let message = format!("the extension `{name}` has no meaning here");
                self.report(rule!("house-extensions"), at, message, help);
            }
        }
    }

    fn check_extension_value(
        &mut self,
        name: &str,
        expected: &ExtensionValue,
        node: &Node,
        at: &Place,
    ) {
        let text = node.as_str();
        let (is_valid, expected) = match expected {
            ExtensionValue::Any => return,
            ExtensionValue::Boolean => (node.as_bool().is_some(), "a boolean".to_owned()),
            ExtensionValue::Count => (as_count(node).is_some(), "a whole number from 0".to_owned()),
            ExtensionValue::Date => {
                let date: Option<NaiveDate> = text.and_then(lifecycle::parse_date);
                (date.is_some(), "a date such as \"2027-06-30\"".to_owned())
            }
            ExtensionValue::OneOf(values) => {
                let is_valid = text.is_some_and(|text| values.iter().any(|value| value == text));
                (is_valid, format!("`{}`", values.join("` or `")))
            }
        };
        if !is_valid {
            let message = format!("the value of `{name}` is not {expected}");
            let help = format!("write {expected}, or remove it");
            self.report(rule!("house-extensions"), at, message, help);
        }
    }
}
