//! Webhooks: the names and payloads of the functions that make their requests.

use std::collections::HashSet;

use dropspec_model::Operation;
use dropspec_schema::media_type::BodyKind;

use crate::model::{Payload, Type, Webhook};
use crate::names;
use crate::plan::problems::Problems;
use crate::plan::types::Types;
use crate::plan::{docs, media_types};

/// The headers that every request of a webhook has.
const SIGNED: [&str; 3] = ["webhook-id", "webhook-timestamp", "webhook-signature"];

/// Plans each operation of `webhooks`, in the order of the document.
pub(super) fn plan_webhooks(types: &mut Types<'_>) -> Vec<Webhook> {
    let mut taken = HashSet::new();
    let mut planned = Vec::new();
    for (name, operations) in &types.spec.webhooks {
        for operation in operations {
            let name = match operations.len() {
                1 => name.clone(),
                _ => format!("{name} {}", operation.method.key()),
            };
            warn_of_losses(types.problems, operation);
            let function = names::method_name(&name).unwrap_or_else(|| "webhook".to_owned());
            planned.push(Webhook {
                function: names::make_unique(function, &mut taken),
                docs: describe(&name, operation),
                method: operation.method.as_str(),
                payload: plan_payload(types, &name, operation),
            });
        }
    }
    planned
}

/// What the webhook is sent as: JSON if it may be.
fn plan_payload(types: &mut Types<'_>, name: &str, operation: &Operation) -> Payload {
    let Some(body) = &operation.request_body else {
        return Payload::Empty;
    };
    // A range is no media type, and multipart has a boundary in it.
    let is_sent =
        |name: &&String| !media_types::is_range(name) && BodyKind::of(name) != BodyKind::Multipart;
    let mut all = body.content.iter();
    let json = all.find(|(name, _)| is_sent(name) && BodyKind::of(name) == BodyKind::Json);
    let Some((media_type, of)) = json else {
        let only = body.content.keys().next().filter(is_sent);
        return Payload::Bytes(only.filter(|_| body.content.len() == 1).cloned());
    };
    if body.content.len() > 1 {
        let message = format!("the webhook is sent as `{media_type}`, never as another media type");
        let help =
            "remove the others, or sign their requests by `dropspec_runtime::webhook::Receiver`";
        types.problems.warn(&body.at, message, help);
    }
    let hint = format!("{name} payload");
    let ty = of.schema.as_ref();
    let ty = ty.map_or(Type::Any, |schema| types.resolve_type(schema, &hint));
    Payload::Json(media_type.clone(), ty)
}

fn warn_of_losses(problems: &Problems<'_>, operation: &Operation) {
    let is_signed = |name: &str| SIGNED.iter().any(|it| it.eq_ignore_ascii_case(name));
    let mut parameters = operation.parameters.iter();
    let security = operation.security.iter().flatten();
    if security.count() > 0 || !parameters.all(|of| is_signed(&of.name)) {
        let message = "parameters and security of a webhook are no arguments of its function";
        let help = "add them to the request: only the message and its body are signed";
        problems.warn(&operation.at, message, help);
    }
}

fn describe(name: &str, operation: &Operation) -> String {
    let deprecated = operation.deprecated.then_some("Deprecated.");
    let texts = [&operation.summary, &operation.description].into_iter();
    let texts = texts.flatten().map(|text| text.trim()).chain(deprecated);
    let texts: Vec<&str> = texts.filter(|text| !text.is_empty()).collect();
    docs::or_name(texts.join("\n\n"), name)
}
