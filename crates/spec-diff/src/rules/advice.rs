//! The advice of rules: what to do about an error or a warning.

pub(super) const REMOVE_ENTRY: &str = "remove the entry from the settings";
pub(super) const ACKNOWLEDGE_AGAIN: &str =
    "correct the change, or acknowledge it again with a later date";
pub(super) const SET_VERSION: &str = "set `info.version` as the message says";
pub(super) const KEEP_DOCUMENT: &str =
    "restore it, or end its operations first and acknowledge that it is gone";
pub(super) const DEPRECATE_FIRST: &str =
    "restore it with `deprecated: true` and an `x-deprecated-sunset`, and remove it after that day";
pub(super) const WAIT_FOR_SUNSET: &str = "restore it until its sunset has passed";
pub(super) const END_IT: &str = "remove the operation, or move its sunset to a later day";
pub(super) const KEEP_SUNSET: &str = "set a sunset that gives the required notice, and keep it";
pub(super) const KEEP_STABILITY: &str = "keep the stability";
pub(super) const MAKE_OPTIONAL: &str =
    "make it optional, or accept requests without it for some time";
pub(super) const KEEP_OPTIONAL: &str = "keep it optional, or add a new operation that requires it";
pub(super) const MAKE_BODY_OPTIONAL: &str = "make the body optional";
pub(super) const ADD_ALTERNATIVE: &str =
    "add the new requirement as an alternative, and remove the old one after a notice";
pub(super) const NEW_PLAN: &str =
    "announce it, and apply it from a new major version or in a new plan";
pub(super) const KEEP_SERVER: &str = "keep the old server until its clients have moved";
pub(super) const KEEP_NAME: &str = "keep the name: generated clients use it";
pub(super) const KEEP_OPERATION_ID: &str = "keep the operationId: generated clients use it";
pub(super) const KEEP_SPELLING: &str = "keep the spelling";
pub(super) const KEEP_ACCEPTING: &str = "keep accepting what was valid before";
pub(super) const KEEP_OLD_FORM: &str = "keep the old form, or add the new one beside it";
