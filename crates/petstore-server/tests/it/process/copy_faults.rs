//! The command `copy` when it is killed: the same command begins anew, and the copy is whole or not there.

use rusqlite::Connection;
use test_postgres::TestDatabase;
use test_support::{Process, ServerProcess, Storage, poll_until};

use super::copy_fixture::{copied, copy_command, fill_directly};

/// Rows of the table that is copied: several batches.
const PETS: u32 = 6_000;

/// A stopped database with many pets.
fn large_database() -> Storage {
    let server = ServerProcess::start_on_file();
    server.create_category("Cat");
    let directory = server.stop();
    fill_directly(&directory.path().join("petstore.db"), PETS, "Pet ");
    directory
}

#[test]
fn copy_to_a_file_that_is_killed_is_repeated() {
    let Some(database) = TestDatabase::create("copy_to_a_file_killed") else {
        return;
    };
    let directory = large_database();
    let (path, url) = (directory.path(), database.url());
    copied(path, "petstore.db", url);
    let (unfinished, back) = (path.join("back.db.unfinished"), path.join("back.db"));
    let is_killed_early = (0..5).any(|_| {
        let process = Process::run(&mut copy_command(path, url, "back.db"));
        poll_until("the copy to begin", || {
            (unfinished.exists() || back.exists()).then_some(())
        });
        drop(process);
        let is_early = !back.exists();
        if !is_early {
            // A busy machine was too late: once more.
            std::fs::remove_file(&back).unwrap();
        }
        is_early
    });
    assert!(is_killed_early, "it was killed before its end");
    copied(path, url, "back.db");
    let pets = Connection::open(&back).unwrap();
    let count = "SELECT count(*) FROM pets";
    let count: u32 = pets.query_row(count, [], |row| row.get(0)).unwrap();
    assert_eq!(count, PETS);
    drop(pets);
    assert!(!unfinished.exists());
    let petstore = test_support::petstore();
    ServerProcess::run(petstore, directory, &["--database", "back.db"]).stop();
}
