//! Families of rules: one change of a schema has a rule for each role of the schema, such as `request-body-max-set`.

use super::Level::{self, Error, Info, Warn};
use super::advice::{
    KEEP_ACCEPTING, KEEP_NAME, KEEP_OLD_FORM, KEEP_OPTIONAL, KEEP_STABILITY, KEEP_SUNSET,
};
use super::{Category, is_equal};

/// A change of a schema. Its rule is `{role}-{change}`.
#[derive(Debug, Clone, Copy)]
pub struct Family {
    /// The end of the rule ids.
    pub change: &'static str,
    /// The level in requests.
    pub request: Level,
    /// The level in responses.
    pub response: Level,
    /// What changed, in one sentence.
    pub summary: &'static str,
    /// An edit that triggers the rule.
    pub example: &'static str,
}

/// The table. A row: change, level in requests, level in responses, what changed, an edit that triggers the rule.
/// A request breaks where less is accepted, a response where more is possible.
#[rustfmt::skip]
pub const FAMILIES: &[Family] = &[
    family("type-changed", Error, Error, "The type or format changed", "`type: string` → `type: boolean`"),
    family("type-generalized", Info, Error, "The type or format became wider", "`type: integer` → `type: number`"),
    family("type-specialized", Error, Info, "The type or format became narrower", "`type: number` → `type: integer`"),
    family("type-compatible", Info, Info, "The type changed, and its text on the wire stays the same", "in `application/xml`: `type: integer` → `type: string`"),
    family("became-enum", Error, Info, "Only listed values are valid", "`type: string` → `enum: [a, b]`"),
    family("became-not-enum", Info, Error, "Any value is valid, no longer only listed ones", "`enum: [a, b]` → `type: string`"),
    family("enum-value-added", Info, Error, "A value was added to the enum", "`enum: [a]` → `enum: [a, b]`"),
    family("enum-value-removed", Error, Info, "A value was removed from the enum", "`enum: [a, b]` → `enum: [a]`"),
    family("x-extensible-enum-value-added", Info, Info, "A value was added to the open enum", "`x-extensible-enum: [a]` → `[a, b]`"),
    family("x-extensible-enum-value-removed", Error, Info, "A value was removed from the open enum", "`x-extensible-enum: [a, b]` → `[a]`"),
    family("became-nullable", Info, Error, "`null` became valid", "`nullable: true` added"),
    family("became-not-nullable", Error, Info, "`null` is no longer valid", "`nullable: true` removed"),
    family("default-value-added", Info, Info, "A default was added", "`default: 1` added"),
    family("default-value-removed", Info, Info, "The default was removed", "`default: 1` removed"),
    family("default-value-changed", Info, Info, "The default changed", "`default: 1` → `default: 2`"),
    family("max-set", Error, Info, "A maximum was added", "`maximum: 10` added"),
    family("max-unset", Info, Error, "The maximum was removed", "`maximum: 10` removed"),
    family("max-increased", Info, Error, "The maximum increased", "`maximum: 10` → `maximum: 20`"),
    family("max-decreased", Error, Info, "The maximum decreased", "`maximum: 20` → `maximum: 10`"),
    family("exclusive-max-set", Error, Info, "An exclusive maximum was added", "`maximum: 10, exclusiveMaximum: true` added"),
    family("exclusive-max-unset", Info, Error, "The exclusive maximum was removed", "`maximum: 10, exclusiveMaximum: true` removed"),
    family("exclusive-max-increased", Info, Error, "The exclusive maximum increased, or became inclusive", "`exclusiveMaximum: true` removed beside `maximum`"),
    family("exclusive-max-decreased", Error, Info, "The exclusive maximum decreased, or became exclusive", "`exclusiveMaximum: true` added beside `maximum`"),
    family("min-set", Error, Info, "A minimum was added", "`minimum: 1` added"),
    family("min-unset", Info, Error, "The minimum was removed", "`minimum: 1` removed"),
    family("min-increased", Error, Info, "The minimum increased", "`minimum: 1` → `minimum: 2`"),
    family("min-decreased", Info, Error, "The minimum decreased", "`minimum: 2` → `minimum: 1`"),
    family("exclusive-min-set", Error, Info, "An exclusive minimum was added", "`minimum: 0, exclusiveMinimum: true` added"),
    family("exclusive-min-unset", Info, Error, "The exclusive minimum was removed", "`minimum: 0, exclusiveMinimum: true` removed"),
    family("exclusive-min-increased", Error, Info, "The exclusive minimum increased, or became exclusive", "`exclusiveMinimum: true` added beside `minimum`"),
    family("exclusive-min-decreased", Info, Error, "The exclusive minimum decreased, or became inclusive", "`exclusiveMinimum: true` removed beside `minimum`"),
    family("max-length-set", Error, Info, "A maximum length was added", "`maxLength: 50` added"),
    family("max-length-unset", Info, Error, "The maximum length was removed", "`maxLength: 50` removed"),
    family("max-length-increased", Info, Error, "The maximum length increased", "`maxLength: 50` → `maxLength: 60`"),
    family("max-length-decreased", Error, Info, "The maximum length decreased", "`maxLength: 60` → `maxLength: 50`"),
    family("min-length-increased", Error, Info, "The minimum length increased (absent: 0)", "`minLength: 1` added"),
    family("min-length-decreased", Info, Error, "The minimum length decreased (absent: 0)", "`minLength: 1` removed"),
    family("max-items-set", Error, Info, "A maximum number of items was added", "`maxItems: 5` added"),
    family("max-items-unset", Info, Error, "The maximum number of items was removed", "`maxItems: 5` removed"),
    family("max-items-increased", Info, Error, "The maximum number of items increased", "`maxItems: 5` → `maxItems: 6`"),
    family("max-items-decreased", Error, Info, "The maximum number of items decreased", "`maxItems: 6` → `maxItems: 5`"),
    family("min-items-set", Error, Info, "A minimum number of items was added", "`minItems: 1` added"),
    family("min-items-unset", Info, Error, "The minimum number of items was removed", "`minItems: 1` removed"),
    family("min-items-increased", Error, Info, "The minimum number of items increased", "`minItems: 1` → `minItems: 2`"),
    family("min-items-decreased", Info, Error, "The minimum number of items decreased", "`minItems: 2` → `minItems: 1`"),
    family("max-properties-set", Error, Info, "A maximum number of properties was added", "`maxProperties: 5` added"),
    family("max-properties-unset", Info, Error, "The maximum number of properties was removed", "`maxProperties: 5` removed"),
    family("max-properties-increased", Info, Error, "The maximum number of properties increased", "`maxProperties: 5` → `maxProperties: 6`"),
    family("max-properties-decreased", Error, Info, "The maximum number of properties decreased", "`maxProperties: 6` → `maxProperties: 5`"),
    family("min-properties-set", Error, Info, "A minimum number of properties was added", "`minProperties: 1` added"),
    family("min-properties-unset", Info, Error, "The minimum number of properties was removed", "`minProperties: 1` removed"),
    family("min-properties-increased", Error, Info, "The minimum number of properties increased", "`minProperties: 1` → `minProperties: 2`"),
    family("min-properties-decreased", Info, Error, "The minimum number of properties decreased", "`minProperties: 2` → `minProperties: 1`"),
    family("multiple-of-set", Error, Info, "Values must be multiples of a number", "`multipleOf: 5` added"),
    family("multiple-of-unset", Info, Error, "Values no longer need to be multiples of a number", "`multipleOf: 5` removed"),
    family("multiple-of-changed", Error, Error, "Values must be multiples of another number", "`multipleOf: 5` → `multipleOf: 3`"),
    family("multiple-of-generalized", Info, Error, "Values must be multiples of a divisor of the former number", "`multipleOf: 10` → `multipleOf: 5`"),
    family("multiple-of-specialized", Error, Info, "Values must be multiples of a multiple of the former number", "`multipleOf: 5` → `multipleOf: 10`"),
    family("became-unique-items", Error, Info, "Items must be unique", "`uniqueItems: true` added"),
    family("became-not-unique-items", Info, Error, "Items no longer need to be unique", "`uniqueItems: true` removed"),
    family("pattern-added", Error, Info, "A pattern was added", "`pattern: '^[a-z]+$'` added"),
    family("pattern-removed", Info, Error, "The pattern was removed", "`pattern: '^[a-z]+$'` removed"),
    family("pattern-changed", Warn, Warn, "The pattern changed", "`pattern: '^[a-z]+$'` → `'^[0-9]+$'`"),
    family("pattern-generalized", Info, Info, "The pattern became one that matches everything (in responses: `-pattern-removed`)", "`pattern: '^[a-z]+$'` → `'.*'`"),
    family("one-of-added", Info, Error, "A schema was added to `oneOf`", "`oneOf: [Cat]` → `oneOf: [Cat, Dog]`"),
    family("one-of-removed", Error, Info, "A schema was removed from `oneOf`", "`oneOf: [Cat, Dog]` → `oneOf: [Cat]`"),
    family("any-of-added", Info, Error, "A schema was added to `anyOf`", "`anyOf: [Cat]` → `anyOf: [Cat, Dog]`"),
    family("any-of-removed", Error, Info, "A schema was removed from `anyOf`", "`anyOf: [Cat, Dog]` → `anyOf: [Cat]`"),
    family("one-of-introduced", Error, Info, "`oneOf` was added", "`type: object` → `type: object, oneOf: [Cat, Dog]`"),
    family("one-of-lifted", Info, Error, "`oneOf` was removed", "`type: object, oneOf: [Cat, Dog]` → `type: object`"),
    family("one-of-became-ambiguous", Error, Info, "A value that was valid matches several schemas of `oneOf`", "`additionalProperties: false` removed from a schema of `oneOf`"),
    family("any-of-introduced", Error, Info, "`anyOf` was added", "`type: object` → `type: object, anyOf: [Cat, Dog]`"),
    family("any-of-lifted", Info, Error, "`anyOf` was removed", "`type: object, anyOf: [Cat, Dog]` → `type: object`"),
    family("all-of-added", Error, Info, "A schema was added to `allOf`", "`allOf: [Base]` → `allOf: [Base, Named]`"),
    family("all-of-removed", Warn, Error, "A schema was removed from `allOf`", "`allOf: [Base, Named]` → `allOf: [Base]`"),
    family("all-of-added-annotation-only", Info, Info, "A schema that only describes was added to `allOf`", "`allOf: [Base]` → `allOf: [Base, {description: …}]`"),
    family("all-of-removed-annotation-only", Info, Info, "A schema that only describes was removed from `allOf`", "`allOf: [Base, {description: …}]` → `allOf: [Base]`"),
    family("wrapped-in-one-of", Error, Error, "An object became a choice between objects", "`type: object, properties: …` → `oneOf: [{type: object, …}, …]`"),
    family("not-added", Error, Info, "`not` was added", "`not: {enum: [x]}` added"),
    family("not-removed", Info, Error, "`not` was removed", "`not: {enum: [x]}` removed"),
    family("not-changed", Warn, Warn, "`not` excludes other values", "`not: {enum: [x]}` → `not: {enum: [y]}`"),
    family("constraint-added", Error, Info, "A constraint of OpenAPI 3.1 was added", "`dependentRequired: {card: [address]}` added"),
    family("constraint-removed", Info, Error, "A constraint of OpenAPI 3.1 was removed", "`propertyNames: {maxLength: 5}` removed"),
    family("constraint-changed", Warn, Warn, "A constraint of OpenAPI 3.1 changed in a way that cannot be told to accept more or less", "`if: {…}` → another `if`"),
    family("additional-properties-forbidden", Error, Info, "Additional properties are no longer valid", "`additionalProperties: false` added"),
    family("additional-properties-allowed", Info, Warn, "Additional properties became valid", "`additionalProperties: false` removed"),
    family("additional-properties-restricted", Error, Info, "Additional properties must match a schema", "`additionalProperties: {type: string}` added"),
    family("additional-properties-generalized", Info, Warn, "Additional properties no longer need to match a schema", "`additionalProperties: {type: string}` removed"),
    family("items-restricted", Error, Info, "Items must match a schema", "`items: {type: string}` added to an array"),
    family("items-generalized", Info, Error, "Items no longer need to match a schema", "`items` removed from an array"),
    family("property-removed", Warn, Warn, "A property was removed (of parameters and headers)", "`color` removed from `properties` of a query parameter's object"),
    family("property-renamed", Error, Error, "A property was replaced by another one with the same schema (of parameters and headers)", "`color` → `colour`"),
    family("required-property-added", Error, Info, "A required property was added (of parameters and headers)", "`color` added, and to `required`"),
    family("optional-property-added", Info, Info, "An optional property was added (of parameters and headers)", "`color` added"),
    family("became-required", Error, Info, "A property became required", "`color` added to `required`"),
    family("became-optional", Info, Error, "A property became optional", "`color` removed from `required`"),
    family("became-read-only", Info, Info, "It became read-only", "`readOnly: true` added"),
    family("became-not-read-only", Info, Info, "It is no longer read-only", "`readOnly: true` removed"),
    family("became-write-only", Info, Info, "It became write-only", "`writeOnly: true` added"),
    family("became-not-write-only", Info, Warn, "It is no longer write-only", "`writeOnly: true` removed"),
    family("discriminator-added", Info, Info, "A discriminator was added", "`discriminator: {propertyName: kind}` added"),
    family("discriminator-removed", Info, Info, "The discriminator was removed", "`discriminator: {propertyName: kind}` removed"),
    family("discriminator-property-name-changed", Info, Info, "The property of the discriminator changed", "`propertyName: kind` → `propertyName: type`"),
    family("discriminator-mapping-added", Info, Info, "A value was added to the discriminator", "`mapping: {cat: Cat}` added"),
    family("discriminator-mapping-deleted", Error, Info, "A value was removed from the discriminator", "`mapping: {cat: Cat}` removed"),
    family("discriminator-mapping-changed", Error, Error, "A value of the discriminator selects another schema", "`mapping: {cat: Cat}` → `{cat: Dog}`"),
    family("discriminator-value-renamed", Error, Error, "A component was renamed whose name is a value of a discriminator", "`discriminator` without `mapping`, component `Cat` → `Feline`"),
    family("deprecated", Info, Info, "It was deprecated", "`deprecated: true` added"),
    family("deprecated-with-sunset", Info, Info, "It was deprecated with a sunset", "`deprecated: true, x-deprecated-sunset: 2027-06-30` added"),
    family("deprecated-sunset-missing", Error, Error, "It was deprecated without the sunset that the notice period requires", "`deprecated: true` added"),
    family("deprecated-sunset-invalid", Error, Error, "It was deprecated with a sunset that is not a date", "`x-deprecated-sunset: soon`"),
    family("sunset-date-too-small", Error, Error, "Its sunset leaves less than the notice period", "`deprecated: true, x-deprecated-sunset:` tomorrow"),
    family("sunset-deleted", Error, Error, "Its sunset was removed and it is still deprecated", "`x-deprecated-sunset` removed"),
    family("sunset-date-changed-too-small", Error, Error, "Its sunset moved to an earlier day", "`x-deprecated-sunset: 2027-06-30` → `2026-12-01`"),
    family("sunset-date-moved", Info, Info, "Its sunset moved to a later day", "`x-deprecated-sunset: 2027-06-30` → `2027-12-31`"),
    family("reactivated", Info, Info, "It is no longer deprecated", "`deprecated: true` removed"),
    family("stability-invalid", Error, Error, "Its stability is unknown", "`x-stability: perhaps`"),
    family("stability-decreased", Error, Error, "Its stability decreased", "`x-stability: beta` added"),
    family("stability-increased", Info, Info, "Its stability increased", "`x-stability: beta` removed"),
    family("xml-changed", Warn, Warn, "Its representation in XML changed", "`xml: {name: pet}` → `xml: {name: animal}`"),
    family("component-renamed", Info, Info, "The component was renamed, which breaks generated clients only", "`$ref: '#/components/schemas/Pet'` → `…/Animal`"),
];

const fn family(
    change: &'static str,
    request: Level,
    response: Level,
    summary: &'static str,
    example: &'static str,
) -> Family {
    Family {
        change,
        request,
        response,
        summary,
        example,
    }
}

/// A change in [`FAMILIES`], by its index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Change(pub(super) usize);

impl Change {
    /// Finds a change by the end of its rule ids. In a constant, an unknown one does not compile.
    pub(crate) const fn named(change: &str) -> Change {
        let mut index = 0;
        while index < FAMILIES.len() {
            if is_equal(change, FAMILIES[index].change) {
                return Change(index);
            }
            index += 1;
        }
        panic!("no family has this change");
    }
}

/// Changes that announce the end of something without the notice that it needs.
const NOTICE: [Change; 5] = [
    change!("deprecated-sunset-missing"),
    change!("deprecated-sunset-invalid"),
    change!("sunset-date-too-small"),
    change!("sunset-deleted"),
    change!("sunset-date-changed-too-small"),
];

/// Advice for changes in both directions. The advice for the others depends on the direction.
const ADVICE: [(Change, &str); 3] = [
    (change!("became-required"), KEEP_OPTIONAL),
    (change!("stability-decreased"), KEEP_STABILITY),
    (change!("component-renamed"), KEEP_NAME),
];

impl Change {
    pub(super) fn advice(self, role: Role) -> &'static str {
        if NOTICE.contains(&self) {
            return KEEP_SUNSET;
        }
        match ADVICE.iter().find(|(change, _)| *change == self) {
            Some((_, advice)) => advice,
            None if role.is_request() => KEEP_ACCEPTING,
            None => KEEP_OLD_FORM,
        }
    }

    pub(super) fn category(self) -> Category {
        if NOTICE.contains(&self) {
            Category::Notice
        } else {
            Category::Interface
        }
    }
}

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
        matches!(
            self,
            Role::RequestBody | Role::RequestProperty | Role::Parameter | Role::ParameterProperty
        )
    }

    /// The role of the schemas inside it.
    pub(crate) fn inner(self) -> Role {
        match self {
            Role::RequestBody | Role::RequestProperty => Role::RequestProperty,
            Role::Parameter | Role::ParameterProperty => Role::ParameterProperty,
            Role::ResponseBody | Role::ResponseProperty => Role::ResponseProperty,
            Role::Header | Role::HeaderProperty => Role::HeaderProperty,
        }
    }
}
