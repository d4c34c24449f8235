//! Metrics of the process by the names that Prometheus recommends, without the prefix of the service: processor time, memory,
//! threads, files. They are read from `/proc`; a system without it has none.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use super::open_files::SpareFiles;
use super::stats::{Stat, elapsed, gauge, time};

/// What the system says of a process.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Process {
    /// Processor time of all threads, in seconds.
    cpu_seconds: f64,
    threads: u64,
    /// When it was started, in seconds since the system was.
    started: f64,
    virtual_bytes: u64,
    resident_bytes: u64,
}

/// The numbers of this process.
pub(super) fn of_process(files: &SpareFiles) -> Vec<Stat> {
    let files = files.count();
    let mut stats = vec![
        gauge("process_open_fds", files.open),
        gauge("process_max_fds", files.max),
    ];
    let read = |path| fs::read_to_string(path).ok();
    let Some(process) = read("/proc/self/stat").and_then(|stat| Process::parse(&stat)) else {
        return stats;
    };
    stats.extend([
        elapsed("process_cpu_seconds", process.cpu_seconds),
        gauge("process_threads", process.threads),
        gauge("process_virtual_memory_bytes", process.virtual_bytes),
        gauge("process_resident_memory_bytes", process.resident_bytes),
    ]);
    if let Some(boot) = read("/proc/stat").and_then(|stat| parse_boot_time(&stat)) {
        let started = boot + process.started;
        stats.push(time("process_start_time_seconds", started));
    }
    stats
}

impl Process {
    /// Parses `/proc/self/stat`, see proc_pid_stat(5).
    fn parse(stat: &str) -> Option<Process> {
        // The second field is the name of the program in parentheses, which may have spaces.
        let (_, rest) = stat.rsplit_once(") ")?;
        let fields: Vec<&str> = rest.split(' ').collect();
        let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
        let ticks = clock_ticks_per_second() as f64;
        Some(Process {
            cpu_seconds: (number(14)? + number(15)?) as f64 / ticks,
            threads: number(20)?,
            started: number(22)? as f64 / ticks,
            virtual_bytes: number(23)?,
            resident_bytes: number(24)? * page_size() as u64,
        })
    }
}

/// When the system was started, in seconds since 1970.
fn parse_boot_time(stat: &str) -> Option<f64> {
    let line = stat.lines().find_map(|line| line.strip_prefix("btime "));
    line?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_follow_the_name_whatever_it_contains() {
        let stat = "7 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 300 100 0 0 20 0 12 0 5000 1048576 3 18446744073709551615";
        let ticks = clock_ticks_per_second() as f64;
        let expected = Process {
            cpu_seconds: 400.0 / ticks,
            threads: 12,
            started: 5000.0 / ticks,
            virtual_bytes: 1_048_576,
            resident_bytes: 3 * page_size() as u64,
        };
        assert_eq!(Process::parse(stat), Some(expected));
        assert_eq!(Process::parse("7 (a) S 1"), None);
        assert_eq!(
            parse_boot_time("cpu 1\nbtime 1795262400\n"),
            Some(1_795_262_400.0)
        );
    }
}
