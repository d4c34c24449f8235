//! The first API key: who learns of it, and the file for it.

use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use chrono::{DateTime, Utc};
use spec_gate::auth::Access;
use spec_gate::keys::{ApiKeys, IssuedKey, KeyScopes, NewKey};

use crate::program::{Program, plan_limits};

/// How often a server looks for the first key of another one that starts at the same time, and the pause before each look.
const WAITS: u32 = 20;
const WAIT: Duration = Duration::from_millis(100);

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

/// A file that was created for the key. It is removed unless the key was written to it.
struct KeyFile {
    path: PathBuf,
    file: File,
    is_written: bool,
}

/// Creates an API key if the database has none, and returns it.
///
/// # Errors
///
/// If the key cannot be stored or written to its file.
pub(super) async fn create<P: Program>(
    keys: &ApiKeys,
    policy: &FirstKeyPolicy,
    now: DateTime<Utc>,
) -> Result<Option<IssuedKey>> {
    // Before the key, which could be read nowhere without it.
    let mut file = match policy {
        FirstKeyPolicy::Skip => return Ok(None),
        FirstKeyPolicy::Return => None,
        FirstKeyPolicy::File(_) if !keys.list().await?.is_empty() => return Ok(None),
        FirstKeyPolicy::File(path) => match KeyFile::create(path)? {
            Some(file) => Some(file),
            None if is_made_by_another(keys).await? => return Ok(None),
            None => bail!(
                "the database has no API key, and the file for the first one exists already: {}; remove it, or name another one by --first-key-file",
                path.display()
            ),
        },
    };
    let key = NewKey {
        name: "first key".to_owned(),
        limits: plan_limits::<P>(P::FIRST_KEY_PLAN),
        access: Access::Write,
        scopes: KeyScopes::ALL,
    };
    let created = keys.create_first(key, now).await;
    let created = created.context("cannot make the first API key")?;
    if let (Some(first), Some(file)) = (&created, &mut file) {
        let written = file.write(first.key.expose());
        written.with_context(|| {
            format!(
                "the first API key (id {}) is created, but cannot be written to {}; revoke it and create another one by `{} keys`",
                first.id,
                file.path.display(),
                P::NAME
            )
        })?;
    }
    Ok(created)
}

/// Waits for the key of another server on the same database that has just created the file.
async fn is_made_by_another(keys: &ApiKeys) -> Result<bool> {
    for _ in 0..WAITS {
        tokio::time::sleep(WAIT).await;
        if !keys.list().await?.is_empty() {
            return Ok(true);
        }
    }
    Ok(false)
}

impl KeyFile {
    /// Creates the file; `None` if it exists.
    fn create(path: &Path) -> Result<Option<KeyFile>> {
        let mut options = OpenOptions::new();
        let opened = options.write(true).create_new(true).mode(0o600).open(path);
        match opened {
            Ok(file) => Ok(Some(KeyFile {
                path: path.to_owned(),
                file,
                is_written: false,
            })),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(anyhow!(error).context(format!(
                "the file for the first API key cannot be created: {}",
                path.display()
            ))),
        }
    }

    fn write(&mut self, key: &str) -> std::io::Result<()> {
        self.file.write_all(format!("{key}\n").as_bytes())?;
        self.file.sync_all()?;
        self.is_written = true;
        Ok(())
    }
}

impl Drop for KeyFile {
    fn drop(&mut self) {
        if !self.is_written {
            // Another server has created the first key.
            let _ = fs::remove_file(&self.path);
        }
    }
}
