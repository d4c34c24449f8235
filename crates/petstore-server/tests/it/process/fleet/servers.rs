//! The servers, which are killed and started again.

use std::sync::{Arc, RwLock};

use petstore_client::Client;
use test_support::{ServerProcess, Storage, petstore};

use super::super::postgres::keys;
use super::engines::Engines;

/// Servers at the same time.
pub const SERVERS: usize = 3;

/// The clients of a server, each with another key.
#[derive(Clone)]
pub struct Clients {
    /// With a key that no request exceeds.
    pub owner: Client,
    /// With a key that is limited.
    pub limited: Client,
}

/// The clients of all servers that run.
pub type AllClients = Arc<RwLock<Vec<Clients>>>;

/// The servers and their keys.
pub struct Servers {
    servers: Vec<Option<ServerProcess>>,
    owner: String,
    limited: String,
    clients: AllClients,
}

impl Servers {
    /// Starts the servers, with a key that is limited to so many requests a day.
    pub fn start(engines: &Engines, limit: usize) -> Servers {
        let first = run(engines, 0);
        let create = |per_day: usize| {
            let per_minute = per_day.min(1_000_000).to_string();
            let per_day = per_day.to_string();
            let arguments = ["create", "--name", "fleet", "--plan", "enterprise"];
            let limits = ["--per-minute", &per_minute, "--per-day", &per_day];
            let issued = keys(&engines.database(), &[&arguments[..], &limits].concat());
            issued["key"].as_str().unwrap().to_owned()
        };
        let others = (1..SERVERS).map(|number| run(engines, number));
        let mut servers = Servers {
            servers: [first].into_iter().chain(others).map(Some).collect(),
            owner: create(100_000_000),
            limited: create(limit),
            clients: AllClients::default(),
        };
        let clients = (0..SERVERS).map(|number| servers.clients_of(number));
        let clients: Vec<Clients> = clients.collect();
        servers.clients = Arc::new(RwLock::new(clients));
        servers
    }

    pub fn count(&self) -> usize {
        self.servers.len()
    }

    pub fn clients(&self) -> AllClients {
        Arc::clone(&self.clients)
    }

    /// Kills a server, and starts another one in its place.
    pub fn kill_and_restart(&mut self, number: usize, engines: &Engines) {
        drop(self.servers[number].take().map(ServerProcess::kill));
        self.servers[number] = Some(run(engines, number));
        let clients = self.clients_of(number);
        self.clients.write().unwrap()[number] = clients;
    }

    fn clients_of(&self, number: usize) -> Clients {
        let server = self.servers[number].as_ref().unwrap();
        Clients {
            owner: server.client_with_key(&self.owner),
            limited: server.client_with_key(&self.limited),
        }
    }
}

fn run(engines: &Engines, number: usize) -> ServerProcess {
    let (database, limits) = engines.urls(number);
    let arguments = ["--database", &database, "--limits", &limits];
    ServerProcess::run(petstore(), Storage::file(), &arguments)
}
