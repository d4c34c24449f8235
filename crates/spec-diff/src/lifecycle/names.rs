//! What the rules of a life are called: the same events have other names for operations, parameters and properties.

/// What the rules are called.
pub(crate) struct Names {
    pub(super) deprecated: &'static str,
    pub(super) deprecated_with_sunset: &'static str,
    pub(super) reactivated: &'static str,
    pub(super) sunset_missing: &'static str,
    pub(super) sunset_invalid: &'static str,
    pub(super) sunset_too_small: &'static str,
    pub(super) sunset_deleted: &'static str,
    pub(super) sunset_was_invalid: &'static str,
    pub(super) sunset_moved_earlier: &'static str,
    pub(super) sunset_moved: &'static str,
}

/// For operations.
pub(crate) const OPERATION: Names = Names {
    deprecated: "endpoint-deprecated",
    deprecated_with_sunset: "endpoint-deprecated-with-sunset",
    reactivated: "endpoint-reactivated",
    sunset_missing: "api-deprecated-sunset-missing",
    sunset_invalid: "api-deprecated-sunset-parse",
    sunset_too_small: "api-sunset-date-too-small",
    sunset_deleted: "sunset-deleted",
    sunset_was_invalid: "api-path-sunset-parse",
    sunset_moved_earlier: "api-sunset-date-changed-too-small",
    sunset_moved: "api-sunset-date-moved",
};

/// For parameters.
pub(crate) const PARAMETER: Names = Names {
    deprecated: "request-parameter-deprecated",
    deprecated_with_sunset: "request-parameter-deprecated",
    reactivated: "request-parameter-reactivated",
    sunset_missing: "request-parameter-deprecated-sunset-missing",
    sunset_invalid: "request-parameter-sunset-parse",
    sunset_too_small: "request-parameter-sunset-date-too-small",
    sunset_deleted: "request-parameter-sunset-deleted",
    sunset_was_invalid: "request-parameter-sunset-parse",
    sunset_moved_earlier: "request-parameter-sunset-date-changed-too-small",
    sunset_moved: "request-parameter-sunset-date-moved",
};

/// For properties, after the role.
pub(crate) const PROPERTY: Names = Names {
    deprecated: "deprecated",
    deprecated_with_sunset: "deprecated-with-sunset",
    reactivated: "reactivated",
    sunset_missing: "deprecated-sunset-missing",
    sunset_invalid: "deprecated-sunset-invalid",
    sunset_too_small: "sunset-date-too-small",
    sunset_deleted: "sunset-deleted",
    sunset_was_invalid: "deprecated-sunset-invalid",
    sunset_moved_earlier: "sunset-date-changed-too-small",
    sunset_moved: "sunset-date-moved",
};
