//! Compares `not`.

use super::SchemaPair;
use super::composition::sort_by_digest;
use crate::rules::{change, rule};
use crate::schema::{Aspect, same_schema};

impl SchemaPair<'_, '_> {
    pub(super) fn compare_not(&mut self) {
        let (base, revision) = (self.base.clone(), self.revision.clone());
        let (schemas, others) = (&mut *self.documents.base, &mut *self.documents.revision);
        let mut is_same = |aspect: Aspect| {
            let old = sort_by_digest(schemas, &base.not, aspect);
            let new = sort_by_digest(others, &revision.not, aspect);
            let mut pairs = old.iter().zip(&new);
            old.len() == new.len()
                && pairs.all(|(a, b)| same_schema(schemas, *a, others, *b, aspect))
        };
        if is_same(Aspect::Everything) {
            return;
        }
        let same_validity = is_same(Aspect::Validity);
        let edit = self.edit("not");
        if same_validity {
            let what = "the description of `not` changed";
            self.report_rule(rule!("documentation-changed"), edit, what);
            return;
        }
        let (change, what) = match (base.not.is_empty(), revision.not.is_empty()) {
            (true, _) => (change!("not-added"), "`not` was added"),
            (_, true) => (change!("not-removed"), "`not` was removed"),
            _ => (change!("not-changed"), "`not` excludes other values"),
        };
        self.report(change, edit, what);
    }
}
