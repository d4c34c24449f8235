//! The results of the key commands as lines for people.

use std::fmt;
use std::io::{self, Write};

use spec_runtime::SecuritySchemeInfo;

use super::{Issued, Report, Secret, Shown, Summary, Usage};

impl Report {
    /// Writes the report for people. `scheme` says how secrets are sent.
    pub(in crate::keys) fn write_text(
        &self,
        scheme: Option<SecuritySchemeInfo>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        match self {
            Report::Issued(issued) => issued.write_text(scheme, out),
            Report::Listed(keys) => write_list(keys, out),
            Report::Shown(shown) => write!(out, "{shown}"),
            Report::Changed(changed) => writeln!(out, "{changed}"),
            Report::Unbanned { key, was_banned } => {
                if *was_banned {
                    writeln!(out, "{key}\nThe ban is ended.")
                } else {
                    writeln!(out, "{key}\nIt was not banned; its strikes are removed.")
                }
            }
        }
    }
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Summary {
            id,
            name,
            plan,
            per_minute,
            per_day,
            access,
            scopes,
            prefix,
            last4,
            ..
        } = self;
        write!(
            f,
            "key {id} {name:?}: {plan}, {per_minute} a minute, {per_day} a day, "
        )?;
        write!(f, "{access} access, ")?;
        if let Some(scopes) = scopes {
            write!(f, "scopes {}, ", scopes.join(" "))?;
        }
        write!(f, "{prefix}…{last4}")?;
        match &self.revoked_at {
            Some(revoked_at) => write!(f, ", revoked {revoked_at}"),
            None => Ok(()),
        }
    }
}

impl Issued {
    fn write_text(
        &self,
        scheme: Option<SecuritySchemeInfo>,
        out: &mut impl Write,
    ) -> io::Result<()> {
        writeln!(out, "{}\n\n    {}\n", self.summary, self.key)?;
        write!(out, "Store it now, it is not shown again.")?;
        match scheme {
            Some(scheme) => writeln!(out, " Send it in {}.", scheme.kind)?,
            None => writeln!(out, " No operation of the document requires one.")?,
        }
        match &self.old_accepted_until {
            Some(until) => writeln!(out, "The old one is accepted until {until}."),
            None => Ok(()),
        }
    }
}

fn write_list(keys: &[Summary], out: &mut impl Write) -> io::Result<()> {
    if keys.is_empty() {
        return writeln!(out, "There are no keys; `keys create` creates one.");
    }
    let longest = keys
        .iter()
        .map(|key| key.name.chars().count())
        .max()
        .unwrap_or(0)
        .max(4);
    let secrets = keys
        .iter()
        .map(|key| format!("{}…{}", key.prefix, key.last4));
    let secrets: Vec<String> = secrets.collect();
    let width = secrets.iter().map(|secret| secret.chars().count());
    let width = width.max().unwrap_or(0);
    writeln!(
        out,
        "{:>4}  {:<longest$}  {:<10}  {:<6}  {:<width$}  {:<20}  REVOKED",
        "ID", "NAME", "PLAN", "ACCESS", "KEY", "CREATED"
    )?;
    for (key, secret) in keys.iter().zip(secrets) {
        let revoked = key.revoked_at.as_deref().unwrap_or("-");
        writeln!(
            out,
            "{:>4}  {:<longest$}  {:<10}  {:<6}  {secret:<width$}  {:<20}  {revoked}",
            key.id, key.name, key.plan, key.access, key.created_at
        )?;
    }
    Ok(())
}

impl fmt::Display for Shown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "{}", self.summary)?;
        writeln!(f, "created    {}", self.summary.created_at)?;
        writeln!(
            f,
            "last used  {}",
            self.last_used_at.as_deref().unwrap_or("never")
        )?;
        for (name, usage) in [("minute", &self.minute), ("day", &self.day)] {
            let Usage {
                limit,
                used,
                resets_at,
            } = usage;
            writeln!(
                f,
                "{name:<9}  {used} of {limit} used or leased, until {resets_at}"
            )?;
        }
        writeln!(f, "strikes    {}", self.strikes)?;
        match &self.banned_until {
            Some(end) => writeln!(f, "banned     until {end}")?,
            None => writeln!(f, "banned     no")?,
        }
        for Secret {
            prefix,
            last4,
            created_at,
            expires_at,
            expired,
        } in &self.secrets
        {
            write!(f, "secret     {prefix}…{last4}, created {created_at}")?;
            let verb = if *expired { "expired" } else { "expires" };
            match expires_at {
                Some(expires_at) => writeln!(f, ", {verb} {expires_at}")?,
                None if *expired => writeln!(f, ", expired when it was replaced")?,
                None => writeln!(f)?,
            }
        }
        Ok(())
    }
}
