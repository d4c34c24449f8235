//! `petstore keys`: what the operator does with API keys. It works on the database, beside a server that may be running;
//! what it changes holds from a key's next request on.

mod overlap;
mod report;

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use petstore_api::Plan;

use self::report::{Changed, Issued, Listed, Report, Shown};
use super::told;
use crate::auth::{Access, ApiKey, KeyRecord, NewKey, Terms};
use crate::rate_limit::Limits;
use crate::store::{EngineConfig, MAX_PAGE, PageRequest, Store};

/// Create API keys, look at them, change and revoke them.
///
/// A key is named by its id or by the first 8 characters of its secret. The server need not be stopped: a change holds
/// from the key's next request on.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  petstore keys create --name shop --plan pro
  petstore keys create --name partner --plan enterprise --per-minute 5000 --per-day 1000000
  petstore keys rotate 3 --overlap 24h
  petstore keys show 3 --json")]
pub struct Keys {
    /// SQLite database file of the petstore; `petstore serve` makes it
    #[arg(
        long,
        global = true,
        env = "PETSTORE_DATABASE",
        value_name = "FILE",
        default_value = "petstore.db"
    )]
    database: PathBuf,

    /// Print JSON, for scripts
    #[arg(long, global = true)]
    json: bool,

    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// Create a key and print it, this once
    Create {
        /// What to call it, up to 100 characters
        #[arg(long)]
        name: String,
        #[command(flatten)]
        terms: TermsArguments,
        /// Whether it may change things
        #[arg(long, value_enum, default_value_t = Access::Write)]
        access: Access,
    },
    /// List all keys, without their secrets
    List,
    /// Show a key: usage, last use, ban, secrets
    Show {
        /// Id or prefix of the key
        key: String,
    },
    /// Put a key on another plan
    SetPlan {
        /// Id or prefix of the key
        key: String,
        #[command(flatten)]
        terms: TermsArguments,
    },
    /// Give a key a new secret and print it, this once; the old one holds for a while
    Rotate {
        /// Id or prefix of the key
        key: String,
        /// How long the old secret is accepted, such as 24h, 90m, 7d; 0s ends it at once
        #[arg(long, value_name = "DURATION", default_value = "24h", value_parser = overlap::parse)]
        overlap: TimeDelta,
    },
    /// Revoke a key with all of its secrets, for good
    Revoke {
        /// Id or prefix of the key
        key: String,
    },
    /// End a key's ban and forgive its strikes
    Unban {
        /// Id or prefix of the key
        key: String,
    },
}

#[derive(Debug, clap::Args)]
struct TermsArguments {
    /// What it may send
    #[arg(long, value_parser = plans())]
    plan: Plan,
    /// Requests a minute, for an enterprise key
    #[arg(long, value_name = "N", requires = "per_day")]
    per_minute: Option<u64>,
    /// Requests a day, for an enterprise key
    #[arg(long, value_name = "N", requires = "per_minute")]
    per_day: Option<u64>,
}

fn plans() -> impl TypedValueParser<Value = Plan> {
    PossibleValuesParser::new(Plan::ALL.map(Plan::as_str)).try_map(|name| name.parse::<Plan>())
}

impl Keys {
    /// Carries out the command and prints what came of it.
    ///
    /// # Errors
    ///
    /// When it could not be carried out, which changes nothing, or could not say what came of it.
    pub fn run(self) -> Result<()> {
        tokio::runtime::Builder::new_current_thread()
            .build()
            .context("cannot start the runtime")?
            .block_on(self.execute(Utc::now(), &mut std::io::stdout()))
    }

    /// Carries out the command at `now`, and prints to `out`.
    ///
    /// # Errors
    ///
    /// When it could not be carried out, which changes nothing, or could not say what came of it.
    pub async fn execute(self, now: DateTime<Utc>, out: &mut impl Write) -> Result<()> {
        let store = open(&self.database)?;
        let report = self.action.carry_out(&store, now).await?;
        // A secret that exists is shown, whatever becomes of the rest.
        told(match self.json {
            true => writeln!(out, "{:#}", report.to_json()),
            false => write!(out, "{report}"),
        })?;
        store.close().await.context("cannot close the database")
    }
}

impl Action {
    async fn carry_out(self, store: &Store, now: DateTime<Utc>) -> Result<Report> {
        Ok(match self {
            Action::Create {
                name,
                terms,
                access,
            } => {
                ensure!(
                    (1..=100).contains(&name.chars().count()),
                    "a name has 1 to 100 characters"
                );
                let new = NewKey {
                    name,
                    terms: terms.agreed()?,
                    access,
                };
                let key = generate()?;
                let id = store.create_key(new, &key, now).await?;
                Report::Issued(Issued::new(find(store, &id.to_string())?, key, now))
            }
            Action::List => Report::Listed(Listed::new(all(store)?)),
            Action::Show { key } => {
                let key = find(store, &key)?;
                let usage = store.key_usage(key.id)?;
                Report::Shown(Box::new(Shown::new(key, usage, now)))
            }
            Action::SetPlan { key, terms } => {
                let id = find(store, &key)?.id;
                store.set_key_terms(id, terms.agreed()?).await?;
                Report::Changed(Changed::new(find(store, &id.to_string())?))
            }
            Action::Rotate { key, overlap } => {
                let id = find(store, &key)?.id;
                let secret = generate()?;
                store.rotate_key(id, &secret, now + overlap, now).await?;
                Report::Issued(Issued::new(find(store, &id.to_string())?, secret, now))
            }
            Action::Revoke { key } => {
                let id = find(store, &key)?.id;
                store.revoke_key(id, now).await?;
                Report::Changed(Changed::new(find(store, &id.to_string())?))
            }
            Action::Unban { key } => {
                let id = find(store, &key)?.id;
                store.unban_key(id).await?;
                Report::Changed(Changed::new(find(store, &id.to_string())?))
            }
        })
    }
}

impl TermsArguments {
    fn agreed(&self) -> Result<Terms> {
        let own = match (self.per_minute, self.per_day) {
            (Some(per_minute), Some(per_day)) => Some(Limits {
                per_minute,
                per_day,
            }),
            _ => None,
        };
        Terms::new(self.plan, own).context("these terms cannot be agreed on")
    }
}

/// Opens the database, which must be there: a mistyped path is not to become a second one.
fn open(database: &Path) -> Result<Store> {
    if fs::metadata(database).map_or(true, |file| file.is_file() && file.len() == 0) {
        bail!(
            "{} holds no petstore; `petstore serve` makes one",
            database.display()
        );
    }
    Ok(Store::open_beside_server(&EngineConfig::at(database))?)
}

fn generate() -> Result<ApiKey> {
    ApiKey::generate().context("the system has no randomness to give")
}

/// The key that is named by an id or a prefix.
fn find(store: &Store, name: &str) -> Result<KeyRecord> {
    let id = match name.parse() {
        Ok(id) => id,
        Err(_) => match store.keys_by_prefix(name)?[..] {
            [id] => id,
            [] => bail!("there is no key {name:?}; `petstore keys list` names them all"),
            [one, other, ..] => {
                bail!("several keys begin with {name}, {one} and {other}; name one by its id")
            }
        },
    };
    match store.key(id)? {
        Some(key) => Ok(key),
        None => bail!("there is no key {id}; `petstore keys list` names them all"),
    }
}

fn all(store: &Store) -> Result<Vec<KeyRecord>> {
    let mut keys = Vec::new();
    loop {
        let after = keys.last().map_or(0, |key: &KeyRecord| key.id);
        let page = store.keys(PageRequest {
            after,
            limit: MAX_PAGE,
        })?;
        keys.extend(page.items);
        if !page.more {
            return Ok(keys);
        }
    }
}
