//! What the line of a request costs the thread that serves it, and how many writes the lines take: by this log, and by
//! `slog-async` with `slog-json`. The best of many rounds counts, so that a busy machine does not matter.

use std::io::{self, Write};
use std::num::NonZeroU32;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use prometheus_client::metrics::counter::Counter;
use server_log::{Log, LogFormat, LogLevel, LogSettings, RequestLine};
use slog::{Drain, Logger, o};
use slog_async::OverflowStrategy;

/// The lines of a round: few enough that none is dropped.
const LINES: u32 = 5_000;

const ROUNDS: u32 = 40;

const ID: &str = "0af76519-16cd-43dd-8448-eb211c80319c";

/// An output that counts its writes, each of which is a system call of a server.
struct Output(Counter);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.inc();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn main() {
    let writes = Counter::default();
    let settings = LogSettings {
        format: LogFormat::Json,
        level: LogLevel::Info,
        sample: NonZeroU32::MIN,
        client: false,
        path: false,
    };
    let dropped = Counter::default();
    let log = Log::to_output(settings, Output(writes.clone()), false, dropped.clone());
    let log = log.expect("a thread can be started");
    let logger = log.logger();
    measure(
        "this log",
        &writes,
        &|| {
            log.request(&RequestLine {
                request_id: ID,
                operation: "getPet",
                status: 200,
                latency: Duration::from_micros(341),
                key: Some("pst_0123"),
                left_out: 0,
                client: None,
                path: None,
                trace_id: None,
            });
        },
        &|| drop(slog::Drain::flush(&logger)),
    );
    assert_eq!(dropped.get(), 0, "a line that is dropped costs less");

    let writes = Counter::default();
    let json = slog_json::Json::default(Output(writes.clone()));
    let (drain, guard) = slog_async::Async::new(Mutex::new(json).fuse())
        .chan_size(LINES as usize)
        .overflow_strategy(OverflowStrategy::Block)
        .build_with_guard();
    let logger = Logger::root(drain.fuse(), o!());
    let before = Instant::now();
    measure(
        "slog-async",
        &writes,
        &|| {
            slog::info!(logger, "request"; "request_id" => ID, "operation" => "getPet", "status" => 200_u16,
            "latency_us" => 341_u64, "key" => "pst_0123");
        },
        &|| {},
    );
    drop((logger, guard));
    println!("slog-async ended after {:?}", before.elapsed());
}

/// Prints what a line costs.
fn measure(name: &str, writes: &Counter, line: &dyn Fn(), flush: &dyn Fn()) {
    let mut best = Duration::MAX;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        for _ in 0..LINES {
            line();
        }
        best = best.min(start.elapsed());
        flush();
    }
    let nanos = best.as_nanos() / u128::from(LINES);
    let lines = u64::from(LINES * ROUNDS);
    println!(
        "{name}: {nanos} ns a line for its thread, {lines} lines in {} writes",
        writes.get()
    );
}
