//! The rules of a house: what a document must have beyond OpenAPI, by [`LintSettings`](crate::linting::LintSettings).

mod deprecation;
mod documentation;
mod error_codes;
mod extensions;
mod rate_limits;
mod responses;
mod unused;

use dropspec_model::{Node, Object, Place};

use crate::linting::linter::Linter;
use crate::linting::openapi::Element;
use crate::linting::rules::rule;

impl Linter<'_> {
    pub(crate) fn check_house(&mut self) {
        let settings = self.settings;
        if let Some(version) = &settings.openapi_version
            && self.spec.version != *version
        {
            let document = &self.spec.document;
            let root = Element {
                node: document.root(),
                at: &Place::root(document),
            };
            let message = format!("the document is written in OpenAPI {}", self.spec.version);
            let help = format!("write `openapi: {version}`");
            let at = root.locate_member("openapi");
            self.report(rule!("house-openapi-version"), &at, message, help);
        }
        if settings.semantic_version {
            self.check_version();
        }
        if settings.documentation {
            self.check_documentation();
        }
        if settings.deprecations {
            self.check_deprecations(settings.today);
        }
        if settings.rate_limits {
            self.check_rate_limits();
        }
        if let Some(properties) = &settings.error_properties {
            self.check_error_codes(properties);
        }
        if settings.no_unused_parts {
            self.check_unused_parts();
        }
        if self.spec.extensions.contains_key("x-rate-limits") {
            self.check_required_statuses();
            self.check_required_headers();
        }
    }
}

impl Linter<'_> {
    fn check_version(&mut self) {
        let info = &self.spec.info;
        if semver::Version::parse(&info.version).is_err() {
            let message = format!("`{}` is not a semantic version", info.version);
            let node = self.spec.node(&info.at);
            let element = node.map(|node| Element { node, at: &info.at });
            let at = element.map_or_else(|| info.at.clone(), |it| it.locate_member("version"));
            self.report_rule(rule!("house-semantic-version"), &at, message);
        }
    }
}

/// Finds the value and the place of the extension `name` of the element at `at`.
fn find_extension<'o>(at: &Place, extensions: &'o Object, name: &str) -> Option<(&'o Node, Place)> {
    let member = extensions.get(name)?;
    Some((&member.node, at.member(name, member)))
}
