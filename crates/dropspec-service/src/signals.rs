//! The signals that a server obeys, and the end of a process that does not stop in time.
//!
//! A thread with a runtime of its own waits for them, as the runtime of the server may hang.

use std::io::Write;
use std::time::Duration;

use anyhow::{Context, Result};
use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::mpsc;

/// The time that a stop may take. Then the process ends, whatever hangs: the disk, another process that locks the
/// database, or the reader of standard error.
const STOP_TIMEOUT: Duration = Duration::from_secs(10);

/// How long the last log line may take to be written before the process ends.
const LAST_LINE_TIMEOUT: Duration = Duration::from_millis(200);

/// The exit code of a process that did not stop within 10 seconds.
pub const EXIT_STOP_TIMEOUT: u8 = 4;

/// The time within which several stop signals count as one.
const SIGNAL_INTERVAL: Duration = Duration::from_millis(200);

/// The signals that a server obeys: SIGTERM and SIGINT stop it, SIGHUP reloads its certificate. Register them before the
/// start, so that a signal during the start is not lost, and SIGHUP does not end the process.
pub struct Signals {
    pub(crate) stop: StopSignals,
    pub(crate) reload: mpsc::UnboundedReceiver<()>,
    /// How long requests are still accepted after the first SIGTERM.
    pub(crate) drain_delay: Duration,
}

/// A signal that stops the server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StopSignal {
    /// Of a service manager: the drain delay passes.
    Terminate,
    /// Ctrl-C.
    Interrupt,
}

/// The stop signals, as they come.
pub(crate) struct StopSignals(mpsc::UnboundedReceiver<StopSignal>);

impl Signals {
    /// Starts to listen for the signals. From the first stop signal on the process has 10 seconds to end, whatever hangs:
    /// the start, the disk or the runtime. Then it ends with the exit code [`EXIT_STOP_TIMEOUT`]. After SIGTERM it has the
    /// `drain_delay` in addition, see [`Server::run_until_signal`](crate::Server::run_until_signal).
    ///
    /// # Errors
    ///
    /// If the operating system refuses.
    pub fn listen(drain_delay: Duration) -> Result<Signals> {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_io()
            .build()
            .context("cannot start the runtime of the signals")?;
        let listen = |kind| {
            let _guard = runtime.enter();
            signal(kind).context("cannot listen for SIGTERM, SIGHUP and Ctrl-C")
        };
        let mut terminate = listen(SignalKind::terminate())?;
        let mut interrupt = listen(SignalKind::interrupt())?;
        let mut hangup = listen(SignalKind::hangup())?;
        let (stop_sender, stop) = mpsc::unbounded_channel();
        let (reload_sender, reload) = mpsc::unbounded_channel();
        let pass_on = async move {
            let mut is_stopping = false;
            loop {
                let (signal, delay) = tokio::select! {
                    _ = terminate.recv() => (StopSignal::Terminate, drain_delay),
                    _ = interrupt.recv() => (StopSignal::Interrupt, Duration::ZERO),
                    _ = hangup.recv() => {
                        // Nobody receives it if the server has ended; so below.
                        let _ = reload_sender.send(());
                        continue;
                    }
                };
                if !is_stopping {
                    end_process_later(EXIT_STOP_TIMEOUT, delay);
                    is_stopping = true;
                }
                let _ = stop_sender.send(signal);
            }
        };
        std::thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || runtime.block_on(pass_on))
            .context("cannot start the thread that waits for signals")?;
        Ok(Signals {
            stop: StopSignals(stop),
            reload,
            drain_delay,
        })
    }
}

impl StopSignal {
    pub(crate) fn name(self) -> &'static str {
        match self {
            StopSignal::Terminate => "SIGTERM",
            StopSignal::Interrupt => "SIGINT",
        }
    }
}

impl StopSignals {
    /// Waits for the first signal.
    pub(crate) async fn first(&mut self) -> StopSignal {
        match self.0.recv().await {
            Some(signal) => signal,
            None => std::future::pending().await,
        }
    }

    /// Waits for a signal after the one that has come.
    pub(crate) async fn next(&mut self) {
        // One signal often comes twice, to the process and to its group.
        tokio::time::sleep(SIGNAL_INTERVAL).await;
        while self.0.try_recv().is_ok() {}
        self.first().await;
    }
}

/// Ends the process with this exit code `delay` and [`STOP_TIMEOUT`] from now, unless it has ended before. It uses a thread of
/// its own, as the runtime may hang. `exit` runs no destructors, and does not wait for the locks of the standard streams.
pub(crate) fn end_process_later(code: u8, delay: Duration) {
    let timeout = delay + STOP_TIMEOUT;
    let start = |name: &str, work: Box<dyn FnOnce() + Send>| {
        let thread = std::thread::Builder::new().name(name.to_owned());
        // Without memory for a thread, the stop goes on without its limit.
        let _ = thread.spawn(work);
    };
    start(
        "stop-watchdog",
        Box::new(move || {
            std::thread::sleep(timeout);
            std::process::exit(code.into());
        }),
    );
    // Another thread, as standard error may block. A logger here would keep the log from being flushed at the end.
    start(
        "stop-report",
        Box::new(move || {
            std::thread::sleep(timeout - LAST_LINE_TIMEOUT);
            let _ = writeln!(
                std::io::stderr(),
                "the stop takes too long; the process ends"
            );
        }),
    );
}
