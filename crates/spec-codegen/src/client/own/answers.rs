//! The responses of an operation as the client reads them: a table of forms, and the type that they become.

mod written;

use std::collections::HashMap;

use proc_macro2::TokenStream;
use quote::quote;

use crate::model::{
    Api, ErrorType, Operation, ResponseContent, ResponseEnum, StatusSet, Success, SuccessBody,
    SuccessKind, Type,
};

const JSON: &str = "application/json";
/// The success statuses, where the document declares nothing but a `default`.
const ANY_SUCCESS: StatusSet = StatusSet::Class(2);

/// The successes or the errors of an operation.
#[derive(Debug, Clone)]
pub(super) struct Answer {
    pub(super) forms: Vec<Form>,
    pub(super) reader: Reader,
}

/// A row of the table: a status with a media type.
#[derive(Debug, Clone)]
pub(super) struct Form {
    status: StatusSet,
    media_type: Option<String>,
    kind: &'static str,
}

/// What a body becomes.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Reader {
    Empty,
    Json(Type),
    Text,
    /// Bytes, read to their end: an error.
    Bytes,
    /// Bytes as a stream: a success.
    Stream,
    /// One of the enums in `responses.rs`.
    Enum(String),
}

/// The responses of the operations of a document.
pub(super) struct Answers<'a> {
    enums: HashMap<&'a str, &'a ResponseEnum>,
    /// The type of dropshot's own error, if the document declares it.
    dropshot_error: Option<&'a str>,
}

impl<'a> Answers<'a> {
    pub(super) fn new(api: &'a Api) -> Answers<'a> {
        let enums = api.responses.iter();
        let mut types = api.types.iter();
        let error = types.find(|named| named.pointer == "/components/schemas/Error");
        Answers {
            enums: enums.map(|of| (of.name.as_str(), of)).collect(),
            dropshot_error: error.map(|named| named.name.as_str()),
        }
    }

    /// The enum of this name.
    pub(super) fn find_enum(&self, name: &str) -> Option<&'a ResponseEnum> {
        self.enums.get(name).copied()
    }

    /// The successes and the errors of an operation.
    pub(super) fn read(
        &self,
        operation: &Operation,
        declared: &spec_model::Operation,
    ) -> (Answer, Answer) {
        let mut success = self.read_success(operation, declared);
        let mut error = self.read_error(operation, declared);
        let only_default = success
            .forms
            .iter()
            .all(|form| form.status == StatusSet::Default);
        // A lone `default` describes successes and errors alike.
        if only_default && error.forms.is_empty() {
            error = success.clone();
            if error.reader == Reader::Stream {
                error.reader = Reader::Bytes;
            }
        }
        if only_default {
            for form in &mut success.forms {
                form.status = ANY_SUCCESS;
            }
        }
        if operation.channel {
            success = Answer::none();
        }
        if operation.method == "HEAD" {
            success.drop_bodies();
            error.drop_bodies();
        }
        (success, error)
    }

    fn read_success(&self, operation: &Operation, declared: &spec_model::Operation) -> Answer {
        match &operation.success {
            Success::Responses(name) => self.read_enum(name, Reader::Stream),
            Success::Freeform => {
                let any = Some("*/*".to_owned());
                Answer::one(StatusSet::Default, any, "bytes", Reader::Stream)
            }
            Success::Dropshot(response) => {
                let status = StatusSet::Exact(response.status);
                let declared = declared.responses.get(&response.status.to_string());
                let media_type = declared.and_then(|of| of.content.keys().next().cloned());
                match &response.kind {
                    SuccessKind::Empty { .. } => Answer::one(status, None, "empty", Reader::Empty),
                    SuccessKind::Body { body, .. } => match body {
                        SuccessBody::Json(ty) => {
                            let media_type = media_type.or(Some(JSON.to_owned()));
                            Answer::one(status, media_type, "json", Reader::Json(ty.clone()))
                        }
                        SuccessBody::Bytes => {
                            let media_type = media_type.or(Some("*/*".to_owned()));
                            Answer::one(status, media_type, "bytes", Reader::Stream)
                        }
                    },
                }
            }
        }
    }

    fn read_error(&self, operation: &Operation, declared: &spec_model::Operation) -> Answer {
        let reader = match &operation.error {
            ErrorType::Responses(name) => return self.read_enum(name, Reader::Bytes),
            ErrorType::Itself(name) => Reader::Json(Type::Named(name.clone())),
            ErrorType::Failure(ty) => Reader::Json(ty.clone()),
            ErrorType::HttpError => match self.dropshot_error {
                Some(name) => Reader::Json(Type::Named(name.to_owned())),
                None => return Answer::none(),
            },
        };
        let responses = declared.responses.iter();
        let statuses = responses.map(|(status, response)| (parse_status(status), response));
        let statuses: Vec<_> = statuses.collect();
        let has_success = statuses.iter().any(|(status, _)| is_success(*status));
        let errors = statuses.iter().filter(|(status, _)| match status {
            StatusSet::Default => has_success,
            status => !is_success(*status),
        });
        let forms: Vec<Form> = errors
            .filter_map(|(status, response)| {
                let media_type = response.content.keys().next()?.clone();
                Some(Form::new(*status, Some(media_type), "json"))
            })
            .collect();
        if forms.is_empty() {
            Answer::none()
        } else {
            Answer { forms, reader }
        }
    }

    /// The responses of an enum. `bytes` is what bytes become. If all variants have the same content, the enum adds
    /// nothing to the status of the response, and the content stands alone.
    fn read_enum(&self, name: &str, bytes: Reader) -> Answer {
        let variants = self
            .find_enum(name)
            .map_or(&[][..], |of| of.variants.as_slice());
        let forms = variants.iter().map(Form::of_variant).collect();
        let mut readers = variants.iter().map(|variant| match &variant.content {
            ResponseContent::Empty => Reader::Empty,
            ResponseContent::Json(ty) => Reader::Json(ty.clone()),
            ResponseContent::Text => Reader::Text,
            ResponseContent::Bytes => bytes.clone(),
        });
        let reader = match readers.next() {
            Some(first) if readers.all(|other| other == first) => first,
            _ => Reader::Enum(name.to_owned()),
        };
        Answer { forms, reader }
    }
}

impl Answer {
    fn none() -> Answer {
        Answer {
            forms: Vec::new(),
            reader: Reader::Empty,
        }
    }

    fn one(
        status: StatusSet,
        media_type: Option<String>,
        kind: &'static str,
        reader: Reader,
    ) -> Answer {
        Answer {
            forms: vec![Form::new(status, media_type, kind)],
            reader,
        }
    }

    /// Responses to HEAD have no bodies (RFC 9110, section 9.3.2).
    fn drop_bodies(&mut self) {
        for form in &mut self.forms {
            form.media_type = None;
            form.kind = "empty";
        }
        self.reader = Reader::Empty;
    }

    /// Whether a redirection is declared.
    pub(super) fn has_redirection(&self) -> bool {
        let is_redirection =
            |status| matches!(status, StatusSet::Exact(300..400) | StatusSet::Class(3));
        self.forms.iter().any(|form| is_redirection(form.status))
    }

    /// The list of forms, as `spec-client` has it.
    pub(super) fn write_forms(&self) -> TokenStream {
        let forms = self.forms.iter().map(Form::write);
        quote!(&[#(#forms),*])
    }
}

fn parse_status(text: &str) -> StatusSet {
    match (text.parse(), text.as_bytes()) {
        (Ok(status), _) => StatusSet::Exact(status),
        (_, [class @ b'1'..=b'5', b'X' | b'x', ..]) => StatusSet::Class(class - b'0'),
        _ => StatusSet::Default,
    }
}

/// Whether a status is a success or a redirection.
fn is_success(status: StatusSet) -> bool {
    match status {
        StatusSet::Exact(status) => status < 400,
        StatusSet::Class(class) => class < 4,
        StatusSet::Default => false,
    }
}
