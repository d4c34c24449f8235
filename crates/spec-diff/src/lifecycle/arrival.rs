//! What is deprecated from its first day needs the sunset, and the notice, that any deprecation needs.

use super::names::Names;
use super::{Lifecycle, Sunset, is_too_soon, too_soon};
use crate::policy::{Policy, Stability};

/// What is wrong with the announced end of something new, where so much is promised: the rule, and words.
pub(crate) fn arrival(
    names: &Names,
    life: &Lifecycle,
    promised: Stability,
    policy: &Policy,
) -> Option<(&'static str, String)> {
    let notice = policy.notice(life.promised().min(promised));
    let today = policy.today;
    let (rule, why) = match &life.sunset {
        _ if !life.deprecated => return None,
        Sunset::None if notice > 0 => (names.sunset_missing, "it has no sunset".to_owned()),
        Sunset::Invalid(text) => {
            let why = format!("the sunset `{text}` is no date");
            (names.sunset_invalid, why)
        }
        Sunset::On(date) if is_too_soon(*date, notice, today) => {
            (names.sunset_too_small, too_soon(*date, notice, today))
        }
        Sunset::None | Sunset::On(_) => return None,
    };
    Some((rule, format!("is new and deprecated already: {why}")))
}
