//! What the standard says of an object beyond its fields.

use super::table::Kind;
use super::{Element, members};
use crate::document::Node;
use crate::lint::Lint;
use crate::reader::Place;

/// Methods whose bodies mean nothing (RFC 7231).
const WITHOUT_BODY: [&str; 3] = ["get", "head", "delete"];
/// The addresses that an OAuth flow needs.
const FLOWS: [(&str, &[&str]); 4] = [
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
];

impl Lint<'_> {
    pub(super) fn rules(&mut self, kind: Kind, element: Element<'_>) {
        match kind {
            Kind::Document | Kind::Operation => self.requirements(element),
            Kind::Info => self.version_rule(element),
            Kind::Contact => self.contact(element),
            Kind::Server => self.server(element),
            Kind::ServerVariable => self.server_variable(element),
            Kind::Components => self.component_names(element),
            Kind::Paths => self.path_names(element),
            Kind::PathItem => self.methods(element),
            Kind::Parameter => self.parameter(element),
            Kind::Header => {
                self.style(element, "header");
                self.described_once(element);
                self.either_example(element);
            }
            Kind::RequestBody => self.media_types(element),
            Kind::Response => {
                self.media_types(element);
                self.response_header_names(element);
            }
            Kind::MediaType => {
                self.either_example(element);
                self.encodings(element);
            }
            Kind::Example => self.shown(element),
            Kind::Link => self.link(element),
            Kind::Schema => self.schema(element),
            Kind::OAuthFlows => self.flows(element),
            _ => {}
        }
    }

    /// Scopes are those of the scheme; only OAuth and OpenID Connect have some.
    fn requirements(&mut self, element: Element<'_>) {
        let spec = self.spec;
        let schemes = spec.document.pointer("/components/securitySchemes");
        let list = element.get("security").and_then(Node::as_array);
        for (index, item) in list.into_iter().flatten().enumerate() {
            let pointer = format!("{}/{index}", element.place("security").pointer);
            let position = item.position;
            for (name, at, scopes) in members(item, &Place { pointer, position }) {
                let Some(scheme) = schemes.and_then(|schemes| schemes.get(name)) else {
                    continue;
                };
                let kind = scheme.get("type").and_then(Node::as_str);
                for scope in scopes
                    .as_array()
                    .into_iter()
                    .flatten()
                    .filter_map(Node::as_str)
                {
                    let flows = scheme.get("flows").and_then(Node::as_object);
                    let mut flows = flows.into_iter().flatten();
                    let declared = flows.any(|(_, flow)| {
                        let scopes = flow.node.get("scopes");
                        scopes.is_some_and(|scopes| scopes.get(scope).is_some())
                    });
                    if matches!(kind, Some("apiKey" | "http")) {
                        let message =
                            format!("the scheme `{name}` has no scopes, such as `{scope}`");
                        self.find(&at, message, "write `[]`");
                    } else if kind == Some("oauth2") && !declared {
                        let message = format!("no flow of `{name}` has the scope `{scope}`");
                        self.find(&at, message, "add it to the `scopes` of a flow");
                    }
                }
            }
        }
    }

    fn version_rule(&mut self, element: Element<'_>) {
        let Some(version) = element.get("version").and_then(Node::as_str) else {
            return;
        };
        if semver::Version::parse(version).is_err() {
            let message = format!("`{version}` is no version of Semantic Versioning");
            self.find(
                &element.place("version"),
                message,
                "write it as `1.2.0`; changes are judged by it",
            );
        }
    }

    fn contact(&mut self, element: Element<'_>) {
        let email = element.get("email").and_then(Node::as_str);
        if email.is_some_and(|email| !email.contains('@')) {
            self.find(
                &element.place("email"),
                "this is no address of e-mail",
                "write `name@example.com`",
            );
        }
    }

    fn server(&mut self, element: Element<'_>) {
        let url = element
            .get("url")
            .and_then(Node::as_str)
            .unwrap_or_default();
        for part in url.split('{').skip(1) {
            let name = part.split('}').next().unwrap_or_default();
            let variables = element.get("variables");
            if variables
                .and_then(|variables| variables.get(name))
                .is_none()
            {
                let message = format!("the variable `{name}` of the server is not described");
                self.find(
                    &element.place("url"),
                    message,
                    "add it to `variables`, with a `default`",
                );
            }
        }
    }

    fn server_variable(&mut self, element: Element<'_>) {
        let Some(values) = element.get("enum").and_then(Node::as_array) else {
            return;
        };
        let default = element.get("default").and_then(Node::as_str);
        if !values.iter().any(|value| value.as_str() == default) {
            self.find(
                &element.place("default"),
                "the default is none of `enum`",
                "add it there, or take one of them",
            );
        }
    }

    fn component_names(&mut self, element: Element<'_>) {
        let fields = Kind::Components.fields();
        for (name, at, _) in fields.iter().flat_map(|field| element.members(field.name)) {
            let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            if name.is_empty() || !name.chars().all(plain) {
                let message = format!("`{name}` cannot be the name of a component");
                self.find(&at, message, "use letters, digits, `.`, `-` and `_`");
            }
        }
    }

    fn path_names(&mut self, element: Element<'_>) {
        for (name, at, _) in members(element.node, element.at) {
            if name.contains(['?', '#']) && !name.starts_with("x-") {
                let message = format!("the path `{name}` holds a query or a fragment");
                self.find(&at, message, "describe the query as parameters");
            }
        }
    }

    fn methods(&mut self, element: Element<'_>) {
        for method in WITHOUT_BODY {
            if element
                .get(method)
                .is_some_and(|operation| operation.get("requestBody").is_some())
            {
                let message = format!("the body of a {} means nothing", method.to_uppercase());
                self.find(
                    &element.place(method),
                    message,
                    "remove `requestBody` (RFC 7231)",
                );
            }
        }
    }

    pub(super) fn either_example(&mut self, element: Element<'_>) {
        if element.get("example").is_some() && element.get("examples").is_some() {
            let message = "`example` and `examples` stand side by side";
            self.find(
                &element.place("examples"),
                message,
                "put all of them into `examples`",
            );
        }
    }

    pub(super) fn media_types(&mut self, element: Element<'_>) {
        for (name, at, _) in element.members("content") {
            let halves = name.split(';').next().unwrap_or_default().split('/');
            if halves.filter(|half| !half.trim().is_empty()).count() != 2 {
                self.find(
                    &at,
                    format!("`{name}` is no media type"),
                    "write it as `application/json`",
                );
            }
        }
    }

    fn response_header_names(&mut self, element: Element<'_>) {
        for (name, at, _) in element.members("headers") {
            if name.eq_ignore_ascii_case("Content-Type") {
                self.find(
                    &at,
                    "the header `Content-Type` is ignored here",
                    "the key of `content` says it",
                );
            }
        }
    }

    fn encodings(&mut self, element: Element<'_>) {
        for (name, at, _) in element.members("encoding") {
            if !element
                .get("schema")
                .is_some_and(|schema| self.has_property(schema, name))
            {
                let message =
                    format!("the encoding is for `{name}`, which is no property of the schema");
                self.find(&at, message, "name a property");
            }
        }
    }

    fn shown(&mut self, element: Element<'_>) {
        let given = ["value", "externalValue"].map(|name| element.get(name).is_some());
        if given[0] == given[1] {
            let message = "an example has either a `value` or an `externalValue`";
            self.find(element.at, message, "write one of the two");
        }
    }

    fn link(&mut self, element: Element<'_>) {
        let id = element.get("operationId").and_then(Node::as_str);
        if id.is_some() == element.get("operationRef").is_some() {
            self.find(
                element.at,
                "a link leads to one operation",
                "write either `operationId` or `operationRef`",
            );
        }
        if let Some(id) = id.filter(|id| self.spec.operation(id).is_none()) {
            let message = format!("the link leads to `{id}`, which is no operation");
            self.find(
                &element.place("operationId"),
                message,
                "write the operationId of one",
            );
        }
    }

    fn flows(&mut self, element: Element<'_>) {
        for (flow, addresses) in FLOWS {
            let Some(node) = element.get(flow) else {
                continue;
            };
            for address in addresses
                .iter()
                .filter(|address| node.get(address).is_none())
            {
                let message = format!("the flow `{flow}` has no `{address}`");
                self.find(&element.place(flow), message, "the standard asks for it");
            }
        }
    }
}
