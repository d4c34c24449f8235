//! Where the servers of a database count requests: so a command that looks elsewhere does not take "none" for an answer.

use dropspec_store::EngineError;

use super::db::{Db, Sqlite, read, run, write};
use super::table::{ApiKeys, Tables};

impl ApiKeys {
    /// The address of the engine that counts requests since the last start of a server; `None` if the database counts them.
    ///
    /// # Errors
    ///
    /// If the database cannot be read.
    pub async fn limits_engine(&self) -> Result<Option<String>, EngineError> {
        read!(self.tables, (), read_address)
    }

    /// Stores this address, if it is another one than before.
    ///
    /// # Errors
    ///
    /// If the database cannot be read, or the address cannot be stored.
    pub async fn set_limits_engine(&self, address: Option<String>) -> Result<(), EngineError> {
        if self.limits_engine().await? == address {
            return Ok(());
        }
        write!(self.tables, address, store_address)
    }
}

async fn read_address<D: Db>(db: &D, (): &()) -> Result<Option<String>, EngineError> {
    let rows = db.query("SELECT address FROM limits_engine", &[]).await?;
    rows.first().map_or(Ok(None), |row| row.get(0))
}

async fn store_address<D: Db>(db: &D, address: &Option<String>) -> Result<(), EngineError> {
    let update = "UPDATE limits_engine SET address = $1";
    db.query(update, &[address]).await.map(drop)
}
