//! The files that are generated from a document.

use dropspec_model::{Diagnostic, Spec};

use crate::files::{GeneratedFile, Part, Unsupported};
use crate::model::Api;
use crate::settings::{ClientKind, Settings};
use crate::{
    api, bodies, client, document, error_codes, interface, lists, operations, parameters, plan,
    progenitor, responses, type_definitions, webhooks,
};

/// What is generated from a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Generated {
    /// The files, which differ in crate and name.
    pub files: Vec<GeneratedFile>,
    /// What is legal in the document, but lost or changed in the generated code, in the order of the document.
    pub warnings: Vec<Diagnostic>,
    /// The operations that are left out, in the order of the document; without [`Settings::partial`] only those that no request can
    /// reach.
    pub unsupported: Vec<Unsupported>,
}

/// Generates all files for a document. The same document and settings give the same bytes.
///
/// # Errors
///
/// Everything that is wrong in the document, in its order, each with its location and help. With [`Settings::partial`]
/// the document still fails if an error concerns more than single operations.
pub fn generate(spec: &Spec, settings: &Settings) -> Result<Generated, Vec<Diagnostic>> {
    let api = plan::plan(spec, settings)?;
    let mut files = interface_files(spec, settings, &api);
    let mut warnings = api.warnings.clone();
    match settings.client_kind() {
        ClientKind::Own => files.extend(client::files(spec, &api, settings, &mut warnings)),
        ClientKind::Progenitor => files.extend(progenitor_files(spec, settings, &api)?),
    }
    warnings.sort_by(|a, b| a.location.cmp(&b.location));
    Ok(Generated {
        files,
        unsupported: api.into_left_out(),
        warnings,
    })
}

impl Api {
    /// The operations that are left out, and after them those that could not be read.
    pub fn into_left_out(self) -> Vec<Unsupported> {
        let left_out = self.operations.into_iter().filter(|of| !of.is_generated());
        let left_out = left_out.map(|operation| Unsupported {
            is_answered: operation
                .problems
                .iter()
                .all(|it| it.rule != plan::UNREACHABLE),
            operation: operation.id,
            problems: operation.problems,
        });
        left_out.chain(self.unreadable).collect()
    }
}

/// progenitor's client, and with a layer what its hooks need.
fn progenitor_files(
    spec: &Spec,
    settings: &Settings,
    api: &Api,
) -> Result<Vec<GeneratedFile>, Vec<Diagnostic>> {
    let layer = settings.client_layer.as_ref();
    let text = progenitor::render_client(spec, layer)?;
    let mut files = vec![settings.file(Part::Client, "client.rs", &text)];
    let Some(layer) = layer else {
        return Ok(files);
    };
    let rust = |name: &str, tokens| settings.rust_file(Part::Client, name, tokens);
    if let Some(codes) = &api.error_codes {
        files.push(rust("error_code.rs", error_codes::render_for_client(codes)));
    }
    files.push(rust("lists.rs", lists::render(spec, &layer.page_parameter)));
    let operations = client::render_operations(spec, api, settings);
    files.push(rust("operation_table.rs", operations));
    Ok(files)
}

/// The files of the dropshot interface.
fn interface_files(spec: &Spec, settings: &Settings, api: &Api) -> Vec<GeneratedFile> {
    let rust = |name: &str, tokens| settings.rust_file(Part::Api, name, tokens);
    let mut files = api::files(api, settings);
    let by_tag = files.len() > 1;
    let written = document::written_json(spec);
    let document = document::render(&settings.source_path, written.is_some());
    let interface = interface::render(api, by_tag, written.is_some());
    files.extend(written.map(|content| GeneratedFile {
        part: Part::Api,
        name: "written.json".to_owned(),
        content,
    }));
    files.extend([
        rust("document.rs", document),
        GeneratedFile {
            part: Part::Api,
            name: "openapi.json".to_owned(),
            content: document::json(spec),
        },
        rust("interface.rs", interface),
        rust("operations.rs", operations::render(api)),
        rust("parameters.rs", parameters::render(api)),
        rust("types.rs", type_definitions::render(&api.types)),
    ]);
    if let Some(codes) = &api.error_codes {
        files.push(rust("error_codes.rs", error_codes::render(codes)));
    }
    if api.responses().next().is_some() {
        files.push(rust("responses.rs", responses::render(api)));
    }
    if api.has_bodies() {
        files.push(rust("bodies.rs", bodies::render(api)));
    }
    if !api.webhooks.is_empty() {
        files.push(rust("webhooks.rs", webhooks::render(&api.webhooks)));
    }
    files
}
