//! The generated interface, with every name and type decided. It is independent of OpenAPI, and rendering it cannot fail.

use dropspec_model::{Diagnostic, SecurityScheme, Tag};
use indexmap::IndexMap;

use crate::files::Unsupported;

mod bodies;
mod operations;
mod parameters;
mod responses;
mod types;

pub use bodies::*;
pub use operations::*;
pub use parameters::*;
pub use responses::*;
pub use types::*;

/// The plan of all generated code for a document, with every name and type decided.
#[derive(Debug)]
pub struct Api {
    pub trait_name: String,
    /// The type that implements `dropspec_runtime::Interface`.
    pub interface_name: String,
    pub title: String,
    pub description: String,
    pub tags: Vec<Tag>,
    pub types: Vec<NamedType>,
    pub parameters: Vec<ParameterStruct>,
    /// All operations that could be read, in the order of the document.
    pub operations: Vec<Operation>,
    /// The webhooks that code is generated for, in the order of the document.
    pub webhooks: Vec<Webhook>,
    /// The operations that could not be read.
    pub unreadable: Vec<Unsupported>,
    /// What is legal in the document, but lost or changed in the generated code.
    pub warnings: Vec<Diagnostic>,
    /// `components/securitySchemes`. Operations name one by its position.
    pub security_schemes: IndexMap<String, SecurityScheme>,
    pub plans: Vec<RateLimitPlan>,
    pub error_codes: Option<Vec<ErrorCode>>,
}

impl Api {
    /// The operations that code is generated for; the others are only in the operation table.
    pub fn generated(&self) -> impl Iterator<Item = &Operation> {
        self.operations.iter().filter(|of| of.is_generated())
    }

    /// The enums of the responses of operations, in `responses.rs`.
    pub fn responses(&self) -> impl Iterator<Item = &ResponseEnum> {
        self.generated().flat_map(|operation| {
            let success = match &operation.success {
                Success::Responses(of) => Some(of),
                _ => None,
            };
            let error = match &operation.error {
                ErrorType::Responses(of) => Some(of),
                _ => None,
            };
            success.into_iter().chain(error)
        })
    }

    /// Whether a body has several media types, or parts that the document names.
    pub fn has_bodies(&self) -> bool {
        let mut bodies = self
            .generated()
            .filter_map(|operation| operation.body.as_ref());
        bodies.any(|body| body.choice.is_some() || body.multiparts().next().is_some())
    }
}

#[derive(Debug, Clone)]
pub struct RateLimitPlan {
    pub name: String,
    /// Requests per minute and per day; `None` if they are agreed with each customer.
    pub limits: Option<(u64, u64)>,
}

#[derive(Debug, Clone)]
pub struct ErrorCode {
    pub name: String,
    pub variant: String,
    pub status: u16,
}

impl ErrorCode {
    /// The doc comment of the variant.
    pub fn docs(&self) -> String {
        format!("`{}`, sent with status {}.", self.name, self.status)
    }
}
