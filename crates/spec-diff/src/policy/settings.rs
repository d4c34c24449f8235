//! Reads `spec/contract.toml`.

use std::num::NonZeroU32;
use std::ops::Range;

use chrono::NaiveDate;
use serde::Deserialize;
use toml::Spanned;

use super::{Acknowledged, Policy, Versions};
use crate::rules::Level;

/// A file of settings cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SettingsError {
    /// It is not TOML or has an unknown setting; the source names the line.
    #[error("the settings cannot be read")]
    Unreadable(#[source] toml::de::Error),
    /// An entry of `acknowledged` is invalid.
    #[error("line {line}: {message}")]
    Entry {
        /// The line, from 1.
        line: usize,
        /// What is wrong, and how to correct it.
        message: String,
    },
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    settings: Settings,
    #[serde(default)]
    acknowledged: Vec<Entry>,
}

/// An acknowledgement as it is written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    fingerprint: Spanned<String>,
    reason: Spanned<String>,
    expires: Spanned<toml::Value>,
}

/// The defaults suit a team that publishes an interface.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
struct Settings {
    min_notice_days: u32,
    min_notice_days_beta: u32,
    beta_breaks: Level,
    generated_clients: bool,
    versions: Versions,
    allow_unused_for: Option<NonZeroU32>,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            min_notice_days: 180,
            min_notice_days_beta: 30,
            beta_breaks: Level::Warn,
            generated_clients: false,
            versions: Versions::Exact,
            allow_unused_for: None,
        }
    }
}

impl Entry {
    fn read(self, text: &str) -> Result<Acknowledged, SettingsError> {
        let invalid = |at, message| invalid(text, at, message);
        let fingerprint = self.fingerprint.get_ref();
        let is_hex = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if fingerprint.len() != 16 || !fingerprint.bytes().all(is_hex) {
            let message = format!(
                "`{fingerprint}` is not a fingerprint: copy the 16 digits that the finding shows"
            );
            return Err(invalid(self.fingerprint.span(), message));
        }
        if self.reason.get_ref().trim().is_empty() {
            let message = "the reason is empty: write why the finding is no failure";
            return Err(invalid(self.reason.span(), message.to_owned()));
        }
        let day = match self.expires.get_ref() {
            toml::Value::String(text) => text.clone(),
            other => other.to_string(),
        };
        let expires = day.parse().map_err(|_| {
            let message = format!("`{day}` is not a date: write it as \"2027-01-31\"");
            invalid(self.expires.span(), message)
        })?;
        Ok(Acknowledged {
            fingerprint: fingerprint.clone(),
            reason: self.reason.into_inner(),
            expires,
        })
    }
}

fn invalid(text: &str, at: Range<usize>, message: String) -> SettingsError {
    let line = 1 + text[..at.start].matches('\n').count();
    SettingsError::Entry { line, message }
}

/// Reads all entries. No two may have the same fingerprint.
fn read_entries(entries: Vec<Entry>, text: &str) -> Result<Vec<Acknowledged>, SettingsError> {
    let mut acknowledged: Vec<Acknowledged> = Vec::new();
    for entry in entries {
        let at = entry.fingerprint.span();
        let entry = entry.read(text)?;
        if acknowledged
            .iter()
            .any(|other| other.fingerprint == entry.fingerprint)
        {
            let fingerprint = &entry.fingerprint;
            let message = format!("`{fingerprint}` is acknowledged twice: keep one entry");
            return Err(invalid(text, at, message));
        }
        acknowledged.push(entry);
    }
    Ok(acknowledged)
}

impl Policy {
    /// Reads the settings of a `contract.toml`.
    ///
    /// # Errors
    /// The text is not TOML, or a setting or an acknowledgement is unknown or invalid.
    pub fn from_toml(text: &str, today: NaiveDate) -> Result<Policy, SettingsError> {
        let file: File = toml::from_str(text).map_err(SettingsError::Unreadable)?;
        let settings = file.settings;
        Ok(Policy {
            min_notice_days: i64::from(settings.min_notice_days),
            min_notice_days_beta: i64::from(settings.min_notice_days_beta),
            beta_breaks: settings.beta_breaks,
            generated_clients: settings.generated_clients,
            versions: settings.versions,
            prove: false,
            allow_unused_for: settings.allow_unused_for,
            passed_sunsets: true,
            acknowledged: read_entries(file.acknowledged, text)?,
            ..Policy::new(today)
        })
    }
}
