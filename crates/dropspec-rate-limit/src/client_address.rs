//! The address of the client behind proxies. Of `X-Forwarded-For`, only what trusted proxies wrote is used.

use std::net::IpAddr;

use ipnet::IpNet;

/// Finds the address of the client of a connection from `peer`: the rightmost hop that is not in a `trusted` network.
///
/// `forwarded_for` are the values of the `X-Forwarded-For` lines in their order; together they are one list. The
/// search stops at a hop that is not an address, since its author could have written anything, and returns the last
/// hop that was understood. If all hops are trusted, it returns the leftmost.
pub fn find_client_address<'a>(
    peer: IpAddr,
    forwarded_for: impl DoubleEndedIterator<Item = &'a [u8]>,
    trusted: &[IpNet],
) -> IpAddr {
    let mut client = peer.to_canonical();
    let mut hops = forwarded_for
        .rev()
        .flat_map(|line| line.rsplit(|byte| *byte == b','));
    while trusted.iter().any(|network| network.contains(&client)) {
        match hops.next().map(parse_hop) {
            Some(Some(hop)) => client = hop,
            Some(None) | None => break,
        }
    }
    client
}

/// Parses an entry of `X-Forwarded-For`: an address, which some proxies write with a port or in brackets.
fn parse_hop(hop: &[u8]) -> Option<IpAddr> {
    let hop = std::str::from_utf8(hop).ok()?.trim_matches([' ', '\t']);
    let bare = hop
        .strip_prefix('[')
        .and_then(|hop| hop.strip_suffix(']'))
        .unwrap_or(hop);
    let address = bare.parse::<IpAddr>().or_else(|_| {
        hop.parse::<std::net::SocketAddr>()
            .map(|socket| socket.ip())
    });
    address.ok().map(|address| address.to_canonical())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn client_is_rightmost_untrusted_hop() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "2001:db8:aaaa::/48"]
            .map(|network| network.parse().unwrap())
            .into();
        // The peer, the lines of the header, and the client.
        for (peer, lines, client, reason) in [
            ("10.0.0.1", &[][..], "10.0.0.1", "no header"),
            ("10.0.0.1", &["192.0.2.1"], "192.0.2.1", "a trusted proxy"),
            (
                "10.9.0.1",
                &["192.0.2.1, 10.0.0.2"],
                "192.0.2.1",
                "two of them",
            ),
            ("192.0.2.9", &["192.0.2.1"], "192.0.2.9", "another peer"),
            ("10.0.0.1", &["9.9.9.9, 192.0.2.1"], "192.0.2.1", "invented"),
            ("10.0.0.1", &["9.9.9.9", "8.8.8.8"], "8.8.8.8", "two lines"),
            (
                "10.0.0.1",
                &["8.8.8.8", "10.0.0.2"],
                "8.8.8.8",
                "both lines",
            ),
            (
                "10.0.0.1",
                &["10.0.0.3, 10.0.0.2"],
                "10.0.0.3",
                "all trusted",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1, ?"],
                "10.0.0.1",
                "garbage at the end",
            ),
            ("10.0.0.1", &["8.8.8.8, ?, 10.0.0.2"], "10.0.0.2", "garbage"),
            ("10.0.0.1", &["192.0.2.1, "], "10.0.0.1", "an empty hop"),
            ("10.0.0.1", &["192.0.2.1:4711"], "192.0.2.1", "a port"),
            (
                "10.0.0.1",
                &["[2001:db8::1]:4711"],
                "2001:db8::1",
                "IPv6, port",
            ),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1", "brackets"),
            ("2001:db8:aaaa::1", &["::2"], "::2", "a proxy on IPv6"),
            ("::ffff:10.0.0.1", &["8.8.8.8"], "8.8.8.8", "a mapped proxy"),
            (
                "10.0.0.1",
                &["8.8.8.8,::ffff:10.0.0.2"],
                "8.8.8.8",
                "mapped",
            ),
        ] {
            let lines = lines.iter().map(|line| line.as_bytes());
            let found = find_client_address(peer.parse().unwrap(), lines, &trusted);
            assert_eq!(found, client.parse::<IpAddr>().unwrap(), "{reason}");
        }
    }
}
