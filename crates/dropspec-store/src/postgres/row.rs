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
}
