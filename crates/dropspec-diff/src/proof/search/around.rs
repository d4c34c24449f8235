//! What is known about one finding: which refusals belong to it.

use std::cell::LazyCell;

use serde_json::Value;

use super::super::Response;
use super::super::checker::{Refusal, RefusalKind};
use super::super::drafts::Drafter;
use super::{Place, drafter};
use crate::checker::Checker;
use crate::finding::Finding;

/// The documents around one finding.
pub(super) struct Around<'f> {
    pub(super) finding: &'f Finding,
    /// The revision without the edit: a copy of it, which is only made for what is refused.
    pub(super) undone: LazyCell<Option<Checker>, Box<dyn FnOnce() -> Option<Checker> + 'f>>,
    /// The document that accepts the instance, with no other value at its schema.
    pub(super) pinned: Option<Checker>,
}

impl Around<'_> {
    /// Writes messages that hold the instance, if that is known.
    pub(super) fn pinned_drafter(&self, method: &str, template: &str) -> Option<Drafter<'_>> {
        let checker = self.pinned.as_ref()?;
        Some(drafter(checker, checker.operation(method, template)?, None))
    }

    /// Whether the refused value, or one around it, is the instance, or the refused value is what the message names.
    pub(super) fn has_instance(&self, refusal: &Refusal) -> bool {
        let Finding {
            id,
            message,
            instance,
            ..
        } = self.finding;
        let instance = instance.as_ref().map(|it| &it.value);
        // The last name is that of the revision.
        let names = message.rsplit('`').skip(1).step_by(2);
        let mut names = names.skip(usize::from(id.as_str().starts_with("request")));
        let is_renamed = id.as_str().ends_with("discriminator-value-renamed");
        let named = names.next().filter(|_| is_renamed);
        let value = refusal.values.first();
        if id.as_str().ends_with("-nullable") && value == Some(&Value::Null) {
            // Of two values that `null` is no longer, each is shown at its own place.
            let (place, _) = message.split_once(": ").unwrap_or_default();
            let own = place.trim_end_matches('`').rsplit(['/', '`']).next();
            let is_body = place.ends_with("body") && refusal.place == "the body";
            return is_body || own.is_some_and(|own| refusal.place.ends_with(&format!("/{own}`")));
        }
        instance.is_some_and(|it| refusal.values.contains(it))
            || named.is_some() && value.and_then(Value::as_str) == named
    }

    /// Whether a refused response shows what the rule says.
    pub(super) fn shows(&self, refusal: &Refusal, place: &Place<'_>, response: &Response) -> bool {
        let id = self.finding.id.as_str();
        // The base may have `default` for the new status.
        let status = response.status.to_string();
        let is_new = || place.old.value["responses"].get(&status).is_none();
        match refusal.kind {
            _ if id == "response-success-status-removed" => is_new(),
            RefusalKind::Status => false,
            RefusalKind::MediaType => id.starts_with("response-media-type-"),
            RefusalKind::Content => self.has_instance(refusal),
        }
    }
}
