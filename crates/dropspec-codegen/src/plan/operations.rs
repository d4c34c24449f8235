//! Operations: their names, parameters, bodies, responses and errors.

use std::collections::HashSet;

use dropspec_model::{Place, Spec, derive_operation_id};
use dropspec_schema::pointer;

use crate::model::{Encoding, Operation, ParameterKind, ParameterStruct};
use crate::names;
use crate::plan::extensions;
use crate::plan::named_operation::NamedOperation;
use crate::plan::parameters::Parameters;
use crate::plan::problems::Problems;
use crate::plan::routes::{self, Routes};
use crate::plan::statuses::{is_channel, is_success};
use crate::plan::types::Types;
use crate::settings::Settings;

/// Plans operations one after the other.
pub(super) struct Planner<'p, 's> {
    pub(super) spec: &'s Spec,
    pub(super) settings: &'s Settings,
    pub(super) problems: &'s Problems<'s>,
    pub(super) types: &'p mut Types<'s>,
    pub(super) parameters: Parameters<'s>,
    /// The names of the enums of bodies and responses.
    taken: HashSet<String>,
    /// Whether operations without `security` are public although others are protected.
    lacks_security: bool,
}

/// Plans the operations of a document, and the structs of their parameters and response headers.
pub(super) fn plan_operations<'s>(
    spec: &'s Spec,
    settings: &'s Settings,
    problems: &'s Problems<'s>,
    types: &mut Types<'s>,
) -> (Vec<Operation>, Vec<ParameterStruct>) {
    routes::check_paths(spec, problems);
    let mut planner = Planner {
        spec,
        settings,
        problems,
        types,
        parameters: Parameters::new(settings, problems),
        taken: HashSet::new(),
        lacks_security: lacks_default_security(spec),
    };
    let mut names = Names {
        variants: names::reserve_list(),
        ..Names::default()
    };
    let mut routes = Routes::default();
    let operations = spec.operations.iter().map(|operation| {
        let (named, method_name) = names.choose(problems, operation);
        let mut planned = planner.plan_operation(&named, method_name);
        planned.registered = planner.takes_scalars(&planned) && routes.register(operation);
        planned
    });
    (operations.collect(), planner.parameters.finish())
}

impl<'s> Planner<'_, 's> {
    fn plan_operation(&mut self, of: &NamedOperation<'s>, method_name: String) -> Operation {
        let operation = of.operation;
        self.warn_of_losses(operation);
        let (parameters, handled) = self.parameters.read_structs(self.types, of);
        let body = self.read_body(of);
        let success = self.read_success(of);
        let (error, errors) = self.read_error(of);
        let summary = operation.summary.as_deref().unwrap_or_default().trim();
        let summary: Vec<&str> = summary.lines().map(str::trim).collect();
        let description = operation.description.as_deref().unwrap_or_default();
        Operation {
            id: of.id.clone(),
            method_name,
            variant: of.variant.clone(),
            method: operation.method.as_str(),
            path: operation.path.raw.clone(),
            summary: summary.join(" "),
            description: description.trim().to_owned(),
            tags: operation.tags.iter().map(|tag| tag.value.clone()).collect(),
            deprecated: operation.deprecated,
            parameters,
            handled,
            body,
            success,
            error,
            errors,
            channel: is_channel(operation),
            registered: true,
            extensions: extensions::read_extensions(self.spec, self.problems, operation),
            problems: Vec::new(),
        }
    }

    /// A name for an enum of bodies or responses: `name`, made unique.
    pub(super) fn take_name(&mut self, name: String) -> String {
        names::make_unique(name, &mut self.taken)
    }

    /// Warns of responses that are sent before the one of the operation, which no implementation returns.
    fn warn_of_interim_responses(&self, operation: &dropspec_model::Operation) {
        let interim = |status: &str| status.starts_with('1') && !is_success(operation, status);
        for (status, response) in operation.responses.iter().filter(|(it, _)| interim(it)) {
            let message = format!(
                "a response with status {status} comes before the one of the operation, whose method does not return it"
            );
            let help = if status == "101" {
                "add `x-dropshot-websocket: {}` to the operation if it opens a WebSocket, or remove the response"
            } else {
                "leave it to the server, or remove it"
            };
            self.problems.warn(&response.at, message, help);
        }
    }

    /// Warns of what no code is generated for.
    fn warn_of_losses(&self, operation: &dropspec_model::Operation) {
        self.warn_of_interim_responses(operation);
        if operation.security.is_none() && self.lacks_security {
            self.problems.warn(
                &operation.at,
                "the operation is public, since it has no `security`, while others of the document need credentials",
                "add its `security`, or `security: []` if everybody may call it",
            );
        }
        if let Some((name, callback)) = operation.callbacks.first() {
            let at = Place {
                pointer: pointer::join(&format!("{}/callbacks", operation.at.pointer), name),
                position: callback.key_position,
            };
            self.problems.warn(
                &at,
                "no code is generated for callbacks",
                "send the requests of callbacks with a client of your own",
            );
        }
        if let Some(server) = operation.servers.first() {
            self.problems.warn(
                &server.at,
                "the operation has its own server, but the generated one serves it too",
                "configure the client with the address of that server to call it there",
            );
        }
    }

    /// Whether dropshot can describe all parameters: those in path and query are scalars, and none is JSON text.
    fn takes_scalars(&self, operation: &Operation) -> bool {
        operation.parameters.iter().all(|(kind, name)| {
            let must_be_scalar = matches!(kind, ParameterKind::Path | ParameterKind::Query);
            let fields = self.parameters.find(name).map(|of| &of.fields);
            fields.into_iter().flatten().all(|parameter| {
                matches!(parameter.encoding, Encoding::Style { .. })
                    && (!must_be_scalar || self.types.is_scalar(&parameter.field.ty))
            })
        })
    }
}

/// The names of operations so far.
#[derive(Default)]
struct Names {
    ids: HashSet<String>,
    methods: HashSet<String>,
    variants: HashSet<String>,
}

impl Names {
    /// Chooses the id, the variant and the name of the method of an operation.
    fn choose<'s>(
        &mut self,
        problems: &Problems<'_>,
        operation: &'s dropspec_model::Operation,
    ) -> (NamedOperation<'s>, String) {
        let derived = derive_operation_id(operation.method, &operation.path.raw);
        let id = match &operation.id {
            Some(id) => id.value.clone(),
            None => {
                problems.warn(
                    &operation.at,
                    format!("the operation has no `operationId`, so that it is called `{derived}`"),
                    format!("add `operationId: {derived}`"),
                );
                derived.clone()
            }
        };
        let id = names::make_unique(id, &mut self.ids);
        let named = names::method_name(&id).zip(names::variant_name(&id));
        let (method, variant) = named.unwrap_or_else(|| {
            problems.warn(
                &operation.at,
                format!(
                    "no Rust name can be made of `{id}`, so that its method is called by its path"
                ),
                "name the operation in ASCII letters",
            );
            let method = names::method_name(&derived).unwrap_or_default();
            (method, names::variant_name(&derived).unwrap_or_default())
        });
        let method_name = names::make_unique(method.clone(), &mut self.methods);
        if method_name != method {
            problems.warn(
                &operation.at,
                format!("another operation is `{method}` in Rust already, so that this one is `{method_name}`"),
                "rename one of the two operations",
            );
        }
        let variant = names::make_unique(variant, &mut self.variants);
        let named = NamedOperation {
            operation,
            id,
            variant,
        };
        (named, method_name)
    }
}

/// Whether operations without `security` are public although others of the document are protected: the document has none
/// for all.
fn lacks_default_security(spec: &Spec) -> bool {
    let is_declared = spec.document.root().get("security").is_some();
    let is_protected = |operation: &dropspec_model::Operation| {
        let alternatives = spec.security_of(operation);
        !alternatives.is_empty() && alternatives.iter().all(|of| !of.schemes.is_empty())
    };
    !is_declared && spec.operations.iter().any(is_protected)
}
