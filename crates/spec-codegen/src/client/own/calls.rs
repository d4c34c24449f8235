//! What the client adds to a plan: names of methods and setters, the responses that an operation reads, its security.

use std::collections::{HashMap, HashSet};

use spec_model::{Diagnostic, Parameter, ParameterLocation, ParameterStyle, SchemaType, Spec};

use crate::client::own::answers::{Answer, Answers, Reader};
use crate::client::own::pages::{self, Pages};
use crate::client::own::security::{self, Scheme};
use crate::model::{
    Api, Encoding, Operation, ParameterKind, ParameterStruct, Presence, RequestBody, ResponseEnum,
    Type,
};
use crate::names;
use crate::plan::is_sent;
use crate::settings::Settings;

/// The methods that every generated client has, and those of its hooks.
const CLIENT_METHODS: [&str; 9] = [
    "api_version",
    "baseurl",
    "client",
    "exec",
    "inner",
    "new",
    "new_with_client",
    "post",
    "pre",
];

/// The functions of every builder.
const BUILDER_METHODS: [&str; 4] = ["body", "new", "send", "stream"];

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

/// A parameter of a request.
pub(super) struct Setter {
    /// The method that sets it.
    pub(super) name: String,
    /// The name in the document.
    pub(super) wire: String,
    pub(super) docs: String,
    pub(super) kind: ParameterKind,
    pub(super) ty: Type,
    pub(super) encoding: Encoding,
    pub(super) required: bool,
}

impl<'a> ClientPlan<'a> {
    pub(super) fn new(spec: &'a Spec, api: &'a Api, settings: &'a Settings) -> ClientPlan<'a> {
        let mut taken: HashSet<String> = CLIENT_METHODS.map(str::to_owned).into();
        let schemes = security::read_schemes(spec, &mut taken);
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
            let builder = match builders.insert(operation.variant.clone()) {
                true => operation.variant.clone(),
                false => names::make_unique(format!("{}Request", operation.variant), &mut builders),
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
            let mut call = Call {
                operation,
                method,
                builder,
                setters: read_setters(spec, operation, of, &structs),
                body: operation.body.as_ref(),
                encodings: content.collect(),
                success,
                error,
                security: security::read_alternatives(spec, &plan.schemes, of),
                pages: None,
            };
            call.pages = pages::read(api, of, &call);
            plan.calls.push(call);
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
        let stem = wanted.trim_start_matches("r#");
        let name = names::make_unique(format!("{stem}_operation"), taken);
        let message = format!("the client has a method `{wanted}`, so that this one is `{name}`");
        let help = "give the operation another `operationId` if that does not suit";
        let diagnostic = spec.diagnostic(&declared.at, message).with_help(help);
        self.warnings.push(diagnostic);
        name
    }
}

fn read_setters(
    spec: &Spec,
    operation: &Operation,
    declared: &spec_model::Operation,
    structs: &HashMap<&str, &ParameterStruct>,
) -> Vec<Setter> {
    let mut taken: HashSet<String> = BUILDER_METHODS.map(str::to_owned).into();
    let mut setters = Vec::new();
    for (kind, name) in &operation.parameters {
        let fields = structs
            .get(name.as_str())
            .map_or(&[][..], |of| of.fields.as_slice());
        for of in fields {
            let field = &of.field;
            let required = field.presence == Presence::Required;
            setters.push(Setter {
                name: name_setter(&field.name, *kind, &mut taken),
                wire: field.wire.clone(),
                docs: field.docs.clone(),
                kind: *kind,
                ty: match &field.ty {
                    Type::Option(inner) if !required => (**inner).clone(),
                    ty => ty.clone(),
                },
                encoding: of.encoding,
                required,
            });
        }
    }
    // The server handles some parameters for all operations, so that no method gets them; a client sends them.
    for parameter in declared
        .parameters
        .iter()
        .filter(|parameter| is_sent(parameter))
    {
        let kind = kind_of(parameter.location);
        let planned = |setter: &Setter| setter.kind == kind && setter.wire == parameter.name;
        if !setters.iter().any(planned) {
            let name = names::field_name(&parameter.name).unwrap_or_else(|| "parameter".to_owned());
            setters.push(Setter {
                name: name_setter(&name, kind, &mut taken),
                ..plain_setter(spec, parameter, kind)
            });
        }
    }
    setters
}

/// The name of a setter: that of the field, or with its location if another setter has that already.
fn name_setter(field: &str, kind: ParameterKind, taken: &mut HashSet<String>) -> String {
    if taken.insert(field.to_owned()) {
        return field.to_owned();
    }
    let stem = field.trim_start_matches("r#");
    let suffix = match kind {
        ParameterKind::Path => "path",
        ParameterKind::Query => "query",
        ParameterKind::RequestHeader | ParameterKind::ResponseHeader => "header",
        ParameterKind::Cookie => "cookie",
    };
    names::make_unique(format!("{stem}_{suffix}"), taken)
}

fn kind_of(location: ParameterLocation) -> ParameterKind {
    match location {
        ParameterLocation::Path => ParameterKind::Path,
        ParameterLocation::Query => ParameterKind::Query,
        ParameterLocation::Header => ParameterKind::RequestHeader,
        ParameterLocation::Cookie => ParameterKind::Cookie,
    }
}

/// The setter of a parameter that the plan has no type for.
fn plain_setter(spec: &Spec, parameter: &Parameter, kind: ParameterKind) -> Setter {
    let schema = parameter
        .schema
        .as_ref()
        .and_then(|schema| spec.resolve(schema));
    let ty = match schema.and_then(|schema| schema.schema_type) {
        Some(SchemaType::String) => Type::String,
        Some(SchemaType::Boolean) => Type::Bool,
        Some(SchemaType::Integer) => Type::Integer("i64"),
        Some(SchemaType::Number) => Type::Float("f64"),
        _ => Type::Any,
    };
    Setter {
        name: String::new(),
        wire: parameter.name.clone(),
        docs: parameter.description.clone().unwrap_or_default(),
        kind,
        ty,
        encoding: match parameter.schema {
            Some(_) => Encoding::Style {
                style: parameter.style,
                explode: parameter.explode,
                allow_reserved: false,
            },
            None => Encoding::Json,
        },
        required: parameter.required,
    }
}

impl Setter {
    /// Whether the parameter is in the style that its location has by default.
    pub(super) fn is_plain(&self) -> bool {
        let style = match self.kind {
            ParameterKind::Query | ParameterKind::Cookie => (ParameterStyle::Form, true),
            _ => (ParameterStyle::Simple, false),
        };
        matches!(self.encoding, Encoding::Style { style: own, explode, .. } if (own, explode) == style)
    }
}
