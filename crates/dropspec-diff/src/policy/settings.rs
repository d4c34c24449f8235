//! Reads `spec/contract.toml`.

use std::collections::HashSet;
use std::num::NonZeroU32;

use chrono::NaiveDate;
use serde::Deserialize;
use serde::de::{Deserializer, Error};
use toml::Spanned;

use super::{Policy, VersionCheck};
use crate::rules::Level;

/// A file of settings cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is not TOML, or a setting is unknown or invalid; the source names the line.
    #[error("the settings cannot be read")]
    Unreadable(#[source] toml::de::Error),
    /// Two entries of `acknowledged` have this fingerprint.
    #[error("`{0}` is acknowledged twice: keep one entry")]
    Twice(String),
}

/// The acknowledgement of a finding.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Acknowledged {
    /// The fingerprint of the finding.
    #[serde(deserialize_with = "read_fingerprint")]
    pub fingerprint: String,
    /// Why the finding is no failure.
    #[serde(deserialize_with = "read_reason")]
    pub reason: String,
    /// The last day on which the acknowledgement is valid.
    #[serde(deserialize_with = "read_day")]
    pub expires: NaiveDate,
    /// The line of the entry.
    #[serde(skip)]
    pub line: u32,
}

fn read_fingerprint<'t, D: Deserializer<'t>>(text: D) -> Result<String, D::Error> {
    let text = String::deserialize(text)?;
    let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if text.len() != 16 || !text.bytes().all(is_hex) {
        return Err(Error::custom(format!(
            "`{text}` is not a fingerprint: copy the 16 digits that the finding shows"
        )));
    }
    Ok(text)
}

fn read_reason<'t, D: Deserializer<'t>>(text: D) -> Result<String, D::Error> {
    let text = String::deserialize(text)?;
    if text.trim().is_empty() {
        let message = "the reason is empty: write why the finding is no failure";
        return Err(Error::custom(message));
    }
    Ok(text)
}

/// Reads a date, with or without quotes.
fn read_day<'t, D: Deserializer<'t>>(value: D) -> Result<NaiveDate, D::Error> {
    let day = match toml::Value::deserialize(value)? {
        toml::Value::String(text) => text,
        other => other.to_string(),
    };
    let message = || format!("`{day}` is not a date: write it as \"2027-01-31\"");
    day.parse().map_err(|_| Error::custom(message()))
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    /// Without the table, the file has acknowledgements only: all else is as without a file.
    settings: Option<Settings>,
    #[serde(default)]
    acknowledged: Vec<Spanned<Acknowledged>>,
}

/// The defaults of the table suit a team that publishes an interface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    min_notice_days: u32,
    min_notice_days_beta: u32,
    beta_breaks: Level,
    unproven_breaks: Level,
    generated_clients: bool,
    versions: VersionCheck,
    allow_unused_for: Option<NonZeroU32>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            min_notice_days: 180,
            min_notice_days_beta: 30,
            beta_breaks: Level::Warn,
            unproven_breaks: Level::Error,
            generated_clients: false,
            versions: VersionCheck::Exact,
            allow_unused_for: None,
        }
    }
}

impl Policy {
    /// Reads the settings of a `contract.toml`.
    ///
    /// # Errors
    /// The text is not TOML, or a setting or an acknowledgement is unknown or invalid.
    pub fn from_toml(text: &str, today: NaiveDate) -> Result<Policy, SettingsError> {
        let file: File = toml::from_str(text).map_err(SettingsError::Unreadable)?;
        let mut known = HashSet::new();
        let mut entries = file.acknowledged.iter().map(|it| &it.get_ref().fingerprint);
        if let Some(twice) = entries.find(|it| !known.insert(*it)) {
            return Err(SettingsError::Twice(twice.clone()));
        }
        let entries = file.acknowledged.into_iter().map(|entry| {
            let before = text[..entry.span().start].matches('\n').count();
            let line = u32::try_from(before + 1).unwrap_or(0);
            let entry = entry.into_inner();
            Acknowledged { line, ..entry }
        });
        let policy = Policy {
            acknowledged: entries.collect(),
            ..Policy::new(today)
        };
        let Some(settings) = file.settings else {
            return Ok(policy);
        };
        Ok(Policy {
            min_notice_days: i64::from(settings.min_notice_days),
            min_notice_days_beta: i64::from(settings.min_notice_days_beta),
            beta_breaks: settings.beta_breaks,
            unproven_breaks: settings.unproven_breaks,
            generated_clients: settings.generated_clients,
            versions: settings.versions,
            allow_unused_for: settings.allow_unused_for,
            passed_sunsets: true,
            ..policy
        })
    }
}
