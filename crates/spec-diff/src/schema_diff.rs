//! Compares a pair of schemas, keyword by keyword. Each keyword is compared in one place; what is left is compared as it
//! stands, so that no difference goes unseen.

mod all_of;
mod bounds;
mod composition;
mod discriminator;
mod enumeration;
mod objects;
mod pairing;
mod remainder;
mod role;
mod types;

use std::rc::Rc;

use crate::policy::Stability;
use crate::rules::{Level, find};
use crate::schema::{Aspect, Schema, SetId};
use crate::session::{Edit, PairKey, Session};
use crate::tree::Id;

pub(crate) use self::role::Role;

/// The role, and what else about the surroundings matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Setting {
    pub(crate) role: Role,
    /// Whether the text on the wire tells a number from a string, as JSON does.
    pub(crate) typed: bool,
    /// Whether an array is written as the parameter repeated.
    pub(crate) repeated: bool,
    /// Whether it must be present.
    pub(crate) required: bool,
    /// Whether it is, or is part of, a header that clients send.
    pub(crate) in_header: bool,
    /// How much is promised of the operation, which decides how much notice a deprecation needs.
    pub(crate) promised: Stability,
    /// Whether it is a part of something that never travels in this direction.
    pub(crate) hidden: bool,
}

impl Setting {
    /// Where a document names a schema: it must be present, and is a part of nothing. Its text is not typed, its arrays
    /// are written in one piece.
    pub(crate) fn of(role: Role, promised: Stability) -> Setting {
        Setting {
            role,
            typed: false,
            repeated: false,
            required: true,
            in_header: false,
            promised,
            hidden: false,
        }
    }
}

/// What comparing a pair brought.
#[derive(Default)]
pub(crate) struct Found {
    pub(crate) reports: Vec<Report>,
    pub(crate) children: Vec<(PairKey, String)>,
}

pub(crate) struct Report {
    pub(crate) rule: String,
    pub(crate) edit: Edit,
    pub(crate) message: String,
}

/// Compares the two schemas themselves; the schemas inside them are handed back as children.
pub(crate) fn compare(session: &mut Session<'_>, key: PairKey, place: &str) -> Found {
    let mut pair = Pair::new(session, key, place);
    if !pair.wrapping() && !pair.choice_of_itself() {
        pair.all_of();
        let before = pair.found.reports.len();
        pair.types();
        pair.nullable();
        pair.bounds();
        pair.counts();
        pair.multiples();
        pair.patterns();
        pair.enumerations();
        pair.defaults();
        pair.items();
        pair.properties();
        pair.additional();
        pair.choices();
        pair.not();
        pair.discriminator();
        pair.access();
        pair.lifecycle();
        pair.component_name();
        pair.remainder();
        pair.audit(before);
    }
    pair.found
}

/// A pair under comparison.
pub(crate) struct Pair<'s, 'd> {
    session: &'s mut Session<'d>,
    setting: Setting,
    place: &'s str,
    base_set: SetId,
    revision_set: SetId,
    base: Rc<Schema<'d>>,
    revision: Rc<Schema<'d>>,
    found: Found,
    /// Keywords of the remainder that rules have reported.
    told: Vec<&'static str>,
}

impl<'s, 'd> Pair<'s, 'd> {
    fn new(session: &'s mut Session<'d>, key: PairKey, place: &'s str) -> Pair<'s, 'd> {
        let base = session.base.get(key.base);
        let revision = session.revision.get(key.revision);
        Pair {
            session,
            setting: key.setting,
            place,
            base_set: key.base,
            revision_set: key.revision,
            base,
            revision,
            found: Found::default(),
            told: Vec::new(),
        }
    }

    /// Compares other sets instead, because the difference between them has been reported.
    fn narrow(&mut self, base: SetId, revision: SetId) {
        self.base_set = base;
        self.revision_set = revision;
        self.base = self.session.base.get(base);
        self.revision = self.session.revision.get(revision);
    }

    fn base_site(&self) -> Id {
        self.session.base.site(self.base_set)
    }

    fn revision_site(&self) -> Id {
        self.session.revision.site(self.revision_set)
    }

    /// The edit of a keyword: changed if both have it, otherwise added or removed.
    fn edit(&self, keyword: &str) -> Edit {
        let base = self.base.sites.get(keyword).copied();
        let revision = self.revision.sites.get(keyword).copied();
        match (base, revision) {
            (Some(base), Some(revision)) => Edit::changed(base, revision),
            (None, Some(revision)) => Edit::added(self.base_site(), revision),
            (Some(base), None) => Edit::removed(base, self.revision_site()),
            (None, None) => Edit::changed(self.base_site(), self.revision_site()),
        }
        .item(keyword)
    }

    /// Reports `{role}-{change}`, by the name that the change has for what only travels the other way.
    fn report(&mut self, change: &str, edit: Edit, what: &str) {
        let role = self.setting.role;
        let rule = format!("{}-{change}", role.prefix());
        let rule = match self.one_way() {
            Some(one_way) => one_way_rule(rule, one_way, change),
            None => rule,
        };
        self.report_as(rule, edit, what);
    }

    /// Reports a rule by its whole name.
    fn report_as(&mut self, rule: String, edit: Edit, what: &str) {
        let message = format!("{}: {what}", self.subject());
        self.found.reports.push(Report {
            rule,
            edit,
            message,
        });
    }

    /// How properties are called that never travel in this direction.
    fn one_way(&self) -> Option<&'static str> {
        let read_only = self.base.read_only && self.revision.read_only;
        let write_only = self.base.write_only && self.revision.write_only;
        match self.setting.role {
            Role::RequestProperty if read_only || self.setting.hidden => {
                Some("request-read-only-property")
            }
            Role::ResponseProperty if write_only || self.setting.hidden => {
                Some("response-write-only-property")
            }
            _ => None,
        }
    }

    fn subject(&self) -> String {
        let place = self.place;
        match self.setting.role {
            Role::RequestBody => "the request body".to_owned(),
            Role::RequestProperty => format!("the request property `{place}`"),
            Role::ResponseBody => "the response body".to_owned(),
            Role::ResponseProperty => format!("the response property `{place}`"),
            _ => format!("the {place}"),
        }
    }

    /// A schema inside this one.
    fn child(&mut self, base: SetId, revision: SetId, step: &str, required: Required) {
        // The items of a parameter are what the parameter says, one after another.
        let role = match (self.setting.role, step) {
            (Role::Parameter, "[]") => Role::Parameter,
            (role, _) => role.inner(),
        };
        let setting = Setting {
            role,
            repeated: false,
            required: required == Required::Yes,
            hidden: self.one_way().is_some(),
            ..self.setting
        };
        let key = PairKey {
            base,
            revision,
            setting,
        };
        let place = join(self.setting.role, self.place, step);
        self.found.children.push((key, place));
    }

    /// What differs by itself and was not reported is reported now.
    fn audit(&mut self, before: usize) {
        let aspect = Aspect::Everything;
        let was = self.session.base.shallow(self.base_set, aspect);
        let is = self.session.revision.shallow(self.revision_set, aspect);
        if self.found.reports.len() == before && was != is {
            let edit = Edit::changed(self.base_site(), self.revision_site()).item("schema");
            let what = "the schema changed in a way that no rule knows";
            self.report_as("unclassified-change".to_owned(), edit, what);
        }
    }
}

/// Whether a schema inside another must be present.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Required {
    Yes,
    No,
}

fn join(role: Role, place: &str, step: &str) -> String {
    let at_root = matches!(role, Role::RequestBody | Role::ResponseBody);
    if at_root || place.is_empty() {
        return step.to_owned();
    }
    // A way through many schemas tells a person no more than its end.
    if place.len() > LONGEST_PLACE {
        return format!("…/{step}");
    }
    format!("{place}/{step}")
}

/// The longest way that a message spells out, in bytes.
const LONGEST_PLACE: usize = 120;

/// The rule of its own, if there is one; otherwise what would weigh is only noted.
fn one_way_rule(rule: String, one_way: &str, change: &str) -> String {
    let own = format!("{one_way}-{change}");
    if find(&own).is_some() {
        return own;
    }
    match find(&rule) {
        Some(found) if found.level > Level::Info => format!("{one_way}-changed"),
        _ => rule,
    }
}

/// A value as a message shows it: short.
fn shown(text: &str) -> String {
    const LONGEST: usize = 60;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    let start: String = text.chars().take(LONGEST).collect();
    format!("{start}…")
}
