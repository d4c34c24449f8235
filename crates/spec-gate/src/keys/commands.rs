//! The commands that manage API keys. A service mounts [`KeyCommands`] in its command line and runs them on the database,
//! while a server may be running. A change applies from the key's next request on.

mod arguments;
mod console;
mod report;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Result, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use clap::builder::PossibleValuesParser;
use spec_runtime::{OperationInfo, PlanInfo};

use self::arguments::{NewScopes, PlanArguments, ScopeArguments, parse_overlap};
pub use self::console::KeyConsole;
use self::report::{Key, More, Report};
use super::{ApiKeys, KeyRecord, NewKey};
use crate::auth::Access;
use crate::rate_limit::Ledger;

/// The commands that manage API keys.
#[derive(Debug, clap::Args)]
pub struct KeyCommands {
    /// Print JSON, for scripts
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Create a key and print its secret, which is never shown again
    Create {
        /// Name of the key, up to 100 characters
        #[arg(long)]
        name: String,
        #[command(flatten)]
        plan: PlanArguments,
        /// The operations that the key may call
        #[arg(long, value_enum, default_value_t = Access::Write)]
        access: Access,
        #[command(flatten)]
        scopes: ScopeArguments,
    },
    /// List all keys, without their secrets
    List,
    /// Show a key: usage, last use, ban, secrets
    Show {
        /// Id or prefix of the key
        key: String,
    },
    /// Change the plan of a key
    SetPlan {
        /// Id or prefix of the key
        key: String,
        #[command(flatten)]
        plan: PlanArguments,
    },
    /// Replace the scopes of a key
    SetScopes {
        /// Id or prefix of the key
        key: String,
        #[command(flatten)]
        scopes: NewScopes,
    },
    /// Give a key a new secret and print it; the old one is accepted for a while
    Rotate {
        /// Id or prefix of the key
        key: String,
        /// How long the old secret is accepted, such as 24h, 90m, 7d; 0s ends it at once
        #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = parse_overlap)]
        overlap: TimeDelta,
    },
    /// Revoke a key with all of its secrets; this cannot be undone
    Revoke {
        /// Id or prefix of the key
        key: String,
    },
    /// End a key's ban and remove its strikes
    Unban {
        /// Id or prefix of the key
        key: String,
    },
}

impl KeyCommands {
    /// Restricts the option `--scope` to the scopes that operations need. `command` is the command in which
    /// [`KeyCommands`] is mounted.
    pub fn restrict_scopes(command: clap::Command, operations: &[OperationInfo]) -> clap::Command {
        let scopes = scopes_of(operations);
        ["create", "set-scopes"]
            .into_iter()
            .fold(command, |command, name| {
                let scopes =
                    PossibleValuesParser::new(scopes.iter().map(|scope| (*scope).to_owned()));
                command.mut_subcommand(name, |subcommand| {
                    subcommand.mut_arg("scopes", |argument| argument.value_parser(scopes))
                })
            })
    }

    /// Restricts the option `--plan` to the names of `plans`; a new key has the plan `default` without it. `command` is the
    /// command in which [`KeyCommands`] is mounted.
    pub fn restrict_plans(
        command: clap::Command,
        plans: &'static [PlanInfo],
        default: &'static str,
    ) -> clap::Command {
        let restrict = |plan: clap::Arg| {
            let names = plans.iter().map(|plan| plan.name);
            plan.value_parser(PossibleValuesParser::new(names))
        };
        command
            .mut_subcommand("create", |create| {
                let restrict = |plan| restrict(plan).required(false).default_value(default);
                create.mut_arg("plan", restrict)
            })
            .mut_subcommand("set-plan", |set_plan| set_plan.mut_arg("plan", restrict))
    }

    /// Runs the command at `now`, and prints its result to `out`. `ledger` is that of the servers.
    ///
    /// # Errors
    ///
    /// If the command failed, which changes nothing, or if its result could not be printed.
    pub async fn run(
        self,
        keys: &ApiKeys,
        ledger: &impl Ledger,
        now: DateTime<Utc>,
        out: &mut impl Write,
    ) -> Result<()> {
        let report = self.action.run(keys, ledger, now).await?;
        let printed = if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
        } else {
            report.write_text(keys.settings().scheme, out)
        };
        // A reader such as `head` had enough.
        if let (Err(error), false) = (&printed, report.has_secret())
            && error.kind() == ErrorKind::BrokenPipe
        {
            return Ok(());
        }
        printed.context("the command was carried out, but standard output cannot be written to")
    }
}

impl Action {
    async fn run(self, keys: &ApiKeys, ledger: &impl Ledger, now: DateTime<Utc>) -> Result<Report> {
        let id_of =
            async |key: &str| Ok::<_, anyhow::Error>(find_by_id_or_prefix(keys, key).await?.id);
        let (id, secret) = match self {
            Action::List => {
                let keys = keys.list().await?.into_iter();
                return Ok(Report::Listed(keys.map(|key| Key::new(key, now)).collect()));
            }
            Action::Show { key } => {
                let key = find_by_id_or_prefix(keys, &key).await?;
                let usage = ledger.read_entry(key.id).await;
                let usage = usage.context("cannot read the usage of the key")?;
                let more = More::shown(&key, &usage, now);
                return Ok(Report::new(key, more, now));
            }
            Action::Unban { key } => {
                let KeyRecord { id, ban, .. } = find_by_id_or_prefix(keys, &key).await?;
                // Even without a ban in the ledger: that of a running server may be on its way there.
                keys.unban(id).await?;
                let was_banned = ban.active_until(now.timestamp()).is_some();
                let more = More::Unbanned { was_banned };
                return Ok(Report::new(find(keys, id).await?, more, now));
            }
            Action::Create {
                name,
                plan,
                access,
                scopes,
            } => {
                ensure!(
                    (1..=100).contains(&name.chars().count()),
                    "a name has 1 to 100 characters"
                );
                let new = NewKey {
                    name,
                    plan: plan.resolve(keys)?,
                    access,
                    scopes: scopes.into_scopes(),
                };
                let secret = keys.generate_secret()?;
                (keys.create(new, &secret, now).await?, Some(secret))
            }
            Action::SetPlan { key, plan } => {
                let id = id_of(&key).await?;
                keys.set_plan(id, plan.resolve(keys)?, now).await?;
                (id, None)
            }
            Action::SetScopes { key, scopes } => {
                let id = id_of(&key).await?;
                keys.set_scopes(id, scopes.into_scopes()).await?;
                (id, None)
            }
            Action::Rotate { key, overlap } => {
                let id = id_of(&key).await?;
                let secret = keys.generate_secret()?;
                keys.rotate(id, &secret, now + overlap, now).await?;
                (id, Some(secret))
            }
            Action::Revoke { key } => {
                let KeyRecord { id, revoked_at, .. } = find_by_id_or_prefix(keys, &key).await?;
                ensure!(
                    revoked_at.is_none(),
                    "key {id} was revoked before; nothing changes"
                );
                keys.revoke(id, now).await?;
                (id, None)
            }
        };
        let key = find(keys, id).await?;
        let more = match secret {
            Some(secret) => More::issued(&key, &secret, now),
            None => More::Changed {},
        };
        Ok(Report::new(key, more, now))
    }
}

/// The scopes that operations need.
fn scopes_of(operations: &[OperationInfo]) -> BTreeSet<&'static str> {
    let uses = operations.iter().flat_map(|it| it.security).copied();
    uses.flatten().flat_map(|it| it.scopes).copied().collect()
}

/// Finds a key by the id or the prefix that the operator typed.
pub async fn find_by_id_or_prefix(keys: &ApiKeys, name: &str) -> Result<KeyRecord> {
    let id = match name.parse() {
        Ok(id) => id,
        Err(_) => match keys.find_ids_by_prefix(name).await?[..] {
            [id] => id,
            [] => bail!("there is no key {name:?}; `keys list` shows all keys"),
            [one, other, ..] => {
                bail!("several keys begin with {name}, {one} and {other}; name one by its id")
            }
        },
    };
    find(keys, id).await
}

async fn find(keys: &ApiKeys, id: i64) -> Result<KeyRecord> {
    let found = keys.find(id).await?;
    found.with_context(|| format!("there is no key {id}; `keys list` shows all keys"))
}

#[cfg(test)]
mod tests;
