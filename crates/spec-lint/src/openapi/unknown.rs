//! Fields that OpenAPI 3.0 does not define: what is probably meant, or what OpenAPI 3.0 has in their place.

use ObjectType::{
    Components, Document, Header, Info, License, Operation, Parameter, Response, Schema,
};
use spec_model::{Place, suggest};

use crate::linter::Linter;
use crate::objects::ObjectType;
use crate::rules::rule;

const SAY_IT: &str =
    "OpenAPI 3.0 cannot say it: remove it, and say in the `description` what holds";
const OWN_DIALECT: &str = "remove it: OpenAPI 3.0 has a dialect of its own";
const MOVE_SCHEMAS: &str = "move the schemas into `components/schemas`";

/// What OpenAPI 3.0 has in place of a field of OpenAPI 3.1 or of Swagger 2.0.
fn help_for_other_version(object_type: ObjectType, name: &str) -> Option<&'static str> {
    Some(match (object_type, name) {
        (Schema, "const") => "write `enum` with the one value",
        (Schema, "examples") => "write one of them as `example`",
        (Schema, "$defs" | "definitions") | (Document, "definitions") => MOVE_SCHEMAS,
        (Schema, "prefixItems") => {
            "write `items` with one schema, with `oneOf` if the items differ"
        }
        (Schema, "contentMediaType" | "contentEncoding") => {
            "write `format: binary` for bytes, or `format: byte` for base64"
        }
        (Schema, "patternProperties" | "unevaluatedProperties") => "write `additionalProperties`",
        (Schema, "if" | "then" | "else" | "contains" | "minContains" | "maxContains") => SAY_IT,
        (Schema, "propertyNames" | "dependentRequired" | "dependentSchemas") => SAY_IT,
        (Schema, "unevaluatedItems") => SAY_IT,
        (Schema, "$schema" | "$id" | "$anchor" | "$comment" | "$vocabulary") => OWN_DIALECT,
        (Document, "jsonSchemaDialect") => OWN_DIALECT,
        (Document, "webhooks") => {
            "remove it, or describe the requests under `callbacks` of an operation"
        }
        (Document, "securityDefinitions") => "move them into `components/securitySchemes`",
        (Document, "host" | "basePath" | "schemes") => "write `servers`, with a `url`",
        (Info, "summary") => "write it into `description`",
        (License, "identifier") => "write the `url` of the license",
        (Components, "pathItems") => "write the path under `paths`",
        (Operation, "consumes" | "produces") => {
            "write the media types as keys of `content`, in `requestBody` and `responses`"
        }
        (Response, "schema") => {
            "move it under a media type: `content: {application/json: {schema: …}}`"
        }
        (Parameter | Header, name) if Schema.fields(0).iter().any(|it| it.name == name) => {
            "move it into `schema`"
        }
        _ => return None,
    })
}

impl Linter<'_> {
    /// Reports a field that OpenAPI does not define for this type of object.
    pub(super) fn report_unknown(&mut self, object_type: ObjectType, name: &str, at: &Place) {
        let minor_version = self.source.minor_version();
        let newer = minor_version > 0;
        let version = ["3.0.3", "3.1", "3.2"][usize::from(minor_version)];
        let message = format!("OpenAPI {version} does not define `{name}` here");
        let help = match newer {
            true if object_type == ObjectType::Schema && name == "nullable" => {
                Some("write the type `null` beside the others: `type: [string, 'null']`")
            }
            true => None,
            false => help_for_other_version(object_type, name),
        };
        if let Some(help) = help {
            return self.report(rule!("unknown-field"), at, message, help);
        }
        let fields = object_type.fields(minor_version);
        match suggest(name, fields.iter().map(|field| field.name)) {
            Some(known) => {
                let help = format!("write `{known}`, or begin the name with `x-`");
                let message = format!("{message}: did you mean `{known}`?");
                self.report(rule!("unknown-field"), at, message, help);
            }
            None => self.report(
                rule!("unknown-field"),
                at,
                message,
                "remove it, or begin its name with `x-`",
            ),
        }
    }

    /// Reports a field beside a `$ref`, which replaces the whole object.
    pub(super) fn report_beside_reference(&mut self, name: &str, at: &Place) {
        let message = format!("`{name}` beside a `$ref` is ignored");
        self.report_rule(rule!("ref-siblings"), at, message);
    }
}
