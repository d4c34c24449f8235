//! The settings by which documents are compared.

use std::path::Path;

use anyhow::Context;
use chrono::NaiveDate;
use spec_diff::Policy;

use crate::project::{self, Project};

/// Reads the policy for comparisons of the repository; the default policy if there is no such file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read_own_policy(project: &Project, today: NaiveDate) -> anyhow::Result<Policy> {
    let path = project.root.join(&project.config.contract.settings);
    if path.exists() {
        read_policy(project, &path, today)
    } else {
        Ok(Policy::new(today))
    }
}

/// Reads the policy of a file.
///
/// # Errors
/// The file cannot be read.
pub(crate) fn read_policy(
    project: &Project,
    path: &Path,
    today: NaiveDate,
) -> anyhow::Result<Policy> {
    let text = project::read_text(path)?;
    Policy::from_toml(&text, today).with_context(|| project.display_path(path))
}
