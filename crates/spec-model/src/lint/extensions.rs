//! The extensions of this toolchain: known by name, so that a misspelled one is found, and well formed.

use super::Lint;
use super::standard::Kind;
use crate::document::Object;
use crate::reader::Place;

const AT_ROOT: [&str; 2] = ["x-rate-limits", "x-error-codes"];
const AT_OPERATION: [&str; 7] = [
    "x-stability",
    "x-deprecated-since",
    "x-deprecated-sunset",
    "x-successor",
    "x-rate-limit-cost",
    "x-required-access",
    "x-hideTryItPanel",
];
const AT_HEADER: [&str; 1] = ["x-supplied-by"];
const AT_PARAMETER: [&str; 1] = ["x-deprecated-sunset"];
const AT_SCHEMA: [&str; 2] = ["x-deprecated-sunset", "x-stability"];

impl Lint<'_> {
    pub(super) fn extensions(&mut self) {
        let spec = self.spec;
        for operation in &spec.operations {
            self.access(&operation.at, &operation.extensions);
            let responses = operation.responses.values();
            for header in responses.flat_map(|response| response.headers.values()) {
                self.supplier(&header.at, &header.extensions);
            }
        }
        for header in spec.components.headers.values() {
            self.supplier(&header.at, &header.extensions);
        }
    }

    /// Reports an extension that nothing reads where it stands.
    pub(super) fn known_extension(&mut self, kind: Kind, name: &str, at: &Place) {
        let known: &[&str] = match kind {
            Kind::Document => &AT_ROOT,
            Kind::Operation => &AT_OPERATION,
            Kind::Header => &AT_HEADER,
            Kind::Parameter => &AT_PARAMETER,
            Kind::Schema => &AT_SCHEMA,
            _ => &[],
        };
        if known.contains(&name) {
            return;
        }
        let help = match known.is_empty() {
            true => "no extension has a meaning here".to_owned(),
            false => format!("here it could be {}", known.join(", ")),
        };
        self.find(at, format!("nothing reads the extension `{name}`"), &help);
    }

    fn access(&mut self, of: &Place, extensions: &Object) {
        if let Some((node, at)) = self.extension(of, extensions, "x-required-access")
            && !matches!(node.as_str(), Some("read" | "write"))
        {
            let help = "write `write`; without it `read` is enough";
            self.find(&at, "`x-required-access` is not an access", help);
        }
        if let Some((node, at)) = self.extension(of, extensions, "x-hideTryItPanel")
            && node.as_bool().is_none()
        {
            self.find(
                &at,
                "`x-hideTryItPanel` is not a boolean",
                "write `true`, or remove it",
            );
        }
    }

    fn supplier(&mut self, of: &Place, extensions: &Object) {
        if let Some((node, at)) = self.extension(of, extensions, "x-supplied-by")
            && node.as_str() != Some("gate")
        {
            let help = "write `gate`; without it the operation supplies the header";
            self.find(
                &at,
                "`x-supplied-by` names nobody who supplies headers",
                help,
            );
        }
    }
}
