//! Where the database is, how its server is verified, and the limits of the engine. A URL names them.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use percent_encoding::percent_decode_str;
use thiserror::Error;
use tokio_postgres::config::{Host, SslMode};

/// The address of the database, how its server is verified, and the limits of the engine.
#[derive(Clone, PartialEq, Eq)]
pub struct PostgresConfig {
    pub(crate) server: tokio_postgres::Config,
    pub(crate) tls: TlsMode,
    /// The largest number of connections that are open at the same time.
    pub max_connections: usize,
    /// How long a call waits for a connection, a new one included.
    pub pool_timeout: Duration,
    /// How long the server may work on a statement.
    pub statement_timeout: Duration,
    /// How long a statement waits for the lock of another transaction.
    pub lock_timeout: Duration,
    /// How long a call may take with all of its attempts. Then its connection is closed.
    pub call_timeout: Duration,
    /// How often a transaction runs if others change the same rows, the first time included.
    pub max_attempts: u32,
    /// How long the migrations may take, and how long they wait for those of another server.
    pub migration_timeout: Duration,
}

/// How the connection is encrypted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TlsMode {
    /// Not at all.
    Off,
    /// The server's certificate is verified with those that the system trusts.
    System,
    /// The server's certificate is verified with those in a file (PEM).
    File(PathBuf),
}

/// Why a text is not the URL of a PostgreSQL database, and what to write. It does not contain a password.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct UrlError(String);

impl UrlError {
    fn invalid(reason: &str) -> UrlError {
        UrlError(format!(
            "it is not a PostgreSQL URL ({reason}); write for example postgres://user:password@host:5432/name"
        ))
    }
}

impl PostgresConfig {
    /// The name of the database.
    pub fn database(&self) -> &str {
        self.server.get_dbname().unwrap_or_default()
    }
}

/// Parses a URL (`postgres://user:password@host:port/database?…`). Its parameters are those of libpq that the driver knows, and:
///
/// - `sslmode`: `verify-full` (as `require`) or `disable`. By default `verify-full`, except for a Unix socket or an address of this
///   machine. A connection never falls back to plain text.
/// - `sslrootcert`: a file with the certificates (PEM) that are trusted instead of the system's;
/// - `max_connections`: the size of the pool.
impl FromStr for PostgresConfig {
    type Err = UrlError;

    fn from_str(url: &str) -> Result<PostgresConfig, UrlError> {
        if !["postgres://", "postgresql://"]
            .iter()
            .any(|it| url.starts_with(it))
        {
            return Err(UrlError::invalid("it has another beginning"));
        }
        let (base, query) = url.split_once('?').unwrap_or((url, ""));
        let mut of_driver = Vec::new();
        let (mut mode, mut root, mut connections) = (None, None, None);
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
            let value = percent_decode_str(value).decode_utf8_lossy().into_owned();
            match name {
                "sslmode" => mode = Some(value),
                "sslrootcert" => root = Some(PathBuf::from(value)),
                "max_connections" => connections = Some(value),
                _ => of_driver.push(pair),
            }
        }
        let separator = if of_driver.is_empty() { "" } else { "?" };
        let url = format!("{base}{separator}{}", of_driver.join("&"));
        let mut server = tokio_postgres::Config::from_str(&url)
            .map_err(|error| UrlError::invalid(&crate::error::describe(&error)))?;
        if server.get_hosts().is_empty() {
            server.host("localhost");
        }
        if server.get_dbname().is_none_or(str::is_empty) {
            return Err(UrlError(
                "it names no database; write it after the host: postgres://user:password@host:5432/name"
                    .to_owned(),
            ));
        }
        // A password with `@` or `/` would be taken for a host and the name of a database, and shown.
        let has_at = |host: &Host| matches!(host, Host::Tcp(name) if name.contains('@'));
        let name = server.get_dbname().unwrap_or_default();
        if name.contains('@') || server.get_hosts().iter().any(has_at) {
            return Err(UrlError(
                "a character of the user or the password separates parts of a URL; write @ as %40, / as %2F, : as %3A, # as %23, ? as %3F and % as %25"
                    .to_owned(),
            ));
        }
        let tls = tls_mode(mode, root, is_local(&server))?;
        server.ssl_mode(match tls {
            TlsMode::Off => SslMode::Disable,
            TlsMode::System | TlsMode::File(_) => SslMode::Require,
        });
        let mut config = PostgresConfig::with_defaults(server, tls);
        if let Some(text) = connections {
            let number = text.parse().ok().filter(|it| (1..=10_000).contains(it));
            config.max_connections = number.ok_or_else(|| {
                UrlError(format!(
                    "max_connections={text} is not a whole number from 1 to 10000"
                ))
            })?;
        }
        Ok(config)
    }
}

impl PostgresConfig {
    fn with_defaults(mut server: tokio_postgres::Config, tls: TlsMode) -> PostgresConfig {
        if server.get_connect_timeout().is_none() {
            server.connect_timeout(Duration::from_secs(2));
        }
        if server.get_application_name().is_none() {
            server.application_name(env!("CARGO_PKG_NAME"));
        }
        // A server whose machine is gone neither answers nor closes the connection.
        server.tcp_user_timeout(Duration::from_secs(10));
        server.keepalives_idle(Duration::from_secs(30));
        let workers = std::thread::available_parallelism().map_or(4, usize::from);
        PostgresConfig {
            server,
            tls,
            max_connections: (workers * 4).clamp(8, 32),
            pool_timeout: Duration::from_secs(2),
            statement_timeout: Duration::from_secs(5),
            lock_timeout: Duration::from_secs(3),
            call_timeout: Duration::from_secs(10),
            max_attempts: 8,
            migration_timeout: Duration::from_secs(300),
        }
    }
}

/// The address without the password, for the log.
impl fmt::Display for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("postgres://")?;
        if let Some(user) = self.server.get_user() {
            write!(f, "{user}@")?;
        }
        for (index, host) in self.server.get_hosts().iter().enumerate() {
            let separator = if index == 0 { "" } else { "," };
            match host {
                Host::Tcp(name) if name.contains(':') => write!(f, "{separator}[{name}]")?,
                Host::Tcp(name) => write!(f, "{separator}{name}")?,
                #[cfg(unix)]
                Host::Unix(path) => write!(f, "{separator}{}", path.display())?,
            }
            let ports = self.server.get_ports();
            // One port applies to all hosts.
            if let Some(port) = ports.get(index).or(ports.first()) {
                write!(f, ":{port}")?;
            }
        }
        write!(f, "/{}", self.database())
    }
}

/// Without the password.
impl fmt::Debug for PostgresConfig {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PostgresConfig({self})")
    }
}

fn tls_mode(
    mode: Option<String>,
    root: Option<PathBuf>,
    is_local: bool,
) -> Result<TlsMode, UrlError> {
    let is_on = match mode.as_deref() {
        None => !is_local || root.is_some(),
        Some("verify-full" | "require") => true,
        Some("disable") => false,
        Some(other) => {
            let advice = match other {
                "allow" | "prefer" => {
                    "the connection would fall back to plain text; write verify-full or disable"
                }
                "verify-ca" => "the name of the server is always verified; write verify-full",
                _ => "write verify-full or disable",
            };
            return Err(UrlError(format!(
                "sslmode={other} is not supported: {advice}"
            )));
        }
    };
    match (is_on, root) {
        (true, Some(file)) => Ok(TlsMode::File(file)),
        (true, None) => Ok(TlsMode::System),
        (false, Some(_)) => Err(UrlError(
            "sslrootcert has no effect with sslmode=disable; leave one of them out".to_owned(),
        )),
        (false, None) => Ok(TlsMode::Off),
    }
}

/// Whether all hosts are Unix sockets or addresses of this machine.
fn is_local(server: &tokio_postgres::Config) -> bool {
    server.get_hosts().iter().all(|host| match host {
        Host::Tcp(name) => {
            name == "localhost" || name.parse().is_ok_and(|it: IpAddr| it.is_loopback())
        }
        #[cfg(unix)]
        Host::Unix(_) => true,
    })
}

#[cfg(test)]
mod tests;
