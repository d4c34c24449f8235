//! What makes a type of the document an error of dropshot's: its status, its text, and how dropshot's own errors become it.

use crate::model::{ErrorShape, NamedType, Presence, Shape};
use crate::source::Source;
use crate::spelling::Scope;

pub(crate) fn write(source: &mut Source, scope: &mut Scope, named: &NamedType, error: &ErrorShape) {
    let name = &named.name;
    scope.imports.add("std::fmt", "self");
    for item in ["ErrorStatusCode", "HttpError", "HttpResponseError"] {
        scope.imports.add("dropshot", item);
    }
    source.blank();
    source.block(&format!("impl fmt::Display for {name}"), |source| {
        source.block(
            "fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result",
            |source| match &error.message {
                Some(message) => source.line(format!("f.write_str(&self.{message})")),
                None => source.line(format!("write!(f, \"status {{}}\", self.{})", error.status)),
            },
        );
    });
    source.blank();
    source.line(format!("impl std::error::Error for {name} {{}}"));
    source.blank();
    source.block(&format!("impl From<HttpError> for {name}"), |source| {
        source.block("fn from(error: HttpError) -> Self", |source| {
            source.block(name, |source| write_fields(source, named, error));
        });
    });
    source.blank();
    source.block(&format!("impl HttpResponseError for {name}"), |source| {
        source.block("fn status_code(&self) -> ErrorStatusCode", |source| {
            if error.status_type == "u16" {
                source.line(format!("ErrorStatusCode::from_u16(self.{})", error.status));
                source.indented(|source| {
                    source.line(".unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)");
                });
            } else {
                source.line(format!("u16::try_from(self.{})", error.status));
                source.indented(|source| {
                    source.line(".ok()");
                    source.line(".and_then(|status| ErrorStatusCode::from_u16(status).ok())");
                    source.line(".unwrap_or(ErrorStatusCode::INTERNAL_SERVER_ERROR)");
                });
            }
        });
    });
}

fn write_fields(source: &mut Source, named: &NamedType, error: &ErrorShape) {
    let Shape::Struct(shape) = &named.shape else {
        return;
    };
    for field in &shape.fields {
        let name = &field.name;
        if *name == error.status {
            let status = match error.status_type {
                "u16" => "error.status_code.as_u16()",
                _ => "error.status_code.as_u16().into()",
            };
            source.line(format!("{name}: {status},"));
        } else if error.message.as_ref() == Some(name) {
            source.line(format!("{name}: error.external_message,"));
        } else if let Some(code) = error.code.as_ref().filter(|code| code.name == *name) {
            if code.optional {
                source.line(format!("{name}: error.error_code,"));
            } else {
                source.line(format!("{name}: error"));
                source.indented(|source| {
                    source.line(".error_code");
                    source.line(".unwrap_or_else(|| error.status_code.to_string()),");
                });
            }
        } else if field.presence == Presence::Optional {
            source.line(format!("{name}: None,"));
        } else {
            source.line(format!("{name}: Default::default(),"));
        }
    }
}
