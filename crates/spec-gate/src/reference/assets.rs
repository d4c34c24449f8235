//! The files of the reference page, compiled into the binary. Scalar comes from the crate `scalar_api_reference`, with
//! one change; see [`SCALAR`].

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The condition in Scalar's code for the button that opens the try-out panel of an operation.
const BUTTON_CONDITION: &str = "e.options.hideTestRequestButton?";
/// The same condition with `x-hideTryItPanel` of the operation.
const BUTTON_CONDITION_WITH_EXTENSION: &str =
    "e.options.hideTestRequestButton||e.operation[\"x-hideTryItPanel\"]?";

/// Starts Scalar on the page.
pub(super) const START: &str = include_str!("../../assets/start.js");

/// Scalar. It can hide the try-out panel of all operations or of none; the change lets `x-hideTryItPanel` hide it for
/// one operation.
pub(super) static SCALAR: LazyLock<String> =
    LazyLock::new(|| original_script().replace(BUTTON_CONDITION, BUTTON_CONDITION_WITH_EXTENSION));

/// The page that loads Scalar, with the hash of the script in its URL, so that browsers can cache it forever.
pub(super) fn index_page(title: &str) -> String {
    let hash = Sha256::digest(SCALAR.as_bytes());
    let version: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    include_str!("../../assets/index.html")
        .replace("TITLE", title)
        .replace("SCRIPT_VERSION", &version)
}

fn original_script() -> String {
    let script = scalar_api_reference::get_asset("scalar.js").unwrap_or_default();
    String::from_utf8_lossy(&script).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A new version of the crate may have other code; then the change must be adapted.
    #[test]
    fn both_buttons_of_an_operation_check_the_extension() {
        assert_eq!(original_script().matches(BUTTON_CONDITION).count(), 2);
        assert_eq!(SCALAR.matches(BUTTON_CONDITION_WITH_EXTENSION).count(), 2);
    }

    /// A browser shows most of it (`petstore-server, tests/it/process/reference_page.rs`), but these have no button.
    #[test]
    fn page_sends_no_telemetry_and_does_not_store_the_key() {
        for option in ["telemetry: false", "persistAuth: false"] {
            assert!(START.contains(option), "{option}");
        }
    }

    #[test]
    fn page_loads_script_by_its_hash() {
        let page = index_page("Title");
        let (_, version) = page.split_once("/docs/scalar.js?v=").unwrap();
        let (version, _) = version.split_once('"').unwrap();
        assert_eq!(version.len(), 16);
        assert!(version.bytes().all(|byte| byte.is_ascii_hexdigit()));
    }
}
