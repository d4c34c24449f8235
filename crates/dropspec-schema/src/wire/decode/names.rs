//! Which pairs of a query or of cookies belong to a parameter.

use super::ParameterDecoder;
use crate::wire::parameter::Check;
use crate::wire::shape::Fields;
use crate::wire::style::ObjectSyntax;

impl<C: Check> ParameterDecoder<'_, C> {
    /// Whether the value may be spread over several names.
    pub(crate) fn is_spread(&self) -> bool {
        self.is_names() || (self.syntax_is(ObjectSyntax::Brackets) && !self.shape.is_scalar())
    }

    /// Whether the value may be an object whose properties are parameters of their own.
    pub(crate) fn is_names(&self) -> bool {
        self.syntax_is(ObjectSyntax::Names) && self.shape.fields.is_some()
    }

    /// Whether a pair of the parameter's own name is its value, and no property.
    pub(crate) fn has_own_name(&self) -> bool {
        let fields = self.shape.fields.as_ref();
        !self.is_names() || self.shape.is_ambiguous() && fields.is_some_and(|it| !it.has(self.name))
    }

    /// Whether the value is an object in any case, whose properties are parameters with any names.
    pub(crate) fn is_rest(&self) -> bool {
        self.takes_rest() && !self.shape.is_ambiguous()
    }

    fn syntax_is(&self, expected: ObjectSyntax) -> bool {
        self.notation
            .is_some_and(|notation| notation.object() == expected)
    }

    /// The path to the property or item that a name denotes, if the value can have it.
    pub(crate) fn property_path<'n>(&self, name: &'n str) -> Option<Vec<&'n str>> {
        if self.is_names() {
            let fields = self.shape.fields.as_ref()?;
            return fields.has(name).then(|| vec![name]);
        }
        let rest = self.is_spread().then(|| name.strip_prefix(self.name))??;
        let rest = rest.strip_prefix('[')?.strip_suffix(']')?;
        Some(rest.split("][").collect())
    }

    /// Whether the value may be an object whose properties are parameters with any names.
    pub fn takes_rest(&self) -> bool {
        let fields = self.shape.fields.as_ref();
        self.is_names() && fields.is_some_and(Fields::takes_rest)
    }

    /// Whether a pair of this name may belong to the parameter.
    pub fn owns(&self, name: &str) -> bool {
        self.name == name || self.property_path(name).is_some()
    }

    /// Adds the names of the pairs that the parameter consists of.
    pub(crate) fn add_names<'n>(&'n self, names: &mut Vec<&'n str>) {
        if let Some(fields) = self.shape.fields.as_ref().filter(|_| self.is_names()) {
            names.extend(fields.names());
        }
        if self.has_own_name() {
            names.push(self.name);
        }
    }
}
