//! Servers that answer `GET /pets/{id}` from a petstore's database, each as a user of its framework would write it.
//! `run.py` measures them beside the petstore.

mod axum_full;
mod axum_plain;
mod bare_dropshot;
mod bare_hyper;
mod database;

use std::net::SocketAddr;
use std::path::PathBuf;

use anyhow::Result;
use clap::{Parser, Subcommand};
use mimalloc::MiMalloc;

/// That of the petstore.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

#[derive(Parser)]
#[command(name = "SQLite", version = rusqlite::version())]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// hyper alone: one read of SQLite on the worker's thread, no router
    Hyper(Serve),
    /// dropshot with one wildcard endpoint and the same read, no log
    Dropshot(Serve),
    /// dropshot with a typed endpoint that answers with a constant, no database, no log
    DropshotConstant(Serve),
    /// axum, r2d2 and `spawn_blocking`, as people write it: no keys, limits, validation or log
    Axum(Serve),
    /// axum with keys in SQLite, two quotas for each key, rate-limit headers, validation and a JSON log
    AxumFull(Serve),
}

#[derive(clap::Args)]
struct Serve {
    /// The database, which has pets
    database: PathBuf,
    /// Address and port to listen on
    listen: SocketAddr,
}

#[tokio::main]
async fn main() -> Result<()> {
    match Arguments::parse().command {
        Command::Hyper(it) => bare_hyper::serve(it.database, it.listen).await,
        Command::Dropshot(it) => bare_dropshot::serve(it.database, it.listen).await,
        Command::DropshotConstant(it) => bare_dropshot::serve_constant(it.listen).await,
        Command::Axum(it) => axum_plain::serve(&it.database, it.listen).await,
        Command::AxumFull(it) => axum_full::serve(&it.database, it.listen).await,
    }
}
