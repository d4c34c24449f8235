//! What is generated for a client crate that adds a layer by hand: retries, pages, typed error codes, mocks, a command
//! line. What the layer does is not known here, only what it needs to know of the document.

use spec_model::{Diagnostic, Spec};

use crate::client::{Artifact, render_artifact};
use crate::{
    GeneratedFile, Part, Settings, client_error_code, interface, lists, operation_traits, plan,
};

/// What generated code has to know of the layer.
#[derive(Debug, Clone)]
pub struct ClientLayer {
    /// The type in which the client's hooks keep their state, as the client's crate names it: `crate::Transport`.
    pub state: String,
    /// The client's crate, as others import it: `petstore_client`.
    pub crate_name: String,
}

/// Makes what [`generate`](crate::generate) makes, but the client for the layer, and with it what the layer needs.
///
/// # Errors
///
/// As [`generate`](crate::generate).
pub fn generate_layered(
    spec: &Spec,
    settings: &Settings,
    layer: &ClientLayer,
) -> Result<Vec<GeneratedFile>, Vec<Diagnostic>> {
    let api = plan::plan(spec)?;
    let client = Artifact::LayeredClient {
        state: layer.state.clone(),
    };
    let client = render_artifact(spec, &client)?;
    let mock = render_artifact(spec, &Artifact::Mock)?;
    let command_line = Artifact::CommandLine {
        crate_name: layer.crate_name.clone(),
        lists: lists::method_names(spec),
    };
    let command_line = render_artifact(spec, &command_line)?;

    let mut files = interface(spec, settings, &api);
    let of_client = |name, text: String| settings.file(Part::Client, name, &text);
    files.push(of_client("client.rs", client));
    if let Some(codes) = &api.error_codes {
        files.push(of_client("error_code.rs", client_error_code::render(codes)));
    }
    files.push(of_client("lists.rs", lists::render(spec)));
    files.push(of_client("mock.rs", mock));
    let traits = operation_traits::render(spec, &api);
    files.push(of_client("operation_traits.rs", traits));
    files.push(settings.file(Part::CommandLine, "cli.rs", &command_line));
    Ok(files)
}
