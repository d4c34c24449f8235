//! Parameters and response headers, gathered into structs.

use std::collections::{HashMap, HashSet};

use heck::ToUpperCamelCase;
use indexmap::IndexMap;
use serde_json::Value as Json;
use spec_model::{Node, Operation, Parameter, ParameterLocation, Place, Spec};

use crate::model::{Field, ParameterKind, ParameterStruct};
use crate::names;
use crate::plan::parameter_fields::FieldSource;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::settings::Settings;

/// Progenitor's variable for the headers of a request: the only one that it does not rename if a parameter has its
/// name.
const CLIENT_VARIABLE: &str = "header_map";

/// Collects the parameter structs of a document during planning.
pub(super) struct Parameters<'s> {
    pub(super) problems: &'s Problems<'s>,
    pub(super) settings: &'s Settings,
    /// Path structs that cannot be shared, because parameters of the same names differ.
    unshared: HashSet<String>,
    pub(super) structs: IndexMap<String, ParameterStruct>,
}

impl<'s> Parameters<'s> {
    pub(super) fn new(
        spec: &'s Spec,
        settings: &'s Settings,
        problems: &'s Problems<'s>,
    ) -> Parameters<'s> {
        let mut declared: HashMap<String, Vec<Json>> = HashMap::new();
        let mut unshared = HashSet::new();
        for operation in &spec.operations {
            let parameters = path_parameters(operation);
            let name = path_struct_name(&parameters);
            let nodes = parameters
                .iter()
                .filter_map(|parameter| spec.node(&parameter.at));
            let nodes: Vec<Json> = nodes.map(Node::to_json).collect();
            if declared
                .entry(name.clone())
                .or_insert_with(|| nodes.clone())
                != &nodes
            {
                unshared.insert(name);
            }
        }
        Parameters {
            problems,
            settings,
            unshared,
            structs: IndexMap::new(),
        }
    }

    pub(super) fn finish(self) -> Vec<ParameterStruct> {
        self.structs.into_values().collect()
    }

    /// Plans the structs that the parameters of an operation go into, and returns their kinds and names.
    pub(super) fn read_structs(
        &mut self,
        types: &mut Types<'s>,
        operation: &Operation,
        variant: &str,
    ) -> Vec<(ParameterKind, String)> {
        let path = path_parameters(operation);
        for parameter in &operation.parameters {
            if parameter.location == ParameterLocation::Cookie {
                self.problems.report(
                    place_of(parameter),
                    format!(
                        "dropshot does not read cookies, so `{}` cannot be received",
                        parameter.name
                    ),
                    "send it in a header or in the query",
                );
            }
            let also_in_path = path.iter().any(|other| other.name == parameter.name);
            if parameter.location == ParameterLocation::Query && also_in_path {
                let message = format!("`{}` is both in the path and in the query", parameter.name);
                self.problems
                    .report(place_of(parameter), message, "rename one of the two");
            }
            if names::field_name(&parameter.name).as_deref() == Some(CLIENT_VARIABLE) {
                let message = format!("`{CLIENT_VARIABLE}` is already a variable of the client");
                self.problems
                    .report(place_of(parameter), message, "rename the parameter");
            }
        }
        let mut path_struct = path_struct_name(&path);
        if self.unshared.contains(&path_struct) {
            path_struct = format!("{variant}Path");
        }
        let query: Vec<&Parameter> = parameters_in(operation, ParameterLocation::Query).collect();
        let header: Vec<&Parameter> = parameters_in(operation, ParameterLocation::Header)
            .filter(|parameter| is_sent(parameter) && !self.is_handled_by_server(parameter))
            .collect();
        let path_docs = match path.as_slice() {
            [only] => format!("The path parameter `{}`.", only.name),
            several => {
                let names: Vec<String> = several.iter().map(|p| format!("`{}`", p.name)).collect();
                format!("The path parameters {}.", names.join(" and "))
            }
        };
        let id = operation.id.as_ref().map_or("", |id| id.value.as_str());
        let structs = [
            self.plan_struct(
                types,
                operation,
                ParameterKind::Path,
                path_struct,
                path_docs,
                &path,
            ),
            self.plan_struct(
                types,
                operation,
                ParameterKind::Query,
                format!("{variant}Query"),
                format!("The query parameters of `{id}`."),
                &query,
            ),
            self.plan_struct(
                types,
                operation,
                ParameterKind::RequestHeader,
                format!("{variant}RequestHeaders"),
                format!("The request headers of `{id}`."),
                &header,
            ),
        ];
        structs.into_iter().flatten().collect()
    }

    fn is_handled_by_server(&self, parameter: &Parameter) -> bool {
        let mark = self.settings.server_parameters.as_ref();
        mark.is_some_and(|mark| mark.is_on(&parameter.extensions))
    }

    fn plan_struct(
        &mut self,
        types: &mut Types<'s>,
        operation: &Operation,
        kind: ParameterKind,
        name: String,
        docs: String,
        parameters: &[&Parameter],
    ) -> Option<(ParameterKind, String)> {
        if parameters.is_empty() {
            return None;
        }
        types.check_struct_name(&name, &operation.at);
        if !self.structs.contains_key(&name) {
            let mut taken = HashSet::new();
            let owner = name
                .trim_end_matches("RequestHeaders")
                .trim_end_matches("Query");
            let owner = owner.trim_end_matches("Path").to_owned();
            let fields = parameters
                .iter()
                .filter_map(|parameter| self.plan_parameter(types, &owner, parameter, &mut taken))
                .collect();
            let pointer = operation.at.pointer.clone();
            self.structs.insert(
                name.clone(),
                ParameterStruct {
                    name: name.clone(),
                    kind,
                    docs,
                    pointer,
                    fields,
                },
            );
        }
        Some((kind, name))
    }

    fn plan_parameter(
        &self,
        types: &mut Types<'s>,
        owner: &str,
        parameter: &Parameter,
        taken: &mut HashSet<String>,
    ) -> Option<Field> {
        let place = place_of(parameter);
        let kind = parameter.location;
        if parameter.style != kind.default_style() {
            self.problems.report(
                place,
                format!(
                    "`{}` is written in a style that is not decoded",
                    parameter.name
                ),
                format!(
                    "leave `style` out, which means `{}`",
                    kind.default_style().as_str()
                ),
            );
        }
        if parameter.allow_empty_value {
            self.problems.report(
                place,
                format!(
                    "`{}` may be sent without a value, which is not decoded",
                    parameter.name
                ),
                "leave `allowEmptyValue` out",
            );
        }
        let Some(schema) = &parameter.schema else {
            self.problems.report(
                place,
                format!(
                    "`{}` is described by its content, which is not decoded",
                    parameter.name
                ),
                "describe it by a `schema`",
            );
            return None;
        };
        let hint = match &parameter.component {
            Some(component) => component.to_upper_camel_case(),
            None => format!(
                "{owner}{}",
                names::type_name(&parameter.name).unwrap_or_default()
            ),
        };
        let source = FieldSource {
            name: &parameter.name,
            description: parameter.description.as_deref(),
            required: parameter.required,
            place,
        };
        types.plan_parameter_field(&hint, &source, schema, taken)
    }
}

/// Whether the generated interface contains a parameter. It does not contain the headers `Accept`, `Authorization` and
/// `Content-Type`, which other parts of an OpenAPI document describe.
pub(crate) fn is_sent(parameter: &Parameter) -> bool {
    let name = parameter.name.to_ascii_lowercase();
    parameter.location != ParameterLocation::Header
        || !["accept", "authorization", "content-type"].contains(&name.as_str())
}

fn place_of(parameter: &Parameter) -> &Place {
    parameter.reference.as_ref().unwrap_or(&parameter.at)
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

fn path_struct_name(parameters: &[&Parameter]) -> String {
    let names: String = parameters
        .iter()
        .map(|parameter| parameter.name.to_upper_camel_case())
        .collect();
    format!("{names}Path")
}
