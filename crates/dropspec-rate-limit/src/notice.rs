//! The texts of notices between servers. The scripts of Redis write those that ask for leases themselves.
//!
//! What they are for: exactness. Servers share all of a limit, and a ban holds on all at once (the tests of several servers).

use super::ban::Ban;
use super::ledger::Notice;
use super::window::Window;

/// The notice of a ban.
pub fn ban_notice(key_id: i64, ban: &Ban) -> String {
    let until = ban.until.unwrap_or(-1);
    format!("ban:{key_id}:{}:{until}:{}", ban.strikes, ban.epoch)
}

/// The notice that asks servers to give back what they hold of a window.
pub fn give_back_notice(key_id: i64, window: Window, holders: &[String]) -> String {
    format!("give:{key_id}:{}:{}", number_of(window), holders.join(","))
}

/// Reads a notice; `None` if it is not for this server.
pub fn parse_notice(text: &str, server: &str) -> Option<Notice> {
    let parts: Vec<&str> = text.split(':').collect();
    match parts[..] {
        ["give", key_id, window, holders] => {
            holders
                .split(',')
                .any(|it| it == server)
                .then_some(Notice::GiveBack {
                    key_id: key_id.parse().ok()?,
                    window: window_of(window)?,
                })
        }
        ["ban", key_id, strikes, until, epoch] => Some(Notice::Banned {
            key_id: key_id.parse().ok()?,
            ban: Ban {
                strikes: strikes.parse().ok()?,
                until: until.parse().ok().filter(|it| *it >= 0),
                epoch: epoch.parse().ok()?,
            },
        }),
        // Of a later version.
        _ => None,
    }
}

/// The number of a window in the scripts.
pub const fn number_of(window: Window) -> i64 {
    match window {
        Window::Minute => 1,
        Window::Day => 2,
    }
}

fn window_of(number: &str) -> Option<Window> {
    let is_same = |window: &Window| number_of(*window).to_string() == number;
    Window::ALL.into_iter().find(is_same)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notice_is_read_by_those_whom_it_concerns() {
        let ban = Ban {
            strikes: 2,
            until: Some(120),
            epoch: 1,
        };
        let key_id = -7;
        let give_back = |window| Some(Notice::GiveBack { key_id, window });
        for (text, expected) in [
            ("give:-7:1:a,b", give_back(Window::Minute)),
            ("give:-7:2:b", give_back(Window::Day)),
            ("give:-7:1:a,bb", None),
            ("give:-7:3:b", None),
            ("give:x:1:b", None),
            (
                &give_back_notice(key_id, Window::Day, &["a".to_owned(), "b".to_owned()]),
                give_back(Window::Day),
            ),
            (
                &ban_notice(key_id, &ban),
                Some(Notice::Banned { key_id, ban }),
            ),
            ("other:1", None),
            ("", None),
        ] {
            assert_eq!(parse_notice(text, "b"), expected, "{text}");
        }
    }
}
