//! The interface as a server takes it: the document as data, and dispatch to the implementation of its trait.

use std::marker::PhantomData;

use dropshot::{Body, RequestContext};
use http::Response;
use spec_runtime::{
    DecodedRequest, DispatchError, Document, ErrorCodeInfo, Interface, OperationInfo, PlanInfo,
    RateLimits,
};

use crate::api::PetstoreApi;
use crate::document::DOCUMENT;
use crate::operations::{OPERATIONS, Operation, dispatch};

/// The interface, implemented by `A`.
#[derive(Debug)]
pub struct PetstoreInterface<A>(PhantomData<fn() -> A>);

impl<A: PetstoreApi> Interface for PetstoreInterface<A> {
    type Context = A::Context;

    fn operations() -> &'static [OperationInfo] {
        &OPERATIONS
    }

    fn document() -> &'static Document {
        &DOCUMENT
    }

    fn document_source() -> &'static str {
        crate::DOCUMENT_YAML
    }

    fn plans() -> &'static [PlanInfo] {
        &PLANS
    }

    fn error_codes() -> &'static [ErrorCodeInfo] {
        &ERROR_CODES
    }

    async fn dispatch(
        operation: usize,
        rqctx: RequestContext<A::Context>,
        request: DecodedRequest,
    ) -> Result<Response<Body>, DispatchError> {
        dispatch::<A>(Operation::ALL[operation], rqctx, request).await
    }
}

/// The plans of the document's `x-rate-limits`.
static PLANS: [PlanInfo; 4] = [
    PlanInfo {
        name: "free",
        limits: Some(RateLimits {
            per_minute: 60,
            per_day: 1_000,
        }),
    },
    PlanInfo {
        name: "pro",
        limits: Some(RateLimits {
            per_minute: 300,
            per_day: 10_000,
        }),
    },
    PlanInfo {
        name: "business",
        limits: Some(RateLimits {
            per_minute: 1_000,
            per_day: 100_000,
        }),
    },
    PlanInfo {
        name: "enterprise",
        limits: None,
    },
];

/// The codes of the document's `x-error-codes`.
static ERROR_CODES: [ErrorCodeInfo; 29] = [
    ErrorCodeInfo {
        name: "malformed_request",
        status: 400,
    },
    ErrorCodeInfo {
        name: "invalid_parameter",
        status: 400,
    },
    ErrorCodeInfo {
        name: "missing_api_key",
        status: 401,
    },
    ErrorCodeInfo {
        name: "invalid_api_key",
        status: 401,
    },
    ErrorCodeInfo {
        name: "revoked_api_key",
        status: 401,
    },
    ErrorCodeInfo {
        name: "insufficient_access",
        status: 403,
    },
    ErrorCodeInfo {
        name: "route_not_found",
        status: 404,
    },
    ErrorCodeInfo {
        name: "pet_not_found",
        status: 404,
    },
    ErrorCodeInfo {
        name: "category_not_found",
        status: 404,
    },
    ErrorCodeInfo {
        name: "order_not_found",
        status: 404,
    },
    ErrorCodeInfo {
        name: "method_not_allowed",
        status: 405,
    },
    ErrorCodeInfo {
        name: "request_timeout",
        status: 408,
    },
    ErrorCodeInfo {
        name: "category_exists",
        status: 409,
    },
    ErrorCodeInfo {
        name: "category_in_use",
        status: 409,
    },
    ErrorCodeInfo {
        name: "pet_has_open_orders",
        status: 409,
    },
    ErrorCodeInfo {
        name: "invalid_status_transition",
        status: 409,
    },
    ErrorCodeInfo {
        name: "pet_not_available",
        status: 409,
    },
    ErrorCodeInfo {
        name: "insufficient_stock",
        status: 409,
    },
    ErrorCodeInfo {
        name: "order_already_complete",
        status: 409,
    },
    ErrorCodeInfo {
        name: "body_too_large",
        status: 413,
    },
    ErrorCodeInfo {
        name: "unsupported_media_type",
        status: 415,
    },
    ErrorCodeInfo {
        name: "validation_failed",
        status: 422,
    },
    ErrorCodeInfo {
        name: "unknown_category",
        status: 422,
    },
    ErrorCodeInfo {
        name: "unknown_pet",
        status: 422,
    },
    ErrorCodeInfo {
        name: "idempotency_key_reused",
        status: 422,
    },
    ErrorCodeInfo {
        name: "rate_limit_exceeded",
        status: 429,
    },
    ErrorCodeInfo {
        name: "api_key_banned",
        status: 429,
    },
    ErrorCodeInfo {
        name: "internal_error",
        status: 500,
    },
    ErrorCodeInfo {
        name: "unavailable",
        status: 503,
    },
];
