//! Compares what documents say of properties that they do not name.

use super::{Presence, SchemaPair};
use crate::finding::Side;
use crate::rules::change;
use crate::schema::{Additional, Aspect, SetId, matches_name, same_schema};

impl SchemaPair<'_, '_> {
    pub(super) fn compare_additional_properties(&mut self) {
        let schema = |additional: Additional| match additional {
            Additional::Schema(set) => Some(set),
            Additional::Any | Additional::Forbidden => None,
        };
        let (keyword, subject) = ("additionalProperties", "additional properties");
        match (self.base.additional, self.revision.additional) {
            (old, new) if old == new && schema(old).is_none() => {}
            (Additional::Schema(base), Additional::Schema(revision)) => {
                self.add_child(base, revision, "{}", Presence::Optional);
            }
            (_, Additional::Forbidden) => {
                let change = change!("additional-properties-forbidden");
                let what = format!("{subject} are no longer valid");
                self.report(change, self.edit(keyword), &what);
            }
            (Additional::Forbidden, _) => {
                let change = change!("additional-properties-allowed");
                let what = format!("{subject} became valid");
                self.report(change, self.edit(keyword), &what);
            }
            (old, new) => {
                let changes = [
                    change!("additional-properties-generalized"),
                    change!("additional-properties-restricted"),
                ];
                self.report_inner(schema(old), schema(new), changes, keyword, subject);
            }
        }
    }

    /// The schema of a document for a property that it does not name.
    pub(super) fn find_unnamed(&self, name: &str, side: Side) -> Option<SetId> {
        let schema = self.schema(side);
        let mut patterns = schema.further.iter().filter_map(|((keyword, it, _), set)| {
            (*keyword == "patternProperties" && matches_name(it, name)).then_some(*set)
        });
        match (patterns.next(), schema.additional) {
            (Some(set), _) | (None, Additional::Schema(set)) => Some(set),
            (None, Additional::Any | Additional::Forbidden) => None,
        }
    }

    /// Compares a property that only one document names with the schema of the other one for such properties.
    pub(super) fn compare_with_unnamed(&mut self, name: &str, base: SetId, revision: SetId) {
        let (old, new) = (&mut *self.documents.base, &mut *self.documents.revision);
        let property = [old.get(base), new.get(revision)];
        let aspect = Aspect::Validity;
        if property.iter().all(|it| !it.read_only && !it.write_only)
            && !same_schema(old, base, new, revision, aspect)
        {
            self.add_child(base, revision, name, Presence::Optional);
        }
    }

    /// Whether the revision accepts no properties but those that it, or a schema of which it is a member, evaluates.
    pub(super) fn forbids_unevaluated(&self) -> bool {
        let schemas = &self.documents.revision;
        let mut conditions = self.revision.conditions.iter();
        self.context.closed
            || conditions.any(|it| {
                let others = it.parts.get("unevaluatedProperties");
                others.is_some_and(|set| schemas.accepts_nothing(*set))
            })
    }
}
