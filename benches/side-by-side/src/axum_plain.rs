//! axum with a pool of connections, and SQLite on tokio's threads for blocking work: what people write.

use std::net::SocketAddr;
use std::path::Path;

use anyhow::Result;
use axum::extract::{self, State};
use axum::routing::{get, post};
use axum::{Json, Router};
use http::StatusCode;
use r2d2::Pool;
use r2d2_sqlite::SqliteConnectionManager;
use rusqlite::Connection;
use tokio::net::TcpListener;

use crate::database::{self, NewOrder, Order, Pet};

#[derive(Clone)]
struct Pools {
    readers: Pool<SqliteConnectionManager>,
    /// One connection: SQLite has one writer, and waits for the pool are shorter than those for SQLite's lock.
    writer: Pool<SqliteConnectionManager>,
}

/// Serves until the process ends.
pub async fn serve(database: &Path, listen: SocketAddr) -> Result<()> {
    let pools = Pools {
        readers: database::connect(database, 10)?,
        writer: database::connect(database, 1)?,
    };
    let app = Router::new()
        .route("/pets/{id}", get(get_pet))
        .route("/store/orders", post(place_order))
        .with_state(pools);
    axum::serve(TcpListener::bind(listen).await?, app).await?;
    Ok(())
}

async fn get_pet(
    State(pools): State<Pools>,
    extract::Path(id): extract::Path<i64>,
) -> Result<Json<Pet>, StatusCode> {
    let pet = blocking(&pools.readers, move |db| database::load_pet(db, id)).await?;
    pet.map(Json).ok_or(StatusCode::NOT_FOUND)
}

async fn place_order(
    State(pools): State<Pools>,
    Json(order): Json<NewOrder>,
) -> Result<(StatusCode, Json<Order>), StatusCode> {
    let placed = blocking(&pools.writer, move |db| database::place_order(db, &order)).await?;
    let placed = placed.ok_or(StatusCode::CONFLICT)?;
    Ok((StatusCode::CREATED, Json(placed)))
}

/// Runs work with a connection of the pool on a thread for blocking work.
pub async fn blocking<T: Send + 'static>(
    pool: &Pool<SqliteConnectionManager>,
    work: impl FnOnce(&mut Connection) -> rusqlite::Result<T> + Send + 'static,
) -> Result<T, StatusCode> {
    let pool = pool.clone();
    let done = tokio::task::spawn_blocking(move || anyhow::Ok(work(&mut *pool.get()?)?));
    match done.await {
        Ok(Ok(result)) => Ok(result),
        _ => Err(StatusCode::INTERNAL_SERVER_ERROR),
    }
}
