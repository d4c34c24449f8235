//! Security requirements and servers. Security schemes are only checked.

use indexmap::IndexMap;
use spec_schema::pointer;

use crate::fields::Fields;
use crate::reader::{Cursor, Located, Place, Reader};

/// One alternative of `security`: schemes that must all be satisfied. Without schemes, requests may be anonymous.
#[derive(Debug, Clone, PartialEq)]
pub struct SecurityRequirement {
    /// Scheme names with the scopes needed.
    pub schemes: IndexMap<String, Vec<Located<String>>>,
}

impl Fields<'_, '_> {
    /// Reads the field `security`: alternatives, one of which must be satisfied. `None` if it is absent.
    pub(crate) fn read_security(&mut self) -> Option<Vec<SecurityRequirement>> {
        let reader = self.reader;
        self.take("security")?;
        let alternatives = self.take_array("security").into_iter();
        let read = alternatives.filter_map(|item| reader.read_security_requirement(item));
        Some(read.collect())
    }

    /// Checks the field `servers`. Returns the place of each server.
    pub(crate) fn read_servers(&mut self) -> Vec<Place> {
        let reader = self.reader;
        let items = self.take_array("servers").into_iter();
        items.filter_map(|item| reader.read_server(item)).collect()
    }
}

impl<'d> Reader<'d> {
    fn read_security_requirement(&self, cursor: Cursor<'d>) -> Option<SecurityRequirement> {
        self.expect_members(&cursor, "a security requirement")?;
        let schemes = cursor.members().map(|(name, scopes)| {
            let pointer = pointer::join("/components/securitySchemes", name);
            if self.document.pointer(&pointer).is_none() {
                let message = format!("the security scheme `{name}` is not declared");
                let help = "declare it under `components/securitySchemes`";
                self.report_error_with_help(&scopes.place(), message, help);
            }
            (name.to_owned(), self.read_scopes(&scopes))
        });
        let schemes = schemes.collect();
        Some(SecurityRequirement { schemes })
    }

    fn read_scopes(&self, cursor: &Cursor<'d>) -> Vec<Located<String>> {
        if cursor.node.as_array().is_none() {
            let message = format!("expected an array of scopes, found {}", cursor.node.kind());
            self.report_error(&cursor.place(), message);
        }
        cursor
            .items()
            .filter_map(|item| self.read_string(item))
            .collect()
    }

    /// Checks an entry of `components/securitySchemes`.
    pub(crate) fn check_security_scheme(&self, cursor: Cursor<'d>) -> Option<()> {
        let cursor = self.resolve(cursor, "securitySchemes")?.cursor;
        let mut fields = self.expect_object(cursor, "a security scheme")?;
        let scheme_type = fields.read_required_string("type", "a security scheme");
        match scheme_type.as_str() {
            "apiKey" => {
                fields.read_required_string("name", "an API key");
                self.check_api_key_location(&mut fields);
            }
            "http" => {
                fields.read_required_string("scheme", "HTTP security");
                fields.check_strings(&["bearerFormat"]);
            }
            "oauth2" => self.check_oauth_flows(&mut fields),
            "openIdConnect" => {
                fields.read_required_string("openIdConnectUrl", "OpenID Connect");
            }
            // A missing type has been reported.
            "" => {}
            other => {
                let message = format!("`{other}` is not a type of security scheme");
                let help = "write one of apiKey, http, oauth2, openIdConnect";
                self.report_error_with_help(&fields.field_place("type"), message, help);
            }
        }
        fields.check_strings(&["description"]);
        Some(())
    }

    fn check_api_key_location(&self, fields: &mut Fields<'_, 'd>) {
        let location = fields.read_required_string("in", "an API key");
        if !matches!(location.as_str(), "query" | "header" | "cookie" | "") {
            let message = format!("an API key cannot be sent in `{location}`");
            let help = "write one of query, header, cookie";
            self.report_error_with_help(&fields.field_place("in"), message, help);
        }
    }

    fn check_oauth_flows(&self, fields: &mut Fields<'_, 'd>) {
        let Some(flows) = fields.take("flows") else {
            self.report_error(&fields.at, "OAuth 2 needs `flows`");
            return;
        };
        let Some(mut flows) = self.expect_object(flows, "the flows") else {
            return;
        };
        for name in [
            "implicit",
            "password",
            "clientCredentials",
            "authorizationCode",
        ] {
            let flow = flows.take(name);
            if let Some(mut fields) =
                flow.and_then(|flow| self.expect_object(flow, "an OAuth flow"))
            {
                fields.check_strings(&["authorizationUrl", "tokenUrl", "refreshUrl"]);
                fields.read_map("scopes", Reader::read_string);
            }
        }
    }

    fn read_server(&self, cursor: Cursor<'d>) -> Option<Place> {
        let mut fields = self.expect_object(cursor, "a server")?;
        fields.check_strings(&["description"]);
        fields.read_map("variables", |reader, cursor| {
            let mut fields = reader.expect_object(cursor, "a server variable")?;
            fields.read_required_string("default", "a server variable");
            fields.read_strings("enum");
            fields.check_strings(&["description"]);
            Some(())
        });
        fields.read_required_string("url", "a server");
        Some(fields.at.clone())
    }
}
