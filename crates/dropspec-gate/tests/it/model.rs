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
    /// The times of its rate-limited requests since the last ban or restart, in the last five minutes.
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
        let expected = |outcome, limit, remaining, reset: i64| Expected {
            outcome,
            limit,
            remaining,
            reset,
            retry_after: (outcome != "admitted").then(|| (reset - now).max(1)),
        };
        if cost == 0 {
            let minute = now / 60;
            if self.free.0 != minute {
                self.free = (minute, 0);
            }
            if self.free.1 == self.per_minute {
                return expected("free limited", self.per_minute, 0, (minute + 1) * 60);
            }
            self.free.1 += 1;
        }
        self.minute = self.minute.max(now / 60);
        self.day = self.day.max(now / 86_400);
        let minute_ends = (self.minute + 1) * 60;
        let day_ends = (self.day + 1) * 86_400;
        let (mut minute_left, mut day_left) = (self.per_minute, self.per_day);
        for charge in &self.charges {
            minute_left -= if charge.minute == self.minute {
                charge.cost
            } else {
                0
            };
            day_left -= if charge.day == self.day {
                charge.cost
            } else {
                0
            };
        }

        if let Some(ends) = self.last_ban_ends.filter(|ends| now < *ends) {
            let least = cost.max(1);
            let mut reset = ends;
            if minute_left < least {
                reset = reset.max(minute_ends);
            }
            if day_left < least {
                reset = reset.max(day_ends);
            }
            let outcome = if cost == 0 { "admitted" } else { "banned" };
            return expected(outcome, self.per_minute, 0, reset);
        }

        if minute_left >= cost && day_left >= cost {
            let (minute_left, day_left) = (minute_left - cost, day_left - cost);
            let (minute, day) = (self.minute, self.day);
            if cost > 0 {
                self.charges.push(Charge { minute, day, cost });
            }
            return if minute_left < day_left {
                expected("admitted", self.per_minute, minute_left, minute_ends)
            } else {
                expected("admitted", self.per_day, day_left, day_ends)
            };
        }

        self.rejections.retain(|at| now - at <= 300);
        self.rejections.push(now);
        if self.rejections.len() as u64 > self.per_minute.max(30) {
            self.ban(now);
            return self.decide(cost, now);
        }
        if day_left < cost {
            expected("day limited", self.per_day, day_left, day_ends)
        } else {
            expected("minute limited", self.per_minute, minute_left, minute_ends)
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
