//! Fields that OpenAPI 3.0 does not define: what is probably meant, or what OpenAPI 3.0 has in their place.

use spec_model::{Place, suggest};

use crate::linter::Linter;
use crate::objects::ObjectType;
use crate::rules::rule;

const MOVE_INTO_SCHEMA: &str = "move it into `schema`";
const SAY_IT: &str =
    "OpenAPI 3.0 cannot say it: remove it, and say in the `description` what holds";

/// Fields of OpenAPI 3.1 and of Swagger 2.0, and what 3.0 has in their place.
const OTHER_VERSIONS: &[(ObjectType, &[&str], &str)] = &[
    (
        ObjectType::Schema,
        &["const"],
        "write `enum` with the one value",
    ),
    (
        ObjectType::Schema,
        &["examples"],
        "write one of them as `example`",
    ),
    (
        ObjectType::Schema,
        &["$defs", "definitions"],
        "move the schemas into `components/schemas`",
    ),
    (
        ObjectType::Schema,
        &["prefixItems"],
        "write `items` with one schema, with `oneOf` if the items differ",
    ),
    (
        ObjectType::Schema,
        &["contentMediaType", "contentEncoding"],
        "write `format: binary` for bytes, or `format: byte` for base64",
    ),
    (
        ObjectType::Schema,
        &["patternProperties", "unevaluatedProperties"],
        "write `additionalProperties`",
    ),
    (
        ObjectType::Schema,
        &[
            "if",
            "then",
            "else",
            "contains",
            "minContains",
            "maxContains",
            "propertyNames",
            "dependentRequired",
            "dependentSchemas",
            "unevaluatedItems",
        ],
        SAY_IT,
    ),
    (
        ObjectType::Schema,
        &["$schema", "$id", "$anchor", "$comment", "$vocabulary"],
        "remove it: OpenAPI 3.0 has a dialect of its own",
    ),
    (
        ObjectType::Document,
        &["webhooks"],
        "remove it, or describe the requests under `callbacks` of an operation",
    ),
    (
        ObjectType::Document,
        &["jsonSchemaDialect"],
        "remove it: OpenAPI 3.0 has a dialect of its own",
    ),
    (
        ObjectType::Document,
        &["definitions"],
        "move the schemas into `components/schemas`",
    ),
    (
        ObjectType::Document,
        &["securityDefinitions"],
        "move them into `components/securitySchemes`",
    ),
    (
        ObjectType::Document,
        &["host", "basePath", "schemes"],
        "write `servers`, with a `url`",
    ),
    (
        ObjectType::Info,
        &["summary"],
        "write it into `description`",
    ),
    (
        ObjectType::License,
        &["identifier"],
        "write the `url` of the license",
    ),
    (
        ObjectType::Components,
        &["pathItems"],
        "write the path under `paths`",
    ),
    (
        ObjectType::Operation,
        &["consumes", "produces"],
        "write the media types as keys of `content`, in `requestBody` and `responses`",
    ),
    (
        ObjectType::Response,
        &["schema"],
        "move it under a media type: `content: {application/json: {schema: …}}`",
    ),
];

impl Linter<'_> {
    /// Reports a field that OpenAPI does not define for this type of object.
    pub(super) fn report_unknown(&mut self, object_type: ObjectType, name: &str, at: &Place) {
        let newer = self.source.is_3_1();
        let version = if newer { "3.1" } else { "3.0.3" };
        let message = format!("OpenAPI {version} does not define `{name}` here");
        let help = match newer {
            true if object_type == ObjectType::Schema && name == "nullable" => {
                Some("write the type `null` beside the others: `type: [string, 'null']`")
            }
            true => None,
            false => help_for_other_version(object_type, name),
        };
        if let Some(help) = help {
            return self.report(const { rule("unknown-field") }, at, message, help);
        }
        let fields = object_type.fields_of(newer);
        match suggest(name, fields.iter().map(|field| field.name)) {
            Some(known) => {
                let help = format!("write `{known}`, or begin the name with `x-`");
                self.report(
                    const { rule("unknown-field") },
                    at,
                    format!("{message}: did you mean `{known}`?"),
                    &help,
                );
            }
            None => self.report(
                const { rule("unknown-field") },
                at,
                message,
                "remove it, or begin its name with `x-`",
            ),
        }
    }

    /// Reports a field beside a `$ref`, which replaces the whole object.
    pub(super) fn report_beside_reference(&mut self, name: &str, at: &Place) {
        let help = "remove it, move it into the object that the `$ref` refers to, or put the `$ref` of a schema into an `allOf`";
        self.report(
            const { rule("ref-siblings") },
            at,
            format!("`{name}` beside a `$ref` is ignored"),
            help,
        );
    }
}

/// What to do with a field that another version of OpenAPI has.
fn help_for_other_version(object_type: ObjectType, name: &str) -> Option<&'static str> {
    let describes_value = matches!(object_type, ObjectType::Parameter | ObjectType::Header);
    let mut of_schema = ObjectType::Schema.fields().iter();
    if describes_value && of_schema.any(|field| field.name == name) {
        return Some(MOVE_INTO_SCHEMA);
    }
    let mut rows = OTHER_VERSIONS.iter();
    let found = rows.find(|(of, names, _)| *of == object_type && names.contains(&name));
    found.map(|(.., help)| *help)
}
