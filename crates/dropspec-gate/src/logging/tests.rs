//! Tests of the log: formats, order, samples, and outputs that block or fail.

use std::fmt;
use std::io::{self, BufRead, BufReader, ErrorKind, Read};
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use slog::{debug, error, info, warn};

use super::*;

/// An output that the test reads, and that fails as often as it is told.
#[derive(Clone, Default)]
struct Memory(Arc<Mutex<MemoryState>>);

#[derive(Default)]
struct MemoryState {
    bytes: Vec<u8>,
    /// The results of the next writes. Further ones succeed.
    script: Vec<io::Result<usize>>,
    fails_always: bool,
}

impl Memory {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().bytes.clone()).unwrap()
    }
}

impl Write for Memory {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if state.fails_always {
            return Err(ErrorKind::BrokenPipe.into());
        }
        let length = match state.script.pop() {
            Some(result) => result?.min(bytes.len()),
            None => bytes.len(),
        };
        state.bytes.extend_from_slice(&bytes[..length]);
        Ok(length)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn settings(format: LogFormat) -> LogSettings {
    LogSettings {
        format,
        level: LogLevel::Info,
        sample: NonZeroU32::MIN,
        client: false,
        path: false,
    }
}

fn start(format: LogFormat, output: impl Write + Send + 'static, dropped: &Counter) -> Log {
    Log::to_output(settings(format), output, false, None, dropped.clone()).unwrap()
}

/// What is written by a log that `work` uses.
fn written_by(settings: LogSettings, work: impl FnOnce(&Log)) -> String {
    let memory = Memory::default();
    let log = Log::to_output(settings, memory.clone(), false, None, Counter::default()).unwrap();
    work(&log);
    drop(log);
    memory.text()
}

fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<serde_json::Result<_>>().unwrap()
}

fn request(request_id: &str) -> RequestLine<'_> {
    RequestLine {
        request_id,
        method: "GET",
        route: Some("/pets/{petId}"),
        operation: "getPet",
        status: 200,
        latency: Duration::from_micros(341),
        key: Some("pst_0123"),
        left_out: 0,
        client: None,
        path: None,
        trace_id: None,
    }
}

#[test]
fn request_is_a_line_in_either_format() {
    let settings = |format| LogSettings {
        path: true,
        ..settings(format)
    };
    let log_both = |log: &Log| {
        log.request(&request("id-1"));
        log.request(&RequestLine {
            status: 429,
            key: None,
            left_out: 7,
            client: Some("2001:db8::1".parse().unwrap()),
            path: Some("/pets/\"1\""),
            trace_id: Some(0xaf7_6519),
            ..request("id-2")
        });
    };
    let text = written_by(settings(LogFormat::Json), log_both);
    let times: Vec<Value> = json_lines(&text)
        .iter()
        .map(|it| it["ts"].clone())
        .collect();
    let expected = format!(
        "{{\"ts\":{},\"level\":\"INFO\",\"msg\":\"request\",\"request_id\":\"id-1\",\"operation\":\"getPet\",\
         \"status\":200,\"latency_us\":341,\"key\":\"pst_0123\"}}\n\
         {{\"ts\":{},\"level\":\"INFO\",\"msg\":\"request\",\"request_id\":\"id-2\",\"operation\":\"getPet\",\
         \"status\":429,\"latency_us\":341,\"key\":null,\"client\":\"2001:db8::1\",\"path\":\"/pets/\\\"1\\\"\",\
         \"trace_id\":\"0000000000000000000000000af76519\",\"left_out\":7}}\n",
        times[0], times[1],
    );
    assert_eq!(text, expected);
    for time in &times {
        let time = time.as_str().unwrap();
        assert_eq!(time.len(), "2026-11-22T03:43:37.147589Z".len());
        chrono::DateTime::parse_from_rfc3339(time).unwrap();
    }

    let text = written_by(settings(LogFormat::Terminal), log_both);
    let without_times: Vec<&str> = text
        .lines()
        .map(|line| &line["Nov 22 03:43:38.721".len()..])
        .collect();
    let expected = [
        " INFO request GET /pets/{petId}, request_id: id-1, operation: getPet, status: 200, latency_us: 341, key: pst_0123",
        " INFO request GET /pets/{petId}, request_id: id-2, operation: getPet, status: 429, latency_us: 341, client: 2001:db8::1, \
         path: /pets/\"1\", trace_id: 0000000000000000000000000af76519, left_out: 7",
    ];
    assert_eq!(without_times, expected);
}

#[test]
fn request_without_a_route_shows_people_what_can_be_shown_of_its_path() {
    let path = "/pets/new\u{1b}[31m/1";
    let log_one = |log: &Log| {
        log.request(&RequestLine {
            method: "PUT",
            route: None,
            path: Some(path),
            ..request("id")
        });
    };
    let text = written_by(settings(LogFormat::Terminal), log_one);
    assert!(
        text.contains(" INFO request PUT /pets/…/1, request_id: id, "),
        "{text}"
    );
    assert!(!text.contains("path: "), "{text}");
    let json = &json_lines(&written_by(settings(LogFormat::Json), log_one))[0];
    assert_eq!(
        (&json["msg"], &json["path"]),
        (&json!("request"), &Value::Null)
    );
    let with_path = LogSettings {
        path: true,
        ..settings(LogFormat::Json)
    };
    assert_eq!(json_lines(&written_by(with_path, log_one))[0]["path"], path);
}

#[test]
fn hostile_values_are_valid_json_and_one_line_of_text() {
    let values = [
        "",
        "plain",
        "\"quoted\" \\ and {\"a\":1}",
        "two\nlines\r\n\tand a tab",
        "\0\u{1b}[31mred\u{7f}\u{85}\u{9b}",
        "größer 🐈 \u{2028}",
    ];
    for value in values {
        let log_all = |log: &Log| {
            log.request(&request(value));
            error!(log.logger(), "{}", value; "error" => %value, "text" => value);
        };
        let text = written_by(settings(LogFormat::Json), log_all);
        let lines = json_lines(&text);
        assert_eq!(lines[0]["request_id"], value);
        for field in ["msg", "error", "text"] {
            assert_eq!(lines[1][field], value);
        }
        for format in [LogFormat::Json, LogFormat::Terminal] {
            let text = written_by(settings(format), log_all);
            assert_eq!(text.lines().count(), 2, "{text}");
            let mut rest = text.chars().filter(|it| it.is_control() && *it != '\n');
            assert_eq!(rest.next(), None, "{text:?}");
        }
    }
}

#[test]
fn long_value_is_cut_between_characters() {
    let long = "ü".repeat(20_000);
    let expected = "ü".repeat(8192);
    let text = written_by(settings(LogFormat::Json), |log| {
        warn!(log.logger(), "{}{}", "a", long; "text" => &long, "next" => 1);
        log.request(&request(&long));
    });
    let lines = json_lines(&text);
    let message = format!("a{}", "ü".repeat(8191));
    assert_eq!(lines[0]["msg"], message);
    assert_eq!(
        (&lines[0]["text"], &lines[0]["next"]),
        (&json!(expected), &json!(1))
    );
    assert_eq!(lines[1]["request_id"], expected);
}

#[test]
fn fields_keep_their_order_and_types() {
    let text = written_by(settings(LogFormat::Json), |log| {
        let outer = log.logger().new(o!("outer" => 1, "second" => "b"));
        let inner = outer.new(o!("request_id" => "id"));
        info!(inner, "all types";
            "u64" => u64::MAX, "u128" => 1_u128, "i64" => i64::MIN, "bool" => true,
            "none" => None::<&str>, "some" => Some(2_u8), "text" => "a", "display" => %"b",
        );
        info!(log.logger(), "no fields");
    });
    let lines: Vec<&str> = text
        .lines()
        .map(|line| line.split_once(",\"level\"").unwrap().1)
        .collect();
    let expected = [
        ":\"INFO\",\"msg\":\"all types\",\"outer\":1,\"second\":\"b\",\"request_id\":\"id\",\
         \"u64\":18446744073709551615,\"u128\":1,\"i64\":-9223372036854775808,\"bool\":true,\"none\":null,\
         \"some\":2,\"text\":\"a\",\"display\":\"b\"}",
        ":\"INFO\",\"msg\":\"no fields\"}",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn lines_below_the_level_are_left_out() {
    for (level, expected) in [
        (LogLevel::Error, &["ERRO"][..]),
        (LogLevel::Warn, &["ERRO", "WARN"]),
        (LogLevel::Info, &["ERRO", "WARN", "INFO", "INFO"]),
        (LogLevel::Debug, &["ERRO", "WARN", "INFO", "DEBG", "INFO"]),
    ] {
        let settings = LogSettings {
            level,
            ..settings(LogFormat::Json)
        };
        let text = written_by(settings, |log| {
            let logger = log.logger();
            error!(logger, "broken");
            warn!(logger, "unusual");
            info!(logger, "usual");
            debug!(logger, "detail");
            log.request(&request("id"));
        });
        let lines = json_lines(&text);
        let levels: Vec<&Value> = lines.iter().map(|line| &line["level"]).collect();
        assert_eq!(levels, expected, "{level:?}");
    }
}

#[test]
fn level_is_coloured_on_a_terminal_only() {
    let written = |coloured| {
        let memory = Memory::default();
        let settings = settings(LogFormat::Terminal);
        let log = Log::to_output(settings, memory.clone(), coloured, None, Counter::default());
        warn!(log.unwrap().logger(), "hot");
        memory.text()
    };
    assert!(written(false).ends_with(" WARN hot\n"));
    assert!(written(true).ends_with(" \x1b[33mWARN\x1b[0m hot\n"));
}

#[test]
fn sample_has_about_one_of_n_requests_and_each_failed_or_slow_one() {
    let ids: Vec<String> = (0..10_000)
        .map(|number: u64| {
            format!(
                "{:016x}-{number}",
                number.wrapping_mul(0x9e37_79b9_7f4a_7c15)
            )
        })
        .collect();
    let settings = LogSettings {
        sample: NonZeroU32::new(100).unwrap(),
        ..settings(LogFormat::Json)
    };
    let text = written_by(settings, |log| {
        for id in &ids {
            log.request(&request(id));
        }
        for status in [400, 429, 503] {
            log.request(&RequestLine {
                status,
                ..request("failed")
            });
        }
        log.request(&RequestLine {
            latency: SLOW,
            ..request("slow")
        });
        info!(log.logger(), "stopping");
    });
    let lines = json_lines(&text);
    let (sampled, others): (Vec<_>, Vec<_>) =
        lines.iter().partition(|line| line["sample"] == json!(100));
    assert!((50..200).contains(&sampled.len()), "{}", sampled.len());
    assert!(sampled.iter().all(|line| line["status"] == 200));
    let others: Vec<_> = others
        .iter()
        .map(|line| (&line["request_id"], &line["status"], &line["sample"]))
        .collect();
    let null = Value::Null;
    let expected = [
        (&json!("failed"), &json!(400), &null),
        (&json!("failed"), &json!(429), &null),
        (&json!("failed"), &json!(503), &null),
        (&json!("slow"), &json!(200), &null),
        (&null, &null, &null),
    ];
    assert_eq!(others, expected);
}

#[test]
fn lines_of_many_threads_are_whole_and_in_the_order_of_their_times() {
    const THREADS: usize = 4;
    const LINES: usize = 2000;
    let text = written_by(settings(LogFormat::Json), |log| {
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                scope.spawn(move || {
                    let logger = log.logger();
                    for number in 0..LINES {
                        let id = format!("{thread} {number}");
                        match number % 100 {
                            0 => warn!(logger, "warning"; "request_id" => &id),
                            _ => log.request(&request(&id)),
                        }
                    }
                });
            }
        });
    });
    let lines = json_lines(&text);
    assert_eq!(lines.len(), THREADS * LINES);
    assert!(lines.is_sorted_by_key(|line| line["ts"].as_str()));
    for thread in 0..THREADS {
        let prefix = format!("{thread} ");
        let numbers = lines
            .iter()
            .filter_map(|line| line["request_id"].as_str()?.strip_prefix(&prefix))
            .map(|number| number.parse::<usize>().unwrap());
        assert!(numbers.eq(0..LINES), "{thread}");
    }
}

#[test]
fn value_that_logs_while_it_is_displayed_has_a_line_of_its_own() {
    struct Talkative<'a>(&'a Logger);
    impl fmt::Display for Talkative<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            info!(self.0, "inner");
            f.write_str("value")
        }
    }
    let text = written_by(settings(LogFormat::Json), |log| {
        let logger = log.logger();
        info!(logger, "outer"; "value" => %Talkative(&logger));
    });
    let lines = json_lines(&text);
    assert_eq!(lines[0]["msg"], "inner");
    assert_eq!(
        (&lines[1]["msg"], &lines[1]["value"]),
        (&json!("outer"), &json!("value"))
    );
}

#[test]
fn lines_that_a_blocked_output_does_not_take_are_dropped_counted_and_reported() {
    let (reader, writer) = io::pipe().unwrap();
    let dropped = Counter::default();
    let log = start(LogFormat::Json, writer, &dropped);
    // Closed before the log if the test fails, so that the log need not wait for a reader.
    let reader = reader;
    let mut pushed = 0;
    while dropped.get() < 100 {
        log.request(&request("an id of usual length, 36 letters long"));
        pushed += 1;
        assert!(pushed < 1_000_000, "the queue has no bound");
    }
    // There is room for warnings.
    let before = dropped.get();
    for _ in 0..100 {
        warn!(log.logger(), "important");
    }
    assert_eq!(dropped.get(), before);

    let reading = std::thread::spawn(move || {
        let mut text = String::new();
        BufReader::new(reader).read_to_string(&mut text).unwrap();
        text
    });
    drop(log);
    let lines = json_lines(&reading.join().unwrap());
    let count = |message: &str| lines.iter().filter(|line| line["msg"] == message).count();
    assert_eq!(count("request") as u64 + before, pushed);
    assert_eq!(count("important"), 100);
    let report = lines.last().unwrap();
    assert_eq!(report["level"], "WARN");
    assert_eq!(
        report["msg"],
        "log lines were dropped, because standard error is too slow"
    );
    assert_eq!(report["lines"], before);
}

#[test]
fn lines_are_whole_after_short_and_failed_writes() {
    let memory = Memory::default();
    memory.0.lock().unwrap().script = vec![
        Ok(7),
        Err(ErrorKind::StorageFull.into()),
        Ok(0),
        Err(ErrorKind::Interrupted.into()),
        Ok(1),
        Err(ErrorKind::WouldBlock.into()),
    ];
    let dropped = Counter::default();
    let log = start(LogFormat::Json, memory.clone(), &dropped);
    log.request(&request("a"));
    log.request(&request("b"));
    drop(log);
    let lines = json_lines(&memory.text());
    let ids: Vec<_> = lines.iter().map(|line| &line["request_id"]).collect();
    assert_eq!(ids, ["a", "b"]);
    assert_eq!(dropped.get(), 0);
}

#[test]
fn last_lines_are_given_up_if_the_output_fails_for_good() {
    let memory = Memory::default();
    memory.0.lock().unwrap().fails_always = true;
    let dropped = Counter::default();
    let log = start(LogFormat::Json, memory, &dropped);
    for _ in 0..3 {
        log.request(&request("id"));
    }
    drop(log);
    assert_eq!(dropped.get(), 3);
}

#[test]
fn flush_waits_until_earlier_lines_are_written() {
    let (reader, writer) = io::pipe().unwrap();
    let log = start(LogFormat::Terminal, writer, &Counter::default());
    let logger = log.logger();
    logger.flush().unwrap();
    info!(logger, "last");
    logger.flush().unwrap();
    let mut line = String::new();
    BufReader::new(reader).read_line(&mut line).unwrap();
    assert!(line.ends_with(" INFO last\n"), "{line}");
}

#[test]
fn cause_that_an_error_repeats_is_displayed_once() {
    /// An error that displays its cause, as that of a Redis client does.
    #[derive(Debug, thiserror::Error)]
    #[error("cannot connect: {0}")]
    struct Repeats(#[source] std::io::Error);

    let error = Repeats(std::io::Error::other("refused"));
    assert_eq!(Causes(&error).to_string(), "cannot connect: refused");
    let outer = anyhow::Error::new(error).context("cannot start");
    assert_eq!(
        Causes(outer.as_ref()).to_string(),
        "cannot start: cannot connect: refused"
    );
}
