//! The command `copy` when it is killed: the same command begins anew, and the copy is whole or not there.

use test_postgres::{TestDatabase, execute};
use test_support::{Process, ServerProcess, Storage, poll_until, run_petstore};

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

/// Whether the table `pets` on PostgreSQL has at least so many rows.
fn has_pets(url: &str, rows: u32) -> bool {
    let fail = format!(
        "DO $$ BEGIN IF (SELECT count(*) FROM pets) < {rows} THEN RAISE 'fewer'; END IF; END $$"
    );
    execute(url, &fail).is_ok()
}

#[test]
fn copy_to_postgres_killed_at_any_batch_is_repeated() {
    let Some(database) = TestDatabase::create("copy_to_postgres_killed") else {
        return;
    };
    let directory = large_database();
    let (path, url) = (directory.path(), database.url());
    let mut kills = 0;
    for rows in (1..PETS).step_by(1_000) {
        let process = Process::run(&mut copy_command(path, "petstore.db", url));
        poll_until("rows to be copied", || has_pets(url, rows).then_some(()));
        drop(process);
        // The server may not have noticed yet.
        poll_until("the connection to end", || {
            let output = run_petstore(path, &["keys", "list", "--database", url]);
            let line = String::from_utf8(output.stderr).unwrap();
            (!line.contains("is being copied")).then(|| {
                if line.contains("holds an unfinished copy") {
                    kills += 1;
                }
            })
        });
    }
    let report = copied(path, "petstore.db", url);
    assert!(kills >= 3, "{kills} copies were killed before their end");
    let outcome = report["outcome"].as_str().unwrap();
    assert!(["copied", "was_complete"].contains(&outcome), "{outcome}");
    assert!(has_pets(url, PETS));
}
