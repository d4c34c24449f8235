//! Stability, deprecation and sunset of operations: well formed, together, and not passed.

use super::Lint;
use super::standard::Element;
use crate::lifecycle::{DEPRECATED_SINCE, Lifecycle, STABILITY, SUCCESSOR, SUNSET, Stability};
use crate::operation::Operation;
use crate::reader::Place;

const DATE_HELP: &str = "write it as \"2027-06-30\", in quotes";

impl Lint<'_> {
    pub(super) fn lifecycles(&mut self) {
        for operation in &self.spec.operations {
            let lifecycle = Lifecycle::from_extensions(&operation.extensions);
            self.stability(operation, &lifecycle);
            self.deprecation(operation, &lifecycle);
            self.successor(operation);
        }
    }

    fn stability(&mut self, operation: &Operation, lifecycle: &Lifecycle) {
        let valid = [Ok(Stability::Experimental), Ok(Stability::Beta)];
        if lifecycle
            .stability
            .as_ref()
            .is_some_and(|found| !valid.contains(found))
        {
            let at = self.extension_place(operation, STABILITY);
            let help = "write `experimental` or `beta`; without it the operation is stable";
            self.find(&at, "`x-stability` is not a stability", help);
        }
    }

    fn deprecation(&mut self, operation: &Operation, lifecycle: &Lifecycle) {
        let dates = [
            (DEPRECATED_SINCE, &lifecycle.deprecated_since),
            (SUNSET, &lifecycle.sunset),
        ];
        for (name, date) in dates {
            let at = self.extension_place(operation, name);
            if let Some(Err(_)) = date {
                self.find(&at, format!("`{name}` is not a date"), DATE_HELP);
            }
            if date.is_some() && !operation.deprecated {
                let message = format!("`{name}` stands at an operation that is not deprecated");
                self.find(&at, message, "add `deprecated: true`, or remove it");
            }
            if date.is_none() && operation.deprecated {
                let message = format!("the deprecated operation has no `{name}`");
                self.find(&operation.at, message, "callers need to know the day");
            }
        }
        let Some(Ok(sunset)) = lifecycle.sunset else {
            return;
        };
        if !operation.deprecated {
            return;
        }
        let at = self.extension_place(operation, SUNSET);
        if let Some(Ok(since)) = lifecycle.deprecated_since
            && sunset <= since
        {
            let message =
                format!("the sunset {sunset} is not after {since}, when it was deprecated");
            self.find(&at, message, "leave callers time to move");
        }
        if sunset < self.today {
            let message = format!("the sunset {sunset} has passed");
            self.find(&at, message, "remove the operation, or move its sunset");
        }
    }

    /// Checks the sunset of a parameter or a schema.
    pub(super) fn sunset_of_part(&mut self, part: Element<'_>) {
        let lifecycle = part.node.as_object().map(Lifecycle::from_extensions);
        let Some(sunset) = lifecycle.and_then(|lifecycle| lifecycle.sunset) else {
            return;
        };
        let at = part.place(SUNSET);
        match sunset {
            Err(_) => self.find(&at, format!("`{SUNSET}` is not a date"), DATE_HELP),
            Ok(_) if !part.flag("deprecated") => {
                let message = format!("`{SUNSET}` stands at what is not deprecated");
                self.find(&at, message, "add `deprecated: true`, or remove it");
            }
            Ok(sunset) if sunset < self.today => {
                let message = format!("the sunset {sunset} has passed");
                let help = "remove what is deprecated, or move its sunset";
                self.find(&at, message, help);
            }
            Ok(_) => {}
        }
    }

    fn successor(&mut self, operation: &Operation) {
        let found = self.extension(&operation.at, &operation.extensions, SUCCESSOR);
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
    fn extension_place(&self, operation: &Operation, name: &str) -> Place {
        match operation.extensions.get(name) {
            Some(member) => operation.at.member(name, member),
            None => operation.at.clone(),
        }
    }
}
