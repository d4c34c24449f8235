//! What the limiter should answer, found the slow way: every charge and every refusal is kept, and all is added up anew
//! for each request. It shares no code with the limiter, and knows nothing of leases.

/// A key as the model sees it.
#[derive(Debug)]
pub struct ModelKey {
    per_minute: u64,
    per_day: u64,
    charges: Vec<Charge>,
    /// The latest minute and day that the key was seen in, counted from 1970.
    minute: i64,
    day: i64,
    /// When it was refused by limit, since the last ban and restart.
    refusals: Vec<i64>,
    strikes: u32,
    last_ban_ends: Option<i64>,
}

#[derive(Debug)]
struct Charge {
    minute: i64,
    day: i64,
    cost: u64,
}

/// What a request is answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Answer {
    pub decision: &'static str,
    pub limit: u64,
    pub remaining: u64,
    pub reset: i64,
    pub retry_after: Option<i64>,
}

/// All keys, and the latest time that the server has seen since it started.
#[derive(Debug)]
pub struct Model {
    keys: Vec<ModelKey>,
    pub clock: i64,
}

impl Model {
    /// Keys with these limits a minute and a day.
    pub fn of(limits: &[(u64, u64)]) -> Model {
        let key = |(per_minute, per_day): &(u64, u64)| ModelKey {
            per_minute: *per_minute,
            per_day: *per_day,
            charges: Vec::new(),
            minute: 0,
            day: 0,
            refusals: Vec::new(),
            strikes: 0,
            last_ban_ends: None,
        };
        Model {
            keys: limits.iter().map(key).collect(),
            clock: 0,
        }
    }

    /// The server stops in good order, and starts with what it is told then.
    pub fn restart(&mut self) {
        self.clock = 0;
        for key in &mut self.keys {
            key.refusals.clear();
        }
    }

    /// A request while the machine's clock says `told`.
    pub fn send(&mut self, key: usize, cost: u64, told: i64) -> Answer {
        self.clock = self.clock.max(told);
        self.keys[key].answer(cost, self.clock)
    }
}

impl ModelKey {
    fn answer(&mut self, cost: u64, now: i64) -> Answer {
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
            let (decision, retry_after) = match cost {
                0 => ("admitted", None),
                _ => ("banned", Some((reset - now).max(1))),
            };
            return Answer {
                decision,
                limit: self.per_minute,
                remaining: 0,
                reset,
                retry_after,
            };
        }

        let minute = |remaining, decision| Answer {
            decision,
            limit: self.per_minute,
            remaining,
            reset: minute_ends,
            retry_after: None,
        };
        let day = |remaining, decision| Answer {
            decision,
            limit: self.per_day,
            remaining,
            reset: day_ends,
            retry_after: None,
        };
        if minute_left >= cost && day_left >= cost {
            let (minute_left, day_left) = (minute_left - cost, day_left - cost);
            let answer = match minute_left < day_left {
                true => minute(minute_left, "admitted"),
                false => day(day_left, "admitted"),
            };
            if cost > 0 {
                self.charges.push(Charge {
                    minute: self.minute,
                    day: self.day,
                    cost,
                });
            }
            return answer;
        }

        let refused = match day_left < cost {
            true => day(day_left, "day's limit"),
            false => minute(minute_left, "minute's limit"),
        };
        self.refusals.push(now);
        let recent = self.refusals.iter().filter(|at| now - **at <= 300).count() as u64;
        if recent > self.per_minute.max(30) {
            self.ban(now);
            return self.answer(cost, now);
        }
        Answer {
            retry_after: Some((refused.reset - now).max(1)),
            ..refused
        }
    }

    fn ban(&mut self, now: i64) {
        self.refusals.clear();
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
