//! The English of validation: which bound a value misses, for the developer of a client. Of the client's own
//! data it repeats little.

use std::fmt::Display;

use serde_json::Value;
use spec_schema::ValidationError;
use spec_schema::{TypeKind, ValidationErrorKind as Kind};

use crate::rejection::{MAX_PROBLEMS, Problem};

mod words;

/// So many errors are looked at. A body can have one for each of its values.
const MOST_ERRORS: usize = 256;

use words::{count, list, quote};
pub(crate) use words::{kind_of, shorten};

/// The problems behind some errors, without repetitions, at most [`MAX_PROBLEMS`].
pub(crate) fn problems<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Vec<Problem> {
    let mut problems = Vec::new();
    let errors: Vec<ValidationError<'_>> = errors.take(MOST_ERRORS).collect();
    add(&errors, &mut problems);
    problems
}

/// The first problem as a half sentence after a parameter's name, with the value that missed the bound.
pub(crate) fn complaint<'e>(errors: impl Iterator<Item = ValidationError<'e>>) -> Option<String> {
    let errors: Vec<ValidationError<'_>> = errors.take(MOST_ERRORS).collect();
    let error = errors.iter().find(|error| !is_implied(error, &errors))?;
    let mut problems = Vec::new();
    add(std::slice::from_ref(error), &mut problems);
    let problem = problems.first()?;
    let item = match problem.pointer.get(1..).map(str::parse::<usize>) {
        Some(Ok(index)) => format!("item {} ", index + 1),
        _ => String::new(),
    };
    let got = match error.instance().as_ref() {
        value @ (Value::Number(_) | Value::String(_)) if is_about_the_value(error.kind()) => {
            format!(", got {}", quote(value))
        }
        _ => String::new(),
    };
    Some(format!("{item}{}{got}", problem.message))
}

fn add(errors: &[ValidationError<'_>], problems: &mut Vec<Problem>) {
    for error in errors {
        if problems.len() >= MAX_PROBLEMS {
            return;
        }
        if is_implied(error, errors) {
            continue;
        }
        match error.kind() {
            Kind::AdditionalProperties { unexpected } => {
                for name in unexpected {
                    push(
                        problems,
                        below(error, name),
                        "is not a known property".to_owned(),
                    );
                }
            }
            Kind::Required { property } => {
                let name = property.as_str().unwrap_or_default();
                push(problems, below(error, name), "is required".to_owned());
            }
            Kind::AnyOf { context } | Kind::OneOfNotValid { context } => match closest(context) {
                Some(branch) => add_below(error, branch, problems),
                None => push(problems, pointer(error), describe(error)),
            },
            _ => push(problems, pointer(error), describe(error)),
        }
    }
}

/// The problems of one alternative.
fn add_below(
    error: &ValidationError<'_>,
    branch: &[ValidationError<'static>],
    problems: &mut Vec<Problem>,
) {
    let before = problems.len();
    add(branch, problems);
    if problems.len() == before && problems.len() < MAX_PROBLEMS {
        push(problems, pointer(error), describe(error));
    }
}

/// The one alternative that the value was meant for: beside null the only one, or else the only one that
/// does not fail at the value's type.
fn closest<'c>(
    context: &'c [Vec<ValidationError<'static>>],
) -> Option<&'c [ValidationError<'static>]> {
    let depth = |error: &ValidationError<'_>| error.instance_path().segments().count();
    let base = context.iter().flatten().map(depth).min()?;
    let is_null = |error: &ValidationError<'_>| match error.kind() {
        Kind::Enum { options } => options.as_array().is_some_and(|all| *all == [Value::Null]),
        _ => false,
    };
    let is_of_other_type = |error: &ValidationError<'_>| {
        matches!(error.kind(), Kind::Type { .. }) && depth(error) == base
    };
    let branches = context.iter().filter(|branch| !branch.iter().any(is_null));
    let branches: Vec<&'c [_]> = branches.map(Vec::as_slice).collect();
    if let [only] = branches.as_slice() {
        return Some(only);
    }
    let mut meant = branches
        .iter()
        .filter(|branch| !branch.iter().any(is_of_other_type));
    let first = meant.next()?;
    meant.next().is_none().then_some(first)
}

/// Whether another problem of the same value tells more: an enumeration implies its type, and an integer
/// past 64 bits reads as a fraction, so that it fails at its type and at its bound.
fn is_implied(error: &ValidationError<'_>, errors: &[ValidationError<'_>]) -> bool {
    let Kind::Type { .. } = error.kind() else {
        return false;
    };
    let is_whole = error
        .instance()
        .as_f64()
        .is_some_and(|number| number.fract() == 0.0);
    errors.iter().any(|other| {
        let tells_more = match other.kind() {
            Kind::Enum { .. } => true,
            Kind::Maximum { .. } | Kind::ExclusiveMaximum { .. } => is_whole,
            Kind::Minimum { .. } | Kind::ExclusiveMinimum { .. } => is_whole,
            _ => false,
        };
        tells_more && other.instance_path() == error.instance_path()
    })
}

fn push(problems: &mut Vec<Problem>, pointer: String, message: String) {
    let problem = Problem { pointer, message };
    if problems.len() < MAX_PROBLEMS && !problems.contains(&problem) {
        problems.push(problem);
    }
}

fn pointer(error: &ValidationError<'_>) -> String {
    let path = error.instance_path().as_str();
    path.split('/').map(shorten).collect::<Vec<_>>().join("/")
}

fn below(error: &ValidationError<'_>, name: &str) -> String {
    format!(
        "{}/{}",
        pointer(error),
        spec_schema::pointer::escape(&shorten(name))
    )
}

fn is_about_the_value(kind: &Kind) -> bool {
    !matches!(
        kind,
        Kind::MinLength { .. }
            | Kind::MaxLength { .. }
            | Kind::MinItems { .. }
            | Kind::MaxItems { .. }
    )
}

fn describe(error: &ValidationError<'_>) -> String {
    let at = |bound: &str, limit: &dyn Display| format!("must be {bound} {limit}");
    match error.kind() {
        Kind::Minimum { limit } => at("at least", limit),
        Kind::Maximum { limit } => at("at most", limit),
        Kind::ExclusiveMinimum { limit } => at("greater than", limit),
        Kind::ExclusiveMaximum { limit } => at("less than", limit),
        Kind::MultipleOf { multiple_of } => at("a multiple of", multiple_of),
        Kind::MinLength { limit } => format!(
            "must be at least {} long",
            count(*limit, "character", "characters")
        ),
        Kind::MaxLength { limit } => format!(
            "must be at most {} long",
            count(*limit, "character", "characters")
        ),
        Kind::MinItems { limit } => {
            format!("must have at least {}", count(*limit, "item", "items"))
        }
        Kind::MaxItems { limit } => format!("must have at most {}", count(*limit, "item", "items")),
        Kind::MinProperties { limit } => format!(
            "must have at least {}",
            count(*limit, "property", "properties")
        ),
        Kind::MaxProperties { limit } => format!(
            "must have at most {}",
            count(*limit, "property", "properties")
        ),
        Kind::UniqueItems => "must have no item twice".to_owned(),
        Kind::Enum { options } => format!("must be {}", list(options)),
        Kind::Type {
            kind: TypeKind::Single(kind),
        } => format!("must be {}", kind_of(&kind.to_string())),
        Kind::Type {
            kind: TypeKind::Multiple(kinds),
        } => {
            let kinds: Vec<&str> = kinds.iter().map(|kind| kind_of(kind.as_str())).collect();
            format!("must be {}", kinds.join(" or "))
        }
        Kind::Pattern { pattern } => format!("must match the pattern {pattern}"),
        Kind::Format { format } => format!("must be {}", words::format(format)),
        Kind::AnyOf { .. } | Kind::OneOfNotValid { .. } => {
            "must fit one of the alternatives of its schema".to_owned()
        }
        Kind::OneOfMultipleValid { .. } => {
            "must fit only one of the alternatives of its schema".to_owned()
        }
        Kind::Not { .. } => "must not fit the schema that the document excludes".to_owned(),
        other => format!("breaks the rule \"{}\" of its schema", other.keyword()),
    }
}
