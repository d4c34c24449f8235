//! The settings of a comparison: notice, levels, versions, acknowledgements.

mod acknowledge;
mod settings;

use std::num::NonZeroU32;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};
use spec_model::{ChosenLevel, Selected, Severity, Stability, chosen_level};

use crate::rules::{Category, Level, Role, Rule, RuleId, change, rule};
use crate::usage::Usage;

pub use acknowledge::Acknowledged;
pub(crate) use acknowledge::{check_acknowledgements, mark_acknowledged};
pub use settings::SettingsError;

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
    /// Whether clients are generated, so that a rename breaks them.
    pub generated_clients: bool,
    /// Operations of a lower stability are ignored. If absent, none is.
    pub ignore_below: Option<Stability>,
    /// Whether operations whose sunset has passed are reported.
    pub passed_sunsets: bool,
    /// How `info.version` is checked.
    pub versions: Versions,
    /// Whether each break is proved by an exchange, see [`Finding::proof`](crate::Finding::proof).
    pub prove: bool,
    /// Levels of some rules at some operations; the last entry that applies counts.
    pub severities: Vec<Severity>,
    /// Acknowledged findings.
    pub acknowledged: Vec<Acknowledged>,
    /// Who uses the interface.
    pub usage: Option<Usage>,
    /// A break is an info if `usage` says that nobody used what it touches for so many days before today, each of which was
    /// counted.
    pub allow_unused_for: Option<NonZeroU32>,
}

/// How `info.version` is checked.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Versions {
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
            generated_clients: false,
            ignore_below: None,
            passed_sunsets: false,
            versions: Versions::Off,
            prove: false,
            severities: Vec::new(),
            acknowledged: Vec::new(),
            usage: None,
            allow_unused_for: None,
        }
    }

    /// The level of a rule for a stable operation.
    pub fn level(&self, rule: RuleId) -> Level {
        match self.generated_clients && is_rename(rule) {
            true => Level::Error,
            false => rule.rule().level,
        }
    }

    /// The level that the settings choose for a rule at an operation, or for the whole document.
    pub(crate) fn chosen(&self, rule: RuleId, at: Option<Selected<'_>>) -> Option<ChosenLevel> {
        chosen_level(&self.severities, rule.as_str(), at)
    }

    /// The level of a rule for an operation of some stability, given the level for a stable one. None if such operations
    /// are ignored.
    pub(crate) fn level_at(
        &self,
        rule: &Rule,
        level: Level,
        stability: Stability,
    ) -> Option<Level> {
        if self.ignores(stability) {
            return None;
        }
        Some(match (rule.category, stability) {
            (Category::Interface, Stability::Beta) => level.min(self.beta_breaks),
            (
                Category::Interface | Category::Notice,
                Stability::Experimental | Stability::Draft,
            ) => Level::Info,
            _ => level,
        })
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
