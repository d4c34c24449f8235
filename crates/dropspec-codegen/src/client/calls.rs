//! What the client adds to a plan: names of methods and setters, the responses that an operation reads, its security.

use std::collections::HashSet;

use dropspec_model::{Diagnostic, Spec, variable_prefix};

use crate::client::answers::{self, Answer, Reader};
use crate::client::security::{self, Scheme};
use crate::client::setters::{Setter, read_setters};
use crate::model::{Api, Operation, ResponseEnum};
use crate::names;
use crate::settings::Settings;

/// The methods that every generated client has.
const CLIENT_METHODS: [&str; 6] = [
    "builder",
    "from_env",
    "new",
    "new_with_client",
    "with_retries",
    "with_timeout",
];

/// A client with every name decided.
pub struct ClientPlan<'a> {
    pub api: &'a Api,
    /// `info.version`
    pub version: &'a str,
    pub schemes: Vec<Scheme>,
    /// What the names of environment variables begin with.
    pub variables: String,
    pub calls: Vec<Call<'a>>,
    /// The enums of responses that some call reads.
    pub enums: Vec<&'a ResponseEnum>,
    /// Whether an operation declares a redirection, which the client must not follow then.
    pub redirects: bool,
    pub warnings: Vec<Diagnostic>,
}

/// A request of an operation.
pub struct Call<'a> {
    pub operation: &'a Operation,
    pub declared: &'a dropspec_model::Operation,
    /// The client's method.
    pub method: String,
    /// The type that builds the request.
    pub builder: String,
    pub setters: Vec<Setter<'a>>,
    pub success: Answer,
    pub error: Answer,
    pub security: Vec<Vec<usize>>,
}

impl<'a> ClientPlan<'a> {
    pub fn new(spec: &'a Spec, api: &'a Api, settings: &Settings) -> ClientPlan<'a> {
        let mut methods = names::reserve(&CLIENT_METHODS);
        let variables = settings.variables.clone();
        let variables = variables.unwrap_or_else(|| variable_prefix(&spec.info.title));
        let schemes = security::read_schemes(spec, &mut methods, &variables);
        let prelude = names::PRELUDE.split(' ').map(str::to_owned);
        let mut builders: HashSet<String> = prelude.chain(["Client".to_owned()]).collect();
        let mut warnings = Vec::new();
        let all = api.operations.iter().zip(&spec.operations);
        let generated = all.filter(|(operation, _)| operation.is_generated());
        let calls = generated.map(|(operation, declared)| {
            let (success, error) = answers::read(operation);
            let builder = names::with_suffix(&operation.variant, "Request", &mut builders);
            // A name that the client has already gets a suffix.
            let wanted = &operation.method_name;
            let method = names::with_suffix(wanted, "_operation", &mut methods);
            if method != *wanted {
                let message =
                    format!("the client has a method `{wanted}`, so that this one is `{method}`");
                let help = "give the operation another `operationId` if that does not suit";
                warnings.push(spec.diagnostic(&declared.at, message).with_help(help));
            }
            Call {
                operation,
                declared,
                method,
                builder,
                setters: read_setters(api, operation),
                success,
                error,
                security: security::read_alternatives(operation),
            }
        });
        let calls: Vec<Call<'_>> = calls.collect();
        let answers = calls.iter().flat_map(|call| [&call.success, &call.error]);
        let read: HashSet<&str> = answers
            .filter_map(|answer| match &answer.reader {
                Reader::Enum(name) => Some(name.as_str()),
                _ => None,
            })
            .collect();
        ClientPlan {
            api,
            version: &spec.info.version,
            schemes,
            variables,
            enums: api
                .responses()
                .filter(|of| read.contains(of.name.as_str()))
                .collect(),
            redirects: calls.iter().any(|call| call.success.has_redirection()),
            calls,
            warnings,
        }
    }
}
