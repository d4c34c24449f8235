//! Which address a request comes from, when proxies may stand in between. What `X-Forwarded-For` says is believed only
//! as far as it was written by proxies that the operator trusts.

use std::net::IpAddr;

use ipnet::IpNet;

/// The address of the client that reached us from `peer`: the rightmost hop that is not in a `trusted` network.
///
/// `forwarded_for` are the values of the `X-Forwarded-For` lines, in their order; together they are one list. The walk
/// ends at what is not an address, since whoever wrote that could have written anything: then the last hop that was
/// understood is taken. If all are trusted, the leftmost is taken.
pub fn client_address<'a>(
    peer: IpAddr,
    forwarded_for: impl DoubleEndedIterator<Item = &'a [u8]>,
    trusted: &[IpNet],
) -> IpAddr {
    let mut client = peer.to_canonical();
    let mut hops = forwarded_for
        .rev()
        .flat_map(|line| line.rsplit(|byte| *byte == b','));
    while trusted.iter().any(|network| network.contains(&client)) {
        match hops.next().map(parse) {
            Some(Some(hop)) => client = hop,
            Some(None) | None => break,
        }
    }
    client
}

/// Reads a hop: an address, as some proxies write it with a port, or in brackets.
fn parse(hop: &[u8]) -> Option<IpAddr> {
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
    #![allow(clippy::unwrap_used)]

    use super::*;

    #[test]
    fn the_rightmost_hop_that_is_not_trusted_is_the_client() {
        let trusted: Vec<IpNet> = ["10.0.0.0/8", "2001:db8:aaaa::/48"]
            .map(|network| network.parse().unwrap())
            .into();
        let cases: &[(&str, &[&str], &str, &str)] = &[
            ("10.0.0.1", &[], "10.0.0.1", "no header"),
            ("10.0.0.1", &["192.0.2.1"], "192.0.2.1", "one trusted proxy"),
            (
                "198.51.100.1",
                &["192.0.2.1"],
                "198.51.100.1",
                "a peer that is not trusted",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1, 10.0.0.2"],
                "192.0.2.1",
                "two trusted proxies",
            ),
            (
                "10.0.0.1",
                &["203.0.113.9, 192.0.2.1"],
                "192.0.2.1",
                "what the client wrote itself",
            ),
            (
                "10.0.0.1",
                &["203.0.113.9", "192.0.2.1,10.0.0.2"],
                "192.0.2.1",
                "two lines",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1", "10.0.0.2"],
                "192.0.2.1",
                "on into the line before",
            ),
            (
                "10.0.0.1",
                &["10.0.0.3, 10.0.0.2"],
                "10.0.0.3",
                "all are trusted",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1, unknown"],
                "10.0.0.1",
                "garbage at the end",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1, ?, 10.0.0.2"],
                "10.0.0.2",
                "garbage in the middle",
            ),
            ("10.0.0.1", &["192.0.2.1, "], "10.0.0.1", "an empty hop"),
            ("10.0.0.1", &["192.0.2.1:4711"], "192.0.2.1", "a port"),
            (
                "10.0.0.1",
                &["[2001:db8::1]:4711"],
                "2001:db8::1",
                "brackets and a port",
            ),
            ("10.0.0.1", &["[2001:db8::1]"], "2001:db8::1", "brackets"),
            (
                "2001:db8:aaaa::1",
                &["2001:db8::1"],
                "2001:db8::1",
                "a proxy on IPv6",
            ),
            (
                "::ffff:10.0.0.1",
                &["192.0.2.1"],
                "192.0.2.1",
                "a proxy on a mapped address",
            ),
            (
                "10.0.0.1",
                &["192.0.2.1, ::ffff:10.0.0.2"],
                "192.0.2.1",
                "a mapped hop",
            ),
        ];
        for (peer, lines, client, reason) in cases {
            let found = client_address(
                peer.parse().unwrap(),
                lines.iter().map(|line| line.as_bytes()),
                &trusted,
            );
            assert_eq!(found, client.parse::<IpAddr>().unwrap(), "{reason}");
        }
    }
}
