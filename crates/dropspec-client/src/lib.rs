//! What generated clients call: it writes parameters and bodies into requests, sends them, and reads responses into
//! types. Tables of constants describe the operations, so that generated code is short.
//!
//! Requests are sent again as [`RetryPolicy`] says; `with_retries` of a generated client sets another one, for one call or for
//! many. [`Settings`] is what a client's builder collects and checks.
//!
//! Results are those of `progenitor-client`, [`ResponseValue`] and [`ByteStream`], or an [`Error`] whose text says what the
//! service answered. This crate knows no document and no schema; the server validates.

mod answer;
mod body;
mod call;
mod credentials;
mod error;
mod error_response;
mod execute;
mod hooks;
mod http_client;
mod item_stream;
mod multipart;
mod operation;
mod outgoing;
mod pages;
mod payload;
mod response;
mod response_metadata;
pub mod sending;
mod settings;
mod transport;
mod upgrade;

pub use body::{FieldStyle, RequestBody, bytes_body, form_body, json_body, text_body};
pub use call::{Call, build_request};
pub use credentials::Credentials;
pub use error::Error;
pub use error_response::{ErrorResponse, Undeclared, UnexpectedResponse};
pub use hooks::Hooks;
pub use http_client::{http_client, same_origin_redirects};
pub use item_stream::{Break, ItemStream, Resume};
pub use multipart::{File, Part, file_part, json_part, multipart_body, text_part};
pub use operation::{Content, DeclaredResponse, Operation, Status};
pub use outgoing::Outgoing;
pub use pages::follow_links;
pub use payload::{Payload, PayloadError, bytes, empty, items, json, stream, text};
pub use response_metadata::{RateLimitInfo, ResponseMetadata};
pub use settings::{Settings, SettingsError, Variables};
pub use transport::Transport;

/// The error of a method of [`ClientHooks`]. It becomes an [`Error`] of the call.
pub use progenitor_client::Error as HookError;
pub use progenitor_client::{ByteStream, ClientHooks, ClientInfo, OperationInfo, ResponseValue};

pub use dropspec_schema::SecurityScheme;
pub use dropspec_schema::wire::{
    Encoding, Location, Parameter, Parts, Style, Union, UnionVariant, UnknownValue, check_members,
    encode_form, encode_parameters,
};

pub use crate::sending::{Clock, Exchange, RetryEvent, RetryPolicy, Sender, check_base_url, clock};

pub use bytes::Bytes;

/// The crates that generated clients use through this one.
pub use {futures, reqwest};
