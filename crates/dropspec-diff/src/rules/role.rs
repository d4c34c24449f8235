//! The roles of schemas.

/// The place of a schema. It decides how a change of the schema affects clients, and begins the ids of its rules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Role {
    /// A request body.
    RequestBody,
    /// A schema inside a request body.
    RequestProperty,
    /// A parameter.
    Parameter,
    /// A schema inside a parameter.
    ParameterProperty,
    /// A response body.
    ResponseBody,
    /// A schema inside a response body.
    ResponseProperty,
    /// A response header.
    Header,
    /// A schema inside a response header.
    HeaderProperty,
}

impl Role {
    /// All roles, those of requests first.
    pub const ALL: [Role; 8] = [
        Role::RequestBody,
        Role::RequestProperty,
        Role::Parameter,
        Role::ParameterProperty,
        Role::ResponseBody,
        Role::ResponseProperty,
        Role::Header,
        Role::HeaderProperty,
    ];

    /// The beginning of the rule ids.
    pub fn prefix(self) -> &'static str {
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

    /// Whether clients send it.
    pub fn is_request(self) -> bool {
        self.prefix().starts_with("request")
    }

    /// The role of the schemas inside it, which follows it or is its own.
    pub(crate) fn inner(self) -> Role {
        Role::ALL[self as usize | 1]
    }
}
