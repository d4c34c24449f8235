//! A headless Chromium, controlled over WebDriver (W3C), which is JSON over HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::process::{Child, ChildStdout, Command, Stdio};

use serde_json::{Value, json};
use tempfile::TempDir;

use crate::process::TIMEOUT;
use crate::{Response, blocking_http, programs};

const FLAGS: [&str; 10] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--window-size=1400,1000",
    // The shared memory of a container may be small.
    "--disable-dev-shm-usage",
];

/// How often the driver is started until it has a port.
const DRIVER_STARTS: u32 = 5;

/// How often a script looks in one page.
const POLLS: u32 = 1_000;

/// In how many pages, one after the other, a script looks at most.
const MAX_PAGES: usize = 4;

/// A browser with one page. It is closed when it is dropped.
pub struct Browser {
    driver: Child,
    _stdout: BufReader<ChildStdout>,
    _profile: TempDir,
    address: SocketAddr,
    session: String,
}

impl Browser {
    /// Starts the browser. `None` if it is not installed; then the test is reported as skipped.
    pub fn start(test: &str) -> Option<Browser> {
        if programs::are_missing(&["chromium", "chromedriver"], test) {
            return None;
        }
        let profile = TempDir::new().unwrap();
        let (driver, stdout, port) = (0..DRIVER_STARTS)
            .find_map(|_| start_driver())
            .expect("chromedriver ends at once, each time");
        let address = SocketAddr::from(([127, 0, 0, 1], port));
        let data = format!("--user-data-dir={}", profile.path().display());
        let flags: Vec<&str> = FLAGS.into_iter().chain([data.as_str()]).collect();
        let mut browser = Browser {
            driver,
            _stdout: stdout,
            _profile: profile,
            address,
            session: String::new(),
        };
        let session = browser.command(
            "POST",
            "/session",
            &json!({ "capabilities": { "alwaysMatch": {
                "timeouts": { "script": 60_000 },
                "goog:chromeOptions": { "args": flags },
                "goog:loggingPrefs": { "browser": "ALL", "performance": "ALL" }
            } } }),
        );
        browser.session = format!("/session/{}", session["sessionId"].as_str().unwrap());
        // Chromium starts with another page.
        browser.open("about:blank");
        browser.log("performance");
        Some(browser)
    }

    /// Opens a page.
    pub fn open(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    /// Sends a command of the DevTools protocol, such as `Emulation.setEmulatedMedia`.
    pub fn devtools(&self, command: &str, parameters: &Value) -> Value {
        self.post(
            "/goog/cdp/execute",
            &json!({ "cmd": command, "params": parameters }),
        )
    }

    /// Runs the body of a function in the page, and returns its result.
    pub fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post(
            "/execute/sync",
            &json!({ "script": script, "args": arguments }),
        )
    }

    /// Runs the body of a function in the page until its result is not null or false, and returns it. If the page is replaced by
    /// another one meanwhile, the function runs there.
    pub fn wait_for(&self, script: &str, arguments: &[Value]) -> Value {
        let polling = format!(
            "const given = [...arguments], done = given.pop();
             let left = {POLLS};
             function look() {{ {script} }}
             function again() {{
                 const found = look(...given);
                 if (found || --left === 0) done(found || null); else setTimeout(again, 50);
             }}
             again();"
        );
        let path = format!("{}/execute/async", self.session);
        let body = json!({ "script": polling, "args": arguments });
        // A script that ends with its page is a timeout for the driver, whatever the limit.
        let mut pages = (0..MAX_PAGES).map(|_| self.send("POST", &path, &body));
        let response = pages.find(|it| it.json::<Value>()["value"]["error"] != "script timeout");
        let response =
            response.unwrap_or_else(|| panic!("no page ran the script to its end: {body}"));
        let found = read_value("POST", &path, &body, &response);
        let is_found = !found.is_null();
        assert!(is_found, "not found after {POLLS} tries: {body}");
        found
    }

    /// Waits until the page shows each of these texts.
    pub fn wait_for_text(&self, texts: &[&str]) {
        for text in texts {
            let contains = "return document.body.innerText.includes(arguments[0])";
            self.wait_for(contains, &[json!(text)]);
        }
    }

    /// Clicks the last button with this name, as soon as there is one.
    pub fn click(&self, name: &str) {
        self.wait_for(
            "const button = [...document.querySelectorAll('button')].findLast(it => it.innerText === arguments[0]);
             button?.focus();
             button?.click();
             return !!button",
            &[json!(name)],
        );
    }

    /// Types text into the element that a selector finds.
    pub fn type_into(&self, selector: &str, text: &str) {
        let found = self.post(
            "/element",
            &json!({ "using": "css selector", "value": selector }),
        );
        let element = found.as_object().unwrap().values().next().unwrap();
        let path = format!("/element/{}/value", element.as_str().unwrap());
        self.post(&path, &json!({ "text": text }));
    }

    /// The errors and warnings that the page logged since the last call.
    pub fn take_errors(&self) -> Vec<String> {
        let lines = self.log("browser").into_iter();
        let errors = lines
            .filter(|line| line["level"] == json!("SEVERE") || line["level"] == json!("WARNING"));
        errors.map(|line| line["message"].to_string()).collect()
    }

    /// Fails if the page logged an error or warning, or sent a request to another host than `origin`.
    pub fn assert_no_errors(&self, origin: &str) {
        let errors = self.take_errors();
        assert!(errors.is_empty(), "messages on the console: {errors:#?}");
        let mut ours = 0;
        for line in self.log("performance") {
            let event: Value = serde_json::from_str(line["message"].as_str().unwrap()).unwrap();
            if event["message"]["method"] == json!("Network.requestWillBeSent") {
                let url = event["message"]["params"]["request"]["url"].as_str();
                let url = url.unwrap();
                let inside = ["data:", "blob:", "about:"];
                assert!(
                    url.starts_with(origin) || inside.iter().any(|scheme| url.starts_with(scheme)),
                    "the page requested {url}"
                );
                ours += usize::from(url.starts_with(origin));
            }
        }
        assert!(ours >= 4, "only {ours} requests were seen; is the log on?");
    }

    /// The log since the last call.
    fn log(&self, kind: &str) -> Vec<Value> {
        let log = self.post("/se/log", &json!({ "type": kind }));
        log.as_array().unwrap().clone()
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        self.command("POST", &format!("{}{path}", self.session), body)
    }

    fn command(&self, method: &str, path: &str, body: &Value) -> Value {
        read_value(method, path, body, &self.send(method, path, body))
    }

    fn send(&self, method: &str, path: &str, body: &Value) -> Response {
        let body = match body {
            Value::Null => String::new(),
            body => body.to_string(),
        };
        let request = format!(
            "{method} {path} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nContent-Type: application/json\r\n\
             Content-Length: {}\r\n\r\n{body}",
            self.address,
            body.len()
        );
        blocking_http::send(self.address, &request)
    }
}

/// The result of a command.
fn read_value(method: &str, path: &str, body: &Value, response: &Response) -> Value {
    assert_eq!(
        response.status,
        200,
        "{method} {path} {body}: {}",
        response.text()
    );
    response.json::<Value>()["value"].take()
}

impl Drop for Browser {
    fn drop(&mut self) {
        // The end of the session ends the browser. The response does not matter: this also runs after a failure.
        let request = format!(
            "DELETE {} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\n\r\n",
            self.session, self.address
        );
        if let Ok(mut stream) = TcpStream::connect(self.address) {
            let _ = stream.set_read_timeout(Some(TIMEOUT));
            let _ = stream.write_all(request.as_bytes());
            // The response begins when the browser has ended.
            let _ = stream.read(&mut [0]);
        }
        let _ = Command::new("kill")
            .arg(self.driver.id().to_string())
            .status();
        let _ = self.driver.wait();
    }
}

/// Starts the driver, and reads the port on which it listens. `None` if it has ended: it takes a free port for IPv6, and ends if
/// another process has the same port for IPv4.
fn start_driver() -> Option<(Child, BufReader<ChildStdout>, u16)> {
    let mut driver = Command::new("chromedriver")
        .arg("--port=0")
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(driver.stdout.take().unwrap());
    let mut line = String::new();
    while stdout.read_line(&mut line).unwrap() > 0 {
        if let Some((_, port)) = line.split_once("started successfully on port ") {
            let port = port.trim().trim_end_matches('.').parse().unwrap();
            return Some((driver, stdout, port));
        }
        line.clear();
    }
    driver.wait().unwrap();
    None
}
