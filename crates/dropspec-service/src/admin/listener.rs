//! The thread of the panel: it accepts connections on a runtime of its own, so that the panel answers whatever the public
//! listener has to bear.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::future::{Future, poll_fn};
use std::io;
use std::net::SocketAddr;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Weak};
use std::task::Poll;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use bytes::Bytes;
use http::{Request, Response};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use slog::Logger;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Runtime;
use tokio::sync::{Notify, Semaphore, oneshot};

use super::open_files::SpareFiles;

/// The number of connections that are open at the same time. When it is reached, one is closed in favour of the next. Each has a
/// spare file.
const MAX_CONNECTIONS: usize = 32;

/// The number of spare files: one for each connection, and one for a directory that is read to count files.
pub(super) const SPARE_FILES: usize = MAX_CONNECTIONS + 1;

/// How long the head of a request may take. A probe sends it at once.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// How long a connection may be silent before it is closed in favour of another one.
const GRACE: Duration = Duration::from_millis(100);

/// How long a connection may take, from its start to the end of its only response.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(10);

/// The pause after a connection that could not be accepted.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The number of threads for work that may wait for the disk.
const MAX_BLOCKING_THREADS: usize = 4;

/// The body of a response.
pub(super) type PanelBody = UnsyncBoxBody<Bytes, Infallible>;

/// Marks a response that goes on for longer than [`CONNECTION_TIMEOUT`]. Its body ends by itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct LongLived;

/// An open connection.
struct Connection {
    since: Instant,
    has_request: AtomicBool,
    is_long_lived: AtomicBool,
    closing: Notify,
}

impl Connection {
    fn new(since: Instant) -> Connection {
        Connection {
            since,
            has_request: AtomicBool::default(),
            is_long_lived: AtomicBool::default(),
            closing: Notify::default(),
        }
    }
}

/// A body that is known as a whole.
pub(super) fn full_body(bytes: impl Into<Bytes>) -> PanelBody {
    Full::new(bytes.into()).boxed_unsync()
}

/// The runtime of the panel's thread.
pub(super) struct PanelRuntime(Option<Runtime>);

/// A thread that serves connections until it is stopped or dropped.
pub(super) struct ServingThread {
    /// Dropped to stop the thread.
    stop: oneshot::Sender<()>,
    stopped: oneshot::Receiver<()>,
}

impl ServingThread {
    /// Starts to serve the connections of a listening socket on this runtime. Each has one request, which `respond` answers; it knows
    /// its sender (a [`SocketAddr`] among its extensions). The thread watches the open files, too.
    pub(super) fn start<R, F>(
        runtime: PanelRuntime,
        listener: std::net::TcpListener,
        files: Arc<SpareFiles>,
        log: Logger,
        respond: R,
    ) -> Result<ServingThread>
    where
        R: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
        F: Future<Output = Response<PanelBody>> + Send + 'static,
    {
        let (stop, stop_requested) = oneshot::channel();
        let (ended, stopped) = oneshot::channel();
        let listener = {
            let _guard = runtime.enter();
            TcpListener::from_std(listener)?
        };
        let serve = async move {
            let slots = Arc::new(Semaphore::new(MAX_CONNECTIONS));
            tokio::select! {
                () = accept_all(&listener, &slots, &files, respond) => {}
                () = files.watch(&log) => {}
                // It fails when the sender is dropped.
                _ = stop_requested => {}
            }
            drop(listener);
            // The last responses. The semaphore is never closed.
            let _ = slots.acquire_many(MAX_CONNECTIONS as u32).await;
        };
        std::thread::Builder::new()
            .name("panel".to_owned())
            .spawn(move || {
                runtime.block_on(serve);
                drop(runtime);
                // Nobody receives it if the panel was dropped.
                let _ = ended.send(());
            })
            .context("cannot start the thread of the panel")?;
        Ok(ServingThread { stop, stopped })
    }

    /// Accepts no more connections, and waits for the last responses.
    pub(super) async fn stop(self) -> Result<()> {
        drop(self.stop);
        self.stopped.await.context("the panel failed")
    }
}

pub(super) fn create_runtime() -> Result<PanelRuntime> {
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .max_blocking_threads(MAX_BLOCKING_THREADS)
        .build()
        .context("cannot start the runtime of the panel")?;
    Ok(PanelRuntime(Some(runtime)))
}

impl Deref for PanelRuntime {
    type Target = Runtime;

    fn deref(&self) -> &Runtime {
        self.0
            .as_ref()
            .expect("it is only taken when it is dropped")
    }
}

impl Drop for PanelRuntime {
    /// Work that waits for the disk is left alone. So this never waits, as a start that fails drops the runtime within another
    /// one, where tokio forbids to wait.
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            runtime.shutdown_background();
        }
    }
}

async fn accept_all<R, F>(
    listener: &TcpListener,
    slots: &Arc<Semaphore>,
    files: &Arc<SpareFiles>,
    respond: R,
) where
    R: Fn(Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    F: Future<Output = Response<PanelBody>> + Send + 'static,
{
    // The oldest first.
    let mut open: VecDeque<Weak<Connection>> = VecDeque::new();
    // The semaphore is never closed.
    while let Ok(slot) = Arc::clone(slots).acquire_owned().await {
        let Ok((stream, sender)) = accept(listener, files).await else {
            // The client has left, or even the spare files are in use.
            tokio::time::sleep(ACCEPT_PAUSE).await;
            continue;
        };
        let this = Arc::new(Connection::new(Instant::now()));
        open.retain(|it| it.strong_count() > 0);
        open.push_back(Arc::downgrade(&this));
        let (files, respond) = (Arc::clone(files), respond.clone());
        tokio::spawn(async move {
            let service = service_fn(|mut request: Request<Incoming>| {
                this.has_request.store(true, Relaxed);
                request.extensions_mut().insert(sender);
                let response = respond(request);
                async {
                    let response = response.await;
                    let marked = response.extensions().get::<LongLived>().is_some();
                    this.is_long_lived.store(marked, Relaxed);
                    Ok::<_, Infallible>(response)
                }
            });
            // Without keep-alive, so that no idle connection takes a slot.
            let connection = http1::Builder::new()
                .keep_alive(false)
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .serve_connection(TokioIo::new(stream), service);
            let mut connection = Box::pin(connection);
            tokio::select! {
                // What the client gets wrong concerns nobody else.
                ended = tokio::time::timeout(CONNECTION_TIMEOUT, connection.as_mut()) => {
                    if ended.is_err() && this.is_long_lived.load(Relaxed) {
                        let _ = connection.as_mut().await;
                    }
                }
                () = this.closing.notified() => {}
            }
            // With its file, whose place a spare one takes at once, before a connection of the public listener does.
            drop(connection);
            files.refill();
            drop(slot);
        });
        // The connection reads what has arrived, before others take its place.
        tokio::task::yield_now().await;
        if slots.available_permits() == 0
            && let Some(closed) = find_closed(&open, Instant::now())
        {
            closed.closing.notify_one();
        }
    }
}

/// Finds the connection that is closed in favour of a new one: the oldest that has been silent for a while, or else the oldest
/// that is not for long. So a probe whose request arrives a moment after its connection keeps its place.
fn find_closed(open: &VecDeque<Weak<Connection>>, now: Instant) -> Option<Arc<Connection>> {
    let open = || open.iter().filter_map(Weak::upgrade);
    let silent = open().find(|it| !it.has_request.load(Relaxed) && now - it.since >= GRACE);
    silent.or_else(|| open().find(|it| !it.is_long_lived.load(Relaxed)))
}

/// Accepts a connection, also when files have run out.
async fn accept(listener: &TcpListener, files: &SpareFiles) -> io::Result<(TcpStream, SocketAddr)> {
    poll_fn(|context| {
        let accepted = files.make_room(|| match listener.poll_accept(context) {
            Poll::Ready(Ok(accepted)) => Ok(Poll::Ready(accepted)),
            Poll::Ready(Err(error)) => Err(error),
            Poll::Pending => Ok(Poll::Pending),
        });
        accepted.map_or_else(|error| Poll::Ready(Err(error)), |it| it.map(Ok))
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn silent_connections_are_closed_first_but_for_those_that_have_just_begun() {
        let start = Instant::now();
        let open = [(0, true), (0, false), (5, true), (90, false)].map(|(millis, has_request)| {
            let connection = Connection::new(start + Duration::from_millis(millis));
            connection.has_request.store(has_request, Relaxed);
            Arc::new(connection)
        });
        open[0].is_long_lived.store(true, Relaxed);
        let closed = |places: &[usize], millis| {
            let open_here = places.iter().map(|&it| Arc::downgrade(&open[it])).collect();
            let found = find_closed(&open_here, start + Duration::from_millis(millis));
            found.map(|it| open.iter().position(|other| Arc::ptr_eq(&it, other)))
        };
        assert_eq!(closed(&[0, 1, 2, 3], 100), Some(Some(1)));
        assert_eq!(closed(&[0, 2, 3], 100), Some(Some(2)));
        assert_eq!(closed(&[0, 2, 3], 190), Some(Some(3)));
        assert_eq!(closed(&[0], 190), None);
    }
}
