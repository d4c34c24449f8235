//! Parameters and response headers, gathered into structs.

use std::collections::{HashMap, HashSet};

use dropspec_model::{Node, Operation, Parameter, ParameterLocation, ParameterStyle};
use dropspec_schema::header::Ignored;
use dropspec_schema::media_type::BodyKind;
use heck::ToUpperCamelCase;
use serde_json::Value as Json;
use syn::Ident;

use crate::model::{Encoding, ParameterField, ParameterKind, ParameterStruct, Type};
use crate::names;
use crate::plan::named_operation::NamedOperation;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::plan::{docs, schemas};
use crate::settings::Settings;

/// Collects the parameter structs of a document during planning.
pub(super) struct Parameters<'s> {
    pub(super) problems: &'s Problems<'s>,
    pub(super) settings: &'s Settings,
    /// The path structs so far, which operations share: what their parameters are in the document, and their names.
    paths: HashMap<String, String>,
    taken: HashSet<String>,
    structs: Vec<ParameterStruct>,
}

impl<'s> Parameters<'s> {
    pub(super) fn new(settings: &'s Settings, problems: &'s Problems<'s>) -> Parameters<'s> {
        Parameters {
            problems,
            settings,
            paths: HashMap::new(),
            taken: HashSet::new(),
            structs: Vec::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<ParameterStruct> {
        self.structs
    }

    /// The struct with this name.
    pub(super) fn find(&self, name: &str) -> Option<&ParameterStruct> {
        self.structs.iter().rfind(|of| of.name == name)
    }

    /// Adds a struct, and returns its name: that of the struct, made unique.
    pub(super) fn add(&mut self, parameters: ParameterStruct) -> String {
        let name = names::make_unique(parameters.name, &mut self.taken);
        self.structs.push(ParameterStruct {
            name: name.clone(),
            ..parameters
        });
        name
    }

    /// Plans the structs that the parameters of an operation go into, and returns their kinds and names, and the headers that the
    /// server handles.
    pub(super) fn read_structs(
        &mut self,
        types: &mut Types<'s>,
        of: &NamedOperation<'s>,
    ) -> (Vec<(ParameterKind, String)>, Vec<ParameterField>) {
        let NamedOperation {
            operation,
            id,
            variant,
        } = of;
        for parameter in &operation.parameters {
            if let Some(ignored) = find_ignored(parameter) {
                let message = ignored.message(&parameter.name);
                self.problems.warn(&parameter.at, message, ignored.help());
            }
        }
        let path = self.read_path_struct(types, operation, variant);
        let in_query = parameters_in(operation, ParameterLocation::Query).collect::<Vec<_>>();
        let (handled, in_header): (Vec<_>, Vec<_>) =
            parameters_in(operation, ParameterLocation::Header)
                .filter(|parameter| is_sent(parameter))
                .partition(|parameter| self.is_handled_by_server(parameter));
        let handled = read_fields(types, variant, &handled);
        let in_cookie = parameters_in(operation, ParameterLocation::Cookie).collect::<Vec<_>>();
        let others = [
            (ParameterKind::Query, "Query", "query parameters", in_query),
            (
                ParameterKind::RequestHeader,
                "RequestHeaders",
                "request headers",
                in_header,
            ),
            (ParameterKind::Cookie, "Cookies", "cookies", in_cookie),
        ];
        let others = others.into_iter().filter(|(.., list)| !list.is_empty());
        let others = others.map(|(kind, suffix, what, list)| {
            let fields = read_fields(types, variant, &list);
            self.warn_of_free_names(&list, &fields);
            let parameters = ParameterStruct {
                name: format!("{variant}{suffix}"),
                kind,
                docs: format!("The {what} of `{id}`."),
                pointer: operation.at.pointer.clone(),
                fields,
            };
            (kind, self.add(parameters))
        });
        let others: Vec<_> = others.collect();
        let mut structs: Vec<_> = path.into_iter().chain(others).collect();
        // dropshot emits parameters in the order of the arguments.
        structs.sort_by_key(|(kind, _)| {
            let mut all = operation.parameters.iter();
            all.position(|parameter| kind.location() == Some(parameter.location))
        });
        (structs, handled)
    }

    fn read_path_struct(
        &mut self,
        types: &mut Types<'s>,
        operation: &Operation,
        variant: &str,
    ) -> Option<(ParameterKind, String)> {
        let list = path_parameters(operation);
        let docs = match list.as_slice() {
            [] => return None,
            [only] => format!("The path parameter `{}`.", only.name),
            several => {
                let names: Vec<String> = several.iter().map(|p| format!("`{}`", p.name)).collect();
                format!("The path parameters {}.", names.join(" and "))
            }
        };
        let nodes = list.iter().filter_map(|of| types.spec.node(&of.at));
        let mut nodes: Json = nodes.map(Node::to_json).collect();
        nodes.sort_all_objects();
        let nodes = nodes.to_string();
        if let Some(name) = self.paths.get(&nodes) {
            return Some((ParameterKind::Path, name.clone()));
        }
        // Other parameters of the same names are named after the operation.
        let names = list.iter().map(|of| of.name.to_upper_camel_case());
        let names: String = names.collect();
        // A digit begins no name, for example.
        let stem = match syn::parse_str::<Ident>(&format!("{names}Path")) {
            Ok(_) => names,
            Err(_) => names::type_name(&names).unwrap_or_default(),
        };
        let is_taken = self.taken.contains(&format!("{stem}Path"));
        let stem = if is_taken { variant } else { &stem };
        let name = self.add(ParameterStruct {
            name: format!("{stem}Path"),
            kind: ParameterKind::Path,
            docs,
            pointer: operation.at.pointer.clone(),
            fields: read_fields(types, stem, &list),
        });
        self.paths.insert(nodes, name.clone());
        Some((ParameterKind::Path, name))
    }

    /// Warns of an object whose members are parameters of any names, if another one takes all of those.
    fn warn_of_free_names(&self, list: &[&Parameter], fields: &[ParameterField]) {
        let mut free = list.iter().zip(fields).filter(|(parameter, field)| {
            parameter.location != ParameterLocation::Header
                && parameter.explode
                && parameter.style != ParameterStyle::DeepObject
                && match &field.field.ty {
                    Type::Option(inner) => matches!(**inner, Type::Map(_)),
                    ty => matches!(ty, Type::Map(_)),
                }
        });
        let first = free.next().map_or("", |(first, _)| &first.name);
        for (other, _) in free {
            let message = format!(
                "no request has members of `{}`, since `{first}` takes parameters of any names as its own",
                other.name
            );
            let help = "declare it with `style: deepObject`, or name its properties";
            self.problems.warn(&other.at, message, help);
        }
    }

    fn is_handled_by_server(&self, parameter: &Parameter) -> bool {
        let mark = self.settings.server_parameters.as_ref();
        mark.is_some_and(|mark| mark.is_on(&parameter.extensions))
    }
}

/// Plans the fields of parameters. `owner` begins the names of types that have none in the document.
pub(super) fn read_fields(
    types: &mut Types<'_>,
    owner: &str,
    parameters: &[&Parameter],
) -> Vec<ParameterField> {
    let mut taken = types.names_like_fields();
    let fields = parameters.iter().enumerate().map(|(index, parameter)| {
        let name = names::field_name(&parameter.name);
        let name = name.unwrap_or_else(|| format!("parameter_{}", index + 1));
        read_field(
            types,
            owner,
            parameter,
            names::make_unique(name, &mut taken),
        )
    });
    fields.collect()
}

fn read_field(
    types: &mut Types<'_>,
    owner: &str,
    parameter: &Parameter,
    name: String,
) -> ParameterField {
    let hint = match &parameter.component {
        Some(component) => component.to_upper_camel_case(),
        None => {
            let name = names::type_name(&parameter.name).unwrap_or_default();
            format!("{owner}{name}")
        }
    };
    let wire = &parameter.name;
    let content = parameter.content.first();
    let encoding = match content {
        Some(_) if parameter.is_whole_query => Encoding::WholeQuery,
        Some((name, _)) if BodyKind::of(name) == BodyKind::Json => Encoding::Json,
        _ => Encoding::Style {
            style: parameter.style,
            explode: parameter.explode,
            allow_reserved: parameter.allow_reserved,
        },
    };
    let content_schema = content.and_then(|(_, media_type)| media_type.schema.as_ref());
    let schema = parameter.schema.as_ref().or(content_schema);
    let is_text = matches!(encoding, Encoding::Style { .. });
    let schema = schema.filter(|_| content.is_none() || !is_text);
    let docs = parameter.description.as_deref().unwrap_or_default().trim();
    let docs = match (docs, schema) {
        ("", Some(schema)) => types.describe_property(schema, wire),
        (docs, _) => docs::or_name(docs.to_owned(), wire),
    };
    let ty = match (schema, encoding) {
        (Some(schema), _) => types.resolve_type(schema, &hint),
        (None, _) if is_text => Type::String,
        (None, _) => Type::Any,
    };
    let anything = schemas::anything(&parameter.at);
    let schema = schema.unwrap_or(&anything);
    let field = types.plan_field(name, wire, docs, ty, parameter.required, schema);
    ParameterField { field, encoding }
}

/// Whether the generated interface contains a parameter. It does not contain headers that are ignored.
pub(super) fn is_sent(parameter: &Parameter) -> bool {
    find_ignored(parameter).is_none()
}

/// Why a parameter is no part of the interface.
fn find_ignored(parameter: &Parameter) -> Option<Ignored> {
    let is_header = parameter.location == ParameterLocation::Header;
    is_header.then(|| Ignored::find(&parameter.name)).flatten()
}

fn parameters_in(
    operation: &Operation,
    location: ParameterLocation,
) -> impl Iterator<Item = &Parameter> {
    operation
        .parameters
        .iter()
        .filter(move |parameter| parameter.location == location)
}

/// The path parameters of an operation, in the order of its path template.
fn path_parameters(operation: &Operation) -> Vec<&Parameter> {
    let declared =
        |name: &str| parameters_in(operation, ParameterLocation::Path).find(|p| p.name == name);
    operation.path.parameters().filter_map(declared).collect()
}
