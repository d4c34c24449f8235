//! The files of the reference page, compiled into the binary. Scalar comes from the crate `scalar_api_reference`, with
//! two changes; see [`SCALAR_SCRIPT`].

use std::sync::LazyLock;

use sha2::{Digest, Sha256};

/// The text in Scalar's script that decides whether an operation has the button that opens its try-out panel.
const BUTTON_CONDITION: &str = "e.options.hideTestRequestButton?";
/// The replacement for [`BUTTON_CONDITION`], which also hides the button if the operation has `x-hideTryItPanel`.
const BUTTON_CONDITION_WITH_EXTENSION: &str =
    "e.options.hideTestRequestButton||e.operation[\"x-hideTryItPanel\"]?";

/// The text that Scalar shows in an empty field for a key. It looks like a key.
const PLACEHOLDER: &str = "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT";
/// The replacement for [`PLACEHOLDER`].
const PLAIN_PLACEHOLDER: &str = "Your secret";

/// The script that starts Scalar on the reference page.
pub(super) const START_SCRIPT: &str = include_str!("../../assets/start.js");

/// The script of Scalar, which draws the reference page, with two changes: `x-hideTryItPanel` hides the try-out panel of
/// a single operation, where the original can hide all panels or none; and nothing on the page looks like a key.
pub(super) static SCALAR_SCRIPT: LazyLock<String> = LazyLock::new(|| {
    original_script()
        .replace(BUTTON_CONDITION, BUTTON_CONDITION_WITH_EXTENSION)
        .replace(PLACEHOLDER, PLAIN_PLACEHOLDER)
});

/// Renders the HTML of the reference page. The URL of Scalar's script contains the hash of the script, so that browsers
/// can cache it forever.
pub(super) fn index_page(title: &str) -> String {
    let hash = Sha256::digest(SCALAR_SCRIPT.as_bytes());
    let version: String = hash[..8].iter().map(|byte| format!("{byte:02x}")).collect();
    include_str!("../../assets/index.html")
        .replace("TITLE", title)
        .replace("SCRIPT_VERSION", &version)
}

/// Renders the HTML of an error. The texts are those of the gate; nothing in them comes from the request.
pub(super) fn error_page(title: &str, message: &str) -> String {
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<title>{title}</title>\n\
         <h1>{title}</h1>\n<p>{message}.</p>\n</html>\n"
    )
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
        assert_eq!(
            SCALAR_SCRIPT
                .matches(BUTTON_CONDITION_WITH_EXTENSION)
                .count(),
            2
        );
    }

    #[test]
    fn fields_for_a_key_have_a_plain_placeholder() {
        assert_eq!(original_script().matches(PLACEHOLDER).count(), 2);
        assert!(!SCALAR_SCRIPT.contains(PLACEHOLDER));
    }

    /// A browser shows most of it (`petstore-server, tests/it/process/reference_page.rs`), but these have no button.
    #[test]
    fn page_sends_no_telemetry_and_does_not_store_the_key() {
        for option in ["telemetry: false", "persistAuth: false"] {
            assert!(START_SCRIPT.contains(option), "{option}");
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
