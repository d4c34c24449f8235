//! What the operation table says of each operation: plain constants, written by the generator.

use std::fmt;

/// One operation of the document.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OperationInfo {
    /// The `operationId`, as the document spells it.
    pub operation_id: &'static str,
    /// The method it is served under.
    pub method: Method,
    /// The path template, such as `/pets/{petId}`.
    pub path: &'static str,
    /// The first of its tags.
    pub tag: Option<&'static str>,
    /// How much of it may change within a version (`x-stability`).
    pub stability: Stability,
    /// Set if the operation is deprecated.
    pub deprecation: Option<Deprecation>,
    /// The access a caller's key must have (`x-required-access`).
    pub required_access: Option<&'static str>,
    /// How many requests one call counts as (`x-rate-limit-cost`, by default 1).
    pub rate_limit_cost: u32,
}

/// The methods that an OpenAPI 3.0 path item can hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Method {
    /// `GET`
    Get,
    /// `PUT`
    Put,
    /// `POST`
    Post,
    /// `DELETE`
    Delete,
    /// `OPTIONS`
    Options,
    /// `HEAD`
    Head,
    /// `PATCH`
    Patch,
    /// `TRACE`
    Trace,
}

/// What a client may rely on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Stability {
    /// Changes only compatibly within a major version.
    #[default]
    Stable,
    /// May break with a minor version.
    Beta,
    /// May break at any time.
    Experimental,
}

/// The end of an operation's life.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Deprecation {
    /// The day it was deprecated (`x-deprecated-since`; the `Deprecation` header of RFC 9745).
    pub since: Option<Date>,
    /// The day it may go (`x-deprecated-sunset`; the `Sunset` header of RFC 8594).
    pub sunset: Option<Date>,
    /// The `operationId` of what to call instead (`x-successor`).
    pub successor: Option<&'static str>,
}

/// A day of the Gregorian calendar, in UTC.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Date {
    /// Four digits.
    pub year: u16,
    /// 1 to 12.
    pub month: u8,
    /// 1 to 31.
    pub day: u8,
}

impl Method {
    /// The method as it stands in a request line.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Get => "GET",
            Self::Put => "PUT",
            Self::Post => "POST",
            Self::Delete => "DELETE",
            Self::Options => "OPTIONS",
            Self::Head => "HEAD",
            Self::Patch => "PATCH",
            Self::Trace => "TRACE",
        }
    }

    /// The key of the method in a path item of the document.
    #[must_use]
    pub const fn key(self) -> &'static str {
        match self {
            Self::Get => "get",
            Self::Put => "put",
            Self::Post => "post",
            Self::Delete => "delete",
            Self::Options => "options",
            Self::Head => "head",
            Self::Patch => "patch",
            Self::Trace => "trace",
        }
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Date {
    /// A day, as the document writes it. It is not checked: the generator did.
    #[must_use]
    pub const fn new(year: u16, month: u8, day: u8) -> Self {
        Self { year, month, day }
    }

    /// Seconds from the Unix epoch to the first moment of the day.
    #[must_use]
    pub const fn unix_seconds(self) -> i64 {
        // Counting years from March puts the leap day last, so that one formula covers all months.
        let (year, month) = if self.month > 2 {
            (self.year as i64, self.month as i64 - 3)
        } else {
            (self.year as i64 - 1, self.month as i64 + 9)
        };
        let days_before_month = (153 * month + 2) / 5;
        let leap_days = year / 4 - year / 100 + year / 400;
        let days = 365 * year + leap_days + days_before_month + self.day as i64 - 1;
        const DAYS_TO_EPOCH: i64 = 719_468;
        (days - DAYS_TO_EPOCH) * 86_400
    }
}

impl fmt::Display for Date {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_count_from_the_epoch() {
        let rows = [
            ((1970, 1, 1), 0, "the epoch itself"),
            ((2000, 2, 29), 951_782_400, "a leap day of a century"),
            ((2026, 11, 21), 1_795_219_200, "a day in autumn"),
            ((2027, 6, 30), 1_814_313_600, "a day in summer"),
            (
                (2100, 3, 1),
                4_107_542_400,
                "after a century without a leap day",
            ),
        ];
        for ((year, month, day), seconds, reason) in rows {
            let date = Date { year, month, day };
            assert_eq!(date.unix_seconds(), seconds, "{date}: {reason}");
        }
    }
}
