//! The binary `petstore`. Everything else lives in the library.

use std::process::ExitCode;

use mimalloc::MiMalloc;
use petstore_server::api::Petstore;

/// A request takes 11 % fewer instructions than with glibc's malloc, and 3 % fewer than with jemalloc, which also takes
/// longer to build.
#[global_allocator]
static ALLOCATOR: MiMalloc = MiMalloc;

fn main() -> ExitCode {
    dropspec_service::run::<Petstore>()
}
