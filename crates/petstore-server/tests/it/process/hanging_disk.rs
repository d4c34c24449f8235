//! A disk whose syncs hang: what needs no write goes on, and nothing waits for the disk without a limit. A disk that cannot be
//! read: the server says so until it can.

use std::io::Write;
use std::path::PathBuf;
use std::thread;

use tempfile::TempDir;
use test_support::faults::{Call, Change, Event, Failure, Fault, FaultLibrary, Hold, Trace};
use test_support::{ServerProcess, blocking_http, petstore, stay_in_minute};

/// A server whose calls of one kind hang or fail while there is a [`Hold`].
struct HangingServer {
    server: ServerProcess,
    hold: PathBuf,
    trace: PathBuf,
    _library: FaultLibrary,
}

impl HangingServer {
    /// Starts the server, whose calls work. `None` if the test is skipped.
    fn start(call: Call, failure: Failure) -> Option<HangingServer> {
        let library = FaultLibrary::build("a hanging disk")?;
        let directory = TempDir::new().unwrap();
        let [hold, trace] = ["hold", "trace"].map(|name| directory.path().join(name));
        let mut command = petstore();
        library.load(&mut command, directory.path(), &trace);
        Fault::while_held(call, failure).inject(&mut command, &hold);
        Some(HangingServer {
            server: ServerProcess::run(command, directory, &[]).with_first_key(),
            hold,
            trace,
            _library: library,
        })
    }

    /// Makes all calls of the kind wait or fail from now on, until the value is dropped.
    fn hang(&self) -> Hold {
        Hold::new(&self.hold)
    }
}

#[test]
fn while_a_write_hangs_keys_with_a_lease_read() {
    let Some(it) = HangingServer::start(Call::Sync, Failure::Hang) else {
        return;
    };
    let server = &it.server;
    // It takes a lease, which is a write, and is good for this minute.
    stay_in_minute();
    assert_eq!(server.send("GET", "/pets", "").status, 200);
    let hold = it.hang();
    thread::scope(|scope| {
        let write = scope.spawn(|| server.send("POST", "/categories", r#"{"name": "Cat"}"#));
        hold.wait_for_call(&it.trace);
        for _ in 0..10 {
            assert_eq!(server.send("GET", "/pets", "").status, 200);
        }
        assert!(!write.is_finished(), "it was acknowledged before its sync");
        drop(hold);
        assert_eq!(write.join().unwrap().status, 201);
    });
}

#[test]
fn sync_that_hangs_does_not_prevent_the_stop() {
    let Some(it) = HangingServer::start(Call::Sync, Failure::Hang) else {
        return;
    };
    assert_eq!(it.server.send("GET", "/pets", "").status, 200);
    let hold = it.hang();
    let request = it
        .server
        .format_request("POST", "/categories", r#"{"name": "Cat"}"#, "");
    let mut stream = blocking_http::connect(it.server.public);
    stream.write_all(request.as_bytes()).unwrap();
    hold.wait_for_call(&it.trace);
    it.server.process.signal("TERM");
    let (status, log, _) = it.server.wait();
    assert_eq!(status.code(), Some(4), "{log}");
    let reason = "the stop takes too long; the process ends\n";
    assert!(log.contains(reason), "{log}");
    drop(hold);
}

#[test]
fn reads_that_hang_do_not_prevent_the_stop() {
    let Some(it) = HangingServer::start(Call::Read, Failure::Hang) else {
        return;
    };
    let hold = it.hang();
    let request = it.server.format_request("GET", "/store/orders", "", "");
    // More than there are threads that read.
    let requests = 4 * thread::available_parallelism().unwrap().get();
    let streams: Vec<_> = (0..requests)
        .map(|_| {
            let mut stream = blocking_http::connect(it.server.public);
            stream.write_all(request.as_bytes()).unwrap();
            stream
        })
        .collect();
    hold.wait_for_call(&it.trace);
    it.server.process.signal("TERM");
    let (status, log, _) = it.server.wait();
    assert_eq!(status.code(), Some(4), "{log}");
    drop((hold, streams));
}

#[test]
fn reads_that_fail_are_503_and_the_server_is_not_ready_until_it_can_read() {
    let Some(it) = HangingServer::start(Call::Read, Failure::IoWhileHeld) else {
        return;
    };
    let server = &it.server;
    server.create_category("Cat");
    assert_eq!(server.get_panel("/readyz").text(), "ready\n");
    let hold = it.hang();
    for _ in 0..2 {
        let failed = server.send("GET", "/store/orders", "");
        assert_eq!(failed.outcome(), "503 unavailable");
        assert!(failed.header("retry-after").is_some());
        let ready = server.get_panel("/readyz");
        let text = ready.text();
        let names_cause = text.starts_with("the database could not be read: Input/output error");
        assert!(ready.status == 503 && names_cause, "{text}");
    }
    drop(hold);
    assert_eq!(server.get_panel("/readyz").text(), "ready\n");
    assert_eq!(server.send("GET", "/store/orders", "").status, 200);
    server.wait_for_log_line(|line| line["msg"] == "the database can be used again");
    let noticed = server.read_log().into_iter();
    let noticed = noticed.filter(|line| line["msg"] == "the database cannot be used");
    assert_eq!(noticed.count(), 1);
}

#[test]
fn failed_sync_of_a_commit_ends_the_server_and_its_write_has_an_unknown_outcome() {
    let Some(library) = FaultLibrary::build("a failed sync") else {
        return;
    };
    // The syncs until the first key has its leases; `None` if one of them failed.
    let syncs = |server: &ServerProcess| {
        let is_served = server.send("GET", "/pets", "").status == 200;
        let events = Trace::read(&server.storage.path().join("trace")).events;
        let synced = |it: &&Event| matches!(it, Event::Changed(Change::Synced(_)));
        is_served.then(|| events.iter().filter(synced).count())
    };
    let start = |at| {
        let directory = TempDir::new().unwrap();
        let [hold, trace] = ["hold", "trace"].map(|name| directory.path().join(name));
        let mut command = petstore();
        library.load(&mut command, directory.path(), &trace);
        let fault = Fault {
            call: Call::Sync,
            at,
            lasting: false,
            failure: Failure::Io,
        };
        fault.inject(&mut command, &hold);
        ServerProcess::run(command, directory, &[]).with_first_key()
    };
    let create = |server: &ServerProcess| {
        let headers = "Connection: close\r\nIdempotency-Key: once\r\n";
        let request = server.format_request("POST", "/categories", r#"{"name": "Cat"}"#, headers);
        let mut stream = blocking_http::connect_from([127, 0, 0, 1].into(), server.public).ok()?;
        stream.write_all(request.as_bytes()).ok()?;
        blocking_http::try_read_response(&mut stream)
    };
    // The leases and the credit of the first key are stored by one commit or by two, so not each pair of servers is alike:
    // the second one can meet the fault before the write does.
    let server = (0..20).find_map(|_| {
        let before = syncs(&start(usize::MAX)).unwrap();
        let server = start(before + 1);
        let created = (syncs(&server) == Some(before)).then(|| create(&server))??;
        assert_ne!(created.status, 201, "acknowledged, but its sync failed");
        (created.outcome() == "500 outcome_unknown").then_some(server)
    });
    let server = server.expect("a server whose commit of a category fails");
    let key = server.key.clone();
    let (status, log, directory) = server.wait();
    assert_eq!(status.code(), Some(3), "{log}");
    assert_eq!(
        log.matches("the database cannot be used").count(),
        1,
        "{log}"
    );
    let last = log.lines().last().unwrap();
    let expected = "error: the server ended, as its database failed: a commit failed, so the database is no longer used; \
                    check the disk and start the server again: disk I/O error";
    assert!(last.starts_with(expected), "{last}");

    // The machine did not crash, so the log has the commit, and the response with it.
    let mut server = ServerProcess::run(petstore(), directory, &[]);
    server.key = key;
    let replayed = create(&server).unwrap();
    assert_eq!(replayed.status, 201);
    assert_eq!(replayed.header("idempotency-replayed"), Some("true"));
}
