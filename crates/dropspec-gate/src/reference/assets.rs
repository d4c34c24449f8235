//! The files of the reference page, compiled into the binary. Scalar, which draws it, comes from the crate
//! `scalar_api_reference`; `build.rs` changes some texts of it, and compresses it.

use crate::message_page::escape;

/// The script of Scalar, as a gzip file.
pub(super) const SCALAR_SCRIPT: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/scalar.js.gz"));

/// The script that starts Scalar on the reference page.
pub(super) const START_SCRIPT: &str = include_str!("../../assets/start.js");

/// Renders the HTML of the reference page. The URL of Scalar's script contains the version of the script, so that browsers
/// can cache it forever. All pages are below `base`. `outline` is HTML: what the page shows until the script has drawn it.
pub(super) fn index_page(title: &str, base: &str, script_version: &str, outline: &str) -> String {
    include_str!("../../assets/index.html")
        .replace("BASE", base)
        .replace("TITLE", &escape(title))
        .replace("SCRIPT_VERSION", script_version)
        // The last one, as it may contain any text.
        .replace("OUTLINE", outline)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A browser shows most of it (`petstore-server, tests/it/process/reference_page.rs`), but these have no button.
    #[test]
    fn page_sends_no_telemetry_and_does_not_store_the_key() {
        for option in ["telemetry: false", "persistAuth: false"] {
            assert!(START_SCRIPT.contains(option), "{option}");
        }
    }

    #[test]
    fn page_loads_the_script_of_its_version() {
        let page = index_page("Cats & dogs", "/v1", "0123", "<h1>BASE</h1>");
        assert!(page.contains("\"/v1/docs/scalar.js?v=0123\""), "{page}");
        assert!(page.contains("<title>Cats &amp; dogs</title>"), "{page}");
        assert!(page.contains("<h1>BASE</h1>"), "{page}");
    }
}
