//! The setters of a request, one for each parameter.

use std::collections::{HashMap, HashSet};

use spec_model::{Parameter, ParameterLocation, ParameterStyle, SchemaType, Spec};

use crate::model::{Encoding, Operation, ParameterKind, ParameterStruct, Presence, Type};
use crate::names;
use crate::plan::is_sent;

/// The functions of every builder.
const BUILDER_METHODS: [&str; 4] = ["body", "new", "send", "stream"];

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

/// The setters of an operation, in the order of its parameters.
pub(super) fn read_setters(
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
    let stem = names::stem(field);
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
