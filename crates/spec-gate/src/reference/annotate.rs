//! Adds to the document what its readers need and its extensions say, in the terms of Scalar. Everything else stays as it is.

use std::fmt::Write;

use serde_json::{Map, Value, json};
use spec_runtime::{OperationInfo, PlanInfo};

use crate::rate_limit::describe_bans;

/// Adds to a document what Scalar, the script of the reference page, needs to show it:
///
/// - its only server is the one that serves the page;
/// - `x-rate-limits` becomes a table of the plans at the end of the description, with the rules of bans;
/// - `x-stability` becomes a badge, `Beta` or `Experimental`;
/// - `x-deprecated-sunset` becomes a badge, `Sunset` and the date;
/// - `x-required-access`, `x-rate-limit-cost` and `x-successor` become sentences at the end of an operation's description.
///
/// `x-hideTryItPanel` is not translated: the script reads it itself.
pub(super) fn annotate(
    mut document: Value,
    base: &str,
    plans: &[PlanInfo],
    operations: &[OperationInfo],
) -> Value {
    let url = if base.is_empty() { "/" } else { base };
    document["servers"] =
        json!([{ "url": url, "description": "The server that this page comes from." }]);
    if !plans.is_empty() {
        append(&mut document["info"], &describe_plans(plans));
    }
    let notes: Vec<String> = operations
        .iter()
        .map(|operation| describe_demands(operation, &document))
        .collect();
    for (operation, note) in operations.iter().zip(notes) {
        let Some(value) = document.pointer_mut(&operation.pointer()) else {
            continue;
        };
        append(value, &note);
        if let Some(members) = value.as_object_mut() {
            let badges = badges(members);
            if !badges.is_empty() {
                members.insert("x-badges".to_owned(), badges.into());
            }
        }
    }
    document
}

/// Appends paragraphs to the description of an object.
fn append(object: &mut Value, text: &str) {
    let before = object["description"].as_str().unwrap_or_default();
    let both = format!("{}\n\n{text}", before.trim_end());
    object["description"] = both.trim_start().into();
}

/// The table of the plans in Markdown, and what happens to a key beyond its limits.
fn describe_plans(plans: &[PlanInfo]) -> String {
    let mut text =
        "## Plans\n\nRequests that a plan allows:\n\n| plan | a minute | a day |\n| --- | ---: | ---: |\n"
            .to_owned();
    for PlanInfo { name, limits } in plans {
        let row = match limits {
            Some(limits) => {
                let [minute, day] = [limits.per_minute, limits.per_day].map(group_digits);
                format!("| {name} | {minute} | {day} |\n")
            }
            None => format!("| {name} | custom | custom |\n"),
        };
        text += &row;
    }
    text += "\nMinutes and days are those of UTC; custom limits are agreed with each customer. Each response says in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and \
        `X-RateLimit-Reset` what the limit is that is spent first, what is left of it, and when it resets, in Unix seconds. \
        A request beyond a limit is answered with 429 and `Retry-After`, in seconds.\n\n## Bans\n\n";
    text += &describe_bans();
    text
}

/// What an operation demands of a request, and what comes after it if it is deprecated, in Markdown.
fn describe_demands(operation: &OperationInfo, document: &Value) -> String {
    let mut text = match (operation.is_public(), operation.required_access) {
        (true, _) => "**Access:** everybody, without credentials.".to_owned(),
        (false, Some("write")) => "**Access:** credentials with `write` access.".to_owned(),
        (false, _) => "**Access:** any valid credentials; `read` access is enough.".to_owned(),
    };
    match operation.rate_limit_cost {
        0 => text += " **Cost:** none; it does not count against the limits.",
        1 => {}
        // Writing to a string cannot fail.
        cost => _ = write!(text, " **Cost:** {cost} requests."),
    }
    let Some(deprecation) = operation.deprecation else {
        return text;
    };
    text += "\n\n**Deprecated";
    if let Some(since) = deprecation.since {
        _ = write!(text, " since {since}");
    }
    text += match deprecation.sunset {
        Some(_) => ";** it may be removed on ",
        None => ".**",
    };
    if let Some(sunset) = deprecation.sunset {
        _ = write!(text, "{sunset}.");
    }
    if let Some(successor) = deprecation.successor {
        _ = write!(text, " Use {} instead.", link_to(successor, document));
    }
    text
}

/// A link to the section of an operation, with its title. The section of one without a tag has no address that is known.
fn link_to(operation_id: &str, document: &Value) -> String {
    let paths = document["paths"].as_object().into_iter().flatten();
    let mut operations = paths.flat_map(|(path, item)| {
        let members = item.as_object().into_iter().flatten();
        members.map(move |(method, operation)| (path, method, operation))
    });
    let found = operations.find(|(_, _, operation)| operation["operationId"] == operation_id);
    let Some((path, method, operation)) = found else {
        return format!("`{operation_id}`");
    };
    let title = operation["summary"].as_str().unwrap_or(operation_id);
    match operation["tags"][0].as_str() {
        Some(tag) => {
            let (tag, method) = (tag.to_lowercase().replace(' ', "-"), method.to_uppercase());
            format!("[{title}](#tag/{tag}/{method}{path})")
        }
        None => title.to_owned(),
    }
}

/// Writes a number with a comma after each thousand.
fn group_digits(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

fn badges(operation: &Map<String, Value>) -> Vec<Value> {
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let stability = match text("x-stability") {
        Some("beta") => Some("Beta"),
        Some("experimental") => Some("Experimental"),
        _ => None,
    };
    let stability = stability.map(|name| json!({ "name": name }));
    let sunset =
        text("x-deprecated-sunset").map(|date| json!({ "name": format!("Sunset {date}") }));
    stability.into_iter().chain(sunset).collect()
}

#[cfg(test)]
mod tests;
