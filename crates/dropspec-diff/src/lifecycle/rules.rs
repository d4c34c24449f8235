//! The rules for the lifecycle of operations, parameters and properties.

use crate::rules::{Role, RuleId, change, rule};

/// The rules for deprecations and sunsets of one kind of element.
pub(crate) struct LifecycleRules {
    pub(super) deprecated: RuleId,
    pub(super) deprecated_with_sunset: RuleId,
    pub(super) reactivated: RuleId,
    pub(super) sunset_missing: RuleId,
    pub(super) sunset_invalid: RuleId,
    pub(super) sunset_too_soon: RuleId,
    pub(super) sunset_removed: RuleId,
    pub(super) sunset_was_invalid: RuleId,
    pub(super) sunset_earlier: RuleId,
    pub(super) sunset_later: RuleId,
    /// For a stability that is unknown, less and more. None: the stability is not compared.
    pub(super) stability: Option<[RuleId; 3]>,
}

/// The rules for the removal of one kind of element.
pub(crate) struct RemovalRules {
    pub(crate) without_deprecation: RuleId,
    pub(crate) with_deprecation: RuleId,
    pub(crate) before_sunset: RuleId,
    pub(crate) sunset_unreadable: RuleId,
}

pub(crate) const OPERATION: LifecycleRules = LifecycleRules {
    deprecated: rule!("endpoint-deprecated"),
    deprecated_with_sunset: rule!("endpoint-deprecated-with-sunset"),
    reactivated: rule!("endpoint-reactivated"),
    sunset_missing: rule!("api-deprecated-sunset-missing"),
    sunset_invalid: rule!("api-deprecated-sunset-parse"),
    sunset_too_soon: rule!("api-sunset-date-too-small"),
    sunset_removed: rule!("sunset-deleted"),
    sunset_was_invalid: rule!("api-path-sunset-parse"),
    sunset_earlier: rule!("api-sunset-date-changed-too-small"),
    sunset_later: rule!("api-sunset-date-moved"),
    stability: Some([
        rule!("api-invalid-stability-level"),
        rule!("api-stability-decreased"),
        rule!("api-stability-increased"),
    ]),
};

impl LifecycleRules {
    /// The rules for a parameter.
    pub(crate) fn for_parameter() -> LifecycleRules {
        LifecycleRules {
            deprecated_with_sunset: rule!("request-parameter-deprecated"),
            sunset_invalid: rule!("request-parameter-sunset-parse"),
            sunset_was_invalid: rule!("request-parameter-sunset-parse"),
            stability: None,
            ..LifecycleRules::for_property(Role::Parameter)
        }
    }

    /// The rules for a property in a role.
    pub(crate) fn for_property(role: Role) -> LifecycleRules {
        LifecycleRules {
            deprecated: role.rule(change!("deprecated")),
            deprecated_with_sunset: role.rule(change!("deprecated-with-sunset")),
            reactivated: role.rule(change!("reactivated")),
            sunset_missing: role.rule(change!("deprecated-sunset-missing")),
            sunset_invalid: role.rule(change!("deprecated-sunset-invalid")),
            sunset_too_soon: role.rule(change!("sunset-date-too-small")),
            sunset_removed: role.rule(change!("sunset-deleted")),
            sunset_was_invalid: role.rule(change!("deprecated-sunset-invalid")),
            sunset_earlier: role.rule(change!("sunset-date-changed-too-small")),
            sunset_later: role.rule(change!("sunset-date-moved")),
            stability: Some([
                role.rule(change!("stability-invalid")),
                role.rule(change!("stability-decreased")),
                role.rule(change!("stability-increased")),
            ]),
        }
    }
}
