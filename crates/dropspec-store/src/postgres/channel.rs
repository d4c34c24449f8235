//! Messages between the servers that use one database (`LISTEN` and `NOTIFY`), on a connection of their own.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use futures::StreamExt;
use futures::stream::poll_fn;
use parking_lot::Mutex;
use tokio::sync::mpsc;
use tokio::task::{AbortHandle, JoinHandle};
use tokio_postgres::tls::MakeTlsConnect;
use tokio_postgres::types::Type;
use tokio_postgres::{AsyncMessage, Client, NoTls, Socket};
use tokio_postgres_rustls::MakeRustlsConnect;

use crate::EngineError;
use crate::postgres::config::PostgresConfig;
use crate::postgres::error::OpenError;
use crate::postgres::sql_error::to_engine_error;
use crate::postgres::tls;

/// The messages that wait for the receiver. Further ones are lost.
const MAX_MESSAGES: usize = 4096;

/// The pause before the second attempt to connect; it doubles with each further one.
const FIRST_PAUSE: Duration = Duration::from_millis(200);

/// The longest pause between two attempts. A database that knows no `LISTEN` is asked as often.
const MAX_PAUSE: Duration = Duration::from_secs(30);

/// A channel of the database, to which any number of servers listen. A message that is sent while a server is not connected is
/// lost for it.
pub struct NotifyChannel {
    name: &'static str,
    client: Arc<Mutex<Option<Arc<Client>>>>,
    events: tokio::sync::Mutex<mpsc::Receiver<NotifyEvent>>,
    task: AbortHandle,
}

/// What a channel tells.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NotifyEvent {
    /// A message, which may be one of this server's own.
    Message(String),
    /// Messages may have been lost.
    Missed,
}

impl NotifyChannel {
    /// Starts to listen, in a task of the current tokio runtime that connects again whenever the connection breaks. `name` has to
    /// be an identifier of SQL.
    pub(crate) fn open(
        config: &PostgresConfig,
        name: &'static str,
    ) -> Result<NotifyChannel, OpenError> {
        let client = Arc::new(Mutex::new(None));
        let (sender, receiver) = mpsc::channel(MAX_MESSAGES);
        let link = Link {
            config: config.clone(),
            tls: tls::connector(&config.tls)?,
            name,
            client: Arc::clone(&client),
            events: sender,
        };
        Ok(NotifyChannel {
            name,
            client,
            events: tokio::sync::Mutex::new(receiver),
            task: tokio::spawn(link.keep_connected()).abort_handle(),
        })
    }

    /// Sends a message of less than 8,000 bytes to all servers that listen, this one included.
    ///
    /// # Errors
    ///
    /// If the channel is not connected, or the database refuses the message.
    pub async fn send(&self, message: &str) -> Result<(), EngineError> {
        let client = self.client.lock().clone();
        let client =
            client.ok_or_else(|| EngineError::unavailable("the channel is not connected"))?;
        let parameters: [(&(dyn tokio_postgres::types::ToSql + Sync), Type); 2] =
            [(&self.name, Type::TEXT), (&message, Type::TEXT)];
        let sent = client.query_typed("SELECT pg_notify($1, $2)", &parameters);
        sent.await.map(drop).map_err(to_engine_error)
    }

    /// Waits for the next event. Callers take turns.
    pub async fn next(&self) -> NotifyEvent {
        match self.events.lock().await.recv().await {
            Some(event) => event,
            None => std::future::pending().await,
        }
    }
}

impl Drop for NotifyChannel {
    fn drop(&mut self) {
        // With it the client is dropped, which ends the connection.
        self.task.abort();
        self.client.lock().take();
    }
}

impl fmt::Debug for NotifyChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "NotifyChannel({})", self.name)
    }
}

/// What the task of a channel needs.
struct Link {
    config: PostgresConfig,
    tls: Option<MakeRustlsConnect>,
    name: &'static str,
    client: Arc<Mutex<Option<Arc<Client>>>>,
    events: mpsc::Sender<NotifyEvent>,
}

impl Link {
    async fn keep_connected(self) {
        let mut pause = FIRST_PAUSE;
        for attempt in 1_u64.. {
            let connected = tokio::time::timeout(self.config.call_timeout, self.connect());
            if let Ok(Ok((client, connection))) = connected.await {
                *self.client.lock() = Some(Arc::new(client));
                if attempt > 1 {
                    let _ = self.events.try_send(NotifyEvent::Missed);
                }
                // Until it breaks.
                let _ = connection.await;
                self.client.lock().take();
                pause = FIRST_PAUSE;
            }
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn connect(&self) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error> {
        match self.tls.clone() {
            Some(tls) => self.connect_with(tls).await,
            None => self.connect_with(NoTls).await,
        }
    }

    async fn connect_with<T>(
        &self,
        tls: T,
    ) -> Result<(Client, JoinHandle<()>), tokio_postgres::Error>
    where
        T: MakeTlsConnect<Socket, Stream: Send + 'static>,
    {
        let (client, mut connection) = self.config.server.connect(tls).await?;
        let events = self.events.clone();
        let driven = tokio::spawn(async move {
            let mut messages = poll_fn(|context| connection.poll_message(context));
            while let Some(Ok(message)) = messages.next().await {
                if let AsyncMessage::Notification(it) = message {
                    let message = NotifyEvent::Message(it.payload().to_owned());
                    // If too many wait, this one is lost.
                    let _ = events.try_send(message);
                }
            }
        });
        let listen = format!("LISTEN {}", self.name);
        client.batch_execute(&listen).await?;
        Ok((client, driven))
    }
}
