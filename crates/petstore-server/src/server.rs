//! Puts the parts together: the store, the gate in front of it, and the dropshot
//! server that listens.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result};
use dropshot::{ConfigDropshot, ConfigTls, HandlerTaskMode, HttpServer, ServerBuilder};

use crate::auth::{self, IssuedKey};
use crate::config::Config;
use crate::gate::{self, Gate};
use crate::logging;
use crate::metrics::Metrics;
use crate::panel::Panel;
use crate::rate_limit::Limiter;
use crate::service::Service;
use crate::store::Store;
use crate::tls::Identity;

/// How long requests in flight may take to finish once the server was told to
/// stop: short enough for the store to close within the 10 s that a stop may take.
const DRAIN: Duration = Duration::from_secs(8);

/// A running server.
pub struct Server {
    public: HttpServer<Arc<Service>>,
    panel: Panel,
    service: Arc<Service>,
    first_key: Option<IssuedKey>,
}

impl Server {
    /// Opens the store and starts to listen.
    ///
    /// # Errors
    ///
    /// When the database cannot be used or the address cannot be bound. Nothing
    /// is left behind then that was not there before.
    pub async fn start(config: &Config) -> Result<Server> {
        let log = logging::logger(config.log_format, config.log_level);
        let gate = Gate::new()?;
        let description = gate::description()?;
        let tls = config.tls.as_ref().map(Identity::load).transpose()?;
        // Before the database, which a start that fails for the port must not make: its first key would be lost.
        // Both at once, as one port cannot serve both.
        let [public, panel] = [config.listen, config.admin_listen].map(|address| {
            TcpListener::bind(address).with_context(|| format!("cannot listen on {address}"))
        });
        drop((public?, panel?));
        let store = Arc::new(Store::open(&config.store)?);
        let first_key = auth::bootstrap(&store, config.clock.now())
            .await
            .context("cannot make the first API key")?;
        let service = Arc::new(Service {
            limiter: Limiter::new(Arc::clone(&store), config.policy),
            store,
            metrics: Metrics::new(),
            trusted_proxies: config.trusted_proxies.clone(),
            gate,
            clock: Arc::clone(&config.clock),
            body_timeout: config.body_timeout,
            log: log.clone(),
        });
        let public = ServerBuilder::new(
            description,
            Arc::clone(&service),
            logging::for_dropshot(&log),
        )
        .config(ConfigDropshot {
            bind_address: config.listen,
            default_handler_task_mode: HandlerTaskMode::Detached,
            ..ConfigDropshot::default()
        })
        .tls(tls.map(ConfigTls::Dynamic))
        .start()
        .with_context(|| format!("cannot listen on {}", config.listen))?;
        let panel = Panel::start(config.admin_listen, Arc::clone(&service))?;
        Ok(Server {
            public,
            panel,
            service,
            first_key,
        })
    }

    /// The address that the public listener is bound to.
    pub fn address(&self) -> SocketAddr {
        self.public.local_addr()
    }

    /// The address that the panel is bound to.
    pub fn panel_address(&self) -> SocketAddr {
        self.panel.address()
    }

    /// The address as a URL without a slash at its end.
    pub fn base_url(&self) -> String {
        let scheme = if self.public.using_tls() {
            "https"
        } else {
            "http"
        };
        format!("{scheme}://{}", self.address())
    }

    /// The API key that was made because the database had none. It can be shown
    /// now and never again.
    pub fn first_key(&self) -> Option<&IssuedKey> {
        self.first_key.as_ref()
    }

    /// What the requests of this server can reach.
    pub fn service(&self) -> &Arc<Service> {
        &self.service
    }

    /// Takes no new connections, answers what is in flight, and closes the store.
    ///
    /// What is still on its way in after 8 seconds is given up: it was not begun,
    /// so nothing of it is lost. The store is closed in any case.
    ///
    /// # Errors
    ///
    /// When a listener broke before, what was leased could not be given back, or the store could not be closed.
    pub async fn stop(self) -> Result<()> {
        let Server {
            public,
            panel,
            service,
            ..
        } = self;
        panel.not_ready_any_more();
        // A connection whose head is only half here would hold dropshot up for half a
        // minute, though there is no request on it; so the gate's count decides.
        let closed = tokio::select! {
            closed = public.close() => closed,
            () = service.gate.idle() => Ok(()),
            () = tokio::time::sleep(DRAIN) => {
                slog::warn!(service.log, "gave up on requests that did not arrive in time");
                Ok(())
            }
        };
        // Whatever failed, the rest is closed, and the first that failed is told.
        let closed = closed
            .map_err(anyhow::Error::msg)
            .context("the listener broke");
        let leases = service.limiter.close().await;
        let store = service.store.close().await;
        let panel = panel.stop().await;
        closed?;
        leases.context("cannot give back what was leased")?;
        store.context("cannot close the database")?;
        panel
    }
}
