//! Compares a pair of schemas, keyword by keyword. Keywords without a comparison of their own are compared as values, so
//! that no difference is lost.

mod all_of;
mod bounds;
mod composition;
mod conditions;
mod context;
mod discriminator;
mod enumeration;
mod harmless;
mod inclusion;
mod objects;
mod other;
mod pairing;
mod renamed;
mod types;
mod unnamed;
mod wording;

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

pub(crate) use self::context::SchemaContext;
use crate::edit::{Edit, RuleMatch};
use crate::finding::Side;
use crate::instance::InstanceFinder;
use crate::policy::Policy;
use crate::proof::why_silent;
use crate::rules::{Category, Change, Level, Role, Rule, RuleId, rule};
use crate::schema::{Aspect, Schema, Schemas, SetId, same_schema};
use crate::tree::Id;

/// Two schemas, and the context in which they are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct PairKey {
    pub(crate) base: SetId,
    pub(crate) revision: SetId,
    pub(crate) context: SchemaContext,
}

/// The schemas of both documents, and the policy.
pub(crate) struct Documents<'s, 'd> {
    pub(crate) base: &'s mut Schemas<'d>,
    pub(crate) revision: &'s mut Schemas<'d>,
    pub(crate) policy: &'s Policy,
    pub(crate) instances: &'s mut InstanceFinder<'d>,
}

impl Documents<'_, '_> {
    /// Whether two lists of schemas are equal, each schema in meaning.
    fn are_same<'i>(
        &mut self,
        base: impl ExactSizeIterator<Item = &'i SetId>,
        revision: impl ExactSizeIterator<Item = &'i SetId>,
        aspect: Aspect,
    ) -> bool {
        let (old, new) = (&mut *self.base, &mut *self.revision);
        base.len() == revision.len()
            && base
                .zip(revision)
                .all(|(a, b)| same_schema(old, *a, new, *b, aspect))
    }
}

/// The result of comparing a pair.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) rule_matches: Vec<RuleMatch>,
    /// The pairs of schemas inside, each with its place in messages.
    pub(crate) children: Vec<(PairKey, String)>,
}

/// Compares two schemas; the schemas inside them are returned as children.
pub(crate) fn compare(documents: Documents<'_, '_>, key: PairKey, place: &str) -> Found {
    let mut pair = SchemaPair::new(documents, key, place);
    pair.compare_access();
    let access = pair.found.rule_matches.len();
    pair.keep_choices();
    if !pair.compare_wrapping() && !pair.compare_choice_of_itself() {
        pair.compare_all_of();
        let before = pair.found.rule_matches.len() - access;
        let has_other_types = pair.compare_types();
        pair.compare_nullable();
        if !has_other_types {
            pair.compare_values();
        }
        pair.compare_enums();
        pair.compare_defaults();
        pair.compare_choices();
        pair.compare_not();
        pair.compare_newer();
        pair.compare_discriminator();
        pair.compare_lifecycle();
        pair.compare_component_name();
        pair.compare_other_keywords();
        pair.check_completeness(before);
    }
    pair.lower_harmless(key);
    pair.found
}

/// Two schemas that are being compared, and what was found so far.
struct SchemaPair<'s, 'd> {
    documents: Documents<'s, 'd>,
    context: SchemaContext,
    place: &'s str,
    base_set: SetId,
    revision_set: SetId,
    base: Rc<Schema<'d>>,
    revision: Rc<Schema<'d>>,
    found: Found,
    /// Keywords of `rest` whose changes were reported.
    reported: Vec<&'static str>,
    /// The members of choices that were compared with each other.
    members: HashSet<(SetId, SetId)>,
    /// The properties that only the revision has, by their letters without case.
    added_by_letters: Option<HashMap<String, &'d str>>,
}

impl<'s, 'd> SchemaPair<'s, 'd> {
    fn new(documents: Documents<'s, 'd>, key: PairKey, place: &'s str) -> SchemaPair<'s, 'd> {
        let base = documents.base.get(key.base);
        let revision = documents.revision.get(key.revision);
        SchemaPair {
            documents,
            context: key.context,
            place,
            base_set: key.base,
            revision_set: key.revision,
            base,
            revision,
            found: Found::default(),
            reported: Vec::new(),
            members: HashSet::new(),
            added_by_letters: None,
        }
    }

    /// Continues with other sets, because the difference to the former ones was reported.
    fn replace_sets(&mut self, base: SetId, revision: SetId) {
        self.base_set = base;
        self.revision_set = revision;
        self.base = self.documents.base.get(base);
        self.revision = self.documents.revision.get(revision);
        self.added_by_letters = None;
    }

    fn base_site(&self) -> Id {
        self.documents.base.site(self.base_set)
    }

    fn revision_site(&self) -> Id {
        self.documents.revision.site(self.revision_set)
    }

    /// The edit of a keyword.
    fn edit(&self, keyword: &str) -> Edit {
        let base = self.base.sites.get(keyword).copied();
        let revision = self.revision.sites.get(keyword).copied();
        let parents = (self.base_site(), self.revision_site());
        Edit::between(base, revision, parents).item(keyword)
    }

    fn schema(&self, side: Side) -> &Rc<Schema<'d>> {
        match side {
            Side::Base => &self.base,
            Side::Revision => &self.revision,
        }
    }

    fn schemas_of_document(&mut self, side: Side) -> &mut Schemas<'d> {
        match side {
            Side::Base => self.documents.base,
            Side::Revision => self.documents.revision,
        }
    }

    /// The nodes of a keyword in both documents, or of the schema without it: what something is added to or removed from.
    fn keyword_nodes(&self, keyword: &str) -> (Id, Id) {
        (
            self.base.keyword(keyword, self.base_site()),
            self.revision.keyword(keyword, self.revision_site()),
        )
    }

    /// Reports the rule of a change in the role of the schema.
    fn report(&mut self, change: Change, edit: Edit, what: &str) {
        let rule = self.context.role.rule(change);
        let rule = match self.one_way() {
            None => rule,
            Some((prefix, changed)) => match change.rule_with_prefix(prefix) {
                Some(rule) => rule,
                None if rule.rule().level > Level::Info => changed,
                None => rule,
            },
        };
        self.report_rule(rule, edit, what);
    }

    /// Reports what was removed, by the first of the changes, or added.
    fn report_presence(&mut self, changes: [Change; 2], is_added: bool, edit: Edit, subject: &str) {
        let what = if is_added { "added" } else { "removed" };
        let change = changes[usize::from(is_added)];
        self.report(change, edit, &format!("{subject} was {what}"));
    }

    fn report_rule(&mut self, rule: RuleId, edit: Edit, what: &str) {
        let subject = wording::name_schema(self.context, self.place);
        let message = format!("{subject}: {what}");
        self.found.rule_matches.push(RuleMatch {
            rule,
            edit,
            message,
            harmless: false,
        });
    }

    /// For a property that no request or no response contains: the prefix of its own rules, and the rule for its other
    /// changes.
    fn one_way(&self) -> Option<(&'static str, RuleId)> {
        let read_only = self.base.read_only && self.revision.read_only;
        let write_only = self.base.write_only && self.revision.write_only;
        let hidden = self.context.hidden;
        match self.context.role {
            Role::RequestProperty if read_only || hidden => Some((
                "request-read-only-property",
                rule!("request-read-only-property-changed"),
            )),
            Role::ResponseProperty if write_only || hidden => Some((
                "response-write-only-property",
                rule!("response-write-only-property-changed"),
            )),
            _ => None,
        }
    }

    /// Adds a pair of schemas inside this pair; `step` leads to it in messages.
    fn add_child(&mut self, base: SetId, revision: SetId, step: &str, presence: Presence) {
        // An array of a parameter is sent as values of the parameter.
        let role = match (self.context.role, step) {
            (Role::Parameter, "[]") => Role::Parameter,
            (role, _) => role.inner(),
        };
        let context = SchemaContext {
            role,
            repeated: false,
            is_segment: false,
            required: presence == Presence::Required,
            hidden: self.one_way().is_some(),
            closed: false,
            ..self.context
        };
        let key = PairKey {
            base,
            revision,
            context,
        };
        let place = wording::join_place(self.context.role, self.place, step);
        self.found.children.push((key, place));
    }
}

/// Whether a schema inside another must be present.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Presence {
    Required,
    Optional,
}

/// Parts of the ids of rules about more than the valid values.
const OTHER_BREAKS: [&str; 4] = ["discriminator", "x-extensible", "read-only", "write-only"];

/// Whether a rule says that a value is no longer valid, and that this is an error.
fn is_break(rule: RuleId) -> bool {
    let Rule {
        level, category, ..
    } = rule.rule();
    *level == Level::Error
        && *category == Category::Interface
        && why_silent(rule).is_none()
        && !OTHER_BREAKS.iter().any(|part| rule.as_str().contains(part))
}
