//! Rules of OpenAPI about single objects, beyond the types of their fields.

use dropspec_model::{Node, ObjectType, SecuritySchemeKind, did_you_mean};
use dropspec_schema::header::Ignored;

use super::{Element, list_members};
use crate::linting::linter::Linter;
use crate::linting::rules::rule;

/// For a type of object: fields of which it must have exactly one.
const EXACTLY_ONE: [(ObjectType, [&str; 2]); 4] = [
    (ObjectType::Parameter, ["schema", "content"]),
    (ObjectType::Header, ["schema", "content"]),
    (ObjectType::Example, ["value", "externalValue"]),
    (ObjectType::Link, ["operationId", "operationRef"]),
];
/// Types of objects that may have `example` or `examples`, but not both.
const WITH_EXAMPLES: [ObjectType; 3] = [
    ObjectType::Parameter,
    ObjectType::Header,
    ObjectType::MediaType,
];
/// The fields of an example that exclude one of OpenAPI 3.2.
const EXCLUDED_BY_NEWER: [[&str; 2]; 3] = [
    ["value", "dataValue"],
    ["value", "serializedValue"],
    ["externalValue", "serializedValue"],
];
/// HTTP methods for which a request body has no defined meaning (RFC 9110).
const METHODS_WITHOUT_BODY: [&str; 3] = ["get", "head", "delete"];
/// The URL fields that each type of OAuth flow must have.
const FLOW_URLS: [(&str, &[&str]); 5] = [
    ("implicit", &["authorizationUrl"]),
    ("password", &["tokenUrl"]),
    ("clientCredentials", &["tokenUrl"]),
    ("authorizationCode", &["authorizationUrl", "tokenUrl"]),
    (
        "deviceAuthorization",
        &["deviceAuthorizationUrl", "tokenUrl"],
    ),
];

impl Linter<'_> {
    pub(super) fn check_rules(&mut self, object_type: ObjectType, element: Element<'_>) {
        let has = |key: &str| element.get(key).is_some();
        let is_newer_example =
            object_type == ObjectType::Example && (has("dataValue") || has("serializedValue"));
        let both = |[a, b]: &[&str; 2]| has(a) && has(b);
        if let Some([a, b]) = EXCLUDED_BY_NEWER.into_iter().find(both) {
            let message = format!("the example has both `{a}` and `{b}`");
            self.report_rule(rule!("exactly-one-field"), element.at, message);
        }
        let exactly_one = EXACTLY_ONE.iter().filter(|(of, _)| *of == object_type);
        for (_, [a, b]) in exactly_one.filter(|_| !is_newer_example) {
            if has(a) == has(b) {
                let message = format!("{} needs either `{a}` or `{b}`", object_type.name());
                self.report_rule(rule!("exactly-one-field"), element.at, message);
            }
        }
        if WITH_EXAMPLES.contains(&object_type)
            && element.get("example").is_some()
            && element.get("examples").is_some()
        {
            let message = "`example` and `examples` exclude each other";
            let at = element.locate_member("examples");
            self.report_rule(rule!("example-and-examples"), &at, message);
        }
        match object_type {
            ObjectType::Document | ObjectType::Operation => self.check_scopes(element),
            ObjectType::Contact => self.check_email(element),
            ObjectType::Server => self.check_url_variables(element),
            ObjectType::ServerVariable => self.check_default(element),
            ObjectType::Components => self.check_component_names(element),
            ObjectType::Paths => self.check_path_names(element),
            ObjectType::PathItem => self.check_methods(element),
            ObjectType::Parameter => self.check_parameter(element),
            ObjectType::Header => self.check_value_description(element, "header"),
            ObjectType::RequestBody => self.check_media_type_names(element),
            ObjectType::Response => {
                self.check_media_type_names(element);
                self.check_header_names(element);
            }
            ObjectType::MediaType => self.check_encodings(element),
            ObjectType::Link => self.check_link(element),
            ObjectType::Schema => self.check_schema(element),
            ObjectType::OAuthFlows => self.check_flow_urls(element),
            _ => {}
        }
        self.check_sunset(object_type, element);
    }

    /// Checks the scopes of security requirements: only OAuth and OpenID Connect have scopes.
    fn check_scopes(&mut self, element: Element<'_>) {
        let at = element.locate_member("security");
        let list = element.get("security").and_then(Node::as_array);
        for (index, item) in list.into_iter().flatten().enumerate() {
            for (name, at, scopes) in list_members(item, &at.item(index, item)) {
                let Some(scheme) = self.spec.security_schemes.get(name) else {
                    continue;
                };
                let scopes = scopes.as_array().into_iter().flatten();
                for scope in scopes.filter_map(Node::as_str) {
                    let (message, help) = match &scheme.kind {
                        SecuritySchemeKind::ApiKey { .. } | SecuritySchemeKind::Http { .. } => (
                            format!("the scheme `{name}` has no scope `{scope}`"),
                            "write `[]`: only OAuth has scopes",
                        ),
                        SecuritySchemeKind::OAuth2 { scopes } if !scopes.contains(scope) => (
                            format!("no flow of `{name}` has the scope `{scope}`"),
                            "add it to the `scopes` of a flow",
                        ),
                        SecuritySchemeKind::OAuth2 { .. }
                        | SecuritySchemeKind::OpenIdConnect { .. } => continue,
                    };
                    self.report(rule!("security-scope"), &at, message, help);
                }
            }
        }
    }

    fn check_email(&mut self, element: Element<'_>) {
        if let Some(email) = element.get_str("email")
            && !email.contains('@')
        {
            let message = format!("`{email}` is not an e-mail address");
            let at = element.locate_member("email");
            self.report_rule(rule!("contact-email"), &at, message);
        }
    }

    fn check_url_variables(&mut self, element: Element<'_>) {
        let variables = element.get("variables");
        for part in element
            .get_str("url")
            .unwrap_or_default()
            .split('{')
            .skip(1)
        {
            let name = part.split('}').next().unwrap_or_default();
            if variables.is_none_or(|variables| variables.get(name).is_none()) {
                let message = format!("the variable `{name}` of the server is not defined");
                let at = element.locate_member("url");
                self.report_rule(rule!("server-variable"), &at, message);
            }
        }
    }

    fn check_default(&mut self, element: Element<'_>) {
        let values = element.get("enum").and_then(Node::as_array);
        let default = element.get_str("default");
        if values.is_some_and(|values| !values.iter().any(|value| value.as_str() == default)) {
            let message = "the default is not in `enum`";
            let at = element.locate_member("default");
            self.report_rule(rule!("server-variable-default"), &at, message);
        }
    }

    fn check_component_names(&mut self, element: Element<'_>) {
        let sections = ObjectType::Components.fields(0);
        let sections = sections.iter();
        for (name, at, _) in sections.flat_map(|field| element.list_map_entries(field.name)) {
            let is_allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
            if name.is_empty() || !name.chars().all(is_allowed) {
                let message = format!("`{name}` is not a valid component name");
                self.report_rule(rule!("component-name"), &at, message);
            }
        }
    }

    fn check_path_names(&mut self, element: Element<'_>) {
        for (name, at, _) in list_members(element.node, element.at) {
            if name.contains(['?', '#']) && !name.starts_with("x-") {
                let message = format!("the path `{name}` contains a query or a fragment");
                self.report_rule(rule!("path-query"), &at, message);
            }
        }
    }

    fn check_methods(&mut self, element: Element<'_>) {
        for method in METHODS_WITHOUT_BODY {
            let operation = element.get(method);
            if operation.is_some_and(|operation| operation.get("requestBody").is_some()) {
                let method_name = method.to_uppercase();
                let message = format!("the request body of {method_name} has no meaning");
                let at = element.locate_member(method);
                self.report_rule(rule!("body-without-meaning"), &at, message);
            }
        }
    }

    pub(super) fn check_media_type_names(&mut self, element: Element<'_>) {
        for (name, at, _) in element.list_map_entries("content") {
            let halves = name.split(';').next().unwrap_or_default().split('/');
            if halves.filter(|half| !half.trim().is_empty()).count() != 2 {
                let message = format!("`{name}` is not a media type");
                self.report_rule(rule!("media-type-name"), &at, message);
            }
        }
    }

    fn check_header_names(&mut self, element: Element<'_>) {
        for (name, at, _) in element.list_map_entries("headers") {
            if let Some(ignored) = Ignored::find_in_response(name) {
                let message = ignored.message_in_response(name);
                self.report(rule!("content-type-header"), &at, message, ignored.help());
            }
        }
    }

    fn check_encodings(&mut self, element: Element<'_>) {
        let schema = element.get("schema");
        for (name, at, _) in element.list_map_entries("encoding") {
            if !schema.is_some_and(|schema| self.has_property(schema, name)) {
                let message = format!("the schema has no property `{name}` to encode");
                self.report_rule(rule!("encoding-property"), &at, message);
            }
        }
    }

    fn check_link(&mut self, element: Element<'_>) {
        // In a document with errors, the operation may be one that cannot be read.
        if let Some(id) = element.get_str("operationId")
            && self.spec.operation(id).is_none()
            && self.spec.errors.is_empty()
        {
            let message = format!("the link refers to `{id}`, which is not an operation");
            let ids = self.spec.operations.iter();
            let ids = ids.filter_map(|operation| Some(operation.id.as_ref()?.value.as_str()));
            let suggested = self.suggestions.find(id, || did_you_mean(id, ids));
            let help = format!("{suggested}write the operationId of an operation");
            let at = element.locate_member("operationId");
            self.report(rule!("link-operation"), &at, message, help);
        }
    }

    fn check_flow_urls(&mut self, element: Element<'_>) {
        for (flow, urls) in FLOW_URLS {
            let Some(node) = element.get(flow) else {
                continue;
            };
            for url in urls.iter().filter(|url| node.get(url).is_none()) {
                let message = format!("the flow `{flow}` has no `{url}`");
                let at = element.locate_member(flow);
                self.report_rule(rule!("flow-url"), &at, message);
            }
        }
    }
}
