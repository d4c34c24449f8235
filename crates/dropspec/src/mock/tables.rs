//! The tables of a document, made when the program runs: what a generated server has as constants.

use std::sync::OnceLock;

use dropspec_codegen::Unsupported;
use dropspec_codegen::planned::{self, Api, Operation};
use dropspec_model::{Diagnostic, Spec};
use dropspec_runtime::{
    Deprecation, Document, ErrorCodeInfo, Method, OperationInfo, PlanInfo, RateLimits, SchemeUse,
    SecuritySchemeInfo,
};
use serde_json::Value;

use crate::new::document::find_plans;
use crate::new::errors::{self, ErrorFormat};

/// What is known of the document.
pub(super) struct Tables {
    operations: Vec<OperationInfo>,
    pub(super) schemes: Vec<SecuritySchemeInfo>,
    pub(super) plans: Vec<PlanInfo>,
    /// The name and the limits of the plan for whoever sends credentials: the largest. Without plans nothing is limited.
    pub(super) plan: (&'static str, RateLimits),
    /// The limits for everybody else, of the smallest plan.
    pub(super) anonymous: Option<RateLimits>,
    pub(super) error_codes: Vec<ErrorCodeInfo>,
    /// The document in the terms that servers read.
    document: Document,
    /// The document in JSON as its author wrote it, and its text.
    pub(super) written: String,
    pub(super) source: String,
    /// How the errors of the gate are written.
    pub(super) errors: ErrorFormat,
}

static TABLES: OnceLock<Tables> = OnceLock::new();

impl Tables {
    /// The tables of the document, which is read once in a process.
    pub(super) fn get() -> &'static Tables {
        TABLES
            .get()
            .expect("the document is read before the server starts")
    }

    /// The operations.
    pub(super) fn operations() -> &'static [OperationInfo] {
        &Tables::get().operations
    }

    /// The document.
    pub(super) fn document() -> &'static Document {
        &Tables::get().document
    }

    /// Reads a document, whose text is `source`. Returns the operations that cannot be served, each with the reason.
    ///
    /// # Errors
    /// What is wrong in the document as a whole.
    pub(super) fn read(
        spec: &Spec,
        source: String,
        settings: &dropspec_codegen::Settings,
    ) -> Result<Vec<Unsupported>, Vec<Diagnostic>> {
        let api = planned::plan(spec, settings)?;
        let json = spec.document.root().to_json();
        let plans = plans(&api);
        let of = |name: &str| plans.iter().find(|plan| plan.name == name);
        let (largest, smallest) = find_plans(&json).unzip();
        let limits = |plan: &PlanInfo| Some((plan.name, plan.limits?));
        let unlimited = RateLimits {
            per_minute: u64::MAX,
            per_day: u64::MAX,
        };
        let tables = Tables {
            plan: largest
                .and_then(of)
                .and_then(limits)
                .unwrap_or(("", unlimited)),
            anonymous: smallest.and_then(of).and_then(|plan| plan.limits),
            operations: api.operations.iter().map(describe).collect(),
            schemes: schemes(&api),
            plans,
            error_codes: error_codes(&api),
            errors: errors::find(&json),
            document: Document::from_json(leak(json.to_string())),
            written: spec.source.root().to_json().to_string(),
            source,
        };
        assert!(TABLES.set(tables).is_ok(), "a process mocks one document");
        Ok(api.into_left_out())
    }
}

/// A text for as long as the process runs.
fn leak(text: impl Into<String>) -> &'static str {
    text.into().leak()
}

fn describe(operation: &Operation) -> OperationInfo {
    let extensions = &operation.extensions;
    let alternatives = extensions.security.iter().map(|uses| {
        let uses = uses.iter().map(|it| {
            let scopes: Vec<_> = it.scopes.iter().map(leak).collect();
            SchemeUse::new(it.scheme, scopes.leak())
        });
        &*uses.collect::<Vec<_>>().leak()
    });
    OperationInfo {
        tag: operation.tags.first().map(leak),
        stability: extensions.stability,
        deprecation: extensions.deprecation.as_ref().map(|it| Deprecation {
            since: it.since,
            sunset: it.sunset,
            successor: it.successor.as_ref().map(leak),
        }),
        required_access: extensions.required_access.as_ref().map(leak),
        rate_limit_cost: extensions.rate_limit_cost,
        security: alternatives.collect::<Vec<_>>().leak(),
        generated: operation.is_generated(),
        ..OperationInfo::new(
            leak(&operation.id),
            Method::parse(operation.method).expect("the plan has methods of HTTP"),
            leak(&operation.path),
        )
    }
}

fn schemes(api: &Api) -> Vec<SecuritySchemeInfo> {
    let schemes: &'static _ = Box::leak(Box::new(api.security_schemes.clone()));
    let schemes = schemes.iter().map(|(name, scheme)| SecuritySchemeInfo {
        name,
        kind: scheme.kind.sent(),
    });
    schemes.collect()
}

fn plans(api: &Api) -> Vec<PlanInfo> {
    let plans = api.plans.iter().map(|plan| PlanInfo {
        name: leak(&plan.name),
        limits: plan.limits.map(|(per_minute, per_day)| RateLimits {
            per_minute,
            per_day,
        }),
    });
    plans.collect()
}

fn error_codes(api: &Api) -> Vec<ErrorCodeInfo> {
    let codes = api.error_codes.iter().flatten().map(|code| ErrorCodeInfo {
        name: leak(&code.name),
        status: code.status,
    });
    codes.collect()
}

/// The definition of an operation in the document.
pub(super) fn definition(operation: usize) -> &'static Value {
    let info = &Tables::operations()[operation];
    let found = Tables::document().find(&info.pointer());
    found.unwrap_or(&Value::Null)
}
