//! What several commands take: names, limits, scopes, access, expiry, and the overlap of two secrets.

use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail, ensure};
use chrono::{DateTime, Datelike, NaiveDate, NaiveTime, TimeDelta, Utc};
use dropspec_runtime::RateLimits;

use super::super::{ApiKeys, KeyScopes, NewKey, to_rfc3339};
use crate::auth::{Access, KeyPlan, KeyPlanError};

/// The longest time for which an old secret can be accepted after a rotation.
const MAX_OVERLAP: Duration = Duration::from_secs(365 * 24 * 60 * 60);

/// The plan and the limits of a key.
#[derive(Debug, clap::Args)]
pub(super) struct PlanArguments {
    /// Plan of the key
    #[arg(long)]
    plan: String,
    /// Requests a minute: required on a plan without limits, rejected on others
    #[arg(long, value_name = "N")]
    per_minute: Option<u64>,
    /// Requests a day: required on a plan without limits, rejected on others
    #[arg(long, value_name = "N")]
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
        let (plans, own) = (keys.settings().plans, self.per_minute.or(self.per_day));
        let plan = plans.iter().find(|plan| plan.name == self.plan);
        if let (Some(limits), Some(_)) = (plan.and_then(|it| it.limits), own) {
            let other = match plans.iter().find(|plan| plan.limits.is_none()) {
                Some(plan) => format!("or take --plan {}, whose keys need both", plan.name),
                None => "as no plan lets a key have limits of its own".to_owned(),
            };
            bail!(
                "a key of the plan {} has its limits, {} a minute and {} a day, and none of its own: leave --per-minute and --per-day out, {other}",
                self.plan,
                limits.per_minute,
                limits.per_day
            );
        }
        let own = self.per_minute.zip(self.per_day);
        let custom = own.map(|(per_minute, per_day)| RateLimits::new(per_minute, per_day));
        KeyPlan::resolve(plans, &self.plan, custom).map_err(|error| match error {
            KeyPlanError::Missing(plan) => anyhow!(
                "the plan {plan} has no limits; give the key its own with --per-minute N and --per-day N"
            ),
            other => anyhow!(other).context("the key cannot have this plan and these limits"),
        })
    }
}

/// What a command may say of a key beside its name, plan and scopes.
#[derive(Debug, clap::Args)]
pub(super) struct MoreArguments {
    /// The operations that the key may call; a new key may call all that its scopes allow (write)
    #[arg(long, value_enum)]
    access: Option<Access>,
    /// When it ends: a date (2027-01-01, at its begin in UTC), a time (2027-01-01T12:00:00Z), a duration from now (90d), or never
    #[arg(long, value_name = "WHEN", value_parser = parse_expiry)]
    expires: Option<Expiry>,
    /// What to remember of it, up to 500 characters; an empty one removes it
    #[arg(long, value_name = "TEXT", value_parser = parse_note)]
    note: Option<String>,
}

impl MoreArguments {
    pub(super) fn is_empty(&self) -> bool {
        self.access.is_none() && self.expires.is_none() && self.note.is_none()
    }

    /// The change of a key that was asked for at `now`.
    pub(super) fn into_edit(
        self,
        now: DateTime<Utc>,
    ) -> Result<impl Fn(&mut NewKey) + Send + Sync + 'static> {
        let expires_at = self.expires.map(|it| it.resolve(now)).transpose()?;
        let (access, note) = (self.access, self.note);
        Ok(move |key: &mut NewKey| {
            key.access = access.unwrap_or(key.access);
            key.expires_at = expires_at.unwrap_or(key.expires_at);
            if let Some(note) = &note {
                key.note = Some(note.clone()).filter(|note| !note.is_empty());
            }
        })
    }
}

/// When a key ends.
#[derive(Clone, Copy, Debug)]
enum Expiry {
    Never,
    At(DateTime<Utc>),
    After(TimeDelta),
}

impl Expiry {
    /// The end in Unix seconds; `None` if there is none.
    fn resolve(self, now: DateTime<Utc>) -> Result<Option<i64>> {
        let end = match self {
            Expiry::Never => return Ok(None),
            Expiry::At(end) => end,
            Expiry::After(time) => now
                .checked_add_signed(time)
                .context("--expires is too far in the future; write never")?,
        };
        ensure!(
            end.timestamp() > now.timestamp(),
            "--expires {} is not in the future; `keys revoke` ends a key at once",
            to_rfc3339(end.timestamp())
        );
        // RFC 3339 knows no later one.
        ensure!(
            end.year() <= 9999,
            "--expires is too far in the future; write never"
        );
        Ok(Some(end.timestamp()))
    }
}

fn parse_expiry(text: &str) -> Result<Expiry, String> {
    if text == "never" {
        return Ok(Expiry::Never);
    }
    let day = text.parse::<NaiveDate>().ok();
    let day = day.map(|day| day.and_time(NaiveTime::MIN).and_utc());
    let time = || Some(DateTime::parse_from_rfc3339(text).ok()?.to_utc());
    if let Some(end) = day.or_else(time) {
        return Ok(Expiry::At(end));
    }
    let duration = humantime::parse_duration(text).ok();
    let duration = duration.and_then(|it| TimeDelta::from_std(it).ok());
    duration.map(Expiry::After).ok_or_else(|| {
        "write a date (2027-01-01), a time (2027-01-01T12:00:00Z), a duration (90d), or never"
            .to_owned()
    })
}

/// Parses the name of a key.
pub(super) fn parse_name(text: &str) -> Result<String, String> {
    parse_line(text, 1, 100)
}

fn parse_note(text: &str) -> Result<String, String> {
    parse_line(text, 0, 500)
}

/// Parses a text of one line with so many characters.
fn parse_line(text: &str, least: usize, most: usize) -> Result<String, String> {
    if !(least..=most).contains(&text.chars().count()) {
        return Err(format!("write {least} to {most} characters"));
    }
    if text.contains(char::is_control) {
        return Err("write one line, without control characters".to_owned());
    }
    Ok(text.to_owned())
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

/// Refuses any scope, for a service without scopes.
pub(super) fn refuse_scope(_: &str) -> Result<String, &'static str> {
    Err("no operation of this service needs a scope, so its keys have none; leave --scope out")
}
