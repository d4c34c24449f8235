//! What the standard says of parameters and headers beyond their fields.

use super::Element;
use crate::document::Node;
use crate::lint::Lint;

/// The styles that a parameter can have, by where it stands.
const STYLES: [(&str, &[&str]); 4] = [
    (
        "query",
        &["form", "spaceDelimited", "pipeDelimited", "deepObject"],
    ),
    ("path", &["simple", "label", "matrix"]),
    ("header", &["simple"]),
    ("cookie", &["form"]),
];
/// Headers that are described by other means, and ignored among the parameters.
const IGNORED: [&str; 3] = ["Accept", "Content-Type", "Authorization"];
impl Lint<'_> {
    pub(super) fn parameter(&mut self, element: Element<'_>) {
        let location = element.get("in").and_then(Node::as_str).unwrap_or_default();
        let name = element
            .get("name")
            .and_then(Node::as_str)
            .unwrap_or_default();
        if name.is_empty() {
            self.find(element.at, "the parameter has an empty name", "name it");
        }
        if location == "header"
            && IGNORED
                .iter()
                .any(|ignored| ignored.eq_ignore_ascii_case(name))
        {
            let message = format!("the header `{name}` is not a parameter");
            self.find(
                element.at,
                message,
                "say it by media types, or by `security`",
            );
        }
        for keyword in ["allowReserved", "allowEmptyValue"] {
            if element.flag(keyword) && location != "query" {
                let message = format!("`{keyword}` means something in a query only");
                self.find(&element.place(keyword), message, "remove it");
            }
        }
        self.style(element, location);
        self.described_once(element);
        self.either_example(element);
        self.sunset_of_part(element);
    }

    pub(super) fn style(&mut self, element: Element<'_>, location: &str) {
        let styles = STYLES.iter().find(|(other, _)| *other == location);
        let style = element.get("style").and_then(Node::as_str);
        if let (Some((_, styles)), Some(style)) = (styles, style)
            && !styles.contains(&style)
        {
            let message = format!("nothing in a {location} is written in the style `{style}`");
            let help = format!("here it can be {}", styles.join(", "));
            self.find(&element.place("style"), message, &help);
        }
    }

    pub(super) fn described_once(&mut self, element: Element<'_>) {
        let content = element.get("content").and_then(Node::as_object);
        if element.get("schema").is_some() == content.is_some() {
            self.find(
                element.at,
                "this needs either a `schema` or a `content`",
                "write one of the two",
            );
        }
        if content.is_some_and(|content| content.len() != 1) {
            self.find(
                &element.place("content"),
                "this is written in one media type",
                "leave one of `content`",
            );
        }
        self.media_types(element);
    }
}
