//! The parts of the reference page, held in the binary. Scalar is what the crate
//! `scalar_api_reference` ships, but for one change; see [`SCALAR`].

use std::sync::LazyLock;

use serde_json::Value;
use sha2::{Digest, Sha256};

use super::annotate::annotate;

/// What Scalar asks before it shows the button that opens the try-out panel of an operation.
const SHOWS_BUTTON: &str = "e.options.hideTestRequestButton?";
/// The same, and the operation is asked, too.
const SHOWS_BUTTON_OF_OPERATION: &str =
    "e.options.hideTestRequestButton||e.operation[\"x-hideTryItPanel\"]?";

/// Starts Scalar on the page.
pub(super) const START: &str = include_str!("../../assets/docs/start.js");

/// Scalar. It can hide the try-out panel of all operations or of none; the change makes it
/// heed `x-hideTryItPanel` for one.
pub(super) static SCALAR: LazyLock<String> =
    LazyLock::new(|| shipped().replace(SHOWS_BUTTON, SHOWS_BUTTON_OF_OPERATION));

/// The page that loads it. The hash in the address lets browsers keep the script for good.
pub(super) static INDEX: LazyLock<String> = LazyLock::new(|| {
    let hash = Sha256::digest(SCALAR.as_bytes());
    let version: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    include_str!("../../assets/docs/index.html").replace("SCRIPT_VERSION", &version)
});

/// The description of the interface as the page reads it.
pub(super) static ANNOTATED: LazyLock<String> = LazyLock::new(|| {
    let document: Value = serde_json::from_str(petstore_api::DOCUMENT.text())
        .expect("the generated document is JSON");
    annotate(document).to_string()
});

fn shipped() -> String {
    let script = scalar_api_reference::get_asset("scalar.js").unwrap_or_default();
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new version of the crate may say it in other words; then the change has to be made anew.
    #[test]
    fn both_buttons_of_an_operation_ask_it() {
        assert_eq!(shipped().matches(SHOWS_BUTTON).count(), 2);
        assert_eq!(SCALAR.matches(SHOWS_BUTTON_OF_OPERATION).count(), 2);
    }

    /// A browser shows most of it (`tests/it/process/reference_page.rs`), but these have no button.
    #[test]
    fn the_page_sends_no_telemetry_and_forgets_the_key() {
        for option in ["telemetry: false", "persistAuth: false"] {
            assert!(START.contains(option), "{option}");
        }
    }

    #[test]
    fn the_page_names_the_script_by_its_hash() {
        let (_, version) = INDEX.split_once("/docs/scalar.js?v=").unwrap();
        let (version, _) = version.split_once('"').unwrap();
        assert_eq!(version.len(), 16);
        assert!(version.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
