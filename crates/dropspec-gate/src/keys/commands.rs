//! The commands that manage API keys. A service mounts [`KeyCommands`] in its command line and runs them on the database,
//! while a server may be running. A change applies from the key's next request on.

mod arguments;
mod caller;
mod console;
mod find;
mod key;
mod lists;
mod report;
mod table;

use std::collections::BTreeSet;
use std::io::{ErrorKind, Write};

use anyhow::{Context, Result, ensure};
use chrono::TimeDelta;
use clap::builder::{PossibleValuesParser, ValueParser};
use dropspec_runtime::{OperationInfo, PlanInfo};

use self::arguments::{
    MoreArguments, NewScopes, PlanArguments, ScopeArguments, parse_name, parse_overlap,
    refuse_scope,
};
pub use self::caller::Caller;
pub use self::console::KeyConsole;
use self::find::find;
pub use self::find::find_by_id_or_prefix;
use self::key::Key;
use self::report::{More, Report};
use super::{ApiKeys, KeyRecord, NewKey};
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
        #[arg(long, value_parser = parse_name)]
        name: String,
        #[command(flatten)]
        plan: PlanArguments,
        #[command(flatten)]
        scopes: ScopeArguments,
        #[command(flatten)]
        more: MoreArguments,
    },
    /// List all keys, without their secrets
    List,
    /// Show a key: usage, last use, ban, secrets
    Show {
        /// Id or prefix of the key
        key: String,
    },
    /// Show who has changed which key and when, the newest change first
    Log {
        /// Id or prefix of the key; without it all keys
        key: Option<String>,
        /// So many changes
        #[arg(long, value_name = "N", default_value_t = 50)]
        last: u32,
    },
    /// Change the name, the access, the expiry or the note of a key
    Change {
        /// Id or prefix of the key
        key: String,
        /// Name of the key, up to 100 characters
        #[arg(long, value_parser = parse_name)]
        name: Option<String>,
        #[command(flatten)]
        more: MoreArguments,
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
        /// Do not ask, which is done on a terminal only
        #[arg(long)]
        yes: bool,
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
                let names = scopes.iter().map(|scope| (*scope).to_owned());
                let parser = if scopes.is_empty() {
                    ValueParser::new(refuse_scope)
                } else {
                    PossibleValuesParser::new(names).into()
                };
                command.mut_subcommand(name, |subcommand| {
                    subcommand.mut_arg("scopes", |argument| argument.value_parser(parser))
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

    /// Runs the command, and prints its result to `out`.
    ///
    /// # Errors
    ///
    /// If the command failed, which changes nothing, or if its result could not be printed.
    pub async fn run(self, keys: &ApiKeys, caller: &Caller, out: &mut impl Write) -> Result<()> {
        let report = self.action.run(keys, caller).await?;
        let printed = if self.json {
            writeln!(out, "{}", serde_json::to_string_pretty(&report)?)
        } else {
            report.write_text(keys.settings().scheme, caller, out)
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
    async fn run(self, keys: &ApiKeys, caller: &Caller) -> Result<Report> {
        let id_of =
            async |key: &str| Ok::<_, anyhow::Error>(find_by_id_or_prefix(keys, key).await?.id);
        let (author, now) = (caller.author.clone(), caller.author.time);
        let (id, secret) = match self {
            Action::List => {
                let keys = keys.list().await?.into_iter();
                return Ok(Report::Listed(keys.map(|key| Key::new(key, now)).collect()));
            }
            Action::Log { key, last } => {
                let id = match key {
                    Some(key) => Some(id_of(&key).await?),
                    None => None,
                };
                return Ok(Report::Logged(keys.read_log(id, last).await?));
            }
            Action::Show { key } => {
                let key = find_by_id_or_prefix(keys, &key).await?;
                let usage = match caller.counted_in {
                    Some(_) => None,
                    None => Some(keys.read_entry(key.id).await),
                };
                let more = More::shown(&key, usage, caller);
                return Ok(Report::new(key, more, now));
            }
            Action::Unban { key } => {
                let KeyRecord { id, ban, .. } = find_by_id_or_prefix(keys, &key).await?;
                // Even without a ban in the ledger: that of a running server may be on its way there.
                keys.unban(id, author).await?;
                let was_banned = ban.active_until(now.timestamp()).is_some();
                let more = More::Unbanned { was_banned };
                return Ok(Report::new(find(keys, id).await?, more, now));
            }
            Action::Create {
                name,
                plan,
                scopes,
                more,
            } => {
                let mut new = NewKey::new(name, plan.resolve(keys)?);
                new.scopes = scopes.into_scopes();
                more.into_edit(now)?(&mut new);
                let secret = keys.generate_secret()?;
                (keys.create(new, &secret, author).await?, Some(secret))
            }
            Action::Change { key, name, more } => {
                ensure!(
                    name.is_some() || !more.is_empty(),
                    "nothing would change; give --name, --access, --expires or --note"
                );
                let (id, edit) = (id_of(&key).await?, more.into_edit(now)?);
                let edit = move |key: &mut NewKey| {
                    edit(key);
                    key.name = name.clone().unwrap_or_else(|| key.name.clone());
                };
                keys.change(id, edit, author).await?;
                (id, None)
            }
            Action::SetPlan { key, plan } => {
                let (id, plan) = (id_of(&key).await?, plan.resolve(keys)?);
                keys.change(id, move |key| key.plan = plan, author).await?;
                (id, None)
            }
            Action::SetScopes { key, scopes } => {
                let (id, scopes) = (id_of(&key).await?, scopes.into_scopes());
                let edit = move |key: &mut NewKey| key.scopes = scopes.clone();
                keys.change(id, edit, author).await?;
                (id, None)
            }
            Action::Rotate { key, overlap } => {
                let id = id_of(&key).await?;
                let secret = keys.generate_secret()?;
                keys.rotate(id, &secret, now + overlap, author).await?;
                (id, Some(secret))
            }
            Action::Revoke { key, yes } => {
                let key = find_by_id_or_prefix(keys, &key).await?;
                let id = key.id;
                ensure!(
                    key.revoked_at.is_none(),
                    "key {id} was revoked before; nothing changes"
                );
                if let (false, Some(confirm)) = (yes, caller.confirm) {
                    let question = format!("Revoke {}? This cannot be undone.", Key::new(key, now));
                    ensure!(confirm(&question)?, "key {id} is not revoked");
                }
                keys.revoke(id, author).await?;
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

#[cfg(test)]
mod tests;
