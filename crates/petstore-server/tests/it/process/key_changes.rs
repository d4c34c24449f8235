//! Changes of a key by other processes while many connections send requests with it: every request that begins after a
//! change is judged by it. On a database that several servers use, every request that begins after a response has shown it.

use std::io::Write;
use std::net::{Ipv4Addr, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::thread;

use serde_json::{Value, json};
use test_support::{Backend, Response, ServerProcess, blocking_http, poll_until};

/// The connections that send requests with the key that is changed.
const CONNECTIONS: usize = 6;

/// The connections that write with another key, so that other data changes all the time.
const WRITERS: usize = 2;

const ROUNDS: usize = 4;

/// The server, and the states of the key that is changed.
struct Test {
    server: ServerProcess,
    key: Mutex<Key>,
    ended: AtomicBool,
    requests: AtomicU32,
}

#[derive(Default)]
struct Key {
    id: String,
    /// The secret that is sent.
    secret: String,
    /// Of each state of the key since the start, what responses can say. The last one may not be in force yet.
    states: Vec<Vec<String>>,
    /// The number of states that are in force: as the changes that led to them have returned, or as a response has shown.
    in_force: usize,
    /// The responses to requests that began in the state that is in force.
    responses: usize,
    /// The last one of them.
    last: String,
    /// The responses that were judged by an earlier state.
    violations: Vec<String>,
}

impl Key {
    /// Notes that the last state is in force.
    fn set_in_force(&mut self) {
        self.in_force = self.states.len();
        self.responses = 0;
    }
}

impl Test {
    fn key(&self) -> MutexGuard<'_, Key> {
        self.key.lock().unwrap()
    }

    fn id(&self) -> String {
        self.key().id.clone()
    }

    /// Makes a change, after which responses say one of `verdicts`, and waits for responses to requests that began later.
    fn change<T>(&self, verdicts: &[&str], change: impl FnOnce() -> T) -> T {
        let verdicts = verdicts.iter().map(|it| (*it).to_owned());
        self.key().states.push(verdicts.collect());
        let result = change();
        if Backend::chosen().is_file() {
            self.key().set_in_force();
        }
        poll_until("a response in this state", || {
            let key = self.key();
            (key.in_force == key.states.len()).then_some(())
        });
        poll_until("responses in this state", || {
            (self.key().responses >= 3 * CONNECTIONS).then_some(())
        });
        self.assert_no_violations();
        result
    }

    #[track_caller]
    fn assert_no_violations(&self) {
        let violations = self.key().violations.clone();
        let some = &violations[..violations.len().min(5)];
        assert_eq!(violations.len(), 0, "for example {some:#?}");
    }

    fn keys(&self, arguments: &[&str]) -> Value {
        self.server.run_keys(arguments)
    }

    fn set_limit(&self, limit: &str) {
        let limits = ["--per-minute", limit, "--per-day", limit];
        let arguments = ["set-plan", &self.id(), "--plan", "enterprise"];
        self.keys(&[&arguments[..], &limits].concat());
    }

    fn set_access(&self, access: &str) {
        self.keys(&["change", &self.id(), "--access", access]);
    }

    /// Makes each change that there is, and those that undo it, with a new key.
    fn run_round(&self, number: usize) {
        // Each state of a round has other limits, which no round reaches.
        let [first, second, third] = [1, 2, 3].map(|it| (1_000_000 * it + number).to_string());
        self.change(&[&first], || {
            let limits = ["--per-minute", &first, "--per-day", &first];
            let arguments = ["create", "--name", "changed", "--plan", "enterprise"];
            let issued = self.keys(&[&arguments[..], &limits].concat());
            let mut key = self.key();
            key.id = issued["id"].to_string();
            key.secret = issued["key"].as_str().unwrap().to_owned();
        });
        self.change(&[&second], || self.set_limit(&second));
        self.change(&["insufficient_access"], || self.set_access("read"));
        self.change(&[&second], || self.set_access("write"));
        let rotate = ["rotate", &self.id(), "--overlap", "0s"];
        let issued = self.change(&["revoked_api_key"], || self.keys(&rotate));
        self.change(&[&second], || {
            self.key().secret = issued["key"].as_str().unwrap().to_owned();
        });
        self.change(&["1", "banned 1"], || self.set_limit("1"));
        poll_until("a ban", || (self.key().last == "banned 1").then_some(()));
        self.change(&[&format!("banned {third}")], || self.set_limit(&third));
        self.change(&[&third], || self.keys(&["unban", &self.id()]));
        self.change(&["revoked_api_key"], || self.keys(&["revoke", &self.id()]));
    }

    /// Sends requests with the key, and compares each response with the states that were in force meanwhile.
    fn send(&self) {
        let mut stream = blocking_http::connect(self.server.public);
        while !self.ended.load(Ordering::SeqCst) {
            let (secret, first) = {
                let key = self.key();
                (key.secret.clone(), key.in_force)
            };
            let response = self.exchange(&mut stream, &secret, "DELETE", "/pets/999999", "");
            let verdict = verdict(&response);
            let mut key = self.key();
            // A change that has not returned may apply or not.
            let allowed = &key.states[first - 1..];
            if !allowed.iter().flatten().any(|it| *it == verdict) {
                let violation = format!("{verdict}, and not one of {allowed:?}");
                key.violations.push(violation);
            }
            // A server learns later of a change to a database that others use, too: once a response shows it, it is in force.
            let changed = key.states.len() - 1;
            if first == changed && key.states[changed].contains(&verdict) {
                key.set_in_force();
            }
            if first == key.in_force {
                key.responses += 1;
                key.last = verdict;
            }
        }
    }

    fn write(&self, writer: usize) {
        let mut stream = blocking_http::connect(self.server.public);
        for number in 0.. {
            if self.ended.load(Ordering::SeqCst) {
                return;
            }
            let body = json!({ "name": format!("{writer} {number}") }).to_string();
            let key = &self.server.key;
            let response = self.exchange(&mut stream, key, "POST", "/categories", &body);
            assert_eq!(response.status, 201, "{:?}", response.body);
        }
    }

    fn exchange(
        &self,
        stream: &mut TcpStream,
        key: &str,
        method: &str,
        path: &str,
        body: &str,
    ) -> Response {
        // Each request with a revoked key comes from another address, which has not reached its limit.
        let address = Ipv4Addr::from(self.requests.fetch_add(1, Ordering::SeqCst));
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nX-API-Key: {key}\r\nX-Forwarded-For: {address}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.server.public,
            body.len()
        );
        stream.write_all(request.as_bytes()).unwrap();
        blocking_http::read_response(stream)
    }
}

/// What a response says about the key: its limit, that it is banned, or why it is not accepted.
fn verdict(response: &Response) -> String {
    let body: Value = response.json();
    let limit = response.headers["x-ratelimit-limit"].to_str().unwrap();
    match body["code"].as_str().unwrap() {
        "api_key_banned" => format!("banned {limit}"),
        code @ ("revoked_api_key" | "insufficient_access") => code.to_owned(),
        _ => limit.to_owned(),
    }
}

#[test]
fn no_request_that_begins_after_a_change_of_its_key_is_judged_by_an_earlier_state() {
    let server = ServerProcess::start_with(&["--trusted-proxy", "127.0.0.1"]);
    let first = Key {
        secret: server.key.clone(),
        states: vec![vec!["1000000".to_owned()]],
        in_force: 1,
        ..Key::default()
    };
    let test = Test {
        server,
        key: Mutex::new(first),
        ended: AtomicBool::new(false),
        requests: AtomicU32::new(0),
    };
    thread::scope(|scope| {
        for _ in 0..CONNECTIONS {
            scope.spawn(|| test.send());
        }
        for writer in 0..WRITERS {
            let test = &test;
            scope.spawn(move || test.write(writer));
        }
        // If it fails, the others end nevertheless.
        let result = scope.spawn(|| (0..ROUNDS).for_each(|number| test.run_round(number)));
        let result = result.join();
        test.ended.store(true, Ordering::SeqCst);
        result.unwrap();
    });
    test.assert_no_violations();
}
