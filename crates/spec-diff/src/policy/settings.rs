//! Reads `spec/contract.toml`.

use chrono::NaiveDate;
use serde::Deserialize;

use super::{Acknowledged, Policy, Versions};
use crate::rules::Level;

/// Why a file of settings cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("the settings cannot be read")]
pub struct SettingsError {
    #[source]
    source: toml::de::Error,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    settings: Settings,
    #[serde(default)]
    acknowledged: Vec<Acknowledged>,
}

/// Each has the value that suits a team that publishes an interface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    min_notice_days: u32,
    min_notice_days_beta: u32,
    beta_breaks: Level,
    generated_clients: bool,
    versions: Versions,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            min_notice_days: 180,
            min_notice_days_beta: 30,
            beta_breaks: Level::Warn,
            generated_clients: false,
            versions: Versions::Exact,
        }
    }
}

impl Policy {
    /// The policy that a `contract.toml` describes.
    ///
    /// # Errors
    /// What is no TOML, or no setting.
    pub fn from_toml(text: &str, today: NaiveDate) -> Result<Policy, SettingsError> {
        let file: File = toml::from_str(text).map_err(|source| SettingsError { source })?;
        let settings = file.settings;
        Ok(Policy {
            min_notice_days: i64::from(settings.min_notice_days),
            min_notice_days_beta: i64::from(settings.min_notice_days_beta),
            beta_breaks: settings.beta_breaks,
            generated_clients: settings.generated_clients,
            versions: settings.versions,
            passed_sunsets: true,
            acknowledged: file.acknowledged,
            ..Policy::new(today)
        })
    }
}
