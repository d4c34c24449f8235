//! The recordings, in the database.

use dropshot::HttpError;
use dropspec_service::not_implemented;
use dropspec_store::EngineError;
use dropspec_store::sqlite::rusqlite::OptionalExtension;
use recordings_api::types::Recording;

use crate::App;

/// Stores a recording, and tells those who watch.
pub async fn add(app: &App, title: String, audio: Vec<u8>) -> Result<Recording, HttpError> {
    let engine = app.database.sqlite().ok_or_else(not_implemented)?;
    let bytes = i64::try_from(audio.len()).unwrap_or(i64::MAX);
    let stored = title.clone();
    let added = engine.write(move |db| {
        let insert = "INSERT INTO recordings (title, audio) VALUES (?1, ?2)";
        db.execute(insert, (&stored, &audio))?;
        Ok::<_, EngineError>(db.last_insert_rowid())
    });
    let id = added.await?;
    app.last.send_replace(id);
    Ok(Recording::new(id, title, bytes))
}

/// The audio of a recording, if there is such a recording.
pub fn audio(app: &App, id: i64) -> Result<Option<Vec<u8>>, HttpError> {
    let engine = app.database.sqlite().ok_or_else(not_implemented)?;
    let audio = engine.read(|db| {
        let select = "SELECT audio FROM recordings WHERE id = ?1";
        Ok::<_, EngineError>(db.query_row(select, [id], |row| row.get(0)).optional()?)
    })?;
    Ok(audio)
}

/// The first recording behind that with the id `after`.
pub fn next(app: &App, after: i64) -> Result<Option<Recording>, HttpError> {
    let engine = app.database.sqlite().ok_or_else(not_implemented)?;
    let next = engine.read(|db| {
        let select =
            "SELECT id, title, length(audio) FROM recordings WHERE id > ?1 ORDER BY id LIMIT 1";
        let recording = db.query_row(select, [after], |row| {
            let title: String = row.get(1)?;
            Ok(Recording::new(row.get(0)?, title, row.get(2)?))
        });
        Ok::<_, EngineError>(recording.optional()?)
    })?;
    Ok(next)
}
