//! The time of a decision. It knows which stored windows count as the current ones after a clock step.
//!
//! What it is for: exactness. A clock that is set opens no window anew (the tests of clock steps).

use std::ops::RangeInclusive;

use super::window::Window;

/// The time of a decision, in Unix seconds, with the effect of clock steps on windows.
///
/// A clock step neither opens nor ends a window: what was current before it is current after it, under another start.
/// Only time that passes opens a window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Now {
    /// The wall clock.
    pub wall: i64,
    /// The sum of the clock steps so far, in seconds.
    pub stepped: i64,
    /// Of the minute and of the day, set by a step.
    carried: [Option<Carried>; 2],
}

/// The windows that go on after a clock step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Carried {
    /// The start of the window to which the step went.
    pub start: i64,
    /// The earliest start of windows that go on in it.
    pub since: i64,
}

impl Now {
    /// The time `wall` (Unix seconds), by a clock that made no step.
    pub const fn at(wall: i64) -> Now {
        Now {
            wall,
            stepped: 0,
            carried: [None; 2],
        }
    }

    /// The same time after a step that others have seen, as far as its windows have not ended.
    pub(super) fn after_step(self, step: [Carried; 2]) -> Now {
        let is_current = |(window, it): (Window, Carried)| it.start == self.start_of(window);
        let [minute, day] = [(Window::Minute, step[0]), (Window::Day, step[1])];
        let carried = [minute, day].map(|it| is_current(it).then_some(it.1));
        Now { carried, ..self }
    }

    /// The windows that go on after the last step; `None` if no step was seen.
    pub fn last_step(&self) -> Option<[Carried; 2]> {
        let of = |window: Window| Carried {
            start: self.start_of(window),
            since: *self.current(window).start(),
        };
        self.has_stepped().then(|| Window::ALL.map(of))
    }

    /// The same clock when it shows `wall`.
    pub const fn with_wall(self, wall: i64) -> Now {
        Now { wall, ..self }
    }

    /// The time after a step to `wall`, with `stepped` as the new sum of steps.
    pub(super) fn step_to(&self, wall: i64, stepped: i64) -> Now {
        let carried = Window::ALL.map(|window| {
            let start = window.start_at(wall);
            Some(Carried {
                start,
                // A window that starts now may be stored already, from before a step back.
                since: (*self.current(window).start()).min(start),
            })
        });
        Now {
            wall,
            stepped,
            carried,
        }
    }

    /// A clock that makes no steps, for durations: the wall clock without its steps.
    pub const fn steady(&self) -> i64 {
        self.wall.saturating_sub(self.stepped)
    }

    /// The start of the current minute or day.
    pub const fn start_of(&self, window: Window) -> i64 {
        window.start_at(self.wall)
    }

    /// The starts of known windows whose requests count in the current one. Windows that start in the future do: the clock
    /// was set back since, and they go on under the current start. They end with the window to which the clock was set.
    pub fn current(&self, window: Window) -> RangeInclusive<i64> {
        let start = self.start_of(window);
        match self.carried[window as usize] {
            Some(carried) if carried.start == start => carried.since..=i64::MAX,
            Some(_) => start..=start,
            None => start..=i64::MAX,
        }
    }

    /// Whether a window that a server knows by the start `known` is the one that a shared ledger has opened at `opened`: by
    /// the same start, or as one that goes on after a clock step.
    pub fn is_in(&self, known: i64, window: Window, opened: i64) -> bool {
        let goes_on = opened == self.start_of(window) && self.current(window).contains(&known);
        known == opened || goes_on
    }

    /// Whether the clock made a step that was seen.
    pub(super) fn has_stepped(&self) -> bool {
        self.carried.iter().any(Option::is_some)
    }
}
