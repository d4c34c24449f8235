//! Lowers breaks to infos where it is proved that no value that is sent becomes invalid.

use super::inclusion::Inclusion;
use super::{PairKey, SchemaContext, SchemaPair, is_break};
use crate::rules::{Role, change};
use crate::schema::{Aspect, Schema};

impl SchemaPair<'_, '_> {
    /// If every value that is sent is still valid, lowers the breaks to infos.
    pub(super) fn lower_harmless(&mut self, key: PairKey) {
        // There is a value that became invalid.
        let ambiguous = change!("one-of-became-ambiguous");
        let ambiguous = self.context.role.rule(ambiguous);
        if self
            .found
            .rule_matches
            .iter()
            .any(|it| it.rule == ambiguous)
        {
            return;
        }
        let has_breaks = self.found.rule_matches.iter().any(|it| is_break(it.rule));
        let may_allow_by_others = |it: &Schema<'_>| {
            it.has_choices() || !it.further.is_empty() || !it.conditions.is_empty()
        };
        let may_allow_by_others =
            may_allow_by_others(&self.base) || may_allow_by_others(&self.revision);
        let (base, revision) = (&mut *self.documents.base, &mut *self.documents.revision);
        let aspect = Aspect::Validity;
        let may_matter = has_breaks
            || may_allow_by_others
                && !self.found.children.is_empty()
                && base.digest(key.base, aspect) != revision.digest(key.revision, aspect);
        let sets = (key.base, key.revision);
        let inner = self.context.role.inner();
        let context = SchemaContext {
            // In a form, a property may be JSON.
            typed: self.context.typed
                || matches!(inner, Role::RequestProperty | Role::ResponseProperty),
            ..self.context
        };
        let is_harmless = context.harmless
            // What the whole accepts depends on what its members evaluate.
            || may_matter
                && !context.closed
                && Inclusion::is_proved(&mut self.documents, sets, context);
        if !is_harmless {
            return;
        }
        for found in &mut self.found.rule_matches {
            if is_break(found.rule) {
                found.lower();
            }
        }
        for (child, _) in &mut self.found.children {
            child.context.harmless = true;
        }
    }
}
