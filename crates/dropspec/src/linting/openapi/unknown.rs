//! Fields that the version of OpenAPI of a document does not define: what is probably meant, or what OpenAPI 3.0 has in their place.

use dropspec_model::{ObjectType, Place, suggest};

use crate::linting::linter::Linter;
use crate::linting::rules::rule;

impl Linter<'_> {
    /// Reports a field that OpenAPI does not define for this type of object.
    pub(super) fn report_unknown(&mut self, object_type: ObjectType, name: &str, at: &Place) {
        let minor_version = self.source.minor_version();
        let version = ["3.0.3", "3.1", "3.2"][usize::from(minor_version)];
        let message = format!("OpenAPI {version} does not define `{name}` here");
        let help = match (minor_version, object_type, name) {
            (0, ..) => object_type.help_for_other_version(name),
            (_, ObjectType::Schema, "nullable") => {
                Some("write the type `null` beside the others: `type: [string, 'null']`")
            }
            _ => None,
        };
        if let Some(help) = help {
            return self.report(rule!("unknown-field"), at, message, help);
        }
        let fields = object_type.fields(minor_version);
        match suggest(name, fields.iter().map(|field| field.name)) {
            Some(known) => {
                let help = format!("write `{known}`, or begin the name with `x-`");
                let message = format!("{message}: did you mean `{known}`?");
                self.report(rule!("unknown-field"), at, message, help);
            }
            None => self.report(
                rule!("unknown-field"),
                at,
                message,
                "remove it, or begin its name with `x-`",
            ),
        }
    }

    /// Reports a field beside a `$ref`, which replaces the whole object.
    pub(super) fn report_beside_reference(&mut self, name: &str, at: &Place) {
        let message = format!("`{name}` beside a `$ref` is ignored");
        self.report_rule(rule!("ref-siblings"), at, message);
    }
}
