//! The table of rules: ids, levels and what each asks for.

use spec_model::{Level, OPERATION_ID_UNIQUE, PATH_PARAMETER_DECLARED, PATH_PARAMETER_REQUIRED};

/// One rule.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rule {
    /// The id as findings print it. Those of a house begin with `house-`.
    pub id: &'static str,
    /// The level, unless settings choose another.
    pub level: Level,
    /// What the rule asks for, in one sentence.
    pub summary: &'static str,
}

/// The id of a rule in [`RULES`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RuleId(usize);

impl RuleId {
    pub(crate) fn as_str(self) -> &'static str {
        RULES[self.0].id
    }
}

/// The rule of an id. In a constant, a misspelt id does not compile.
pub(crate) const fn rule(id: &str) -> RuleId {
    let mut index = 0;
    while index < RULES.len() {
        if is_equal(id, RULES[index].id) {
            return RuleId(index);
        }
        index += 1;
    }
    panic!("no rule has this id");
}

const fn is_equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let mut index = 0;
    while index < a.len() && index < b.len() && a[index] == b[index] {
        index += 1;
    }
    index == a.len() && index == b.len()
}

/// A rule of what is mended, so that it prevents no code.
const fn mended(id: &'static str, summary: &'static str) -> Rule {
    let level = Level::Error;
    Rule { id, level, summary }
}

const fn openapi(id: &'static str, summary: &'static str) -> Rule {
    let level = Level::Warn;
    Rule { id, level, summary }
}

const fn house(id: &'static str, summary: &'static str) -> Rule {
    let level = Level::Error;
    Rule { id, level, summary }
}

/// What is said of a document that cannot be read whole.
pub const INVALID_DOCUMENT: Rule = Rule {
    id: "invalid-document",
    level: Level::Error,
    summary: "The document, or a part of it, can be read",
};

/// What is said of a document by those who read it for another purpose, such as to generate code.
pub const NOT_GENERATED: Rule = Rule {
    id: "not-generated",
    level: Level::Warn,
    summary: "Generated code keeps everything that the document says",
};

/// What is said of the files and overlays that make up a document.
pub const OTHER_FILES: Rule = Rule {
    id: "other-files",
    level: Level::Warn,
    summary: "Other files and overlays fit the document",
};

/// Rules that are about the whole document, and never about a part that operations reach.
pub const OF_WHOLE_DOCUMENTS: &[&str] = &[
    "contact-email",
    "house-openapi-version",
    "house-semantic-version",
    "house-tag-description",
    "house-unused-component",
    "house-unused-tag",
    "nothing-described",
    "tag-duplicate",
];

/// All rules. Those of OpenAPI always apply; those of a house as far as the settings turn them on.
pub const RULES: &[Rule] = &[
    INVALID_DOCUMENT,
    NOT_GENERATED,
    OTHER_FILES,
    mended(PATH_PARAMETER_REQUIRED, "Path parameters are required"),
    mended(
        PATH_PARAMETER_DECLARED,
        "Parameters of the path template are declared",
    ),
    mended(
        OPERATION_ID_UNIQUE,
        "No two operations have the same `operationId`",
    ),
    openapi(
        "missing-field",
        "Objects have the fields that OpenAPI requires",
    ),
    openapi(
        "unknown-field",
        "Objects have only fields that OpenAPI defines, and extensions",
    ),
    openapi("field-type", "Fields have values of the right type"),
    openapi(
        "ref-siblings",
        "Nothing stands beside a `$ref`, where it has no meaning",
    ),
    openapi("url-syntax", "URLs are URLs"),
    openapi(
        "exactly-one-field",
        "Of two fields that exclude each other there is one",
    ),
    openapi(
        "nothing-described",
        "A document of OpenAPI 3.1 has paths, webhooks or components",
    ),
    openapi(
        "contact-email",
        "The address of a contact is an e-mail address",
    ),
    openapi("server-variable", "Variables of a server's URL are defined"),
    openapi(
        "server-variable-default",
        "The default of a server's variable is one of its values",
    ),
    openapi("tag-duplicate", "Tags are listed once"),
    openapi(
        "component-name",
        "Names of components have only letters, digits, `.`, `-` and `_`",
    ),
    openapi("path-query", "Paths have no query"),
    openapi("body-without-meaning", "GET, HEAD and DELETE have no body"),
    openapi(
        "status-without-body",
        "Responses 204, 205 and 304 have no body",
    ),
    openapi("media-type-name", "Keys of `content` are media types"),
    openapi(
        "content-type-header",
        "`Content-Type` is not among the headers of a response",
    ),
    openapi(
        "encoding-property",
        "An encoding is for a property of the schema",
    ),
    openapi("link-operation", "Links lead to operations"),
    openapi("flow-url", "OAuth flows have the URLs that they need"),
    openapi("security-scope", "Scopes are those of an OAuth flow"),
    openapi(
        "parameter-ignored",
        "Parameters do not have the names of headers that OpenAPI ignores",
    ),
    openapi(
        "parameter-keyword",
        "Keywords of query parameters are at query parameters",
    ),
    openapi(
        "parameter-style",
        "The style is one that the place of the parameter allows",
    ),
    openapi(
        "parameter-content",
        "The `content` of a parameter has one media type",
    ),
    openapi(
        "example-and-examples",
        "There is an `example` or `examples`",
    ),
    openapi(
        "pattern-syntax",
        "Patterns are regular expressions of ECMA 262",
    ),
    openapi("unknown-type", "`type` has the types of JSON Schema"),
    openapi("type-empty", "`type` names a type"),
    openapi("array-without-items", "Arrays have `items`"),
    openapi(
        "nullable-without-type",
        "`nullable` stands beside a `type` or a combination, without which it has no effect",
    ),
    openapi(
        "read-and-write-only",
        "No property is both `readOnly` and `writeOnly`",
    ),
    openapi("required-empty", "`required` has an entry"),
    openapi("required-duplicate", "`required` names a property once"),
    openapi(
        "required-property",
        "`required` names properties of the schema",
    ),
    openapi(
        "discriminator-property",
        "All schemas have the property of the discriminator",
    ),
    openapi("discriminator-mapping", "A discriminator maps to schemas"),
    openapi("example-schema", "The schema of an example can be used"),
    openapi(
        "example-valid",
        "Examples and defaults are valid by their schemas",
    ),
    house(
        "house-openapi-version",
        "The document is written in one version of OpenAPI",
    ),
    house(
        "house-semantic-version",
        "`info.version` is a semantic version",
    ),
    house(
        "house-operation-id",
        "Operations have an `operationId` in camelCase",
    ),
    house("house-operation-tag", "Operations have one tag of the list"),
    house("house-tag-description", "Tags have a description"),
    house(
        "house-description",
        "Operations have a summary and a description, parameters a description",
    ),
    house("house-success", "Operations have a success"),
    house("house-body", "Responses have a body, and bodies a schema"),
    house("house-example", "Bodies have an example"),
    house(
        "house-deprecation",
        "Deprecations have a sunset in the future, and a successor that exists",
    ),
    house(
        "house-rate-limits",
        "Plans and costs of `x-rate-limits` are well formed",
    ),
    house(
        "house-error-codes",
        "Codes of errors are declared, used and shown by examples",
    ),
    house("house-extensions", "Extensions are known and well formed"),
    house(
        "house-required-status",
        "Operations have the required statuses",
    ),
    house(
        "house-required-header",
        "Responses have the required headers",
    ),
    house("house-unused-component", "Components are used"),
    house("house-unused-tag", "Tags are used"),
];
