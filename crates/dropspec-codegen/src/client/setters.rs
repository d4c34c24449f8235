//! The setters of a request, one for each parameter.

use std::collections::HashSet;

use dropspec_model::ParameterStyle;

use crate::model::{Api, Encoding, Operation, ParameterField, ParameterKind, Presence, Type};
use crate::names::with_suffix;

/// The functions of every builder.
const BUILDER_METHODS: [&str; 3] = ["body", "new", "send"];

/// A parameter of a request.
pub struct Setter<'a> {
    /// The method that sets it: named as the field, or with its location if another setter has that name already.
    pub name: String,
    pub kind: ParameterKind,
    pub parameter: &'a ParameterField,
}

impl Setter<'_> {
    pub fn is_required(&self) -> bool {
        self.parameter.field.presence == Presence::Required
    }

    /// The type of a value that is there.
    pub fn ty(&self) -> &Type {
        match &self.parameter.field.ty {
            Type::Option(inner) if !self.is_required() => inner,
            ty => ty,
        }
    }

    /// Whether the parameter is in the style that its location has by default.
    pub fn has_default_style(&self) -> bool {
        let default = match self.kind {
            ParameterKind::Query | ParameterKind::Cookie => (ParameterStyle::Form, true),
            _ => (ParameterStyle::Simple, false),
        };
        matches!(self.parameter.encoding, Encoding::Style { style, explode, .. } if (style, explode) == default)
    }
}

/// The setters of an operation, in the order of its parameters. The server handles some headers for all operations, so that no
/// method of it gets them; a client sends them.
pub fn read_setters<'a>(api: &'a Api, operation: &'a Operation) -> Vec<Setter<'a>> {
    let structs = operation.parameters.iter();
    let planned = structs.flat_map(|(kind, name)| {
        let mut all = api.parameters.iter();
        let found = all.find(|of| of.name == *name);
        let fields = found.into_iter().flat_map(|of| &of.fields);
        fields.map(|parameter| (*kind, parameter))
    });
    let handled = operation.handled.iter();
    let handled = handled.map(|parameter| (ParameterKind::RequestHeader, parameter));
    let mut taken: HashSet<String> = BUILDER_METHODS.map(str::to_owned).into();
    let setters = planned.chain(handled).map(|(kind, parameter)| Setter {
        name: with_suffix(
            &parameter.field.name,
            &format!("_{}", kind.location_name()),
            &mut taken,
        ),
        kind,
        parameter,
    });
    setters.collect()
}
