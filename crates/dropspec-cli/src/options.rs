//! The names of commands and options that do not come from the document.

/// Shows the requests of one's own key, if no operation has the name.
pub(crate) const TAIL: &str = "tail";

/// Reads a list to its last page.
pub(crate) const ALL: &str = "all";
/// Prints the entity tag of a response.
pub(crate) const SHOW_ETAG: &str = "show-etag";
/// Prints the request as a command of curl.
pub(crate) const CURL: &str = "curl";
/// Shows what is sent and received.
pub(crate) const VERBOSE: &str = "verbose";
/// The format of the output.
pub(crate) const OUTPUT: &str = "output";
/// The profile that options are taken from.
pub(crate) const PROFILE: &str = "profile";
/// The certificates that are trusted.
pub(crate) const CACERT: &str = "cacert";
/// How often a request is sent again.
pub(crate) const RETRIES: &str = "retries";
/// How long a request may take with its retries.
pub(crate) const TIMEOUT: &str = "timeout";

pub(crate) const OF_EVERY_COMMAND: [&str; 14] = [
    "help",
    "version",
    "url",
    OUTPUT,
    "output-file",
    TIMEOUT,
    RETRIES,
    CURL,
    VERBOSE,
    PROFILE,
    CACERT,
    "body",
    "body-file",
    "content-type",
];
