//! Finds the form of a response that the document declares, and reads its body.

use bytes::Bytes;
use progenitor_client::ResponseValue;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use crate::error::Error;
use crate::error_response::{ErrorResponse, UnexpectedResponse};
use crate::operation::{Content, Form, Operation, Status};
use crate::payload::{Body, Payload, PayloadError};

/// Reads a response into the type of a success or an error.
pub(crate) async fn read<S, E>(
    operation: &Operation,
    response: Response,
    success: fn(Payload) -> Result<S, PayloadError>,
    error: fn(Payload) -> Result<E, PayloadError>,
) -> Result<ResponseValue<S>, Error<E>> {
    let Some(found) = find_form(operation, response.status().as_u16(), response.headers()) else {
        let response = UnexpectedResponse::read(response).await;
        return Err(Error::UnexpectedResponse(response));
    };
    let (status, headers) = (response.status(), response.headers().clone());
    let payload = Payload {
        form: found.position,
        status,
        // Errors are short and must be comparable and printable, so that none is a stream.
        body: if found.form.content == Content::Bytes && !found.is_error {
            Body::Stream(ResponseValue::stream(response).into_inner())
        } else {
            let bytes = response.bytes().await;
            Body::Full(bytes.map_err(Error::ResponseBodyError)?)
        },
    };
    let invalid = |error: PayloadError| Error::InvalidResponsePayload(error.body, error.error);
    if found.is_error {
        // Errors are never streams, so that this is the whole body.
        let body = match &payload.body {
            Body::Full(bytes) => bytes.clone(),
            Body::Stream(_) => Bytes::new(),
        };
        let error = error(payload).map_err(invalid)?;
        let response = ErrorResponse::new(error, status, headers, &body);
        return Err(Error::ErrorResponse(response));
    }
    let value = success(payload).map_err(invalid)?;
    Ok(ResponseValue::new(value, status, headers))
}

/// A form of an operation that a response has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Found {
    is_error: bool,
    position: usize,
    form: &'static Form,
}

/// Finds the form of a response: an exact status before a class before the default, then an exact media type before a
/// range. Where a status has one success only, its media type does not matter, since many services are careless with it.
/// An error that should be JSON and is not comes from elsewhere, such as a proxy: it has no form, so that its status and
/// text are not lost.
fn find_form(operation: &Operation, status: u16, headers: &HeaderMap) -> Option<Found> {
    let media_type = headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok());
    let rank = |found: &Found| media_type_rank(found.form.media_type, media_type);
    let found = |is_error: bool, forms: &'static [Form]| {
        let forms = forms.iter().enumerate();
        forms.map(move |(position, form)| Found {
            is_error,
            position,
            form,
        })
    };
    let mut candidates: Vec<Found> = found(false, operation.success)
        .chain(found(true, operation.errors))
        .filter(|found| status_rank(found.form.status, status) > 0)
        .collect();
    let closeness = |found: &Found| status_rank(found.form.status, status);
    let best = candidates.iter().map(closeness).max()?;
    candidates.retain(|found| closeness(found) == best);
    candidates.retain(|found| {
        let is_foreign = found.is_error && found.form.content == Content::Json;
        !is_foreign || rank(found) > 0
    });
    if candidates.len() > 1 {
        let best = candidates.iter().map(rank).max()?;
        candidates.retain(|found| best > 0 && rank(found) == best);
    }
    candidates.first().copied()
}

/// How closely declared statuses name a status; 0 if they do not contain it.
fn status_rank(declared: Status, status: u16) -> u8 {
    match declared {
        Status::Exact(exact) if exact == status => 3,
        Status::Class(class) if u16::from(class) == status / 100 => 2,
        Status::Default => 1,
        _ => 0,
    }
}

/// How closely a declared media type names that of a response; 0 if it does not contain it.
fn media_type_rank(declared: Option<&str>, sent: Option<&str>) -> u8 {
    let essence = |text: &str| {
        let essence = text.split(';').next().unwrap_or_default().trim();
        essence.to_ascii_lowercase()
    };
    match (declared.map(essence), sent.map(essence)) {
        (None, None) => 4,
        (None, Some(_)) | (Some(_), None) => 1,
        (Some(declared), Some(sent)) if declared == sent => 5,
        (Some(declared), Some(sent)) if is_json(&declared) && is_json(&sent) => 4,
        (Some(declared), Some(sent)) => match declared.split_once('/') {
            Some(("*", "*")) => 2,
            Some((kind, "*")) if sent.split('/').next() == Some(kind) => 3,
            _ => 0,
        },
    }
}

fn is_json(essence: &str) -> bool {
    essence == "application/json" || essence.ends_with("+json")
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: Operation = Operation::new("a", "GET", "/a")
        .success(&[
            Form::json(Status::Exact(200), "application/json"),
            Form::bytes(Status::Exact(200), "image/*"),
            Form::text(Status::Exact(200), "text/csv; charset=utf-8"),
            Form::empty(Status::Exact(204)),
            Form::json(Status::Class(2), "application/json"),
        ])
        .errors(&[
            Form::json(Status::Exact(404), "application/json"),
            Form::json(Status::Class(4), "application/problem+json"),
            Form::text(Status::Default, "text/plain"),
        ]);

    #[test]
    fn form_is_found_by_status_and_media_type() {
        for (status, media_type, found) in [
            (
                200,
                Some("application/json; charset=utf-8"),
                Some((false, 0)),
            ),
            (200, Some("application/vnd.a+json"), Some((false, 0))),
            (200, Some("image/png"), Some((false, 1))),
            (200, Some("Text/CSV"), Some((false, 2))),
            (200, Some("video/mp4"), None),
            (204, None, Some((false, 3))),
            (201, Some("text/html"), Some((false, 4))),
            (404, None, Some((true, 0))),
            (422, Some("application/json"), Some((true, 1))),
            (422, Some("text/html"), None),
            (502, Some("text/html"), Some((true, 2))),
            (500, None, Some((true, 2))),
        ] {
            let mut headers = HeaderMap::new();
            headers.extend(media_type.and_then(|text| Some((CONTENT_TYPE, text.parse().ok()?))));
            let form = find_form(&OPERATION, status, &headers);
            let form = form.map(|form| (form.is_error, form.position));
            assert_eq!(form, found, "{status} {media_type:?}");
        }
    }

    #[test]
    fn undeclared_status_has_no_form() {
        const FORMS: &[Form] = &[Form::empty(Status::Exact(204))];
        let operation = Operation::new("a", "GET", "/a").success(FORMS);
        assert_eq!(find_form(&operation, 200, &HeaderMap::new()), None);
    }
}
