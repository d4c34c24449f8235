//! What several commands take: limits, scopes, and the overlap of two secrets.

use std::time::Duration;

use anyhow::{Result, anyhow};
use chrono::TimeDelta;
use spec_runtime::RateLimits;

use super::super::{ApiKeys, KeyScopes};
use crate::auth::{KeyPlan, KeyPlanError};

/// The longest time for which an old secret can be accepted after a rotation.
const MAX_OVERLAP: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The plan and the limits of a key.
#[derive(Debug, clap::Args)]
pub(super) struct PlanArguments {
    /// Plan of the key
    #[arg(long)]
    plan: String,
    /// Requests a minute: required on a plan without limits, rejected on others
    #[arg(long, value_name = "N", requires = "per_day")]
    per_minute: Option<u64>,
    /// Requests a day: required on a plan without limits, rejected on others
    #[arg(long, value_name = "N", requires = "per_minute")]
    per_day: Option<u64>,
}

/// The scopes of a new key.
#[derive(Debug, clap::Args)]
pub(super) struct ScopeArguments {
    /// A scope of the document that the key is granted; several by repetition. By default all
    #[arg(long = "scope", value_name = "SCOPE", value_parser = parse_scope)]
    scopes: Vec<String>,
}

impl ScopeArguments {
    pub(super) fn into_scopes(self) -> KeyScopes {
        if self.scopes.is_empty() {
            KeyScopes::ALL
        } else {
            KeyScopes::only(self.scopes)
        }
    }
}

/// The scopes that replace those of a key. To remove the last one must not grant all, so each is said.
#[derive(Debug, clap::Args)]
#[group(required = true, multiple = false)]
pub(super) struct NewScopes {
    /// A scope of the document that the key is granted; several by repetition
    #[arg(long = "scope", value_name = "SCOPE", value_parser = parse_scope)]
    scopes: Vec<String>,
    /// All scopes, also those that the document will declare later
    #[arg(long)]
    all_scopes: bool,
    /// No scope: the key may call operations that need none
    #[arg(long)]
    no_scopes: bool,
}

impl NewScopes {
    pub(super) fn into_scopes(self) -> KeyScopes {
        if self.all_scopes {
            KeyScopes::ALL
        } else {
            KeyScopes::only(self.scopes)
        }
    }
}

impl PlanArguments {
    pub(super) fn resolve(&self, keys: &ApiKeys) -> Result<KeyPlan> {
        let own = self.per_minute.zip(self.per_day);
        let custom = own.map(|(per_minute, per_day)| RateLimits::new(per_minute, per_day));
        KeyPlan::resolve(keys.settings().plans, &self.plan, custom).map_err(|error| match error {
            KeyPlanError::Missing(plan) => anyhow!(
                "the plan {plan} has no limits; give the key its own with --per-minute N and --per-day N"
            ),
            other => anyhow!(other).context("the key cannot have this plan and these limits"),
        })
    }
}

/// Parses the duration of an overlap, such as `24h`, `1h30m` or `0s`, of at most a year.
pub(super) fn parse_overlap(text: &str) -> Result<TimeDelta, String> {
    let overlap = humantime::parse_duration(text).map_err(|_| {
        format!("{text:?} is not a duration; write for example 24h, 90m, 1h30m, 7d or 0s")
    })?;
    if overlap > MAX_OVERLAP {
        return Err(format!("{text} is longer than 365 days"));
    }
    TimeDelta::from_std(overlap).map_err(|error| error.to_string())
}

/// Parses a scope (RFC 6749, section 3.3): visible ASCII characters, except quotes and backslashes.
fn parse_scope(text: &str) -> Result<String, String> {
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\');
    if !text.is_empty() && text.bytes().all(is_plain) {
        Ok(text.to_owned())
    } else {
        Err("a scope has no spaces, quotes or backslashes; repeat --scope for several".to_owned())
    }
}
