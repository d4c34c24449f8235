//! A disk whose syncs hang: what needs no write goes on, and nothing waits for the disk without a limit.

use std::path::PathBuf;
use std::thread;

use tempfile::TempDir;
use test_support::faults::{Call, Fault, FaultLibrary, Hold};
use test_support::{ServerProcess, petstore};

/// A server whose syncs hang while there is a [`Hold`].
struct HangingServer {
    server: ServerProcess,
    hold: PathBuf,
    trace: PathBuf,
    _library: FaultLibrary,
}

impl HangingServer {
    /// Starts the server, whose syncs work. `None` if the test is skipped.
    fn start() -> Option<HangingServer> {
        let library = FaultLibrary::build("a hanging disk")?;
        let directory = TempDir::new().unwrap();
        let [hold, trace] = ["hold", "trace"].map(|name| directory.path().join(name));
        let mut command = petstore();
        library.load(&mut command, directory.path(), &trace);
        Fault::hang(Call::Sync).inject(&mut command, &hold);
        Some(HangingServer {
            server: ServerProcess::run(command, directory, &[]).with_first_key(),
            hold,
            trace,
            _library: library,
        })
    }

    /// Makes all syncs wait from now on, until the value is dropped.
    fn hang(&self) -> Hold {
        Hold::new(&self.hold)
    }
}

#[test]
fn while_a_write_hangs_keys_with_a_lease_read() {
    let Some(it) = HangingServer::start() else {
        return;
    };
    let server = &it.server;
    // It takes a lease, which is a write.
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
