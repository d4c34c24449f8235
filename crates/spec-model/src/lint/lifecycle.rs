//! Stability, deprecation and sunset of operations: well formed, together, and not passed.

use super::standard::Element;
use super::{Lint, is_date};
use crate::operation::Operation;

/// What `x-stability` can be; absent means stable.
const STABILITIES: [&str; 2] = ["experimental", "beta"];

impl Lint<'_> {
    pub(super) fn lifecycles(&mut self) {
        for operation in &self.spec.operations {
            self.stability(operation);
            self.deprecation(operation);
            self.successor(operation);
        }
    }

    fn stability(&mut self, operation: &Operation) {
        let found = self.extension(&operation.at, &operation.extensions, "x-stability");
        let Some((node, at)) = found else { return };
        if !node
            .as_str()
            .is_some_and(|text| STABILITIES.contains(&text))
        {
            let help = "write `experimental` or `beta`; without it the operation is stable";
            self.find(&at, "`x-stability` is not a stability", help);
        }
    }

    fn deprecation(&mut self, operation: &Operation) {
        let dates = ["x-deprecated-since", "x-deprecated-sunset"];
        let [since, sunset] = dates.map(|name| {
            let (node, at) = self.extension(&operation.at, &operation.extensions, name)?;
            let date = node.as_str().filter(|text| is_date(text));
            if date.is_none() {
                self.find(
                    &at,
                    format!("`{name}` is not a date"),
                    "write it as \"2027-06-30\", in quotes",
                );
            }
            if !operation.deprecated {
                let message = format!("`{name}` stands at an operation that is not deprecated");
                self.find(&at, message, "add `deprecated: true`, or remove it");
            }
            Some((date?.to_owned(), at))
        });
        if !operation.deprecated {
            return;
        }
        for (name, given) in dates.iter().zip([&since, &sunset]) {
            if !operation.extensions.contains_key(*name) && given.is_none() {
                let message = format!("the deprecated operation has no `{name}`");
                self.find(&operation.at, message, "callers need to know the day");
            }
        }
        if let (Some((since, _)), Some((sunset, at))) = (&since, &sunset)
            && sunset <= since
        {
            let message =
                format!("the sunset {sunset} is not after {since}, when it was deprecated");
            self.find(at, message, "leave callers time to move");
        }
        if let Some((sunset, at)) = &sunset
            && sunset.as_str() < self.today
        {
            let message = format!("the sunset {sunset} has passed");
            self.find(at, message, "remove the operation, or move its sunset");
        }
    }

    /// A parameter or a property goes as an operation does, at a sunset.
    pub(super) fn sunset_of_part(&mut self, part: Element<'_>) {
        let name = "x-deprecated-sunset";
        let Some(node) = part.get(name) else { return };
        let at = part.place(name);
        match node.as_str().filter(|text| is_date(text)) {
            None => {
                let message = format!("`{name}` is not a date");
                self.find(&at, message, "write it as \"2027-06-30\", in quotes");
            }
            Some(_) if !part.flag("deprecated") => {
                let message = format!("`{name}` stands at what is not deprecated");
                self.find(&at, message, "add `deprecated: true`, or remove it");
            }
            Some(sunset) if sunset < self.today => {
                let message = format!("the sunset {sunset} has passed");
                self.find(
                    &at,
                    message,
                    "remove what is deprecated, or move its sunset",
                );
            }
            Some(_) => {}
        }
    }

    fn successor(&mut self, operation: &Operation) {
        let found = self.extension(&operation.at, &operation.extensions, "x-successor");
        let Some((node, at)) = found else { return };
        let successor = node.as_str().and_then(|id| self.spec.operation(id));
        match successor {
            _ if !operation.deprecated => {
                let message = "`x-successor` stands at an operation that is not deprecated";
                self.find(&at, message, "add `deprecated: true`, or remove it");
            }
            None => {
                let help = "write the operationId of the operation to use instead";
                self.find(&at, "`x-successor` names no operation", help);
            }
            Some(successor) if successor.deprecated => {
                let message = "`x-successor` names an operation that is deprecated itself";
                self.find(&at, message, "name one that stays");
            }
            Some(_) => {}
        }
    }
}
