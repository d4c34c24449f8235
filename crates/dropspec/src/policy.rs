//! The flags of the commands that compare documents: the settings, who uses the interface, and the day.

use std::num::NonZeroU32;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use chrono::{NaiveDate, Utc};
use clap::Args;
use dropspec_diff::{Policy, Usage};

use crate::config::{self, Contract};
use crate::output::print_error;
use crate::project::{self, Project};

/// The settings, who uses the interface, which breaks that allows, and the day.
#[derive(Debug, Clone, Default, Args)]
pub struct PolicyArguments {
    /// The settings; those of dropspec.toml for its own document, none for other documents.
    #[arg(long, value_name = "FILE")]
    pub settings: Option<PathBuf>,
    /// Who uses the interface, as `usage --json` of its service prints it: each break says how many keys used what it touches
    ///
    /// Of folders, `DOCUMENT=FILE` is of one document, by its path in the folder, and may be repeated: `pets.yaml=usage.json`.
    #[arg(long, value_name = "[DOCUMENT=]FILE")]
    pub usage: Vec<String>,
    /// Makes a break an info if nobody used what it touches for so many days, each of which was counted; by default that of
    /// the settings.
    #[arg(long, value_name = "DAYS", requires = "usage")]
    pub allow_unused_for: Option<NonZeroU32>,
    /// The day by which sunsets, acknowledgements and counts are read, as YYYY-MM-DD; today (UTC) if absent.
    #[arg(long, value_name = "DATE")]
    pub today: Option<NaiveDate>,
}

impl PolicyArguments {
    /// The day by which documents are compared.
    pub(crate) fn today(&self) -> NaiveDate {
        self.today.unwrap_or_else(|| Utc::now().date_naive())
    }

    /// The policy of a comparison, by the settings that are named, or those of the repository for its own document. `documents`
    /// are the names of the documents if sets of them are compared.
    ///
    /// # Errors
    /// A file cannot be read, or it cannot be said of which document it is.
    pub(crate) fn read(
        &self,
        project: &Project,
        is_own: bool,
        documents: Option<&[&str]>,
    ) -> anyhow::Result<Policy> {
        let settings = self.settings.as_deref();
        let named = &project.config.contract.settings;
        let own = project.root.join(named);
        let own = Some(own.as_path()).filter(|own| own.exists());
        if own.is_none() && settings.is_none() && is_own && *named != Contract::default().settings {
            let named = named.display();
            bail!(
                "there is no {named}, which `settings` of `[contract]` in {} names",
                config::FILE
            );
        }
        if let (Some(own), None, false) = (own, settings, is_own) {
            let (own, document) = (project.display_path(own), project.document_name());
            print_error(format_args!(
                "{own} is not used, since it is for {document}, the `document` of {}: `--settings {own}` uses it",
                config::FILE
            ));
        }
        let own = own.filter(|_| is_own);
        let mut policy = match settings.or(own) {
            Some(file) => Policy::from_toml(&project::read_text(file)?, self.today())
                .with_context(|| project.display_path(file))?,
            None => Policy::new(self.today()),
        };
        let missing = Some(named.as_path()).filter(|_| is_own);
        policy.settings_file = settings
            .or(own)
            .or(missing)
            .map(|it| project.display_path(it));
        policy.severities = project.config.severity.clone();
        self.add_usage(&mut policy, documents)?;
        Ok(policy)
    }

    /// Reads the files of usage.
    fn add_usage(&self, policy: &mut Policy, documents: Option<&[&str]>) -> anyhow::Result<()> {
        policy.allow_unused_for = self.allow_unused_for.or(policy.allow_unused_for);
        for text in &self.usage {
            // A file may have `=` in its name.
            let is_file = Path::new(text).exists();
            let named = text.split_once('=').filter(|_| !is_file);
            let (name, file) = named.unwrap_or(("", text));
            match documents {
                _ if name.is_empty() => {}
                None => bail!(
                    "`--usage {text}`: only one document is compared: write the file without `{name}=`"
                ),
                Some(documents) if !documents.contains(&name) => bail!(
                    "`--usage {text}`: neither side has the document `{name}`: there is `{}`",
                    documents.join("`, `")
                ),
                Some(_) => {}
            }
            let usage = Usage::from_json(&project::read_text(Path::new(file))?);
            let usage = usage.with_context(|| file.to_owned())?;
            let earlier = match name {
                "" => policy.usage.replace(usage),
                name => policy.usage_of.insert(name.to_owned(), usage),
            };
            if earlier.is_some() {
                bail!(
                    "`--usage {text}`: there is another file already: one service has one file, and of folders write \
                     `DOCUMENT=FILE` for each document"
                );
            }
        }
        Ok(())
    }
}
