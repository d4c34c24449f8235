//! A simple model of the limiter: it records every charge and every rate-limited request, and adds them up for each
//! request. It shares no code with the limiter, and has no leases.

/// A key of the model.
#[derive(Debug)]
pub struct ModelKey {
    per_minute: u64,
    per_day: u64,
    charges: Vec<Charge>,
    /// The minute of the latest request of cost 0, counted from 1970, and the number of such requests in it.
    free: (i64, u64),
    /// The latest minute and day of the key, counted from 1970.
    minute: i64,
    day: i64,
    /// The times of its rate-limited requests since the last ban or restart, in the five minutes from the first one on.
    rejections: Vec<i64>,
    strikes: u32,
    last_ban_ends: Option<i64>,
}

#[derive(Debug)]
struct Charge {
    minute: i64,
    day: i64,
    cost: u64,
}

/// The expected outcome.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Expected {
    pub outcome: &'static str,
    pub limit: u64,
    pub remaining: u64,
    pub reset: i64,
    pub retry_after: Option<i64>,
}

/// All keys, and the latest time since the server started.
#[derive(Debug)]
pub struct Model {
    keys: Vec<ModelKey>,
    pub clock: i64,
}

impl Model {
    /// Keys with these limits a minute and a day.
    pub fn new(limits: &[(u64, u64)]) -> Model {
        let key = |(per_minute, per_day): &(u64, u64)| ModelKey {
            per_minute: *per_minute,
            per_day: *per_day,
            charges: Vec::new(),
            free: (0, 0),
            minute: 0,
            day: 0,
            rejections: Vec::new(),
            strikes: 0,
            last_ban_ends: None,
        };
        Model {
            keys: limits.iter().map(key).collect(),
            clock: 0,
        }
    }

    /// The server stops properly and starts again.
    pub fn restart(&mut self) {
        self.clock = 0;
        for key in &mut self.keys {
            key.rejections.clear();
            key.free = (0, 0);
        }
    }

    /// Decides about a request at `now` by the clock of the machine.
    pub fn send(&mut self, key: usize, cost: u64, now: i64) -> Expected {
        self.clock = self.clock.max(now);
        self.keys[key].decide(cost, self.clock)
    }
}

impl ModelKey {
    fn decide(&mut self, cost: u64, now: i64) -> Expected {
        if cost == 0 {
            let minute = now / 60;
            if self.free.0 != minute {
                self.free = (minute, 0);
            }
            if self.free.1 == self.per_minute {
                let reset = (minute + 1) * 60;
                return Expected {
                    outcome: "free limited",
                    limit: self.per_minute,
                    remaining: 0,
                    reset,
                    retry_after: Some(reset - now),
                };
            }
            self.free.1 += 1;
        }
        self.minute = self.minute.max(now / 60);
        self.day = self.day.max(now / 86_400);
        let minute_ends = (self.minute + 1) * 60;
        let day_ends = (self.day + 1) * 86_400;
        let in_minute: u64 = self
            .charges
            .iter()
            .filter(|c| c.minute == self.minute)
            .map(|c| c.cost)
            .sum();
        let in_day: u64 = self
            .charges
            .iter()
            .filter(|c| c.day == self.day)
            .map(|c| c.cost)
            .sum();
        let minute_left = self.per_minute - in_minute;
        let day_left = self.per_day - in_day;

        if let Some(ends) = self.last_ban_ends.filter(|ends| now < *ends) {
            let least = cost.max(1);
            let mut reset = ends;
            if minute_left < least {
                reset = reset.max(minute_ends);
            }
            if day_left < least {
                reset = reset.max(day_ends);
            }
            let (outcome, retry_after) = match cost {
                0 => ("admitted", None),
                _ => ("banned", Some((reset - now).max(1))),
            };
            return Expected {
                outcome,
                limit: self.per_minute,
                remaining: 0,
                reset,
                retry_after,
            };
        }

        let minute = |remaining, outcome| Expected {
            outcome,
            limit: self.per_minute,
            remaining,
            reset: minute_ends,
            retry_after: None,
        };
        let day = |remaining, outcome| Expected {
            outcome,
            limit: self.per_day,
            remaining,
            reset: day_ends,
            retry_after: None,
        };
        if minute_left >= cost && day_left >= cost {
            let (minute_left, day_left) = (minute_left - cost, day_left - cost);
            let expected = if minute_left < day_left {
                minute(minute_left, "admitted")
            } else {
                day(day_left, "admitted")
            };
            if cost > 0 {
                self.charges.push(Charge {
                    minute: self.minute,
                    day: self.day,
                    cost,
                });
            }
            return expected;
        }

        let limited = if day_left < cost {
            day(day_left, "day limited")
        } else {
            minute(minute_left, "minute limited")
        };
        if self.rejections.first().is_some_and(|at| now - at > 300) {
            self.rejections.clear();
        }
        self.rejections.push(now);
        if self.rejections.len() as u64 > self.per_minute.max(30) {
            self.ban(now);
            return self.decide(cost, now);
        }
        Expected {
            retry_after: Some((limited.reset - now).max(1)),
            ..limited
        }
    }

    fn ban(&mut self, now: i64) {
        self.rejections.clear();
        let mut strikes = self.strikes;
        let mut fades = self.last_ban_ends.unwrap_or(0) + 86_400;
        while strikes > 0 && fades <= now {
            strikes -= 1;
            fades += 86_400;
        }
        let mut length = 120;
        for _ in 0..strikes {
            length = (length * 2).min(86_400);
        }
        self.strikes = strikes + 1;
        self.last_ban_ends = Some(now + length);
    }
}
