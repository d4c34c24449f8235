//! The success response of an operation.

use spec_model::{Method, Operation, Response};

use crate::model::{SuccessBody, SuccessKind, SuccessResponse};
use crate::plan::bodies;
use crate::plan::parameters::Parameters;
use crate::plan::problems::Problems;
use crate::plan::types::Types;

/// The status of a response that no implementation returns: the server sends it in place of a success whose `ETag` the
/// client has already (RFC 9110, section 15.4.5).
const NOT_MODIFIED: &str = "304";

pub(super) fn read_success<'s>(
    problems: &Problems<'_>,
    types: &mut Types<'s>,
    operation: &Operation,
    variant: &str,
    parameters: &mut Parameters<'s>,
) -> SuccessResponse {
    let freeform = SuccessResponse {
        kind: SuccessKind::Freeform,
        headers: None,
    };
    let successes: Vec<(&String, &Response)> = operation
        .responses
        .iter()
        .filter(|(status, _)| !is_error(status) && *status != NOT_MODIFIED)
        .collect();
    let exact: Vec<_> = successes
        .iter()
        .filter(|(status, _)| *status != "default")
        .collect();
    for (status, response) in exact.iter().skip(1) {
        problems.report(
            place_of(response),
            format!(
                "a method has one success response, `{}`; `{status}` is a second one",
                exact[0].0
            ),
            "keep one of them, or make two operations of it",
        );
    }
    let Some((status, response)) = exact.first() else {
        if successes.is_empty() {
            problems.report(
                &operation.at,
                "the operation declares no success",
                "add a response such as `200`, `201` or `204`",
            );
        } else {
            check_freeform(problems, successes[0].1);
        }
        return freeform;
    };
    check_not_modified(problems, operation, response);
    let headers = parameters.plan_response_headers(types, operation, variant, status, response);
    match find_wrapper(status, operation.method) {
        Some(Wrapper::Body(wrapper)) => match read_success_body(problems, types, response, variant)
        {
            Some(body) => SuccessResponse {
                kind: SuccessKind::Body { wrapper, body },
                headers,
            },
            None => freeform,
        },
        Some(Wrapper::Empty(wrapper)) => {
            if let Some((name, media_type)) = response.content.first() {
                let message = format!(
                    "a response with status {status} has no body, but `{name}` is declared"
                );
                problems.report(
                    &media_type.at,
                    message,
                    "remove `content`, or respond with 200",
                );
            }
            SuccessResponse {
                kind: SuccessKind::Empty { wrapper },
                headers,
            }
        }
        Some(Wrapper::Redirect(wrapper)) => {
            // dropshot's redirects bring their `Location` themselves.
            SuccessResponse {
                kind: SuccessKind::Empty { wrapper },
                headers: None,
            }
        }
        None => {
            problems.report(
                place_of(response),
                format!("dropshot has no response with the status `{status}`"),
                "respond with one of 200, 201, 202, 204, 302, 303, 307",
            );
            freeform
        }
    }
}

/// Checks that a 304 can be sent in place of the success.
fn check_not_modified(problems: &Problems<'_>, operation: &Operation, success: &Response) {
    let Some(not_modified) = operation.responses.get(NOT_MODIFIED) else {
        return;
    };
    if let Some((name, media_type)) = not_modified.content.first() {
        let message = format!("a response with status 304 has no body, but `{name}` is declared");
        problems.report(&media_type.at, message, "remove `content`");
    }
    let mut headers = success.headers.keys();
    if operation.method != Method::Get {
        problems.report(
            place_of(not_modified),
            "304 stands for the success of a GET, and this is another method",
            "remove the response",
        );
    } else if !headers.any(|name| name.eq_ignore_ascii_case("etag")) {
        problems.report(
            place_of(not_modified),
            "304 stands for a success with an `ETag`, and this one has none",
            "declare the header `ETag` of the success, or remove the response",
        );
    }
}

/// Whether a status is that of an error. `default` is not, although it means errors if a success is declared beside it.
pub(super) fn is_error(status: &str) -> bool {
    status.starts_with(['4', '5'])
}

/// The place to report: the reference to the response, or the response itself.
pub(super) fn place_of(response: &Response) -> &spec_model::Place {
    response.reference.as_ref().unwrap_or(&response.at)
}

enum Wrapper {
    Body(&'static str),
    Empty(&'static str),
    Redirect(&'static str),
}

fn find_wrapper(status: &str, method: Method) -> Option<Wrapper> {
    Some(match (status, method) {
        ("200", _) => Wrapper::Body("HttpResponseOk"),
        ("201", _) => Wrapper::Body("HttpResponseCreated"),
        ("202", _) => Wrapper::Body("HttpResponseAccepted"),
        ("204", Method::Delete) => Wrapper::Empty("HttpResponseDeleted"),
        ("204", _) => Wrapper::Empty("HttpResponseUpdatedNoContent"),
        ("302", _) => Wrapper::Redirect("HttpResponseFound"),
        ("303", _) => Wrapper::Redirect("HttpResponseSeeOther"),
        ("307", _) => Wrapper::Redirect("HttpResponseTemporaryRedirect"),
        _ => return None,
    })
}

fn read_success_body(
    problems: &Problems<'_>,
    types: &mut Types<'_>,
    response: &Response,
    variant: &str,
) -> Option<SuccessBody> {
    let mut found = None;
    for (name, media_type) in &response.content {
        let body = match (name.as_str(), &media_type.schema) {
            (name, Some(schema)) if bodies::is_json(name) => {
                let ty = types.resolve_type(schema, &format!("{variant}Response"));
                types.mark_body_type(&ty);
                SuccessBody::Json(ty)
            }
            (name, None) if bodies::is_json(name) => {
                problems.report(&media_type.at, "the body has no schema", "add a `schema`");
                continue;
            }
            ("*/*" | "application/octet-stream", _) => SuccessBody::Bytes,
            (other, _) => {
                problems.report(
                    &media_type.at,
                    format!("dropshot sends JSON or bytes, not `{other}`"),
                    "declare `application/json`, or `*/*` for bytes",
                );
                continue;
            }
        };
        if found.is_some() {
            problems.report(
                &media_type.at,
                "a method responds with one media type, this is a second one",
                "keep one of them",
            );
        }
        found = Some(body);
    }
    if response.content.is_empty() {
        problems.report(
            place_of(response),
            "of dropshot's responses only 204 has no body",
            "respond with 204, or declare the body",
        );
    }
    found
}

fn check_freeform(problems: &Problems<'_>, response: &Response) {
    for (name, media_type) in &response.content {
        if bodies::is_json(name) || name != "*/*" {
            problems.report(
                &media_type.at,
                "a success that is only a `default` may have any status and body, so its body has no type",
                "name the status of the success, such as `200`",
            );
        }
    }
}
