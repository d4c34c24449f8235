//! The store over real databases: every test runs on each kind of database.

/// Makes tests of functions that take a [`fixture::Fixture`]: one on each kind of database.
macro_rules! on_every_store {
    ($($test:ident),* $(,)?) => {
        $(mod $test {
            use crate::store::fixture::Fixture;

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_sqlite() {
                super::$test(Fixture::on_sqlite()).await;
            }

            #[tokio::test(flavor = "multi_thread", worker_threads = 4)]
            async fn on_postgres() {
                if let Some(fixture) = Fixture::on_postgres(stringify!($test)).await {
                    super::$test(fixture).await;
                }
            }
        })*
    };
}

pub mod fixture;
mod lists;
mod model;
mod model_test;
mod race;
mod records;
pub mod snapshot;
