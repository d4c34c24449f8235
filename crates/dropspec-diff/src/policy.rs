//! The settings of a comparison: notice, levels, versions, acknowledgements.

mod settings;

use std::collections::{BTreeMap, HashSet};
use std::num::NonZeroU32;

use chrono::NaiveDate;
use dropspec_model::{Document, Location, Selected, Severity, Stability, chosen_level};
use serde::{Deserialize, Serialize};
pub use settings::{Acknowledged, SettingsError};

use crate::counts::Usage;
use crate::finding::Finding;
use crate::rules::{Bump, Category, Level, Role, Rule, RuleId, change, rule};

/// The settings of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The day of the comparison.
    pub today: NaiveDate,
    /// Days between the announcement of a deprecation and its sunset, for stable operations. With 0, no sunset is
    /// required.
    pub min_notice_days: i64,
    /// The same for beta operations.
    pub min_notice_days_beta: i64,
    /// The highest level of a change of a beta operation.
    pub beta_breaks: Level,
    /// The level of a break of which no proof was found.
    pub unproven_breaks: Level,
    /// Whether clients are generated, so that a rename breaks them.
    pub generated_clients: bool,
    /// Operations of a lower stability are ignored. If absent, none is.
    pub ignore_below: Option<Stability>,
    /// Whether operations whose sunset has passed are reported.
    pub passed_sunsets: bool,
    /// How `info.version` is checked.
    pub versions: VersionCheck,
    /// Whether the exchanges that prove breaks are part of the findings, see [`Finding::proof`](crate::Finding::proof).
    pub prove: bool,
    /// Levels of some rules at some operations; the last entry that applies counts.
    pub severities: Vec<Severity>,
    /// The file of the settings, or of those that are to be written, for messages.
    pub settings_file: Option<String>,
    /// Acknowledged findings.
    pub acknowledged: Vec<Acknowledged>,
    /// Who uses the interface. Of a set of documents, those that `usage_of` does not name.
    pub usage: Option<Usage>,
    /// Who uses the interface of a document of a set, by its name.
    pub usage_of: BTreeMap<String, Usage>,
    /// A break is an info if `usage` says that nobody used what it touches for so many days before today, each of which was
    /// counted.
    pub allow_unused_for: Option<NonZeroU32>,
}

/// How `info.version` is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum VersionCheck {
    /// Not at all.
    Off,
    /// A breaking change requires a new major version (before 1.0.0, a new minor one).
    Breaking,
    /// It is exactly the version that the findings require.
    Exact,
}

impl Policy {
    /// The settings for documents without settings: no notice, no check of versions, no acknowledgements.
    pub fn new(today: NaiveDate) -> Policy {
        Policy {
            today,
            min_notice_days: 0,
            min_notice_days_beta: 0,
            beta_breaks: Level::Error,
            unproven_breaks: Level::Error,
            generated_clients: false,
            ignore_below: None,
            passed_sunsets: false,
            versions: VersionCheck::Off,
            prove: false,
            severities: Vec::new(),
            settings_file: None,
            acknowledged: Vec::new(),
            usage: None,
            usage_of: BTreeMap::new(),
            allow_unused_for: None,
        }
    }

    /// The level of a rule for a stable operation.
    pub fn level(&self, rule: RuleId) -> Level {
        if self.generated_clients && is_rename(rule) {
            Level::Error
        } else {
            rule.rule().level
        }
    }

    /// The level and the version increment of a rule at an operation, or for the whole document. None if the policy ignores
    /// it there.
    pub(crate) fn rate(&self, id: RuleId, at: Option<Selected<'_>>) -> Option<(Level, Bump)> {
        let (rule, level) = (id.rule(), self.level(id));
        let depends = matches!(rule.category, Category::Interface | Category::Notice);
        let stability = at.filter(|_| depends).map(|at| at.stability);
        let stability = stability.unwrap_or(Stability::Stable);
        let chosen = chosen_level(&self.severities, &rule.id, at);
        let level = match (rule.category, stability) {
            _ if chosen.is_some() => chosen?.level()?,
            _ if self.ignores(stability) => return None,
            (Category::Interface, Stability::Beta) => level.min(self.beta_breaks),
            (_, Stability::Experimental | Stability::Draft) => Level::Info,
            _ => level,
        };
        Some((level, bump(rule, level, stability)))
    }

    /// Whether operations of a stability are ignored.
    pub(crate) fn ignores(&self, stability: Stability) -> bool {
        self.ignore_below.is_some_and(|least| stability < least)
    }

    /// The days of notice that a deprecation requires.
    pub(crate) fn notice(&self, stability: Stability) -> i64 {
        match stability {
            Stability::Stable => self.min_notice_days,
            Stability::Beta => self.min_notice_days_beta,
            Stability::Draft | Stability::Experimental => 0,
        }
    }
}

/// The version increment that a rule requires. A break of an operation that is not stable requires a minor version.
fn bump(rule: &Rule, level: Level, stability: Stability) -> Bump {
    match rule.category {
        Category::Process => Bump::None,
        Category::Documentation => Bump::Patch,
        Category::Interface if level == Level::Error && stability == Stability::Stable => {
            Bump::Major
        }
        Category::Interface | Category::Notice => Bump::Minor,
    }
}

/// Whether a rule is about a name that only generated code uses.
fn is_rename(id: RuleId) -> bool {
    const RENAMES: [RuleId; 3] = [
        rule!("api-operation-id-removed"),
        rule!("path-parameter-renamed"),
        rule!("property-case-changed"),
    ];
    let component = change!("component-renamed");
    RENAMES.contains(&id) || Role::ALL.iter().any(|role| role.rule(component) == id)
}

/// Marks the findings that are acknowledged.
pub(crate) fn mark_acknowledged(findings: &mut [Finding], policy: &Policy) {
    for finding in findings {
        let mut entries = policy.acknowledged.iter();
        let entry = entries.find(|entry| entry.fingerprint == finding.fingerprint);
        let valid = entry.filter(|entry| entry.expires >= policy.today);
        finding.acknowledged = valid.map(|entry| entry.reason.clone());
    }
}

/// Reports acknowledgements that have expired, and those that no finding uses.
pub(crate) fn check_acknowledgements(
    findings: &mut Vec<Finding>,
    policy: &Policy,
    revision: &Document,
) {
    let used: HashSet<String> = findings.iter().map(|f| f.fingerprint.clone()).collect();
    for entry in &policy.acknowledged {
        let fingerprint = &entry.fingerprint;
        let (id, what) = if !used.contains(fingerprint) {
            (rule!("acknowledgement-unused"), "matches no finding".into())
        } else if entry.expires < policy.today {
            let what = format!("expired on {}", entry.expires);
            (rule!("acknowledgement-expired"), what)
        } else {
            continue;
        };
        let Some((level, _)) = policy.rate(id, None) else {
            continue;
        };
        let message = format!(
            "the acknowledgement of {fingerprint} {what} (reason: {})",
            entry.reason
        );
        let rated = (level, Bump::None);
        let mut finding = Finding::of_document(revision, id, rated, fingerprint, message);
        if let Some(file) = &policy.settings_file {
            finding.revision = Location {
                file: file.as_str().into(),
                line: entry.line,
                column: 1,
            };
            finding.base = finding.revision.clone();
        }
        findings.push(finding);
    }
}
