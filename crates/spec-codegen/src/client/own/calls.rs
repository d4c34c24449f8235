//! What the client adds to a plan: names of methods and setters, the responses that an operation reads, its security.

use std::collections::{HashMap, HashSet};

use spec_model::{Diagnostic, Spec, variable_prefix};

use crate::client::own::answers::{Answer, Answers, Reader};
use crate::client::own::pages::{self, Pages};
use crate::client::own::security::{self, Scheme};
use crate::client::own::setters::{Setter, read_setters};
use crate::model::{Api, Operation, RequestBody, ResponseEnum};
use crate::names;
use crate::settings::Settings;

/// The methods that every generated client has, and those of its hooks.
const CLIENT_METHODS: [&str; 16] = [
    "api_version",
    "baseurl",
    "builder",
    "client",
    "exec",
    "from_env",
    "inner",
    "new",
    "new_with_client",
    "post",
    "pre",
    "with_clock",
    "with_exchange_observer",
    "with_observer",
    "with_retries",
    "with_timeout",
];

/// The names that code in a builder's file uses without a path.
const BUILDER_NAMES: [&str; 14] = [
    "Debug",
    "Err",
    "From",
    "Into",
    "IntoIterator",
    "None",
    "Ok",
    "Option",
    "Result",
    "Self",
    "Some",
    "String",
    "TryInto",
    "Vec",
];

/// A client with every name decided.
pub(super) struct ClientPlan<'a> {
    pub(super) api: &'a Api,
    /// `info.version`
    pub(super) version: &'a str,
    pub(super) schemes: Vec<Scheme>,
    /// What the names of environment variables begin with.
    pub(super) variables: String,
    pub(super) calls: Vec<Call<'a>>,
    /// The enums of responses that some call reads.
    pub(super) enums: Vec<&'a ResponseEnum>,
    /// The type of the state of the client's hooks, if a layer by hand has one.
    pub(super) state: Option<&'a str>,
    /// Whether an operation declares a redirection, which the client must not follow then.
    pub(super) redirects: bool,
    pub(super) warnings: Vec<Diagnostic>,
}

/// A request of an operation.
pub(super) struct Call<'a> {
    pub(super) operation: &'a Operation,
    /// The client's method.
    pub(super) method: String,
    /// The type that builds the request.
    pub(super) builder: String,
    pub(super) setters: Vec<Setter>,
    pub(super) body: Option<&'a RequestBody>,
    /// For each form of the body: how the properties of a form are written.
    pub(super) encodings: Vec<&'a spec_model::MediaType>,
    pub(super) success: Answer,
    pub(super) error: Answer,
    pub(super) security: Vec<Vec<usize>>,
    pub(super) pages: Option<Pages>,
}

impl<'a> ClientPlan<'a> {
    pub(super) fn new(spec: &'a Spec, api: &'a Api, settings: &'a Settings) -> ClientPlan<'a> {
        let mut taken: HashSet<String> = CLIENT_METHODS.map(str::to_owned).into();
        let variables = settings.variables.clone();
        let variables = variables.unwrap_or_else(|| variable_prefix(&spec.info.title));
        let schemes = security::read_schemes(spec, &mut taken, &variables);
        let declared = spec.operations.iter();
        let declared: HashMap<_, _> = declared
            .map(|of| ((of.method.as_str(), of.path.raw.as_str()), of))
            .collect();
        let answers = Answers::new(api);
        let structs = api.parameters.iter();
        let structs = structs.map(|of| (of.name.as_str(), of)).collect();
        let mut builders = HashSet::from(BUILDER_NAMES.map(str::to_owned));
        builders.insert("Client".to_owned());
        let mut plan = ClientPlan {
            api,
            version: &spec.info.version,
            schemes,
            variables,
            calls: Vec::new(),
            enums: Vec::new(),
            state: settings
                .client_layer
                .as_ref()
                .map(|layer| layer.state.as_str()),
            redirects: false,
            warnings: Vec::new(),
        };
        for operation in &api.operations {
            let Some(of) = declared.get(&(operation.method, operation.path.as_str())) else {
                continue;
            };
            let method = plan.name_method(spec, operation, of, &mut taken);
            let builder = if builders.insert(operation.variant.clone()) {
                operation.variant.clone()
            } else {
                names::make_unique(format!("{}Request", operation.variant), &mut builders)
            };
            let (success, error) = answers.read(operation, of);
            for answer in [&success, &error] {
                if let Reader::Enum(name) = &answer.reader
                    && let Some(found) = answers.find_enum(name)
                {
                    plan.enums.push(found);
                }
            }
            plan.redirects |= success.has_redirection();
            let content = of
                .request_body
                .iter()
                .flat_map(|body| body.content.values());
            let setters = read_setters(spec, operation, of, &structs);
            let pages = pages::read(api, of, &setters, &success.reader);
            plan.calls.push(Call {
                operation,
                method,
                builder,
                setters,
                body: operation.body.as_ref(),
                encodings: content.collect(),
                success,
                error,
                security: security::read_alternatives(spec, of),
                pages,
            });
        }
        plan
    }

    /// The client's method of an operation. A name that the client has already gets a suffix.
    fn name_method(
        &mut self,
        spec: &Spec,
        operation: &Operation,
        declared: &spec_model::Operation,
        taken: &mut HashSet<String>,
    ) -> String {
        let wanted = operation.method_name.clone();
        if taken.insert(wanted.clone()) {
            return wanted;
        }
        let stem = names::stem(&wanted);
        let name = names::make_unique(format!("{stem}_operation"), taken);
        let message = format!("the client has a method `{wanted}`, so that this one is `{name}`");
        let help = "give the operation another `operationId` if that does not suit";
        let diagnostic = spec.diagnostic(&declared.at, message).with_help(help);
        self.warnings.push(diagnostic);
        name
    }
}
