//! The errors of the gate, and how a service writes them as response bodies.

use dropshot::{Body, ClientErrorStatusCode, HttpError};
use dropspec_runtime::{ErrorCodeInfo, Problem, Rejection};
use http::header::{ACCEPT_ENCODING, CONTENT_TYPE};
use http::{HeaderValue, Response, StatusCode};

use crate::logging::Causes;
use crate::request_log::RequestLog;
use crate::storage_error::StorageError;

/// An error response that the gate sends instead of the response of a handler: its kind and message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GateError {
    /// The kind of the error, which determines its code and status.
    pub kind: ErrorKind,
    /// A sentence for the client's developer.
    pub message: String,
    /// What is wrong with each value of a body that does not validate; empty for all other errors.
    pub problems: Vec<Problem>,
}

/// The kinds of errors that the gate itself sends, each with an error code and a status.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ErrorKind {
    /// 400: the request cannot be parsed.
    MalformedRequest,
    /// 400: a parameter does not validate.
    InvalidParameter,
    /// 401: the request has no key.
    MissingApiKey,
    /// 401: the key is malformed or unknown.
    InvalidApiKey,
    /// 401: the key was revoked.
    RevokedApiKey,
    /// 403: the access of the key does not include the operation.
    InsufficientAccess,
    /// 404: no operation has this path.
    RouteNotFound,
    /// 405: the path has no operation with this method.
    MethodNotAllowed,
    /// 408: the body did not arrive in time.
    RequestTimeout,
    /// 413: the body is too large.
    BodyTooLarge,
    /// 415: the operation does not accept this media type.
    UnsupportedMediaType,
    /// 415: the body has a content coding; the response names what is accepted in `Accept-Encoding`.
    UnsupportedContentCoding,
    /// 422: the body does not validate.
    ValidationFailed,
    /// 429: too few requests remain.
    RateLimitExceeded,
    /// 429: the key is banned.
    ApiKeyBanned,
    /// Any other status of the client's error, which the handler of an operation chose.
    Other(ClientErrorStatusCode),
    /// 501: the document declares the operation, but the service does not implement it.
    NotImplemented,
    /// 500: a defect.
    InternalError,
    /// 500: the write may or may not be stored.
    OutcomeUnknown,
    /// 503: a later request may succeed.
    Unavailable,
}

/// What a service writes into the body of a gate's error: code, status, message and the id of the request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ErrorInfo {
    /// The code.
    pub code: &'static str,
    /// The status: that of the code in the document's `x-error-codes`, or the default of the kind.
    pub status: StatusCode,
    /// A sentence for the client's developer.
    pub message: String,
    /// The id of the request, a UUID: that of the response's header `X-Request-Id` and of the log.
    pub request_id: String,
    /// What is wrong with each value of a body that does not validate; empty for all other errors.
    pub problems: Vec<Problem>,
}

impl ErrorInfo {
    /// The error as a list: its problems, or else its message alone.
    pub fn entries(&self) -> Vec<Problem> {
        if self.problems.is_empty() {
            vec![Problem {
                pointer: String::new(),
                message: self.message.clone(),
            }]
        } else {
            self.problems.clone()
        }
    }
}

/// Writes errors of the gate as response bodies, in the format of a service.
pub trait ErrorBody: Send + Sync + 'static {
    /// The `Content-Type` of the bodies that [`ErrorBody::render`] writes: the media type that the document declares for
    /// error responses.
    const MEDIA_TYPE: &'static str = "application/json";

    /// The same, for a service that knows it only when it runs.
    fn media_type() -> &'static str {
        Self::MEDIA_TYPE
    }

    /// Writes an error as the body of a response.
    fn render(error: ErrorInfo) -> String;
}

impl ErrorKind {
    /// The code of the error.
    pub fn code(self) -> &'static str {
        self.code_and_status().0
    }

    /// The code of the error, and its status if the document does not declare another one for the code.
    fn code_and_status(self) -> (&'static str, StatusCode) {
        match self {
            ErrorKind::MalformedRequest => ("malformed_request", StatusCode::BAD_REQUEST),
            ErrorKind::InvalidParameter => ("invalid_parameter", StatusCode::BAD_REQUEST),
            ErrorKind::MissingApiKey => ("missing_api_key", StatusCode::UNAUTHORIZED),
            ErrorKind::InvalidApiKey => ("invalid_api_key", StatusCode::UNAUTHORIZED),
            ErrorKind::RevokedApiKey => ("revoked_api_key", StatusCode::UNAUTHORIZED),
            ErrorKind::InsufficientAccess => ("insufficient_access", StatusCode::FORBIDDEN),
            ErrorKind::RouteNotFound => ("route_not_found", StatusCode::NOT_FOUND),
            ErrorKind::MethodNotAllowed => ("method_not_allowed", StatusCode::METHOD_NOT_ALLOWED),
            ErrorKind::RequestTimeout => ("request_timeout", StatusCode::REQUEST_TIMEOUT),
            ErrorKind::BodyTooLarge => ("body_too_large", StatusCode::PAYLOAD_TOO_LARGE),
            ErrorKind::UnsupportedMediaType | ErrorKind::UnsupportedContentCoding => {
                ("unsupported_media_type", StatusCode::UNSUPPORTED_MEDIA_TYPE)
            }
            ErrorKind::ValidationFailed => ("validation_failed", StatusCode::UNPROCESSABLE_ENTITY),
            ErrorKind::RateLimitExceeded => ("rate_limit_exceeded", StatusCode::TOO_MANY_REQUESTS),
            ErrorKind::ApiKeyBanned => ("api_key_banned", StatusCode::TOO_MANY_REQUESTS),
            ErrorKind::Other(status) => (code_of_status(status), status.as_status()),
            ErrorKind::NotImplemented => ("not_implemented", StatusCode::NOT_IMPLEMENTED),
            ErrorKind::InternalError => ("internal_error", StatusCode::INTERNAL_SERVER_ERROR),
            ErrorKind::OutcomeUnknown => ("outcome_unknown", StatusCode::INTERNAL_SERVER_ERROR),
            ErrorKind::Unavailable => ("unavailable", StatusCode::SERVICE_UNAVAILABLE),
        }
    }
}

/// The code of an error of the client that a handler chose by its status.
fn code_of_status(status: ClientErrorStatusCode) -> &'static str {
    match status {
        ClientErrorStatusCode::BAD_REQUEST => "malformed_request",
        ClientErrorStatusCode::UNAUTHORIZED => "unauthorized",
        ClientErrorStatusCode::FORBIDDEN => "forbidden",
        ClientErrorStatusCode::NOT_FOUND => "not_found",
        ClientErrorStatusCode::REQUEST_TIMEOUT => "request_timeout",
        ClientErrorStatusCode::CONFLICT => "conflict",
        ClientErrorStatusCode::PRECONDITION_FAILED => "precondition_failed",
        ClientErrorStatusCode::PAYLOAD_TOO_LARGE => "body_too_large",
        ClientErrorStatusCode::UNPROCESSABLE_ENTITY => "validation_failed",
        _ => "request_refused",
    }
}

impl GateError {
    /// Creates an error of this kind with a message for the client's developer.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> GateError {
        GateError {
            kind,
            message: message.into(),
            problems: Vec::new(),
        }
    }

    /// The error for a defect of the server: 500, with a message that reveals nothing. The details belong in the log
    /// only.
    pub fn internal() -> GateError {
        GateError::new(
            ErrorKind::InternalError,
            "an internal error occurred; the log of the server holds the details under this X-Request-Id",
        )
    }

    /// The error for an operation that the service does not implement: 501.
    pub fn not_implemented() -> GateError {
        GateError::new(
            ErrorKind::NotImplemented,
            "this operation is not implemented yet",
        )
    }

    /// Converts an error of dropshot, which a handler returned. One of the client keeps its status and message; of
    /// others, the details go to the log only.
    pub fn from_http_error(error: HttpError, log: RequestLog<'_>) -> GateError {
        let status = error.status_code;
        if let Ok(status) = status.as_client_error() {
            return GateError::new(ErrorKind::Other(status), error.external_message);
        }
        match status.as_status() {
            StatusCode::NOT_IMPLEMENTED => GateError::not_implemented(),
            StatusCode::SERVICE_UNAVAILABLE => {
                slog::warn!(log.logger(), "an operation is unavailable"; "error" => %error.internal_message);
                GateError::unavailable()
            }
            _ if error.error_code.as_deref() == Some(ErrorKind::OutcomeUnknown.code()) => {
                slog::error!(log.logger(), "a write may or may not be stored"; "error" => %error.internal_message);
                GateError::outcome_unknown()
            }
            _ => {
                slog::error!(log.logger(), "an operation failed"; "error" => %error.internal_message);
                GateError::internal()
            }
        }
    }

    /// The error for a temporary failure of the server: 503, with a message that asks to try again.
    pub fn unavailable() -> GateError {
        GateError::new(
            ErrorKind::Unavailable,
            "the service cannot answer now; try again later",
        )
    }

    /// The error for a write whose outcome is unknown: 500, with a message that says how to find out.
    pub fn outcome_unknown() -> GateError {
        GateError::new(
            ErrorKind::OutcomeUnknown,
            "the write may or may not be stored; read the record, or repeat the request with its Idempotency-Key",
        )
    }

    /// Logs a failure of the database, and converts it to a 503 if it is temporary, otherwise to a 500.
    pub fn from_storage(error: &StorageError, log: RequestLog<'_>) -> GateError {
        match error {
            StorageError::OutOfUse(_) => GateError::unavailable(),
            StorageError::Unavailable(_) => {
                slog::warn!(log.logger(), "the storage is unavailable"; "error" => %Causes(error));
                GateError::unavailable()
            }
            StorageError::Internal(_) => {
                slog::error!(log.logger(), "the storage failed"; "error" => %Causes(error));
                GateError::internal()
            }
            StorageError::OutcomeUnknown(_) => {
                slog::error!(log.logger(), "a write may or may not be stored"; "error" => %Causes(error));
                GateError::outcome_unknown()
            }
        }
    }

    /// Adds the error code, the status and the id of the request. `codes` are the error codes that the document declares.
    pub fn into_info(self, codes: &[ErrorCodeInfo], request_id: &str) -> ErrorInfo {
        let (code, default_status) = self.kind.code_and_status();
        let declared = codes.iter().find(|declared| declared.name == code);
        let status = declared.and_then(|declared| StatusCode::from_u16(declared.status).ok());
        ErrorInfo {
            code,
            status: status.unwrap_or(default_status),
            message: self.message,
            request_id: request_id.to_owned(),
            problems: self.problems,
        }
    }
}

impl From<Rejection> for GateError {
    fn from(rejection: Rejection) -> GateError {
        let kind = match rejection {
            Rejection::MalformedRequest { .. } => ErrorKind::MalformedRequest,
            Rejection::InvalidParameter { .. } => ErrorKind::InvalidParameter,
            Rejection::BodyTooLarge { .. } => ErrorKind::BodyTooLarge,
            Rejection::BodyTimeout { .. } => ErrorKind::RequestTimeout,
            Rejection::UnsupportedMediaType { .. } => ErrorKind::UnsupportedMediaType,
            Rejection::ValidationFailed { .. } => ErrorKind::ValidationFailed,
        };
        GateError {
            problems: rejection.problems().to_vec(),
            ..GateError::new(kind, rejection.to_string())
        }
    }
}

/// Creates the HTTP response with the status and the body of an error.
pub(crate) fn error_response<E: ErrorBody>(
    error: GateError,
    codes: &[ErrorCodeInfo],
    request_id: &str,
) -> Response<Body> {
    let kind = error.kind;
    let info = error.into_info(codes, request_id);
    let mut response = Response::builder()
        .status(info.status)
        .header(CONTENT_TYPE, E::media_type())
        .body(E::render(info).into())
        .expect("status and header are valid");
    // It says that the encoding was refused, and not the media type (RFC 9110, section 15.5.16).
    if kind == ErrorKind::UnsupportedContentCoding {
        let accepted = HeaderValue::from_static("identity");
        response.headers_mut().insert(ACCEPT_ENCODING, accepted);
    }
    response
}
