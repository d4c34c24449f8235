//! Where an interface is served, and where more is said about it.

use indexmap::IndexMap;

use crate::element::element;

element! {
    /// A server of the interface.
    Server is "a server" {
        url: String = "url",
        description: Option<String> = "description",
        variables: IndexMap<String, ServerVariable> = "variables",
    }
}

element! {
    /// A variable in the URL of a server.
    ServerVariable is "a server variable" {
        default: String = "default",
        values: Vec<String> = "enum",
        description: Option<String> = "description",
    }
}

element! {
    /// Where more is said about an element.
    ExternalDocs is "`externalDocs`" {
        url: String = "url",
        description: Option<String> = "description",
    }
}
