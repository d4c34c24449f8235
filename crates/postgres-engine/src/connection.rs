//! A connection that is lent to a call. It goes back to the pool only if it is in order.

use deadpool_postgres::Object;
use futures::future::try_join;
use tokio::time::{Instant, timeout_at};

use crate::db::Db;

/// A lent connection. It is closed when it is dropped, so that a call that panics or is cancelled leaves no open transaction in
/// the pool; [`Lent::give_back`] returns it.
pub(crate) struct Lent(Option<Db>);

impl Lent {
    pub(crate) fn new(connection: Object) -> Lent {
        Lent(Some(Db::new(connection)))
    }

    pub(crate) fn db(&self) -> &Db {
        self.0.as_ref().expect("it is only taken at its end")
    }

    /// Returns the connection to the pool, which has no open transaction.
    pub(crate) fn give_back(mut self) {
        drop(self.0.take());
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        if let Some(db) = self.0.take() {
            // Closes the connection: the server undoes its transaction.
            drop(Object::take(db.into_connection()));
        }
    }
}

/// Begins a transaction and runs `work` in it. Both are sent together, so `work` should begin by a statement that only reads. If
/// the transaction does not begin, `work` is not continued.
pub(crate) async fn in_transaction<T>(
    db: &Db,
    work: impl Future<Output = T>,
) -> Result<T, tokio_postgres::Error> {
    let begin = db.execute_batch("BEGIN");
    let ((), result) = try_join(begin, async { Ok(work.await) }).await?;
    Ok(result)
}

/// Rolls back, and returns whether the connection has no transaction any more.
pub(crate) async fn roll_back(db: &Db, deadline: Instant) -> bool {
    let rolled_back = timeout_at(deadline, db.execute_batch("ROLLBACK")).await;
    matches!(rolled_back, Ok(Ok(())))
}
