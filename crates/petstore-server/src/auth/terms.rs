//! What is agreed with the owner of a key: a plan, and the figures that come with it.

use petstore_api::Plan;
use thiserror::Error;

use crate::rate_limit::Limits;

/// The largest figure that an enterprise key can have.
const MOST: u64 = 1_000_000_000;

/// A plan and its figures, which belong together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    plan: Plan,
    limits: Limits,
}

/// Why a plan and figures do not go together.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum TermsError {
    /// The plan has figures of its own.
    #[error("the figures of the plan {0} are fixed; only an enterprise key has its own")]
    Fixed(Plan),
    /// The plan has none, and neither were given.
    #[error("an enterprise key needs its figures, a minute's and a day's")]
    Missing,
    /// A figure is out of bounds.
    #[error("a figure of {0} requests is out of bounds; it can be 1 to {MOST}")]
    OutOfBounds(u64),
    /// More in a minute than in a day.
    #[error("{per_minute} requests a minute can never be sent with {per_day} a day")]
    Contradictory {
        /// The minute's figure.
        per_minute: u64,
        /// The day's figure.
        per_day: u64,
    },
}

impl Terms {
    /// A plan, with `own` figures where the plan has none.
    ///
    /// # Errors
    ///
    /// When it has and is given some, or has not and is given none, or such as make no sense.
    pub fn new(plan: Plan, own: Option<Limits>) -> Result<Terms, TermsError> {
        let limits = match (plan.limits(), own) {
            (Some(figures), None) => Limits {
                per_minute: figures.per_minute,
                per_day: figures.per_day,
            },
            (Some(_), Some(_)) => return Err(TermsError::Fixed(plan)),
            (None, None) => return Err(TermsError::Missing),
            (None, Some(own)) => checked(own)?,
        };
        Ok(Terms { plan, limits })
    }

    /// The plan.
    pub fn plan(&self) -> Plan {
        self.plan
    }

    /// The figures that apply.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// The figures that were agreed with this owner; `None` if they are the plan's.
    pub fn own(&self) -> Option<Limits> {
        self.plan.limits().is_none().then_some(self.limits)
    }
}

fn checked(own: Limits) -> Result<Limits, TermsError> {
    let Limits {
        per_minute,
        per_day,
    } = own;
    if let Some(figure) = [per_minute, per_day]
        .into_iter()
        .find(|f| !(1..=MOST).contains(f))
    {
        return Err(TermsError::OutOfBounds(figure));
    }
    if per_minute > per_day {
        return Err(TermsError::Contradictory {
            per_minute,
            per_day,
        });
    }
    Ok(own)
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use super::*;

    fn figures(per_minute: u64, per_day: u64) -> Option<Limits> {
        Some(Limits {
            per_minute,
            per_day,
        })
    }

    #[test]
    fn only_enterprise_has_figures_of_its_own_and_always_has() {
        assert_eq!(
            Terms::new(Plan::Free, None).unwrap().limits(),
            figures(60, 1000).unwrap()
        );
        assert_eq!(
            Terms::new(Plan::Free, figures(1, 1)),
            Err(TermsError::Fixed(Plan::Free))
        );
        assert_eq!(Terms::new(Plan::Enterprise, None), Err(TermsError::Missing));
        let terms = Terms::new(Plan::Enterprise, figures(7, 70)).unwrap();
        assert_eq!(terms.limits(), figures(7, 70).unwrap());
        assert_eq!(terms.own(), figures(7, 70));
    }

    #[test]
    fn figures_make_sense() {
        assert_eq!(
            Terms::new(Plan::Enterprise, figures(0, 1)),
            Err(TermsError::OutOfBounds(0)),
            "nothing could be sent"
        );
        assert_eq!(
            Terms::new(Plan::Enterprise, figures(1, MOST + 1)),
            Err(TermsError::OutOfBounds(MOST + 1)),
        );
        assert!(matches!(
            Terms::new(Plan::Enterprise, figures(2, 1)),
            Err(TermsError::Contradictory { .. })
        ));
        assert!(Terms::new(Plan::Enterprise, figures(MOST, MOST)).is_ok());
    }
}
