//! Who uses what a finding touches.

use chrono::NaiveDate;
use serde::Serialize;

/// Who uses what a finding touches: the deprecated parameter or property if the service counts it, or else the operations at
/// which the finding is more than an info.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FindingUsage {
    /// What was looked up, such as `GET /pets` or `GET /pets: query parameter limit`.
    pub of: Vec<String>,
    /// How many keys used it in the last 30 days.
    pub keys: usize,
    /// Whether requests without a key of their own used it in the last 30 days.
    pub without_key: bool,
    /// The last day on which it was used.
    pub last: Option<NaiveDate>,
    /// The first day on which all of it was counted.
    pub counted_since: Option<NaiveDate>,
    /// The number of days on which all of it was counted.
    pub counted_days: usize,
    /// All of that in a sentence without a full stop, and why the finding is allowed or not.
    pub summary: String,
    /// Whether the finding is an info because nobody used it for as long as the policy says.
    pub allowed: bool,
}
