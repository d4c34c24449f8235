//! What is allowed in the settings of a server, but is worth a warning: at the start, and by `serve --check`.

use std::net::SocketAddr;

use crate::settings::Settings;

/// The warnings about these settings, each as a sentence without its full stop.
pub(super) fn find_warnings(settings: &Settings) -> Vec<String> {
    let mut warnings = Vec::new();
    let Settings {
        listen,
        admin_listen,
        ..
    } = settings;
    if !is_loopback(listen) && settings.requests.trusted_proxies.is_empty() {
        warnings.push(format!(
            "other machines can connect to {listen}, and no proxy is trusted: nothing limits slow readers, nor \
             the requests that an address sends with keys; put a proxy in front and name it by --trusted-proxy"
        ));
    }
    if !is_loopback(admin_listen) && settings.admin_token.is_none() {
        warnings.push(format!(
            "other machines can connect to the panel on {admin_listen}, and it has no token: everybody who reaches it can read \
             /metrics, and the page of the operator is refused to all; set a token by --admin-token-file, or listen on 127.0.0.1"
        ));
    }
    warnings
}

/// Whether only this machine can connect to an address.
fn is_loopback(address: &SocketAddr) -> bool {
    address.ip().to_canonical().is_loopback()
}
