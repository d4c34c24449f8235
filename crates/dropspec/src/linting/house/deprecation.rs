//! Deprecated operations, parameters and schemas have a sunset in the future, and operations a successor that stays. That the
//! extensions of operations are well formed, and the operations deprecated, is said by the generator.

use chrono::NaiveDate;
use dropspec_model::lifecycle::{DEPRECATED_SINCE, SUCCESSOR, SUNSET};
use dropspec_model::{Lifecycle, ObjectType, Operation, Place};

use super::find_extension;
use crate::linting::linter::Linter;
use crate::linting::openapi::Element;
use crate::linting::rules::rule;

impl Linter<'_> {
    pub(super) fn check_deprecations(&mut self, today: NaiveDate) {
        for operation in &self.spec.operations {
            if operation.deprecated {
                self.check_dates(operation, today);
                self.check_successor(operation);
            }
        }
    }

    fn check_dates(&mut self, operation: &Operation, today: NaiveDate) {
        let lifecycle = Lifecycle::from_extensions(&operation.extensions);
        for name in [DEPRECATED_SINCE, SUNSET] {
            if !operation.extensions.contains_key(name) {
                let message = format!("the deprecated operation has no `{name}`");
                let help = "add it: callers need to know the day";
                self.report(rule!("house-deprecation"), &operation.at, message, help);
            }
        }
        let found = find_extension(&operation.at, &operation.extensions, SUNSET);
        let (Some(Ok(sunset)), Some((_, at))) = (lifecycle.sunset, found) else {
            return;
        };
        if let Some(Ok(since)) = lifecycle.deprecated_since
            && sunset <= since
        {
            let message = format!("the sunset {sunset} is not after the deprecation on {since}");
            let help = "give callers time to change";
            self.report(rule!("house-deprecation"), &at, message, help);
        }
        self.check_passed(sunset, today, &at, "the operation");
    }

    fn check_passed(&mut self, sunset: NaiveDate, today: NaiveDate, at: &Place, what: &str) {
        if sunset < today {
            let message = format!("the sunset {sunset} has passed");
            let help = format!("remove {what}, or choose a later sunset");
            self.report(rule!("house-deprecation"), at, message, help);
        }
    }

    fn check_successor(&mut self, operation: &Operation) {
        let found = find_extension(&operation.at, &operation.extensions, SUCCESSOR);
        let Some((node, at)) = found else { return };
        let successor = node.as_str().and_then(|id| self.spec.operation(id));
        if successor.is_some_and(|it| it.deprecated) {
            let message = format!("`{SUCCESSOR}` names a deprecated operation");
            let help = "name an operation that is not deprecated";
            self.report(rule!("house-deprecation"), &at, message, help);
        }
    }

    /// Checks that a parameter or schema with `x-sunset` is deprecated, and that the sunset is not in the past.
    pub(crate) fn check_sunset(&mut self, object_type: ObjectType, element: Element<'_>) {
        let is_checked = matches!(object_type, ObjectType::Parameter | ObjectType::Schema);
        if !(self.settings.deprecations && is_checked) {
            return;
        }
        let today = self.settings.today;
        let Some(members) = element.node.as_object() else {
            return;
        };
        let at = element.locate_member(SUNSET);
        match Lifecycle::from_extensions(members).sunset {
            Some(_) if !element.is_true("deprecated") => {
                let message = format!("`{SUNSET}` without `deprecated: true`");
                let help = "add `deprecated: true`, or remove it";
                self.report(rule!("house-deprecation"), &at, message, help);
            }
            Some(Ok(sunset)) => self.check_passed(sunset, today, &at, object_type.name()),
            _ => {}
        }
    }
}
