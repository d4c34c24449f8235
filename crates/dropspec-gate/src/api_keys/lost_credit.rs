//! The credit of keys in a file that crashes may have cost, and the table `credit`.

use dropspec_rate_limit::{Adjustment, Claim, CreditRecord, Now, RateLimits, Window, full_credit};
use dropspec_store::EngineError;

use super::claims::adjust;
use super::db::Db;

/// Claims the requests of the windows at `now` (Unix seconds) that a key may have spent on the credit of its limits before
/// and not on that of its new ones.
pub(crate) async fn claim_lost_credit<D: Db>(
    db: &D,
    key_id: i64,
    before: RateLimits,
    after: RateLimits,
    now: i64,
) -> Result<(), EngineError> {
    if D::IS_SHARED {
        return Ok(());
    }
    let (record, now) = (read_credit(db, &()).await?, Now::at(now));
    for (window, crashes) in [(Window::Minute, record.minute), (Window::Day, record.day)] {
        let credit = |limits| full_credit(window, window.limit_in(limits));
        let lost = credit(before).saturating_sub(credit(after));
        let crashes = crashes.filter(|it| now.current(window).contains(&it.start));
        // In each of the crashes, and if credit is given now, in the next one.
        let times = crashes.map_or(0, |it| it.claimed) + u64::from(record.is_open);
        if lost * times > 0 {
            let claim = Adjustment {
                amount: i64::try_from(lost * times).unwrap_or(i64::MAX),
                least: lost * times,
                limit: window.limit_in(before),
                ..Adjustment::unchanged(key_id, window, now.start_of(window))
            };
            adjust(db, &claim, &now).await?;
        }
    }
    Ok(())
}

pub(crate) async fn read_credit<D: Db>(db: &D, (): &()) -> Result<CreditRecord, EngineError> {
    let mut record = CreditRecord::default();
    let select = "SELECT \"window\", is_open, start, crashes FROM credit";
    for row in db.query(select, &[]).await? {
        record.is_open |= row.get::<bool>(1)?;
        let (start, claimed) = (row.get(2)?, row.get_count(3)?);
        let crashes = Some(Claim { start, claimed });
        if row.get::<String>(0)? == Window::Minute.as_str() {
            record.minute = crashes
        } else {
            record.day = crashes
        }
    }
    Ok(record)
}

pub(crate) async fn store_credit<D: Db>(db: &D, record: &CreditRecord) -> Result<(), EngineError> {
    let insert = "INSERT OR REPLACE INTO credit (\"window\", is_open, start, crashes) VALUES ($1, $2, $3, $4)";
    for (window, crashes) in [(Window::Minute, record.minute), (Window::Day, record.day)] {
        let start = crashes.map_or(0, |it| it.start);
        let crashes = crashes.map_or(0, |it| it.claimed);
        let crashes = i64::try_from(crashes).map_err(EngineError::internal)?;
        db.query(
            insert,
            &[&window.as_str(), &record.is_open, &start, &crashes],
        )
        .await?;
    }
    Ok(())
}
