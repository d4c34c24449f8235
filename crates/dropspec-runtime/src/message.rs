//! Describes validation errors in English, for the developer of a client: which rule a value breaks. The client's own
//! data is repeated only in short.

mod discriminators;

use dropspec_schema::wire::quote::{quote_text, truncate};
use dropspec_schema::{TypeKind, ValidationError, ValidationErrorKind as Kind, pointer};
use serde_json::{Map, Value};

use self::discriminators::Discriminators;
use crate::rejection::{MAX_PROBLEMS, Problem};

/// The largest number of validation errors of a body that are examined. A body can have one for each of its values.
const MAX_ERRORS: usize = 256;

/// Describes the validation errors of one schema.
#[derive(Debug)]
pub(crate) struct Describer {
    discriminators: Discriminators,
}

impl Describer {
    /// Describes the errors of a JSON Schema, as [`dropspec_schema::to_json_schema`] returns it.
    pub(crate) fn new(schema: &Value) -> Describer {
        let discriminators = Discriminators::of(schema);
        Describer { discriminators }
    }

    /// Converts validation errors to problems for the client, without duplicates, at most [`MAX_PROBLEMS`].
    pub(crate) fn to_problems<'e>(
        &self,
        errors: impl Iterator<Item = ValidationError<'e>>,
    ) -> Vec<Problem> {
        let mut problems = Vec::new();
        let errors: Vec<ValidationError<'_>> = errors.take(MAX_ERRORS).collect();
        self.add_problems(&errors, &mut problems);
        problems
    }

    /// Describes the first validation error as a phrase to follow a parameter's name, with the value that breaks the rule.
    pub(crate) fn describe_first<'e>(
        &self,
        errors: impl Iterator<Item = ValidationError<'e>>,
    ) -> Option<String> {
        let errors: Vec<ValidationError<'_>> = errors.take(MAX_ERRORS).collect();
        let error = errors.iter().find(|error| !is_redundant(error, &errors))?;
        let mut problems = Vec::new();
        self.add_problems(std::slice::from_ref(error), &mut problems);
        let problem = problems.first()?;
        let item = match problem.pointer.strip_prefix('/') {
            None => String::new(),
            Some(token) => match token.parse::<usize>() {
                Ok(index) => format!("item {} ", index + 1),
                Err(_) => format!("property {} ", quote_text(&pointer::unescape(token))),
            },
        };
        let found = match error.instance().as_ref() {
            value @ (Value::Number(_) | Value::String(_)) if !is_about_length(error.kind()) => {
                format!(", got {}", quote_value(value))
            }
            _ => String::new(),
        };
        Some(format!("{item}{}{found}", problem.message))
    }

    fn add_problems(&self, errors: &[ValidationError<'_>], problems: &mut Vec<Problem>) {
        for error in errors {
            if problems.len() >= MAX_PROBLEMS {
                return;
            }
            if is_redundant(error, errors) {
                continue;
            }
            let pointer = pointer_of(error);
            let property = |name: &str| pointer::join(&pointer, &truncate(name));
            match error.kind() {
                Kind::AdditionalProperties { unexpected } => {
                    for name in unexpected {
                        push(
                            problems,
                            property(name),
                            "is not a known property".to_owned(),
                        );
                    }
                }
                Kind::Required { property: name } => {
                    let name = name.as_str().unwrap_or_default();
                    push(problems, property(name), "is required".to_owned());
                }
                Kind::AnyOf { context } | Kind::OneOfNotValid { context } => {
                    let before = problems.len();
                    match self.discriminators.find_branch(error) {
                        Some((name, Err(message))) => push(problems, property(name), message),
                        Some((_, Ok(branch))) if branch < context.len() => {
                            self.add_problems(&context[branch], problems);
                        }
                        _ => {
                            let branch = find_intended_branch(context).unwrap_or_default();
                            self.add_problems(branch, problems);
                        }
                    }
                    if problems.len() == before {
                        push(problems, pointer, describe(error));
                    }
                }
                _ => push(problems, pointer, describe(error)),
            }
        }
    }
}

/// The one branch of `anyOf` or `oneOf` that the value was probably meant for: the only one beside null, or else the
/// only one that does not reject the value's type.
fn find_intended_branch<'c>(
    branches: &'c [Vec<ValidationError<'static>>],
) -> Option<&'c [ValidationError<'static>]> {
    let depth = |error: &ValidationError<'_>| error.instance_path().segments().count();
    let base = branches.iter().flatten().map(depth).min()?;
    let is_null = |error: &ValidationError<'_>| match error.kind() {
        Kind::Enum { options } => options.as_array().is_some_and(|all| *all == [Value::Null]),
        _ => false,
    };
    let rejects_type = |error: &ValidationError<'_>| {
        matches!(error.kind(), Kind::Type { .. }) && depth(error) == base
    };
    let branches = branches.iter().filter(|branch| !branch.iter().any(is_null));
    let branches: Vec<&'c [_]> = branches.map(Vec::as_slice).collect();
    if let [only] = branches.as_slice() {
        return Some(only);
    }
    let mut of_type = branches
        .iter()
        .filter(|branch| !branch.iter().any(rejects_type));
    let first = of_type.next()?;
    of_type.next().is_none().then_some(first)
}

/// Whether another error of the same value says more: an enumeration implies its type, and an integer of more than 64
/// bits is read as a fraction, so that it violates both its type and its bound.
fn is_redundant(error: &ValidationError<'_>, errors: &[ValidationError<'_>]) -> bool {
    let Kind::Type { .. } = error.kind() else {
        return false;
    };
    let number = error.instance().as_f64();
    let is_whole = number.is_some_and(|number| number.fract() == 0.0);
    errors.iter().any(|other| {
        let is_more_specific = match other.kind() {
            Kind::Enum { .. } => true,
            Kind::Maximum { .. }
            | Kind::ExclusiveMaximum { .. }
            | Kind::Minimum { .. }
            | Kind::ExclusiveMinimum { .. } => is_whole,
            _ => false,
        };
        is_more_specific && other.instance_path() == error.instance_path()
    })
}

fn push(problems: &mut Vec<Problem>, pointer: String, message: String) {
    let problem = Problem { pointer, message };
    if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
        problems.push(problem);
    }
}

fn pointer_of(error: &ValidationError<'_>) -> String {
    let tokens = error.instance_path().as_str().split('/').map(truncate);
    tokens.collect::<Vec<_>>().join("/")
}

fn is_about_length(kind: &Kind) -> bool {
    matches!(kind, Kind::MinLength { .. } | Kind::MaxLength { .. })
}

fn describe(error: &ValidationError<'_>) -> String {
    let characters = |number: u64| format_count(number, "character", "characters");
    let items = |number: u64| format_count(number, "item", "items");
    let properties = |number: u64| format_count(number, "property", "properties");
    match error.kind() {
        Kind::Minimum { limit } => format!("must be at least {limit}"),
        Kind::Maximum { limit } => format!("must be at most {limit}"),
        Kind::ExclusiveMinimum { limit } => format!("must be greater than {limit}"),
        Kind::ExclusiveMaximum { limit } => format!("must be less than {limit}"),
        Kind::MultipleOf { multiple_of } => format!("must be a multiple of {multiple_of}"),
        Kind::MinLength { limit } => format!("must be at least {} long", characters(*limit)),
        Kind::MaxLength { limit } => format!("must be at most {} long", characters(*limit)),
        Kind::MinItems { limit } => format!("must have at least {}", items(*limit)),
        Kind::MaxItems { limit } => format!("must have at most {}", items(*limit)),
        Kind::MinProperties { limit } => format!("must have at least {}", properties(*limit)),
        Kind::MaxProperties { limit } => format!("must have at most {}", properties(*limit)),
        Kind::UniqueItems => "must not contain the same item twice".to_owned(),
        Kind::Enum { options } => format!(
            "must be {}",
            list_values(options.as_array().into_iter().flatten())
        ),
        Kind::Type { kind } => {
            let types: Vec<&str> = match kind {
                TypeKind::Single(name) => vec![type_with_article(name.as_str())],
                TypeKind::Multiple(names) => {
                    let names = names.iter();
                    names.map(|name| type_with_article(name.as_str())).collect()
                }
            };
            format!("must be {}", types.join(" or "))
        }
        Kind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        Kind::Format { format } => format!("must be {}", describe_format(format)),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "must fit one of the alternatives of its schema".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => {
            "must fit only one of the alternatives of its schema".to_owned()
        }
        // The schema `false`, as that of the items behind those of a list with `prefixItems`.
        Kind::FalseSchema => "is not allowed here".to_owned(),
        Kind::Not { schema } if schema.as_object().is_some_and(Map::is_empty) => {
            "is not allowed here".to_owned()
        }
        Kind::Not { schema } => match schema.get("enum").and_then(Value::as_array) {
            Some(options) => format!("must not be {}", list_values(options)),
            None => "must not fit the schema under `not`".to_owned(),
        },
        other => format!("breaks the rule \"{}\" of its schema", other.keyword()),
    }
}

/// Writes a client's value as JSON for a message, truncated.
fn quote_value(value: &Value) -> String {
    match value {
        Value::String(text) => quote_text(text),
        other => truncate(&other.to_string()).into_owned(),
    }
}

/// The name of a JSON type with its article, such as `a string`.
fn type_with_article(name: &str) -> &'static str {
    match name {
        "integer" => "an integer",
        "number" => "a number",
        "boolean" => "a boolean",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        _ => "null",
    }
}

/// Lists the allowed values of an enumeration for a message, in full: they come from the document.
fn list_values<'v>(options: impl IntoIterator<Item = &'v Value>) -> String {
    let options = options.into_iter();
    let options: Vec<String> = options.map(Value::to_string).collect();
    match options.as_slice() {
        [only] => only.clone(),
        _ => format!("one of {}", options.join(", ")),
    }
}

/// Writes a number with its noun in the singular or plural, such as `2 items`.
fn format_count(number: u64, singular: &str, plural: &str) -> String {
    let noun = if number == 1 { singular } else { plural };
    format!("{number} {noun}")
}

/// Describes a `format` of a schema for a message, with an example where that helps.
fn describe_format(format: &str) -> String {
    let known = match format {
        "date-time" => "a date and time with its offset (RFC 3339), such as 2026-11-21T12:00:00Z",
        "date" => "a date (RFC 3339), such as 2026-11-21",
        "time" => "a time with its offset (RFC 3339), such as 12:00:00Z",
        "uuid" => "a UUID",
        "byte" => "base64 with padding",
        "email" => "an email address",
        "uri" => "a URI",
        "hostname" => "a host name",
        "ipv4" => "an IPv4 address",
        "ipv6" => "an IPv6 address",
        other => return format!("of the format {other}"),
    };
    known.to_owned()
}
