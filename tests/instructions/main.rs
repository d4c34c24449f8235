//! Counts the instructions of each step of a request, under Callgrind: the counts hardly depend on the machine and its
//! load, so CI can compare them. It fails if a step takes over a tenth more than [`baseline`] says.
//!
//! `cargo bench -p instructions` needs valgrind and `gungraun-runner` of the version in
//! `Cargo.lock`. Each step runs once before it is counted, so that caches are filled and statements compiled.
#![allow(clippy::unwrap_used, missing_docs)]

mod baseline;
mod prepared;

use std::hint::black_box;

use gungraun::prelude::*;
use gungraun::{Callgrind, EntryPoint, EventKind};

use self::prepared::Prepared;

/// The configuration of a step that may not take a tenth more than its baseline.
fn limited(step: &str) -> LibraryBenchmarkConfig {
    LibraryBenchmarkConfig::default().tool(limit(step)).clone()
}

/// Like [`limited`], for a function that only the whole server can call. Its first call, which prepares the step, counts too.
fn limited_within_server(step: &str, function: &str) -> LibraryBenchmarkConfig {
    let mut callgrind = limit(step);
    callgrind.entry_point(EntryPoint::Custom(function.to_owned()));
    LibraryBenchmarkConfig::default().tool(callgrind).clone()
}

fn limit(step: &str) -> Callgrind {
    let limit = baseline::instructions(step) * 11 / 10;
    let mut callgrind = Callgrind::default();
    callgrind.hard_limits([(EventKind::Ir, limit)]);
    callgrind
}

#[library_benchmark(config = limited("route"), setup = Prepared::new)]
#[bench::get_pet()]
fn route(prepared: Prepared) -> Prepared {
    black_box(prepared.route());
    prepared
}

#[library_benchmark(config = limited("key_lookup"), setup = Prepared::new)]
#[bench::known_key()]
fn key_lookup(prepared: Prepared) -> Prepared {
    black_box(prepared.look_up_key());
    prepared
}

#[library_benchmark(config = limited("limiter_decision"), setup = Prepared::new)]
#[bench::admitted()]
fn limiter_decision(prepared: Prepared) -> Prepared {
    black_box(prepared.charge_key());
    prepared
}

#[library_benchmark(config = limited("decode_and_validate"), setup = Prepared::new)]
#[bench::place_order()]
fn decode_and_validate(prepared: Prepared) -> Prepared {
    black_box(prepared.decode_order());
    prepared
}

#[library_benchmark(
    config = limited_within_server("response_headers", "*ResponseHeaders::apply*"),
    setup = Prepared::new
)]
#[bench::get_pet()]
fn response_headers(mut prepared: Prepared) -> Prepared {
    prepared.request();
    prepared
}

#[library_benchmark(config = limited("log_line"), setup = Prepared::new)]
#[bench::json()]
fn log_line(prepared: Prepared) -> Prepared {
    prepared.log_request();
    prepared
}

// All of it: the request through client socket, hyper and the gate, and back.
#[library_benchmark(config = limited("whole_request"), setup = Prepared::new)]
#[bench::get_pet()]
fn whole_request(mut prepared: Prepared) -> Prepared {
    prepared.request();
    prepared
}

library_benchmark_group!(
    name = steps,
    benchmarks = [
        route,
        key_lookup,
        limiter_decision,
        decode_and_validate,
        response_headers,
        log_line,
        whole_request
    ]
);

main!(library_benchmark_groups = steps);
