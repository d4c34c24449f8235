//! The settings of the generator, as `dropspec.toml` has them.

use std::path::Path;

use dropspec_codegen::Settings;

use crate::project::{Project, relative_path};

/// The settings of the generator for the document of the repository.
///
/// # Errors
/// The working directory is unknown.
pub(crate) fn own_settings(project: &Project) -> anyhow::Result<Settings> {
    let config = &project.config;
    let document = project.document_path();
    let source_path = match &config.output.api {
        Some(api) => relative_path(&project.root.join(api), &document)?,
        None => document.display().to_string(),
    };
    Ok(Settings {
        command: project.command("generate"),
        source: project.document_name(),
        source_path,
        ..config.generate.clone()
    })
}

/// The settings of the generator for any document. `command` writes its files, `source` is the document as a person names it,
/// and `source_path` the same from the folder of the files.
pub(crate) fn settings_of(
    project: &Project,
    command: &str,
    source: &Path,
    source_path: String,
) -> Settings {
    Settings {
        command: command.to_owned(),
        source: source.display().to_string(),
        source_path,
        // These are of the crates of the repository.
        variables: None,
        client_layer: None,
        ..project.config.generate.clone()
    }
}
