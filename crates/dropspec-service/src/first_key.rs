//! The first API key: who learns of it, and the file for it.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow};
use chrono::{DateTime, Utc};
use dropspec_gate::keys::{ApiKeys, IssuedKey, NewKey};

use crate::program::{Program, find_plan};

/// What is done with the first API key, if the database has none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FirstKeyPolicy {
    /// It is created and returned, for a caller that shows it.
    Return,
    /// It is created and written to a new file, which only its owner can read, and returned.
    File(PathBuf),
    /// None is created, as nobody would learn of it.
    Skip,
}

/// Creates an API key if the database has none, and returns it.
pub(super) async fn create<P: Program>(
    keys: &ApiKeys,
    policy: &FirstKeyPolicy,
    now: DateTime<Utc>,
) -> Result<Option<IssuedKey>> {
    // Before the key, which could be read nowhere without it.
    let file = match policy {
        FirstKeyPolicy::Skip => return Ok(None),
        FirstKeyPolicy::Return => None,
        FirstKeyPolicy::File(_) if !keys.list().await?.is_empty() => return Ok(None),
        FirstKeyPolicy::File(path) => Some((create_file(path)?, path)),
    };
    let key = NewKey::new("first key", find_plan::<P>(P::FIRST_KEY_PLAN));
    let created = keys.create_first(key, now).await;
    let created = created.context("cannot make the first API key");
    let Some((mut file, path)) = file else {
        return created;
    };
    if let Ok(Some(first)) = &created {
        let text = format!("{}\n", first.key.expose());
        let written = file
            .write_all(text.as_bytes())
            .and_then(|()| file.sync_all());
        written.with_context(|| {
            format!(
                "the first API key (id {}) is created, but cannot be written to {}; revoke it and create another one by `{} keys`",
                first.id,
                path.display(),
                P::NAME
            )
        })?;
    } else {
        // There is no key, or another server has created it.
        let _ = fs::remove_file(path);
    }
    created
}

/// Creates the file for the key, which only its owner can read.
fn create_file(path: &Path) -> Result<File> {
    let mut options = OpenOptions::new();
    let opened = options.write(true).create_new(true).mode(0o600).open(path);
    opened.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => anyhow!(
            "the database has no API key, and the file for the first one exists already: {}; remove it, or name another one by --first-key-file",
            path.display()
        ),
        _ => anyhow!(error).context(format!(
            "the file for the first API key cannot be created: {}",
            path.display()
        )),
    })
}
