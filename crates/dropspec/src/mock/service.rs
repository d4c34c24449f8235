//! The service behind the gate of a mock: whom it lets in, how it writes errors, and who answers.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use dropshot::{
    Body, ClientErrorStatusCode, HttpError, RequestContext, WebsocketChannelResult,
    WebsocketConnection,
};
use dropspec_gate::auth::{Access, Authenticate, KeyPrefix, Principal, Unauthenticated};
use dropspec_gate::error::{ErrorBody, ErrorInfo, ErrorKind};
use dropspec_gate::rate_limit::{Account, MemoryLedger};
use dropspec_gate::storage_error::StorageError;
use dropspec_gate::{Gate, Service};
use dropspec_runtime::security::{Credentials, Verified};
use dropspec_runtime::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, FromPart, Interface, OperationInfo,
    Part, Permit, PlanInfo, Rejection, SecuritySchemeInfo, respond,
};
use dropspec_schema::media_type;
use dropspec_schema::wire::plain;
use futures::TryStreamExt;
use http::header::CONTENT_TYPE;
use http::{Response, StatusCode};
use serde_json::{Map, Value};
use tokio::io::AsyncWriteExt;

use super::answer::Answers;
use super::called::Called;
use super::declared::opens_channel;
use super::prefer::Preference;
use super::state::State;
use super::tables::Tables;

/// A service that answers by its document alone.
pub(super) struct Mock {
    /// The answers without state.
    pub(super) answers: Arc<Answers>,
    /// What was created; `None` if nothing is kept.
    pub(super) state: Option<State>,
}

/// The name and the value of a part of a multipart body, which fits the document; `None` of a file, which is not looked at.
struct CheckedPart(String, Option<Value>);

/// Lets in whoever sends credentials, whatever they are.
#[derive(Debug)]
pub(super) struct AnyCredentials;

/// The errors of the gate in the format of the document.
#[derive(Debug)]
pub(super) struct Errors;

/// The interface of the only document of the process.
pub(super) struct Mocked;

impl Service for Mock {
    const NAME: &'static str = "mock";
    type Interface = Mocked;
    type Authenticator = AnyCredentials;
    type Ledger = MemoryLedger;
    type ErrorBody = Errors;
}

impl Interface for Mocked {
    type Context = Arc<Gate<Mock>>;

    fn operations() -> &'static [OperationInfo] {
        Tables::operations()
    }

    fn security_schemes() -> &'static [SecuritySchemeInfo] {
        &Tables::get().schemes
    }

    fn document() -> &'static Document {
        Tables::document()
    }

    fn document_json() -> &'static str {
        &Tables::get().written
    }

    fn document_source() -> &'static str {
        &Tables::get().source
    }

    fn plans() -> &'static [PlanInfo] {
        &Tables::get().plans
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &Tables::get().error_codes
    }

    async fn dispatch(
        permit: Permit<Self>,
        rqctx: RequestContext<Self::Context>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        let gate = rqctx.context();
        gate.service()
            .answer(permit.operation(), &rqctx, request)
            .await
    }
}

impl Mock {
    /// Answers a request that is valid by the document.
    pub(super) async fn answer(
        &self,
        operation: usize,
        rqctx: &RequestContext<Arc<Gate<Mock>>>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        if !Mocked::operations()[operation].generated {
            return Err(DispatchError::NotImplemented);
        }
        let headers = rqctx.request.headers();
        let preference = Preference::read(headers)?;
        let is_free = preference == Preference::default();
        if is_free && opens_channel(operation) {
            return request.channel(rqctx).await?.run(close);
        }
        let body = if request.is_streamed() {
            read_form_to_end(&request).await?
        } else {
            request.body_as_json().into_owned()
        };
        let log = rqctx.context().log();
        let kept = match self.state.as_ref().filter(|_| is_free) {
            Some(state) => {
                let media_type = headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
                let declared: Map<String, Value> = request.headers()?;
                let mut declared = declared.iter();
                let if_match = declared.find(|(name, _)| name.eq_ignore_ascii_case("if-match"));
                state.answer(
                    operation,
                    &Called {
                        parameters: request.path()?,
                        query: request.query()?,
                        body: &body,
                        is_json_patch: media_type.is_some_and(|it| {
                            media_type::essence(it) == "application/json-patch+json"
                        }),
                        if_match: if_match.map(|(_, tags)| plain(tags)),
                    },
                )
            }
            None => None,
        };
        let answer = match kept {
            Some(Err((status, message))) => Err(refused(status, message)),
            Some(Ok(mut made)) => {
                let base = rqctx.context().base_path();
                made.location = made.location.map(|path| format!("{base}{path}"));
                self.answers.made(operation, headers, made, log)
            }
            None => self.answers.sample(operation, headers, &preference, log),
        };
        answer.or_else(|error| explain(error, rqctx))
    }
}

/// Tells the sender why an answer cannot be made, which is no secret of a mock.
fn explain(
    error: DispatchError,
    rqctx: &RequestContext<Arc<Gate<Mock>>>,
) -> Result<Response<Body>, DispatchError> {
    let status = StatusCode::INTERNAL_SERVER_ERROR;
    let error = match error {
        DispatchError::Internal(it) if it.status_code == status => it,
        error => return Err(error),
    };
    slog::error!(rqctx.context().log(), "an answer cannot be made"; "error" => &error.internal_message);
    let body = Errors::render(ErrorInfo {
        code: ErrorKind::InternalError.code(),
        status,
        message: error.internal_message,
        request_id: rqctx.request_id.clone(),
        problems: Vec::new(),
    });
    respond::text(status.as_u16(), Errors::media_type(), body).map_err(DispatchError::Internal)
}

/// Reads a body to its end, because its sender waits until it is read. Returns the values of a form; otherwise null.
async fn read_form_to_end(request: &DecodedRequest) -> Result<Value, DispatchError> {
    let Ok(mut parts) = request.multipart::<CheckedPart>() else {
        let mut body = request.raw().into_stream();
        while body.try_next().await?.is_some() {}
        return Ok(Value::Null);
    };
    let mut fields = Map::new();
    while let Some(CheckedPart(name, value)) = parts.next().await? {
        match (fields.get_mut(&name), value) {
            (Some(Value::Array(values)), Some(value)) => values.push(value),
            (Some(first), Some(value)) => *first = Value::Array(vec![first.take(), value]),
            (None, Some(value)) => drop(fields.insert(name, value)),
            (_, None) => {}
        }
    }
    Ok(fields.into())
}

impl FromPart for CheckedPart {
    fn from_part(part: Part) -> Result<Self, Rejection> {
        Ok(CheckedPart(part.name().to_owned(), part.value().ok()))
    }
}

/// Closes a WebSocket once it is open, as usual (RFC 6455, section 7.4.1: 1000): a document says nothing about its messages.
async fn close(connection: WebsocketConnection) -> WebsocketChannelResult {
    let mut connection = connection.into_inner();
    connection.write_all(&[0x88, 2, 0x03, 0xe8]).await?;
    connection.shutdown().await?;
    Ok(())
}

fn refused(status: ClientErrorStatusCode, message: String) -> DispatchError {
    DispatchError::Internal(HttpError::for_client_error(None, status, message))
}

impl Authenticate for AnyCredentials {
    type Identity = ();

    async fn verify(
        &self,
        _: &'static SecuritySchemeInfo,
        credentials: Credentials<'_>,
        _: DateTime<Utc>,
    ) -> Verified<Principal<()>, Unauthenticated, StorageError> {
        let name = match &credentials {
            Credentials::Key(key) => &**key,
            Credentials::Basic { user, .. } => user,
            Credentials::Token(token) => *token,
        };
        let (plan, limits) = Tables::get().plan;
        Ok(Ok(Principal {
            account: Account::of_subject(name, limits),
            plan,
            access: Access::Write,
            prefix: KeyPrefix::new(name),
            identity: Arc::new(()),
        }))
    }

    fn has_scope(&self, (): &(), _: &str) -> bool {
        true
    }
}

impl ErrorBody for Errors {
    fn media_type() -> &'static str {
        Tables::get().errors.media_type()
    }

    fn render(error: ErrorInfo) -> String {
        Tables::get().errors.render(&error)
    }
}
