//! Counts the problems of a document.

use spec_model::Level;

use super::Problem;
use crate::losses::count;

/// Counts the problems: `2 errors, 1 warning`; empty if there are none.
pub(super) fn summarize(problems: &[&Problem], is_frozen: bool) -> String {
    let levels = [Level::Error, Level::Warn, Level::Info];
    let counts = levels.into_iter().filter_map(|level| {
        let number = problems.iter().filter(|it| it.level == level).count();
        let number = number + usize::from(level == Level::Error && is_frozen);
        (number > 0).then(|| count(number, level_word(level)))
    });
    counts.collect::<Vec<_>>().join(", ")
}

pub(super) fn level_word(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warn => "warning",
        Level::Info => "info",
    }
}
