//! What a team makes of changes: notice, stability, versions, and what it has already agreed to.

mod acknowledge;
mod settings;
mod version;

use chrono::NaiveDate;
use serde::{Deserialize, Serialize};

use crate::rules::{Kind, Level, Rule};

pub use acknowledge::Acknowledged;
pub(crate) use acknowledge::{acknowledge, check_acknowledged};
pub use settings::SettingsError;
pub(crate) use version::{check as check_version, check_readable};

/// Renames that only generated code notices.
const RENAMES: [&str; 11] = [
    "api-operation-id-removed",
    "path-parameter-renamed",
    "property-case-changed",
    "request-body-component-renamed",
    "request-property-component-renamed",
    "request-parameter-component-renamed",
    "request-parameter-property-component-renamed",
    "response-body-component-renamed",
    "response-property-component-renamed",
    "response-header-component-renamed",
    "response-header-property-component-renamed",
];

/// The settings of a comparison.
#[derive(Debug, Clone, PartialEq)]
pub struct Policy {
    /// The day on which the comparison is made.
    pub today: NaiveDate,
    /// Days between the announcement of a deprecation and its sunset, for what is stable. With 0, no sunset is needed.
    pub min_notice_days: i64,
    /// The same for `beta`.
    pub min_notice_days_beta: i64,
    /// What a break of a `beta` operation weighs.
    pub beta_breaks: Level,
    /// Whether clients are generated, so that a rename breaks them.
    pub generated_clients: bool,
    /// Operations below this are not looked at; otherwise what happens to them weighs less.
    pub ignore_below: Option<Stability>,
    /// Whether an operation is reported that outlived its sunset.
    pub passed_sunsets: bool,
    /// What is asked of `info.version`.
    pub versions: Versions,
    /// Findings that do not count.
    pub acknowledged: Vec<Acknowledged>,
}

/// What is asked of `info.version`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Versions {
    /// Nothing.
    Off,
    /// A breaking change needs a new major version (before 1.0.0, a new minor one).
    Breaking,
    /// It moves by exactly what the findings imply.
    Exact,
}

/// What is promised of an operation. Ordered by how much it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stability {
    /// Nothing yet.
    Draft,
    /// `experimental`, or `alpha`: it may change at any time.
    Experimental,
    /// It may break with a minor version.
    Beta,
    /// It changes only compatibly.
    Stable,
}

impl Policy {
    /// No notice, no versions, no acknowledgements.
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
            acknowledged: Vec::new(),
        }
    }

    /// The level of a rule where everything is stable.
    pub fn level(&self, rule: &Rule) -> Level {
        match self.generated_clients && RENAMES.contains(&rule.id.as_str()) {
            true => Level::Error,
            false => rule.level,
        }
    }

    /// The level of a rule for an operation; nothing if such operations are not looked at.
    pub(crate) fn weigh(&self, rule: &Rule, level: Level, stability: Stability) -> Option<Level> {
        if self.ignore_below.is_some_and(|least| stability < least) {
            return None;
        }
        Some(match (rule.kind, stability) {
            (Kind::Interface, Stability::Beta) => level.min(self.beta_breaks),
            (Kind::Interface | Kind::Notice, Stability::Experimental | Stability::Draft) => {
                Level::Info
            }
            _ => level,
        })
    }

    /// The days of notice that a deprecation needs.
    pub(crate) fn notice(&self, stability: Stability) -> i64 {
        match stability {
            Stability::Stable => self.min_notice_days,
            Stability::Beta => self.min_notice_days_beta,
            Stability::Draft | Stability::Experimental => 0,
        }
    }
}

impl Stability {
    /// Reads the value of `x-stability` or `x-stability-level`.
    pub fn parse(text: &str) -> Option<Stability> {
        Some(match text {
            "draft" => Stability::Draft,
            "alpha" | "experimental" => Stability::Experimental,
            "beta" => Stability::Beta,
            "stable" => Stability::Stable,
            _ => return None,
        })
    }
}
