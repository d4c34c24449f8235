//! A client for the petstore, generated from `spec/petstore.yaml` by `cargo xtask generate`. Only this file is written
//! by hand.
//!
//! Every operation is a method of [`Client`] that returns a builder; `send` performs the request.
//!
//! ```no_run
//! # async fn example() -> Result<(), petstore_client::Error<petstore_client::types::Error>> {
//! let client = petstore_client::Client::new("http://127.0.0.1:8080");
//! let pets = client.list_pets().limit(10).send().await?;
//! println!("{} pets", pets.len());
//! # Ok(())
//! # }
//! ```

#[rustfmt::skip]
mod client;

pub use client::{Client, ClientInfo, Error, ResponseValue, builder, types};
