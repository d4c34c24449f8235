//! Rules of OpenAPI about parameters and headers, beyond the types of their fields.

use dropspec_schema::header::Ignored;

use super::Element;
use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// The values of `style` that OpenAPI allows for a parameter, by its location (`in`).
const STYLES: [(&str, &[&str]); 4] = [
    (
        "query",
        &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
    ),
    ("path", &["simple", "label", "matrix"]),
    ("header", &["simple"]),
    // `cookie` is of OpenAPI 3.2.
    ("cookie", &["form", "cookie"]),
];

impl Linter<'_> {
    pub(super) fn check_parameter(&mut self, element: Element<'_>) {
        let location = element.get_str("in").unwrap_or_default();
        let name = element.get_str("name").unwrap_or_default();
        if location == "header"
            && let Some(ignored) = Ignored::find(name)
        {
            let message = ignored.message(name);
            let help = ignored.help();
            self.report(rule!("parameter-ignored"), element.at, message, help);
        }
        for keyword in ["allowReserved", "allowEmptyValue"] {
            if element.is_true(keyword) && location != "query" {
                let message = format!("`{keyword}` applies to query parameters only");
                let at = element.locate_member(keyword);
                self.report_rule(rule!("parameter-keyword"), &at, message);
            }
        }
        self.check_value_description(element, location);
    }

    /// Checks how a parameter or header describes its value: by `style` or by `content`.
    pub(super) fn check_value_description(&mut self, element: Element<'_>, location: &str) {
        let styles = STYLES.iter().find(|(other, _)| *other == location);
        if let (Some((_, styles)), Some(style)) = (styles, element.get_str("style"))
            && !styles.contains(&style)
        {
            let message = format!("the style `{style}` is not allowed in a {location}");
            let help = format!("write one of {}", styles.join(", "));
            let at = element.locate_member("style");
            self.report(rule!("parameter-style"), &at, message, help);
        }
        let content = element.get("content").and_then(|node| node.as_object());
        if content.is_some_and(|content| content.len() != 1) {
            let message = "`content` must have exactly one media type here";
            let at = element.locate_member("content");
            self.report_rule(rule!("parameter-content"), &at, message);
        }
        self.check_media_type_names(element);
    }
}
