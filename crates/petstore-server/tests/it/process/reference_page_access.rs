//! The reference page for those who do not see it as it is meant: with a slow network, without JavaScript, or by a screen reader.

use std::path::Path;

use serde_json::{Value, json};
use test_support::browser::Browser;
use test_support::{ServerProcess, programs};

use super::reference_page::{open, open_try_out, show};

/// Where `.ci/run` installs axe-core, in the version of `axe/package.json`.
const AXE: &str = "axe/node_modules/axe-core/axe.min.js";

/// Starts axe on the page. What Headless UI puts there to keep the focus in a menu is not examined (docs/operations.md).
const START_AXE: &str = "
    window.axeViolations = null;
    axe.run({ exclude: [['[data-headlessui-focus-guard]']] }, { resultTypes: ['violations'] }).then(
        result => { window.axeViolations = result.violations },
        error => { window.axeViolations = [{ id: String(error), impact: 'serious', nodes: [] }] });";

fn assert_accessible(browser: &Browser, axe: &str, what: &str) {
    browser.run(axe, &[]);
    browser.run(START_AXE, &[]);
    let violations = browser.wait_for("return window.axeViolations", &[]);
    let violations: Vec<String> = violations
        .as_array()
        .unwrap()
        .iter()
        .filter(|it| it["impact"] == "critical" || it["impact"] == "serious")
        .map(|it| format!("{}: {}", it["id"], it["nodes"]))
        .collect();
    assert!(violations.is_empty(), "{what}: {violations:#?}");
}

#[test]
fn page_has_no_serious_violation_of_the_rules_of_axe() {
    let test = "the reference page by the rules of axe";
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().unwrap();
    let Ok(axe) = std::fs::read_to_string(target.join(AXE)) else {
        programs::skip(test, &format!("there is no {AXE} in {}", target.display()));
        return;
    };
    let Some(browser) = Browser::start(test) else {
        return;
    };
    let server = ServerProcess::start();
    let looks = [1400, 400].map(|width| ["light", "dark"].map(|scheme| (width, scheme)));
    for (width, scheme) in looks.into_iter().flatten() {
        let size =
            json!({ "width": width, "height": 1000, "deviceScaleFactor": 1, "mobile": false });
        browser.devtools("Emulation.setDeviceMetricsOverride", &size);
        let feature = json!({ "name": "prefers-color-scheme", "value": scheme });
        browser.devtools(
            "Emulation.setEmulatedMedia",
            &json!({ "features": [feature] }),
        );
        open(&browser, &server);
        // A color that fades in has less contrast.
        browser.run(
            "const style = document.createElement('style');
             style.textContent = '*, ::before, ::after { transition: none !important; animation: none !important }';
             document.head.append(style)",
            &[],
        );
        let look = format!("{width} px, {scheme}");
        assert_accessible(&browser, &axe, &format!("{look}: the beginning"));
        let anchor = "tag/store/POST/store/orders";
        show(&browser, anchor);
        browser.run(
            "const section = [...document.querySelectorAll('section')].find(it => it.id.endsWith(arguments[0]));
             section.querySelectorAll('button[aria-expanded=false]').forEach(it => it.click())",
            &[json!(anchor)],
        );
        assert_accessible(&browser, &axe, &format!("{look}: an operation"));
        open_try_out(&browser, anchor);
        assert_accessible(&browser, &axe, &format!("{look}: a request"));
    }
}

#[test]
fn outline_is_read_without_javascript() {
    let Some(browser) = Browser::start("the outline of the reference page") else {
        return;
    };
    let server = ServerProcess::start();
    browser.devtools("Network.enable", &json!({}));
    let scripts = json!({ "urls": ["*/docs/scalar.js*"] });
    browser.devtools("Network.setBlockedURLs", &scripts);
    browser.open(&format!("http://{}/docs", server.public));
    let text = browser.run("return document.body.innerText", &[]);
    let text = text.as_str().unwrap();
    let document = petstore_api::DOCUMENT.json();
    let mut expected = vec![
        "Petstore",
        "Pets, their categories, their stock and the orders for them.",
    ];
    for operation in &petstore_api::OPERATIONS {
        let value = document.pointer(&operation.pointer()).unwrap();
        expected.extend([operation.path, value["summary"].as_str().unwrap()]);
    }
    for part in expected {
        assert!(text.contains(part), "{part:?} is missing in {text}");
    }
}

#[test]
fn outline_is_painted_before_the_script_has_loaded() {
    let Some(browser) = Browser::start("the reference page by a slow network") else {
        return;
    };
    let server = ServerProcess::start();
    browser.devtools("Network.enable", &json!({}));
    // 1.6 Mbit/s, in bytes.
    let network = json!({ "offline": false, "latency": 50, "downloadThroughput": 200_000, "uploadThroughput": 200_000 });
    browser.devtools("Network.emulateNetworkConditions", &network);
    open(&browser, &server);
    let times = browser.wait_for(
        "const [paint] = performance.getEntriesByName('first-contentful-paint');
         const script = performance.getEntriesByType('resource').find(it => it.name.includes('/docs/scalar.js'));
         return paint && script && [paint.startTime, script.responseEnd]",
        &[],
    );
    let [painted, loaded] = [0, 1].map(|index| times[index].as_f64().unwrap());
    println!("painted after {painted:.0} ms, loaded after {loaded:.0} ms");
    assert!(
        painted < loaded,
        "painted after {painted} ms, loaded after {loaded} ms"
    );
    // The page takes the place of its outline.
    let is_gone = "return !document.getElementById('outline')";
    assert_eq!(browser.wait_for(is_gone, &[]), Value::Bool(true));
}
