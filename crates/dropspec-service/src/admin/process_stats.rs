//! Metrics of the process by the names that Prometheus recommends, without the prefix of the service: processor time, memory,
//! threads, files. They are read from `/proc`; a system without it has none.

use std::fs;

use rustix::param::{clock_ticks_per_second, page_size};

use super::open_files::SpareFiles;
use super::stats::{Stat, elapsed, gauge, time};

/// The numbers of this process.
pub(super) fn of_process(files: &SpareFiles) -> Vec<Stat> {
    let files = files.count();
    let mut stats = vec![
        gauge("process_open_fds", files.open),
        gauge("process_max_fds", files.max),
    ];
    let read = |path| fs::read_to_string(path).ok();
    let boot = read("/proc/stat").and_then(|stat| parse_boot_time(&stat));
    let of_system = read("/proc/self/stat").and_then(|stat| parse(&stat, boot));
    stats.extend(of_system.unwrap_or_default());
    stats
}

/// The numbers in `/proc/self/stat`, see proc_pid_stat(5). `boot` is when the system was started, in seconds since 1970.
fn parse(stat: &str, boot: Option<f64>) -> Option<Vec<Stat>> {
    // The second field is the name of the program in parentheses, which may have spaces.
    let (_, rest) = stat.rsplit_once(") ")?;
    let fields: Vec<&str> = rest.split(' ').collect();
    let number = |field: usize| fields.get(field - 3)?.parse::<u64>().ok();
    let seconds = |ticks: u64| ticks as f64 / clock_ticks_per_second() as f64;
    let resident = number(24)? * page_size() as u64;
    let mut stats = vec![
        elapsed("process_cpu_seconds", seconds(number(14)? + number(15)?)),
        gauge("process_threads", number(20)?),
        gauge("process_virtual_memory_bytes", number(23)?),
        gauge("process_resident_memory_bytes", resident),
    ];
    if let Some(boot) = boot {
        let started = boot + seconds(number(22)?);
        stats.push(time("process_start_time_seconds", started));
    }
    Some(stats)
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
        let expected = vec![
            elapsed("process_cpu_seconds", 400.0 / ticks),
            gauge("process_threads", 12),
            gauge("process_virtual_memory_bytes", 1_048_576),
            gauge("process_resident_memory_bytes", 3 * page_size() as u64),
            time("process_start_time_seconds", 7.0 + 5000.0 / ticks),
        ];
        assert_eq!(parse(stat, Some(7.0)), Some(expected));
        assert_eq!(parse("7 (a) S 1", None), None);
        assert_eq!(
            parse_boot_time("cpu 1\nbtime 1795262400\n"),
            Some(1_795_262_400.0)
        );
    }
}
