//! Finds which declared response was received, and reads its body.

use bytes::Bytes;
use dropspec_schema::BodyKind;
use dropspec_schema::media_type::{covers, essence, exactness};
use progenitor_client::ResponseValue;
use reqwest::Response;
use reqwest::header::{CONTENT_TYPE, HeaderMap};

use crate::error::Error;
use crate::error_response::{ErrorResponse, UnexpectedResponse};
use crate::item_stream::{ItemSource, Resume};
use crate::operation::{Content, DeclaredResponse, Operation, Status};
use crate::payload::{Payload, PayloadError, ReceivedBody};

/// Reads a response into the type of a success or an error.
pub(crate) async fn read<S, E>(
    operation: &Operation,
    response: Response,
    resume: Option<Resume>,
    success: fn(Payload) -> Result<S, PayloadError>,
    error: fn(Payload) -> Result<E, PayloadError>,
) -> Result<ResponseValue<S>, Error<E>> {
    let found = find_declared(operation, response.status().as_u16(), response.headers());
    let Some((is_error, index, declared)) = found else {
        let response = UnexpectedResponse::read(response).await;
        return Err(Error::UnexpectedResponse(response));
    };
    let (status, headers) = (response.status(), response.headers().clone());
    let payload = Payload {
        response_index: index,
        status,
        // Errors are short and must be comparable and printable, so that none is a stream.
        body: match declared.content {
            Content::Bytes if !is_error => {
                ReceivedBody::Stream(ResponseValue::stream(response).into_inner())
            }
            Content::Items if !is_error => ReceivedBody::Items(ItemSource {
                response,
                media_type: declared.media_type.unwrap_or_default(),
                resume,
            }),
            _ => {
                let bytes = response.bytes().await;
                ReceivedBody::Full(bytes.map_err(Error::ResponseBodyError)?)
            }
        },
    };
    let invalid = |error: PayloadError| Error::InvalidResponsePayload(error.body, error.error);
    if is_error {
        // Errors are never streams, so that this is the whole body.
        let body = match &payload.body {
            ReceivedBody::Full(bytes) => bytes.clone(),
            ReceivedBody::Stream(_) | ReceivedBody::Items(_) => Bytes::new(),
        };
        let error = error(payload).map_err(invalid)?;
        let response = ErrorResponse::new(error, status, headers, &body);
        return Err(Error::ErrorResponse(response));
    }
    let value = success(payload).map_err(invalid)?;
    Ok(ResponseValue::new(value, status, headers))
}

/// Finds which declared response was received, and whether it is an error: an exact status before a class before the default,
/// then an exact media type before a range. Where a status has one success only, its media type does not matter, since many
/// services are careless with it.
/// An error that should be JSON and is not comes from elsewhere, such as a proxy: it is not declared, so that its status and
/// text are not lost.
fn find_declared(
    operation: &Operation,
    status: u16,
    headers: &HeaderMap,
) -> Option<(bool, usize, &'static DeclaredResponse)> {
    let sent = headers.get(CONTENT_TYPE);
    let sent = sent.and_then(|value| value.to_str().ok());
    let all = |is_error: bool, forms: &'static [DeclaredResponse]| {
        let forms = forms.iter().enumerate();
        forms.map(move |(index, form)| (is_error, index, form))
    };
    let all = all(false, operation.success).chain(all(true, operation.errors));
    let closeness =
        |(_, _, form): &(bool, usize, &DeclaredResponse)| status_specificity(form.status, status);
    let rank = |(_, _, form): &(bool, usize, &DeclaredResponse)| {
        media_type_specificity(form.media_type, sent)
    };
    let best = all.clone().map(|form| closeness(&form)).max()?;
    let mut candidates: Vec<_> = all.filter(|it| best > 0 && closeness(it) == best).collect();
    candidates.retain(|found| {
        let is_foreign = found.0 && found.2.content == Content::Json;
        !is_foreign || rank(found) > 0
    });
    if candidates.len() > 1 {
        let best = candidates.iter().map(rank).max()?;
        candidates.retain(|found| best > 0 && rank(found) == best);
    }
    candidates.first().copied()
}

/// How closely declared statuses name a status; 0 if they do not contain it.
fn status_specificity(declared: Status, status: u16) -> u8 {
    match declared {
        Status::Exact(exact) if exact == status => 3,
        Status::Class(class) if u16::from(class) == status / 100 => 2,
        Status::Default => 1,
        _ => 0,
    }
}

/// How closely a declared media type names that of a response; 0 if it does not contain it.
fn media_type_specificity(declared: Option<&str>, sent: Option<&str>) -> usize {
    let (Some(declared), Some(sent)) = (declared, sent) else {
        return if declared == sent { 2 } else { 1 };
    };
    let (declared, sent) = (essence(declared), essence(sent));
    let are_json = [&declared, &sent].map(|it| BodyKind::of(it)) == [BodyKind::Json; 2];
    if declared == sent {
        usize::MAX
    } else if are_json {
        usize::MAX - 1
    } else if covers(&declared, &sent) {
        2 + exactness(&declared)
    } else {
        0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPERATION: Operation = Operation {
        id: "a",
        method: "GET",
        path: "/a",
        success: &[
            DeclaredResponse::json(Status::Exact(200), "application/json"),
            DeclaredResponse::bytes(Status::Exact(200), "image/*"),
            DeclaredResponse::text(Status::Exact(200), "text/csv; charset=utf-8"),
            DeclaredResponse::empty(Status::Exact(204)),
            DeclaredResponse::json(Status::Class(2), "application/json"),
        ],
        errors: &[
            DeclaredResponse::json(Status::Exact(404), "application/json"),
            DeclaredResponse::json(Status::Class(4), "application/problem+json"),
            DeclaredResponse::text(Status::Default, "text/plain"),
        ],
        ..Operation::EMPTY
    };

    #[test]
    fn declared_response_is_found_by_status_and_media_type() {
        for (status, media_type, found) in [
            (200, "application/json; charset=utf-8", Some((false, 0))),
            (200, "application/vnd.a+json", Some((false, 0))),
            (200, "image/png", Some((false, 1))),
            (200, "Text/CSV", Some((false, 2))),
            (200, "video/mp4", None),
            (204, "", Some((false, 3))),
            (201, "text/html", Some((false, 4))),
            (404, "", Some((true, 0))),
            (422, "application/json", Some((true, 1))),
            (422, "text/html", None),
            (502, "text/html", Some((true, 2))),
            (500, "", Some((true, 2))),
        ] {
            let media_type = Some(media_type).filter(|text| !text.is_empty());
            let mut headers = HeaderMap::new();
            headers.extend(media_type.and_then(|text| Some((CONTENT_TYPE, text.parse().ok()?))));
            let declared = find_declared(&OPERATION, status, &headers);
            let declared = declared.map(|(is_error, index, _)| (is_error, index));
            assert_eq!(declared, found, "{status} {media_type:?}");
        }
    }

    #[test]
    fn undeclared_status_is_not_found() {
        const EMPTY: Operation = Operation {
            id: "a",
            method: "GET",
            path: "/a",
            success: &[DeclaredResponse::empty(Status::Exact(204))],
            ..Operation::EMPTY
        };
        assert_eq!(find_declared(&EMPTY, 200, &HeaderMap::new()), None);
    }
}
