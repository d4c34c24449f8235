//! The plan of a key, with its limits: those of the plan, or its own where the plan has none.

use std::fmt;

use dropspec_runtime::{PlanInfo, RateLimits};
use dropspec_store::EngineError;
use thiserror::Error;

/// The largest number of requests per minute or day that an operator can give to a single key.
const MAX_LIMIT: u64 = 1_000_000_000;

/// The plan of a key, and the limits that apply to the key: those of the plan, or its own if the plan has none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyPlan {
    name: &'static str,
    limits: RateLimits,
    is_custom: bool,
}

/// Why a plan and the limits given for one key cannot be combined.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum KeyPlanError {
    /// No plan has this name.
    #[error("there is no plan {0:?}")]
    UnknownPlan(String),
    /// The plan has limits, and others were given.
    #[error(
        "the limits of the plan {0} are fixed; only a plan without limits takes its own for each key"
    )]
    Fixed(&'static str),
    /// The plan has no limits, and none were given.
    #[error("a key of the plan {0} needs limits of its own, per minute and per day")]
    Missing(&'static str),
    /// A limit is too small or too large.
    #[error("a limit of {0} requests is out of bounds; it can be 1 to {MAX_LIMIT}")]
    OutOfBounds(u64),
    /// The limit per minute is larger than the limit per day.
    #[error("{} requests a minute can never be sent with {} a day", .0.per_minute, .0.per_day)]
    Contradictory(RateLimits),
}

impl KeyPlan {
    /// Finds the plan `name`, and combines it with the limits of one key, `custom`, which a plan without limits needs.
    ///
    /// # Errors
    ///
    /// If no plan has the name, if the plan has limits and `custom` is given, or neither, or if `custom` is out of
    /// bounds.
    pub fn resolve(
        plans: &[PlanInfo],
        name: &str,
        custom: Option<RateLimits>,
    ) -> Result<KeyPlan, KeyPlanError> {
        let plan = plans.iter().find(|plan| plan.name == name);
        let plan = plan.ok_or_else(|| KeyPlanError::UnknownPlan(name.to_owned()))?;
        let limits = match (plan.limits, custom) {
            (Some(limits), None) => limits,
            (Some(_), Some(_)) => return Err(KeyPlanError::Fixed(plan.name)),
            (None, None) => return Err(KeyPlanError::Missing(plan.name)),
            (None, Some(custom)) => check_bounds(custom)?,
        };
        Ok(KeyPlan {
            name: plan.name,
            limits,
            is_custom: custom.is_some(),
        })
    }

    /// The name of the plan.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// The requests per minute and per day that apply to the key.
    pub fn limits(&self) -> RateLimits {
        self.limits
    }

    /// The limits set for this key alone; `None` if the limits are those of the plan.
    pub fn custom_limits(&self) -> Option<RateLimits> {
        self.is_custom.then_some(self.limits)
    }

    /// The limits of the key's own, as the database stores them.
    pub(super) fn limit_columns(&self) -> Result<[Option<i64>; 2], EngineError> {
        let column = |limit: fn(RateLimits) -> u64| {
            let limit = self.custom_limits().map(limit).map(i64::try_from);
            limit.transpose().map_err(EngineError::internal)
        };
        Ok([column(|it| it.per_minute)?, column(|it| it.per_day)?])
    }
}

/// The name, and the limits of the key's own.
impl fmt::Display for KeyPlan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)?;
        match self.custom_limits() {
            Some(own) => write!(
                f,
                " with {} a minute, {} a day",
                own.per_minute, own.per_day
            ),
            None => Ok(()),
        }
    }
}

fn check_bounds(limits: RateLimits) -> Result<RateLimits, KeyPlanError> {
    let mut both = [limits.per_minute, limits.per_day].into_iter();
    if let Some(limit) = both.find(|limit| !(1..=MAX_LIMIT).contains(limit)) {
        return Err(KeyPlanError::OutOfBounds(limit));
    }
    if limits.per_minute > limits.per_day {
        return Err(KeyPlanError::Contradictory(limits));
    }
    Ok(limits)
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLANS: &[PlanInfo] = &[
        PlanInfo {
            name: "free",
            limits: Some(RateLimits::new(60, 1000)),
        },
        PlanInfo {
            name: "enterprise",
            limits: None,
        },
    ];

    #[test]
    fn only_plan_without_limits_takes_custom_limits_and_needs_them() {
        let free = KeyPlan::resolve(PLANS, "free", None).unwrap();
        let limits = RateLimits::new;
        assert_eq!(
            (free.limits(), free.custom_limits()),
            (limits(60, 1000), None)
        );
        assert_eq!(
            KeyPlan::resolve(PLANS, "free", Some(limits(1, 1))),
            Err(KeyPlanError::Fixed("free"))
        );
        assert_eq!(
            KeyPlan::resolve(PLANS, "enterprise", None),
            Err(KeyPlanError::Missing("enterprise"))
        );
        let custom = KeyPlan::resolve(PLANS, "enterprise", Some(limits(7, 70))).unwrap();
        assert_eq!(custom.limits(), limits(7, 70));
        assert_eq!(custom.custom_limits(), Some(limits(7, 70)));
    }

    #[test]
    fn custom_limits_out_of_bounds_or_contradictory_are_rejected() {
        let custom = |per_minute, per_day| {
            KeyPlan::resolve(
                PLANS,
                "enterprise",
                Some(RateLimits::new(per_minute, per_day)),
            )
        };
        assert_eq!(
            custom(0, 1),
            Err(KeyPlanError::OutOfBounds(0)),
            "no request could be sent"
        );
        assert_eq!(
            custom(1, MAX_LIMIT + 1),
            Err(KeyPlanError::OutOfBounds(MAX_LIMIT + 1)),
        );
        assert!(matches!(custom(2, 1), Err(KeyPlanError::Contradictory(_))));
        assert!(custom(MAX_LIMIT, MAX_LIMIT).is_ok());
    }
}
