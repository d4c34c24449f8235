//! Where a schema can stand. Every rule of a family begins with one of these.

/// Where a schema stands, which decides what a change of it means.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Role {
    RequestBody,
    RequestProperty,
    Parameter,
    ParameterProperty,
    ResponseBody,
    ResponseProperty,
    Header,
    HeaderProperty,
}

impl Role {
    pub(crate) fn prefix(self) -> &'static str {
        match self {
            Role::RequestBody => "request-body",
            Role::RequestProperty => "request-property",
            Role::Parameter => "request-parameter",
            Role::ParameterProperty => "request-parameter-property",
            Role::ResponseBody => "response-body",
            Role::ResponseProperty => "response-property",
            Role::Header => "response-header",
            Role::HeaderProperty => "response-header-property",
        }
    }

    pub(crate) fn is_request(self) -> bool {
        matches!(
            self,
            Role::RequestBody | Role::RequestProperty | Role::Parameter | Role::ParameterProperty
        )
    }

    /// Of a schema inside.
    pub(super) fn inner(self) -> Role {
        match self {
            Role::RequestBody | Role::RequestProperty => Role::RequestProperty,
            Role::Parameter | Role::ParameterProperty => Role::ParameterProperty,
            Role::ResponseBody | Role::ResponseProperty => Role::ResponseProperty,
            Role::Header | Role::HeaderProperty => Role::HeaderProperty,
        }
    }
}
