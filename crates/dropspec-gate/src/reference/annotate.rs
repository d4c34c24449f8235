//! Adds to the document what its readers need and its extensions say, in the terms of Scalar. Everything else stays as it is.

use std::fmt::Write;

use dropspec_runtime::{Method, OperationInfo, PlanInfo, tags};
use serde_json::{Map, Value, json};

use super::error_codes;
use crate::rate_limit::describe_bans;

/// Adds to a document what Scalar, the script of the reference page, needs to show it:
///
/// - its only server is the one that serves the page;
/// - `x-rate-limits` becomes a table of the plans at the end of the description, with the rules of bans;
/// - `x-error-codes` becomes a table after it, with what each code means;
/// - `x-stability` becomes a badge, `Beta` or `Experimental`;
/// - `x-deprecated-sunset` becomes a badge, `Sunset` and the date;
/// - tags of the kind `badge` become badges, the `summary` of a tag its name, and their parents groups;
/// - what OpenAPI 3.2 adds to security schemes becomes sentences of their descriptions;
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
    if let Some(codes) = error_codes::describe(&document) {
        append(&mut document["info"], &codes);
    }
    let notes: Vec<String> = operations
        .iter()
        .map(|operation| describe_demands(operation, &document))
        .collect();
    let schemes = document.pointer_mut("/components/securitySchemes");
    for (_, scheme) in schemes.and_then(Value::as_object_mut).into_iter().flatten() {
        let text = describe_scheme(scheme);
        if !text.is_empty() {
            append(scheme, &text);
        }
    }
    let tag_badges = describe_tags(&mut document);
    for (operation, note) in operations.iter().zip(notes) {
        let Some(value) = document.pointer_mut(&operation.pointer()) else {
            continue;
        };
        append(value, &note);
        if let Some(members) = value.as_object_mut() {
            let badges = badges(members, &tag_badges);
            if !badges.is_empty() {
                members.insert("x-badges".to_owned(), badges.into());
            }
        }
    }
    document
}

/// What OpenAPI 3.2 adds to a security scheme, in Markdown.
fn describe_scheme(scheme: &Value) -> String {
    let mut sentences = Vec::new();
    if scheme["deprecated"] == true {
        sentences.push("**Deprecated.**".to_owned());
    }
    if let Some(url) = scheme["oauth2MetadataUrl"].as_str() {
        sentences.push(format!("**Metadata of the authorization server:** {url}"));
    }
    let flow = &scheme["flows"]["deviceAuthorization"];
    if let (Some(device), Some(token)) = (
        flow["deviceAuthorizationUrl"].as_str(),
        flow["tokenUrl"].as_str(),
    ) {
        sentences.push(format!(
            "**Device authorization:** begins at {device}, tokens from {token}"
        ));
    }
    sentences.join(" ")
}

/// Gives tags the names that readers see, and groups those with parents. Returns the tags that are badges, with what they say.
fn describe_tags(document: &mut Value) -> Vec<(String, String)> {
    let list = document["tags"].as_array().into_iter().flatten();
    let has_parents = list.clone().any(|tag| tag.get("parent").is_some());
    let is_badge = |tag: &&Value| tag["kind"] == "badge";
    let names = list.filter(is_badge).filter_map(|tag| tag["name"].as_str());
    let badges = names.map(|name| (name.to_owned(), tags::title(document, name).to_owned()));
    let badges: Vec<(String, String)> = badges.collect();
    if has_parents && document.get("x-tagGroups").is_none() {
        document["x-tagGroups"] = group_tags(document, &badges).into();
    }
    let list = document.get_mut("tags").and_then(Value::as_array_mut);
    for tag in list.into_iter().flatten() {
        if let (Some(summary), None) = (tag.get("summary").cloned(), tag.get("x-displayName")) {
            tag["x-displayName"] = summary;
        }
    }
    badges
}

/// A group for each tag without a parent, with all tags below it, each after its parent. Scalar leaves out what is in no group.
fn group_tags(document: &Value, badges: &[(String, String)]) -> Vec<Value> {
    let list = document["tags"].as_array().into_iter().flatten();
    let is_badge = |name: &&str| badges.iter().any(|(badge, _)| badge == name);
    let listed = list.filter_map(|tag| tag["name"].as_str());
    let listed = listed.filter(|name| !is_badge(name));
    let used = operations(document).flat_map(|(_, _, operation)| {
        let tags = operation["tags"].as_array().into_iter().flatten();
        let tags = tags
            .filter_map(Value::as_str)
            .filter(|name| !is_badge(name));
        let mut tags: Vec<&str> = tags.collect();
        if tags.is_empty() {
            // The name that Scalar has for operations without tags.
            tags.push("default");
        }
        tags
    });
    let mut names: Vec<&str> = Vec::new();
    for name in listed.chain(used) {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let order = names.clone();
    names.sort_by_cached_key(|name| -> Vec<_> {
        let path = tags::ancestry(document, name).into_iter().rev();
        path.map(|name| order.iter().position(|it| *it == name))
            .collect()
    });
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    for name in names {
        let top = tags::ancestry(document, name).pop().unwrap_or(name);
        match groups.last_mut() {
            Some((last, tags)) if *last == top => tags.push(name),
            _ => groups.push((top, vec![name])),
        }
    }
    let groups = groups.into_iter();
    groups
        .map(|(top, tags)| json!({ "name": tags::title(document, top), "tags": tags }))
        .collect()
}

/// The operations of a document, with their paths and methods.
fn operations(document: &Value) -> impl Iterator<Item = (&String, &String, &Value)> {
    let paths = document["paths"].as_object().into_iter().flatten();
    paths.flat_map(|(path, item)| {
        let members = item.as_object().into_iter().flatten();
        let members = members.filter(|(method, _)| Method::of_key(method).is_some());
        members.map(move |(method, operation)| (path, method, operation))
    })
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
    let found =
        operations(document).find(|(_, _, operation)| operation["operationId"] == operation_id);
    let Some((path, method, operation)) = found else {
        return format!("`{operation_id}`");
    };
    let title = operation["summary"].as_str().unwrap_or(operation_id);
    match tags::of_operation(document, operation) {
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

/// The badges of an operation. It no longer stands under the tags that are badges.
fn badges(operation: &mut Map<String, Value>, tags: &[(String, String)]) -> Vec<Value> {
    let mut badges = Vec::new();
    if let Some(Value::Array(names)) = operation.get_mut("tags") {
        names.retain(|name| {
            let badge = tags.iter().find(|(badge, _)| name == badge);
            badges.extend(badge.map(|(_, text)| json!({ "name": text })));
            badge.is_none()
        });
    }
    let text = |name: &str| operation.get(name).and_then(Value::as_str);
    let stability = match text("x-stability") {
        Some("beta") => Some("Beta"),
        Some("experimental") => Some("Experimental"),
        _ => None,
    };
    let stability = stability.map(|name| json!({ "name": name }));
    let sunset =
        text("x-deprecated-sunset").map(|date| json!({ "name": format!("Sunset {date}") }));
    badges.extend(stability.into_iter().chain(sunset));
    badges
}

#[cfg(test)]
mod tests;
