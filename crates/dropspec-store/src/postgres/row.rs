//! A row of a result.

use tokio_postgres::types::FromSql;

use crate::EngineError;

/// A row of the result of a statement.
#[derive(Debug)]
pub struct Row(pub(crate) tokio_postgres::Row);

impl Row {
    /// Reads a column by its place, from 0 on.
    ///
    /// # Errors
    ///
    /// If there is no such column, or it has another type.
    pub fn get<'a, T: FromSql<'a>>(&'a self, column: usize) -> Result<T, EngineError> {
        self.0.try_get(column).map_err(EngineError::internal)
    }

    /// Reads a count: an integer from 0 on.
    ///
    /// # Errors
    ///
    /// Those of [`Row::get`], or if the integer is below 0.
    pub fn get_count(&self, column: usize) -> Result<u64, EngineError> {
        u64::try_from(self.get::<i64>(column)?).map_err(EngineError::internal)
    }
}
