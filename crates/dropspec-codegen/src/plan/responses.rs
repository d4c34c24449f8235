//! What an operation that succeeds returns.

use std::collections::HashSet;

use dropspec_model::{Method, Operation, Response, Schema, SchemaRef, SchemaType, Value};
use dropspec_schema::media_type::BodyKind;

use crate::model::{
    ResponseContent, ResponseEnum, ResponseForm, ResponseVariant, StatusSet, Success,
    SuccessResponse, Type,
};
use crate::names;
use crate::plan::named_operation::NamedOperation;
use crate::plan::operations::Planner;
use crate::plan::statuses::{is_channel, is_success};
use crate::plan::{docs, media_types, statuses};

/// The status of a response that no implementation returns: the server sends it in place of a success whose `ETag` the
/// client has already (RFC 9110, section 15.4.5).
const NOT_MODIFIED: &str = "304";

/// A response with the status that declares it.
pub(super) type Declared<'s> = (&'s str, &'s Response);

impl<'s> Planner<'_, 's> {
    /// What an operation that succeeds returns.
    pub(super) fn read_success(&mut self, of: &NamedOperation<'s>) -> Success {
        let responses = of.operation.responses.iter();
        let successes: Vec<Declared<'_>> = responses
            .filter(|(status, _)| is_success(of.operation, status))
            .filter(|(status, _)| *status != NOT_MODIFIED || !is_sent_by_server(of.operation))
            .map(|(status, response)| (status.as_str(), response))
            .collect();
        match successes.as_slice() {
            [] => self.read_default(of),
            [(status, response)] => self
                .read_dropshot_response(of, status, response)
                .map(Success::Dropshot)
                .unwrap_or_else(|| self.plan_success_enum(of, &successes)),
            _ => self.plan_success_enum(of, &successes),
        }
    }

    /// What an operation without a declared success returns.
    fn read_default(&mut self, of: &NamedOperation<'s>) -> Success {
        let default = of.operation.responses.get("default");
        let is_structured = default.is_some_and(|default| {
            default.content.iter().any(|(name, media_type)| {
                let kind = media_types::response_kind(self.spec, name, media_type);
                !media_types::is_range(name) || kind == BodyKind::Json
            })
        });
        if let Some(default) = default.filter(|_| is_structured) {
            return self.plan_success_enum(of, &[("default", default)]);
        }
        if default.is_none() && !is_channel(of.operation) {
            self.problems.warn(
                &of.operation.at,
                "the operation declares no success, so that its method returns any response",
                "add a response such as `200`, `201` or `204`",
            );
        }
        Success::Freeform
    }

    /// One of dropshot's response types, if there is one that fits.
    fn read_dropshot_response(
        &mut self,
        of: &NamedOperation<'s>,
        status: &str,
        response: &'s Response,
    ) -> Option<SuccessResponse> {
        let description = response.description.as_deref().unwrap_or_default();
        let wrapper = find_wrapper(status, of.operation.method, description)?;
        if self.sends_several_cookies(response) {
            return None;
        }
        let has_body = matches!(status, "200" | "201" | "202");
        let content = if has_body {
            self.read_dropshot_body(of, response)?
        } else {
            if let Some((name, media_type)) = response.content.first() {
                self.warn_of_lost_body(status, name, media_type);
            }
            ResponseContent::Empty
        };
        // dropshot's redirects bring their `Location` themselves.
        let headers = if status.starts_with('3') {
            None
        } else {
            let name = format!("{}ResponseHeaders", of.variant);
            self.plan_response_headers(of, name, status, response)
        };
        let form = ResponseForm {
            status: statuses::parse(status),
            media_type: response.content.keys().next().filter(|_| has_body).cloned(),
            content,
        };
        Some(SuccessResponse {
            wrapper,
            form,
            headers,
        })
    }

    fn read_dropshot_body(
        &mut self,
        of: &NamedOperation<'s>,
        response: &'s Response,
    ) -> Option<ResponseContent> {
        let (name, media_type) = response.content.first()?;
        if response.content.len() > 1 {
            return None;
        }
        let kind = media_types::response_kind(self.spec, name, media_type);
        let is_any = matches!(name.as_str(), "*/*" | "application/octet-stream");
        match kind {
            BodyKind::Json if media_types::is_plain_json(name) || is_any => {
                Some(ResponseContent::Json(match &media_type.schema {
                    Some(SchemaRef::Inline(schema)) if is_null(schema) => Type::Parsed("()"),
                    Some(schema) => {
                        let hint = format!("{}Response", of.variant);
                        self.types.resolve_body(schema, &hint)
                    }
                    None => Type::Any,
                }))
            }
            BodyKind::Bytes if is_any => Some(ResponseContent::Bytes),
            _ => None,
        }
    }

    fn plan_success_enum(
        &mut self,
        of: &NamedOperation<'s>,
        successes: &[Declared<'s>],
    ) -> Success {
        let docs = format!("What `{}` responds with.", of.id);
        Success::Responses(self.plan_enum(of, "Response", docs, successes))
    }

    /// Plans the enum of some responses. `suffix` ends its name, and those of types without one.
    pub(super) fn plan_enum(
        &mut self,
        of: &NamedOperation<'s>,
        suffix: &str,
        docs: String,
        responses: &[Declared<'s>],
    ) -> ResponseEnum {
        ResponseEnum {
            name: self.take_name(format!("{}{suffix}", of.variant)),
            docs,
            is_error: suffix == "Error",
            variants: self.plan_variants(of, suffix, responses),
        }
    }

    /// Plans a variant for each status and media type. `suffix` ends the names of types without one.
    fn plan_variants(
        &mut self,
        of: &NamedOperation<'s>,
        suffix: &str,
        responses: &[Declared<'s>],
    ) -> Vec<ResponseVariant> {
        let mut taken = HashSet::new();
        // The variant of dropshot's own errors.
        taken.insert("Dropshot".to_owned());
        let mut variants = Vec::new();
        for (text, response) in responses {
            let status = statuses::parse(text);
            let stem = statuses::variant_name(status);
            let headers_name = format!("{}{stem}Headers", of.variant);
            let headers = self.plan_response_headers(of, headers_name, text, response);
            let description = response.description.as_deref().unwrap_or_default();
            let description = docs::first_paragraph(description);
            let mut add = |name: String, media_type: Option<&str>, content| {
                variants.push(ResponseVariant {
                    name: names::make_unique(name, &mut taken),
                    docs: write_docs(status, media_type, &description),
                    form: ResponseForm {
                        status,
                        media_type: media_type.map(str::to_owned),
                        content,
                    },
                    headers: headers.clone(),
                });
            };
            let has_no_body = statuses::has_no_body(status);
            if let Some((name, media_type)) = response.content.first().filter(|_| has_no_body) {
                self.warn_of_lost_body(text, name, media_type);
            }
            if response.content.is_empty() || has_no_body {
                add(stem, None, ResponseContent::Empty);
                continue;
            }
            for (name, media_type) in &response.content {
                self.warn_of_positions(media_type);
                self.warn_of_xml(name, media_type.schema.as_ref(), "the body is a text");
                let items = match suffix {
                    "Error" => {
                        self.warn_of_items(media_type, "an error is read as a whole");
                        None
                    }
                    _ => self.plan_items(of, name, media_type),
                };
                let kind = media_types::response_kind(self.spec, name, media_type);
                let content = match (items, kind) {
                    (Some(items), _) => ResponseContent::Items(items),
                    (None, BodyKind::Json) => {
                        let hint = format!("{}{suffix}", of.variant);
                        ResponseContent::Json(match &media_type.schema {
                            Some(schema) => self.types.resolve_type(schema, &hint),
                            None => Type::Any,
                        })
                    }
                    (None, BodyKind::Text | BodyKind::Form) => ResponseContent::Text,
                    (None, BodyKind::Bytes | BodyKind::Multipart) => ResponseContent::Bytes,
                };
                let variant = match response.content.len() {
                    1 => stem.clone(),
                    _ => format!("{stem}{}", media_types::variant_name(name)),
                };
                add(variant, Some(name), content);
            }
        }
        variants
    }

    /// Whether a header of the response is a list of cookies. Each is a header of its own (RFC 6265, section 3), which
    /// dropshot's types cannot send.
    fn sends_several_cookies(&self, response: &Response) -> bool {
        let mut headers = response.headers.iter();
        headers.any(|(name, header)| {
            let schema = header.schema.as_ref();
            let schema = schema.and_then(|schema| self.spec.resolve(schema));
            name.eq_ignore_ascii_case("set-cookie")
                && schema.is_some_and(|schema| schema.schema_type == Some(SchemaType::Array))
        })
    }

    fn warn_of_lost_body(&self, status: &str, name: &str, media_type: &dropspec_model::MediaType) {
        let message =
            format!("a response with status {status} has no body, so that `{name}` is not sent");
        self.problems
            .warn(&media_type.at, message, "remove `content`");
    }
}

/// Whether null is the only value, as dropshot describes `()`.
fn is_null(schema: &Schema) -> bool {
    let values = schema.enumeration.as_deref().unwrap_or_default();
    matches!(values, [only] if only.value == Value::Null)
}

fn write_docs(status: StatusSet, media_type: Option<&str>, description: &str) -> String {
    let mut text = statuses::describe(status);
    if let Some(media_type) = media_type {
        text.push_str(&format!(" as `{media_type}`"));
    }
    if description.is_empty() {
        text + "."
    } else {
        format!("{text}: {description}")
    }
}

/// Whether the server sends a declared 304 in place of the success: that of a GET which has an `ETag`.
fn is_sent_by_server(operation: &Operation) -> bool {
    let mut responses = operation.responses.iter();
    let tagged = responses.any(|(status, response)| {
        let mut headers = response.headers.keys();
        status.starts_with('2') && headers.any(|name| name.eq_ignore_ascii_case("etag"))
    });
    operation.method == Method::Get && tagged
}

/// The type of dropshot's for a status. There are two for 204, which it describes differently in its document.
fn find_wrapper(status: &str, method: Method, description: &str) -> Option<&'static str> {
    Some(match (status, method) {
        ("200", _) => "HttpResponseOk",
        ("201", _) => "HttpResponseCreated",
        ("202", _) => "HttpResponseAccepted",
        ("204", _) if description == "successful deletion" => "HttpResponseDeleted",
        ("204", Method::Delete) if description != "resource updated" => "HttpResponseDeleted",
        ("204", _) => "HttpResponseUpdatedNoContent",
        ("302", _) => "HttpResponseFound",
        ("303", _) => "HttpResponseSeeOther",
        ("307", _) => "HttpResponseTemporaryRedirect",
        _ => return None,
    })
}
