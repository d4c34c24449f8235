//! The credit of keys in a file that crashes may have cost, and the table `credit`.

use rate_limit::{Adjustment, Claim, CreditRecord, Now, RateLimits, Window, full_credit};
use rusqlite::Connection;
use sqlite_engine::EngineError;

use super::claims::adjust;

/// Claims the requests of the windows at `now` (Unix seconds) that a key may have spent on the credit of its limits before
/// and not on that of its new ones.
pub(crate) fn claim_lost_credit(
    db: &Connection,
    key_id: i64,
    before: RateLimits,
    after: RateLimits,
    now: i64,
) -> Result<(), EngineError> {
    let (record, now) = (read_credit(db)?, Now::at(now));
    for (window, crashes) in [(Window::Minute, record.minute), (Window::Day, record.day)] {
        let credit = |limits| full_credit(window, window.limit_in(limits));
        let lost = credit(before).saturating_sub(credit(after));
        let crashes = crashes.filter(|it| now.current(window).contains(&it.start));
        // In each of the crashes, and if credit is given now, in the next one.
        let times = crashes.map_or(0, |it| it.claimed) + u64::from(record.is_open);
        if lost * times > 0 {
            let claim = claim_lost(key_id, window, lost * times, window.limit_in(before), &now);
            adjust(db, &claim, &now)?;
        }
    }
    Ok(())
}

fn claim_lost(key_id: i64, window: Window, lost: u64, limit: u64, now: &Now) -> Adjustment {
    Adjustment {
        key_id,
        window,
        start: now.start_of(window),
        amount: i64::try_from(lost).unwrap_or(i64::MAX),
        least: lost,
        leased: 0,
        used: 0,
        limit,
        last_seen: None,
    }
}

pub(crate) fn read_credit(db: &Connection) -> Result<CreditRecord, EngineError> {
    let mut record = CreditRecord::default();
    let mut select = db.prepare_cached("SELECT window, is_open, start, crashes FROM credit")?;
    let mut rows = select.query([])?;
    while let Some(row) = rows.next()? {
        record.is_open |= row.get::<_, bool>("is_open")?;
        let crashes = Claim {
            start: row.get("start")?,
            claimed: row.get("crashes")?,
        };
        if row.get::<_, String>("window")? == Window::Minute.as_str() {
            record.minute = Some(crashes)
        } else {
            record.day = Some(crashes)
        }
    }
    Ok(record)
}
