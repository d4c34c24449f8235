//! Operations declare the statuses and headers that the settings require.

use dropspec_model::lifecycle::SUCCESSOR;
use dropspec_model::{Operation, Response};

use crate::linting::linter::Linter;
use crate::linting::rules::rule;
use crate::linting::settings::ResponseFilter;

impl Linter<'_> {
    pub(super) fn check_required_statuses(&mut self) {
        for operation in &self.spec.operations {
            let security = self.spec.security_of(operation);
            let is_public =
                security.is_empty() || security.iter().any(|all| all.schemes.is_empty());
            for status in &self.settings.required_statuses {
                let is_required = !(is_public && status == "401");
                if is_required && !operation.responses.contains_key(status) {
                    let message = format!("the operation does not declare the status {status}");
                    self.report_rule(rule!("house-required-status"), &operation.at, message);
                }
            }
        }
    }

    pub(super) fn check_required_headers(&mut self) {
        for operation in &self.spec.operations {
            for (status, response) in &operation.responses {
                self.check_headers(operation, status, response);
            }
        }
    }

    fn check_headers(&mut self, operation: &Operation, status: &str, response: &Response) {
        let is_deprecated_success = operation.deprecated && status.starts_with('2');
        let is_replaced_success =
            is_deprecated_success && operation.extensions.contains_key(SUCCESSOR);
        for (name, filters) in &self.settings.required_headers {
            let is_required = filters.iter().any(|filter| match filter {
                ResponseFilter::All => true,
                ResponseFilter::Status(other) => other == status,
                ResponseFilter::Deprecated => is_deprecated_success,
                ResponseFilter::Replaced => is_replaced_success,
            });
            let mut declared = response.headers.keys();
            if is_required && !declared.any(|declared| declared.eq_ignore_ascii_case(name)) {
                let message = format!("the response {status} does not declare `{name}`");
                self.report_rule(rule!("house-required-header"), &response.at, message);
            }
        }
    }
}
