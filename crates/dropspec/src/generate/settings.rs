//! The settings of the generator, from those of the repository.

use spec_codegen::{ClientKind, ClientLayer, ErrorProperties, ServerMark, Settings, Traits};

use crate::config::{self, Client, Generate, Mark};
use crate::generate::relative_path;
use crate::project::Project;

/// The settings for the document of the repository.
///
/// # Errors
/// The working directory is unknown.
pub(super) fn of_repository(project: &Project) -> anyhow::Result<Settings> {
    let config = &project.config;
    let source_path = match &config.output.api {
        Some(api) => relative_path(&project.root.join(api), &project.document_path())?,
        None => project.document_path().display().to_string(),
    };
    let layer = config.generate.client_layer.as_ref();
    let variables = config.generate.variables.as_ref();
    Ok(Settings {
        variables: variables.map(|prefix| prefix.get_ref().clone()),
        source_path,
        client_layer: layer.map(|layer| ClientLayer {
            state: layer.state.clone(),
            page_parameter: layer.page_parameter.clone(),
        }),
        ..general(
            &config.generate,
            project.command("generate"),
            project.document_name(),
        )
    })
}

/// The settings for another document, whose files all go to one folder. `command` writes them, `source` is the document
/// as a person names it, and `source_path` the same from the folder.
pub(super) fn of_folder(
    project: &Project,
    command: &str,
    source: &str,
    source_path: String,
) -> Settings {
    let generate = &project.config.generate;
    Settings {
        source_path,
        ..general(generate, command.to_owned(), source.to_owned())
    }
}

fn general(generate: &Generate, command: String, source: String) -> Settings {
    let mark = |mark: &Mark| ServerMark {
        extension: mark.extension.clone(),
        value: mark.value.clone(),
    };
    Settings {
        command,
        source,
        traits: match generate.traits {
            config::Traits::BySize => Traits::BySize,
            config::Traits::One => Traits::One,
            config::Traits::ByTag => Traits::ByTag,
        },
        error: generate.error.as_ref().map(|error| ErrorProperties {
            status: error.status.clone(),
            message: error.message.clone(),
            code: error.code.clone(),
        }),
        server_headers: generate.server_headers.as_ref().map(mark),
        server_parameters: generate.server_parameters.as_ref().map(mark),
        client_kind: generate.client.as_ref().map(|client| match client {
            Client::Own => ClientKind::Own,
            Client::Progenitor => ClientKind::Progenitor,
        }),
        ..Settings::default()
    }
}
