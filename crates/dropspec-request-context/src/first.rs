//! The first context of a server, from a server of dropshot that ends at once.

use std::io;
use std::net::Ipv4Addr;
use std::time::Duration;

use dropshot::{
    ApiDescription, ApiEndpoint, ApiEndpointVersions, ConfigDropshot, HttpError,
    HttpResponseUpdatedNoContent, RequestContext, ServerBuilder, ServerContext,
};
use http::Method;
use slog::Logger;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

/// How long dropshot may take to answer a request of its own process.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Makes the first context of a server with this state. It waits for a server of dropshot, which has a thread, a runtime and a
/// free port of the loopback address of its own until then.
///
/// # Errors
///
/// If that server cannot listen, or does not answer.
pub fn make_first<C: ServerContext>(state: C, log: Logger) -> io::Result<RequestContext<C>> {
    // The caller may be within a runtime, which can neither wait for another one nor end it.
    let make = move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()?;
        runtime.block_on(ask_dropshot(state, log))
    };
    let made = std::thread::spawn(make).join();
    made.unwrap_or_else(|_| Err(io::Error::other("dropshot panicked")))
}

async fn ask_dropshot<C: ServerContext>(state: C, log: Logger) -> io::Result<RequestContext<C>> {
    let (sender, mut contexts) = mpsc::channel(1);
    let send = move |context: RequestContext<C>| {
        // Who else connects to the port gets nothing.
        let _ = sender.try_send(context);
        async { Ok::<_, HttpError>(HttpResponseUpdatedNoContent()) }
    };
    let mut description = ApiDescription::new();
    let endpoint = ApiEndpoint::new(
        String::new(),
        send,
        Method::GET,
        "application/json",
        "/",
        ApiEndpointVersions::All,
    );
    // One endpoint cannot conflict with another one.
    let _ = description.register(endpoint.visible(false));
    let server = ServerBuilder::new(description, state, log)
        .config(ConfigDropshot {
            bind_address: (Ipv4Addr::LOCALHOST, 0).into(),
            ..ConfigDropshot::default()
        })
        .start()
        .map_err(io::Error::other)?;
    let client = TcpStream::connect(server.local_addr()).await?;
    client.writable().await?;
    client.try_write(b"GET / HTTP/1.0\r\n\r\n")?;
    let context = tokio::time::timeout(TIMEOUT, contexts.recv()).await;
    let context = context.ok().flatten();
    context.ok_or_else(|| io::Error::other("dropshot does not make its state of a server"))
}
