//! The extensions that code is generated from: stability, deprecation, access, costs, plans, error codes.

use std::ops::RangeInclusive;

use dropspec_model::lifecycle::{
    DEPRECATED_SINCE, InvalidLifecycle, Lifecycle, STABILITY, SUCCESSOR, SUNSET,
};
use dropspec_model::{Member, Node, Object, Operation, Place, SecuritySchemeKind, Spec};
use dropspec_schema::{SecurityScheme, Stability, pointer};

use crate::model::{Deprecation, ErrorCode, OperationExtensions, RateLimitPlan, SchemeUse};
use crate::names;
use crate::plan::problems::Problems;

const DATE_HELP: &str = "write it as \"2027-06-30\"";
const STABILITY_HELP: &str = "write `beta` or `experimental`, or leave it out";

/// Reads the extensions of an operation, such as `x-stability` and `x-rate-limit-cost`; reports invalid values.
pub(super) fn read_extensions(
    spec: &Spec,
    problems: &Problems<'_>,
    operation: &Operation,
) -> OperationExtensions {
    let reader = Extensions {
        problems,
        object: &operation.extensions,
        pointer: &operation.at.pointer,
    };
    let read = Lifecycle::from_extensions(&operation.extensions);
    let deprecation = Deprecation {
        since: reader.lifecycle(DEPRECATED_SINCE, read.deprecated_since, DATE_HELP),
        sunset: reader.lifecycle(SUNSET, read.sunset, DATE_HELP),
        successor: reader.lifecycle(SUCCESSOR, read.successor, "write it in quotes"),
    };
    if let Some(successor) = &deprecation.successor
        && spec.operation(successor).is_none()
    {
        let message = format!("there is no operation `{successor}`");
        reader.report(SUCCESSOR, &message, "name an operationId");
    }
    if !operation.deprecated {
        for key in [DEPRECATED_SINCE, SUNSET, SUCCESSOR] {
            let help = "add `deprecated: true`";
            reader.report(key, "the operation is not deprecated", help);
        }
    }
    let stability = reader.lifecycle(STABILITY, read.stability, STABILITY_HELP);
    if stability == Some(Stability::Draft) {
        let message = "`draft` operations are not generated";
        reader.report(STABILITY, message, STABILITY_HELP);
    }
    reader.count(
        MAX_BODY,
        1..=u64::MAX,
        "the largest body is not a number of bytes",
    );
    let cost = reader.count(
        COST,
        0..=u32::MAX.into(),
        "the cost is not a number of requests",
    );
    OperationExtensions {
        stability: stability.unwrap_or(Stability::Stable),
        deprecation: operation.deprecated.then_some(deprecation),
        required_access: reader.required_access(),
        rate_limit_cost: cost.and_then(|cost| u32::try_from(cost).ok()).unwrap_or(1),
        security: read_security(spec, operation, problems),
    }
}

/// The extension with the requests that a call counts as.
const COST: &str = "x-rate-limit-cost";

/// The extension with the access that a key needs, and its values.
const REQUIRED_ACCESS: &str = "x-required-access";
const ACCESSES: [&str; 2] = ["read", "write"];

/// The extension with the largest body of an operation, which the server reads when it starts.
const MAX_BODY: &str = "x-max-body-bytes";

/// The alternatives of security schemes that apply to the operation. Schemes that are not declared have been reported.
fn read_security(
    spec: &Spec,
    operation: &Operation,
    problems: &Problems<'_>,
) -> Vec<Vec<SchemeUse>> {
    let is_certificate = |name: &String| {
        let scheme = spec.security_schemes.get(name);
        scheme.is_some_and(|it| matches!(&it.kind, SecuritySchemeKind::Http { scheme, .. } if scheme == "mutualTLS"))
    };
    let (hidden, seen): (Vec<_>, Vec<_>) = spec
        .security_of(operation)
        .iter()
        .partition(|it| it.schemes.keys().any(is_certificate));
    let help = "leave it out of `security`, and let the proxy before the server check certificates";
    if let Some(name) = hidden
        .iter()
        .flat_map(|it| it.schemes.keys())
        .find(|it| is_certificate(it))
    {
        let message = format!("the scheme `{name}` is `mutualTLS`, which is not in a request");
        match seen.as_slice() {
            [] => problems.report(&operation.at, message, help),
            _ => problems.warn(
                &operation.at,
                format!("{message}: the alternatives with it are left out"),
                help,
            ),
        }
    }
    let read = seen.into_iter().map(|requirement| {
        let uses = requirement.schemes.iter().filter_map(|(name, scopes)| {
            let (index, _, scheme) = spec.security_schemes.get_full(name)?;
            let is_in_query = matches!(scheme.kind.sent(), SecurityScheme::Query(_));
            if is_in_query && operation.parameters.iter().any(|it| it.is_whole_query) {
                let message = format!(
                    "the key of the scheme `{name}` is in the query, which is JSON as a whole"
                );
                let help = "demand another scheme, or describe the query by parameters in `query`";
                problems.report(&operation.at, message, help);
            }
            Some(SchemeUse {
                scheme: index,
                scopes: scopes.iter().map(|scope| scope.value.clone()).collect(),
            })
        });
        uses.collect()
    });
    read.collect()
}

/// Reads the plans of `x-rate-limits` at the root of the document.
pub(super) fn read_plans(spec: &Spec, problems: &Problems<'_>) -> Vec<RateLimitPlan> {
    let reader = Extensions {
        problems,
        object: &spec.extensions,
        pointer: "",
    };
    let members = reader.members("x-rate-limits").into_iter().flatten();
    let mut plans = Vec::new();
    for (name, member) in members {
        let limit = |key| member.node.get(key).and_then(as_count);
        let custom = member.node.get("custom").and_then(Node::as_bool) == Some(true);
        let limits = match (limit("per-minute"), limit("per-day"), custom) {
            (Some(minute), Some(day), false) => Some((minute, day)),
            (None, None, true) => None,
            _ => {
                let at = reader.place(&pointer::join("x-rate-limits", name), member);
                problems.report(
                    &at,
                    format!("the plan `{name}` has no clear limits"),
                    "write `per-minute` and `per-day`, or `custom: true`",
                );
                None
            }
        };
        plans.push(RateLimitPlan {
            name: name.clone(),
            limits,
        });
    }
    plans
}

/// Reads the error codes of `x-error-codes` at the root of the document.
pub(super) fn read_error_codes(spec: &Spec, problems: &Problems<'_>) -> Option<Vec<ErrorCode>> {
    let reader = Extensions {
        problems,
        object: &spec.extensions,
        pointer: "",
    };
    let members = reader.members("x-error-codes")?;
    let mut taken = names::reserve_list();
    let mut codes = Vec::new();
    for (name, member) in members {
        let status = as_count(&member.node).and_then(|status| u16::try_from(status).ok());
        let Some(status) = status.filter(|status| (400..600).contains(status)) else {
            let at = reader.place(&pointer::join("x-error-codes", name), member);
            let message = format!("the code `{name}` has no error status");
            problems.report(&at, message, "write a status from 400 to 599");
            continue;
        };
        let variant =
            names::variant_name(name).unwrap_or_else(|| format!("Code{}", codes.len() + 1));
        codes.push(ErrorCode {
            name: name.clone(),
            variant: names::make_unique(variant, &mut taken),
            status,
        });
    }
    Some(codes)
}

/// The value of a node that is a whole number from 0.
fn as_count(node: &Node) -> Option<u64> {
    node.as_number().and_then(serde_json::Number::as_u64)
}

struct Extensions<'e> {
    problems: &'e Problems<'e>,
    object: &'e Object,
    pointer: &'e str,
}

impl Extensions<'_> {
    /// The value of an extension that is a number of this range; anything else is reported.
    fn count(&self, key: &str, range: RangeInclusive<u64>, message: &str) -> Option<u64> {
        let member = self.object.get(key)?;
        let count = as_count(&member.node).filter(|count| range.contains(count));
        if count.is_none() {
            let start = *range.start();
            let help = format!("write {start}, {}, {}, …", start + 1, start + 2);
            self.report(key, message, &help);
        }
        count
    }

    /// The access that a key needs; any other word is reported.
    fn required_access(&self) -> Option<String> {
        let member = self.object.get(REQUIRED_ACCESS)?;
        let access = member.node.as_str().filter(|it| ACCESSES.contains(it));
        if access.is_none() {
            let found = match member.node.as_str() {
                Some(text) => format!("`{text}`"),
                None => member.node.kind().to_owned(),
            };
            let message = format!("`{REQUIRED_ACCESS}` is {found}, not an access");
            self.report(REQUIRED_ACCESS, &message, "write `read` or `write`");
        }
        access.map(str::to_owned)
    }

    /// The value of a lifecycle extension; an invalid one is reported.
    fn lifecycle<T>(
        &self,
        key: &str,
        value: Option<Result<T, InvalidLifecycle>>,
        help: &str,
    ) -> Option<T> {
        match value? {
            Ok(value) => Some(value),
            Err(error) => {
                self.report(key, &error.to_string(), help);
                None
            }
        }
    }

    fn members(&self, key: &str) -> Option<&Object> {
        let member = self.object.get(key)?;
        let members = member
            .node
            .as_object()
            .filter(|members| !members.is_empty());
        if members.is_none() {
            self.report(
                key,
                &format!("`{key}` is not an object with entries"),
                "write an object with an entry for each",
            );
        }
        members
    }

    fn report(&self, key: &str, message: &str, help: &str) {
        if let Some(member) = self.object.get(key) {
            let place = self.place(key, member);
            self.problems.report(&place, message, help);
        }
    }

    /// The place of a member of the object; `path` is its JSON pointer in the object, without the first slash.
    fn place(&self, path: &str, member: &Member) -> Place {
        Place {
            pointer: format!("{}/{path}", self.pointer),
            position: member.key_position,
        }
    }
}
