//! All open connections: how many there are, and which are closed for others or because they wait too long.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use dropspec_gate::gate::{InFlight, InFlightGuard};
use dropspec_gate::metrics::ConnectionRefusal;
use dropspec_gate::rate_limit::find_sender_address;
use ipnet::IpNet;
use parking_lot::Mutex;

use super::limits::ConnectionLimits;
use super::place::{Awaited, Place};
use super::refusals::Refusals;

/// The share of all connections that is closed at once to make room, so that not each new one looks at all of them.
const ROOM: usize = 16;

/// The open connections of a listener.
pub(super) struct Connections {
    limits: ConnectionLimits,
    /// The networks of trusted proxies.
    trusted: Vec<IpNet>,
    pub(super) refusals: Refusals,
    is_draining: AtomicBool,
    places: Mutex<Places>,
    /// Connections, until their tasks have ended.
    pub(super) open: InFlight,
    /// Responses that are not complete yet, and upgraded connections.
    pub(super) responses: InFlight,
}

#[derive(Default)]
struct Places {
    last_id: u64,
    by_id: HashMap<u64, Arc<Place>>,
    by_address: HashMap<IpAddr, usize>,
}

/// One of the connections. Dropped, it gives up its place.
pub(super) struct Connection {
    connections: Arc<Connections>,
    id: u64,
    pub(super) place: Arc<Place>,
    _open: InFlightGuard,
}

/// A request of a connection, until its response is complete or nobody waits for it.
pub(super) struct Busy {
    connection: Arc<Connection>,
    _response: InFlightGuard,
}

impl Connections {
    pub(super) fn new(
        limits: ConnectionLimits,
        trusted: Vec<IpNet>,
        refusals: Refusals,
    ) -> Connections {
        Connections {
            limits,
            trusted,
            refusals,
            is_draining: AtomicBool::new(false),
            places: Mutex::default(),
            open: InFlight::default(),
            responses: InFlight::default(),
        }
    }

    /// Gives a new connection a place. If there is none, those that have waited longest without a request are closed for it:
    /// of its own address if that has as many as it may. `None` if all have requests in progress.
    pub(super) fn admit(self: &Arc<Self>, peer: IpAddr, has_tls: bool) -> Option<Arc<Connection>> {
        let peer = peer.to_canonical();
        let is_trusted = self.trusted.iter().any(|it| it.contains(&peer));
        let address = (!is_trusted).then(|| find_sender_address(peer));
        let mut places = self.places.lock();
        if let Some(address) = address {
            let count = places.by_address.get(&address).copied().unwrap_or(0);
            let max = self.limits.max_per_address;
            if count >= max {
                let refusal = ConnectionRefusal::AddressLimit;
                self.make_room(&mut places, max, Some(address), refusal)?;
            }
        }
        let max = self.limits.max;
        if places.by_id.len() >= max {
            self.make_room(&mut places, max, None, ConnectionRefusal::Limit)?;
        }
        let place = Arc::new(Place::new(address, has_tls));
        Some(Arc::new(Connection {
            connections: Arc::clone(self),
            id: places.insert(Arc::clone(&place)),
            place,
            _open: self.open.enter(),
        }))
    }

    /// Closes connections that wait too long.
    pub(super) fn close_overdue(&self, now: Instant) {
        let ConnectionLimits {
            head_timeout,
            idle_timeout,
            ..
        } = self.limits;
        let mut places = self.places.lock();
        let overdue = |(id, place): (&u64, &Arc<Place>)| {
            let (awaited, since) = place.awaited()?;
            let timeout = match awaited {
                Awaited::Handshake | Awaited::FirstHead => head_timeout,
                Awaited::NextHead => idle_timeout,
            };
            (now.saturating_duration_since(since) >= timeout).then_some((*id, awaited))
        };
        let overdue: Vec<_> = places.by_id.iter().filter_map(overdue).collect();
        for (id, awaited) in overdue {
            let refusal = match awaited {
                Awaited::Handshake => ConnectionRefusal::Handshake,
                Awaited::FirstHead => ConnectionRefusal::NoHead,
                Awaited::NextHead => {
                    places.by_id[&id].finish.notify_one();
                    continue;
                }
            };
            let cause = format!("it took more than {} seconds", head_timeout.as_secs());
            self.refusals.count(refusal, cause);
            places.close(id, awaited);
        }
    }

    /// See [`Listener::drain`](super::Listener::drain).
    pub(super) fn drain(&self) {
        self.is_draining.store(true, Ordering::SeqCst);
        let places = self.places.lock();
        let http2 = places.by_id.values().filter(|it| it.is_http2());
        http2.for_each(|it| it.finish.notify_one());
    }

    /// Ends all connections in order: idle ones at once, others after their responses.
    pub(super) fn finish(&self) {
        let places = self.places.lock();
        let all = places.by_id.values();
        all.for_each(|it| it.finish.notify_one());
    }

    /// Ends all connections at once.
    pub(super) fn close_all(&self) {
        self.places.lock().by_id.values().for_each(|it| it.abort());
    }

    fn make_room(
        &self,
        places: &mut Places,
        max: usize,
        address: Option<IpAddr>,
        refusal: ConnectionRefusal,
    ) -> Option<()> {
        let closed = places.close_longest_waiting(max.div_ceil(ROOM), address);
        let cause = format!("there were {max} connections");
        (0..closed.max(1)).for_each(|_| self.refusals.count(refusal, &cause));
        (closed > 0).then_some(())
    }
}

impl Places {
    fn insert(&mut self, place: Arc<Place>) -> u64 {
        self.last_id += 1;
        if let Some(address) = place.address {
            *self.by_address.entry(address).or_default() += 1;
        }
        self.by_id.insert(self.last_id, place);
        self.last_id
    }

    fn remove(&mut self, id: u64) -> Option<Arc<Place>> {
        let place = self.by_id.remove(&id)?;
        if let Some(address) = place.address
            && let Some(count) = self.by_address.get_mut(&address)
        {
            *count -= 1;
            if *count == 0 {
                self.by_address.remove(&address);
            }
        }
        Some(place)
    }

    /// Closes a connection that waits. If it has had a request, the next one may begin just now, and is answered.
    fn close(&mut self, id: u64, awaited: Awaited) {
        match self.remove(id) {
            Some(place) if awaited == Awaited::NextHead => place.finish.notify_one(),
            Some(place) => place.abort(),
            None => {}
        }
    }

    /// Closes so many connections of an address, or of all, that wait: first those without any request, then those that have
    /// waited longest. Trusted proxies keep theirs. Returns how many were closed.
    fn close_longest_waiting(&mut self, count: usize, address: Option<IpAddr>) -> usize {
        let candidates = self.by_id.iter().filter_map(|(id, place)| {
            let is_candidate =
                place.address.is_some() && (address.is_none() || address == place.address);
            let (awaited, since) = place.awaited().filter(|_| is_candidate)?;
            Some((awaited == Awaited::NextHead, since, *id, awaited))
        });
        let mut candidates: Vec<_> = candidates.collect();
        candidates.sort_unstable();
        candidates.truncate(count);
        candidates
            .iter()
            .for_each(|(.., id, awaited)| self.close(*id, *awaited));
        candidates.len()
    }
}

impl Connection {
    /// Marks a request as in progress.
    pub(super) fn begin_request(self: &Arc<Self>, is_http2: bool) -> Busy {
        self.place.begin_request(is_http2);
        if is_http2 && self.is_draining() {
            self.place.finish.notify_one();
        }
        Busy {
            connection: Arc::clone(self),
            _response: self.connections.responses.enter(),
        }
    }

    /// Whether its client shall go elsewhere.
    pub(super) fn is_draining(&self) -> bool {
        self.connections.is_draining.load(Ordering::SeqCst)
    }

    pub(super) fn refusals(&self) -> &Refusals {
        &self.connections.refusals
    }
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.connections.places.lock().remove(self.id);
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.connection.place.end_request();
    }
}
