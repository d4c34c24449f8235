//! Adjustments in the table `usage` of a file, which one server uses.

use dropspec_rate_limit::{Adjusted, Adjustment, Claim, Now, Window};
use dropspec_store::EngineError;

use super::db::Db;

/// Makes adjustments, and stores the times of last use. Only claims of requests update them, as a write for each request would
/// cost too much.
pub(crate) async fn adjust_all<D: Db>(
    db: &D,
    adjustments: &[Adjustment],
    now: &Now,
) -> Result<Vec<Adjusted>, EngineError> {
    let mut adjusted = Vec::with_capacity(adjustments.len());
    for it in adjustments {
        if it.amount > 0 || (it.last_seen.is_some() && it.window == Window::Day) {
            let update = "UPDATE api_keys SET last_used_at = $1 WHERE id = $2";
            let last_used = it.last_seen.unwrap_or(now.wall);
            db.query(update, &[&last_used, &it.key_id]).await?;
        }
        adjusted.push(adjust(db, it, now).await?);
    }
    Ok(adjusted)
}

pub(crate) async fn adjust<D: Db>(
    db: &D,
    adjustment: &Adjustment,
    now: &Now,
) -> Result<Adjusted, EngineError> {
    let (key_id, window) = (adjustment.key_id, adjustment.window.as_str());
    let select = "SELECT start, claimed, leased FROM usage WHERE key_id = $1 AND \"window\" = $2";
    let rows = db.query(select, &[&key_id, &window]).await?;
    let mut stored = None;
    if let Some(row) = rows.first() {
        let (start, claimed) = (row.get(0)?, row.get_count(1)?);
        stored = Some((Claim { start, claimed }, row.get_count(2)?));
    }
    let adjusted = adjustment.apply_to(stored.map(|(claim, _)| claim), now);
    let claim = adjusted.claim;
    let leased = adjustment.leased_after(adjusted.granted);
    if stored != Some((claim, leased)) {
        let insert = "INSERT INTO usage (key_id, \"window\", start, claimed, leased) VALUES ($1, $2, $3, $4, $5)
            ON CONFLICT (key_id, \"window\")
            DO UPDATE SET start = excluded.start, claimed = excluded.claimed, leased = excluded.leased";
        let claimed = i64::try_from(claim.claimed).map_err(EngineError::internal)?;
        let leased = i64::try_from(leased).map_err(EngineError::internal)?;
        db.query(insert, &[&key_id, &window, &claim.start, &claimed, &leased])
            .await?;
    }
    Ok(adjusted)
}
