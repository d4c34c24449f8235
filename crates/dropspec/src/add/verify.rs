//! Checks a change of the document before it is written: it adds what it shall and nothing else, `lint` has nothing new to
//! say, and `diff` finds no break.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{anyhow, bail};
use chrono::Utc;
use serde_json::Value;
use spec_bundle::{Bundled, Input};
use spec_diff::{Policy, Versions};
use spec_model::{Document, Level};

use super::edit;
use super::resource::Addition;
use crate::lint::{self, Problem};
use crate::project::Project;

/// A change of a document.
pub(super) struct Change<'c> {
    pub(super) path: &'c Path,
    /// The name in messages.
    pub(super) name: &'c str,
    /// The values of the document before.
    pub(super) values: &'c Value,
    /// The text after the change.
    pub(super) edited: &'c str,
    pub(super) additions: &'c [Addition],
}

/// Checks a change. Returns what `lint` warns of that it did not before.
///
/// # Errors
/// The change is not as it should be.
pub(super) fn verify(project: &Project, change: &Change<'_>) -> anyhow::Result<Vec<String>> {
    let Change {
        name,
        values,
        edited,
        additions,
        ..
    } = change;
    let read = Document::parse(name, edited);
    let expected = edit::apply_to_values(values, additions);
    let is_as_expected = match read {
        Ok(read) => read.root().to_json() == expected,
        Err(errors) => {
            let reason = errors.first().map(ToString::to_string).unwrap_or_default();
            bail!(
                "it is written in a way that cannot be edited in place: add the resource by hand. With it, {reason}"
            );
        }
    };
    if !is_as_expected {
        bail!(
            "it is written in a way that cannot be edited in place, such as with YAML anchors around the place: add the resource by hand"
        );
    }
    let before = project.bundle(change.path).map_err(first)?;
    let after = bundle_edited(project, change)?;
    let today = Utc::now().date_naive();
    let known = lint::check(project, &before, today)?;
    let found = lint::check(project, &after, today)?;
    let new = new_problems(known, found);
    let errors: Vec<String> = new
        .iter()
        .filter(|it| it.level == Level::Error)
        .map(shown)
        .collect();
    if !errors.is_empty() {
        bail!("`lint` would find new errors in it:\n{}", errors.join("\n"));
    }
    let mut policy = Policy::new(today);
    policy.versions = Versions::Off;
    let findings = spec_diff::diff(&before.document, &after.document, &policy);
    let breaks: Vec<String> = findings
        .iter()
        .filter(|it| it.level > Level::Info)
        .map(|it| it.message.clone())
        .collect();
    if !breaks.is_empty() {
        bail!("`diff` would find breaks in it:\n{}", breaks.join("\n"));
    }
    Ok(new
        .iter()
        .filter(|it| it.level == Level::Warn)
        .map(shown)
        .collect())
}

fn shown(problem: &Problem) -> String {
    problem.diagnostic.to_string()
}

fn first(errors: Vec<spec_model::Diagnostic>) -> anyhow::Error {
    errors
        .into_iter()
        .next()
        .map_or_else(|| anyhow!("it cannot be read"), anyhow::Error::from)
}

/// Bundles the document with its new text.
fn bundle_edited(project: &Project, change: &Change<'_>) -> anyhow::Result<Bundled> {
    let own = crate::sources::Source::File(change.path.to_owned());
    let overlays = if project.is_own(&own) {
        &project.config.overlays[..]
    } else {
        &[]
    };
    let document = std::path::absolute(change.path)?;
    let input = Input {
        directory: &project.root,
        prefix: "",
        document: &document,
        overlays,
    };
    let is_it = |path: &Path| path == document;
    let read = |path: &Path| {
        if is_it(path) {
            Ok(change.edited.as_bytes().to_vec())
        } else {
            std::fs::read(path)
        }
    };
    spec_bundle::bundle_with(input, &read).map_err(first)
}

/// The problems that were not there before. Their lines have moved, so that their texts decide.
fn new_problems(known: Vec<Problem>, found: Vec<Problem>) -> Vec<Problem> {
    let key = |it: &Problem| {
        (
            it.diagnostic.rule,
            it.diagnostic.pointer.clone(),
            it.diagnostic.message.clone(),
        )
    };
    let mut counts: BTreeMap<_, usize> = BTreeMap::new();
    for problem in &known {
        *counts.entry(key(problem)).or_default() += 1;
    }
    let is_new = |problem: &Problem| match counts.get_mut(&key(problem)) {
        Some(count) if *count > 0 => {
            *count -= 1;
            false
        }
        _ => true,
    };
    let mut is_new = is_new;
    found.into_iter().filter(|it| is_new(it)).collect()
}
