//! A transaction that a test keeps open, so that what it locks is locked for others.

use std::sync::mpsc;
use std::thread::{self, JoinHandle};

use tokio_postgres::NoTls;

/// An open transaction. It is undone when it is dropped.
pub struct OpenTransaction {
    end: Option<mpsc::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl OpenTransaction {
    /// Begins a transaction on the database at a URL, and runs SQL in it.
    pub(crate) fn begin(url: &str, sql: &str) -> OpenTransaction {
        let (begun, has_begun) = mpsc::channel();
        let (end, ends) = mpsc::channel::<()>();
        let (url, sql) = (url.to_owned(), format!("BEGIN; {sql}"));
        // A thread of its own, so that it can be called from async tests.
        let thread = thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread()
                .enable_all()
                .build()
                .unwrap();
            runtime.block_on(async {
                let (client, connection) = tokio_postgres::connect(&url, NoTls).await.unwrap();
                let connection = tokio::spawn(connection);
                client.batch_execute(&sql).await.unwrap();
                begun.send(()).unwrap();
                // It ends when the other end is dropped. Nothing else runs on this thread.
                let _ = ends.recv();
                // The test may have stopped the server.
                let _ = client.batch_execute("ROLLBACK").await;
                connection.abort();
            });
        });
        has_begun.recv().unwrap();
        OpenTransaction {
            end: Some(end),
            thread: Some(thread),
        }
    }
}

impl Drop for OpenTransaction {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
