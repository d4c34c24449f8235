//! The text of an API key: a mark such as `pst_`, 30 random base62 characters, and 6 more with the CRC-32 of the text
//! before them, so that a typo is found without a look-up.

use std::fmt;

use sha2::{Digest, Sha256};

/// The largest length of a mark, in bytes: with `SHOWN` characters more it fits into a
/// [`KeyPrefix`](super::KeyPrefix).
pub const MAX_MARK: usize = super::KeyPrefix::MAX - SHOWN;

/// The number of random characters in the prefix of a secret.
const SHOWN: usize = 4;
const RANDOM: usize = 30;
const CHECKSUM: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// The secret of an API key. Its form and checksum are valid; whether a stored key has it is not known.
#[derive(Clone)]
pub struct ApiKey {
    text: String,
    /// The length of the mark.
    mark: usize,
}

/// SHA-256 of an API key, the only form in which it is stored.
///
/// Keys are looked up by their hash, in memory or in an index, which takes longer the more bytes agree. That reveals nothing: nobody
/// can choose the hash of a key that they do not have. A fast hash without salt is enough, as 30 random characters
/// cannot be guessed. Secrets themselves are never compared.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct KeyHash(pub(crate) [u8; 32]);

impl ApiKey {
    /// Generates a key that begins with `mark`, from the system's random source.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn generate(mark: &str) -> Result<ApiKey, getrandom::Error> {
        let mut text = String::with_capacity(mark.len() + RANDOM + CHECKSUM);
        text.push_str(mark);
        while text.len() < mark.len() + RANDOM {
            let mut bytes = [0_u8; 2 * RANDOM];
            getrandom::fill(&mut bytes)?;
            let missing = mark.len() + RANDOM - text.len();
            text.extend(bytes.into_iter().filter_map(to_character).take(missing));
        }
        let sum = checksum(text.as_bytes());
        text.extend(sum.map(char::from));
        Ok(ApiKey {
            text,
            mark: mark.len(),
        })
    }

    /// Parses a key that begins with `mark`; `None` if it is malformed or its checksum is wrong.
    pub fn parse(mark: &str, text: &str) -> Option<ApiKey> {
        is_well_formed(mark, text.as_bytes()).then(|| ApiKey {
            text: text.to_owned(),
            mark: mark.len(),
        })
    }

    /// Returns the whole secret as text, to be shown to its owner only.
    pub fn expose(&self) -> &str {
        &self.text
    }

    /// The hash under which the key is stored.
    pub fn hash(&self) -> KeyHash {
        KeyHash::of(self.text.as_bytes())
    }

    /// The mark and the 4 characters after it, which may be shown and which identify the key in logs.
    pub fn prefix(&self) -> &str {
        &self.text[..self.mark + SHOWN]
    }

    /// The last 4 characters of the secret, which may be shown in lists.
    pub fn last4(&self) -> &str {
        &self.text[self.text.len() - 4..]
    }
}

impl KeyHash {
    /// The hash of the key that is `text` and begins with `mark`; `None` if it is malformed or its checksum is wrong.
    pub(crate) fn of_text(mark: &str, text: &[u8]) -> Option<KeyHash> {
        is_well_formed(mark, text).then(|| KeyHash::of(text))
    }

    fn of(text: &[u8]) -> KeyHash {
        KeyHash(Sha256::digest(text).into())
    }
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ApiKey(…)")
    }
}

impl fmt::Debug for KeyHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyHash(…)")
    }
}

/// Maps a random byte to a base62 character. Bytes above the largest multiple of 62 give `None`, as they would make
/// some characters more likely than others.
fn to_character(byte: u8) -> Option<char> {
    let usable = 256 / ALPHABET.len() * ALPHABET.len();
    let byte = usize::from(byte);
    (byte < usable).then(|| char::from(ALPHABET[byte % ALPHABET.len()]))
}

/// Whether `text` is a key that begins with `mark`, by its form and checksum.
fn is_well_formed(mark: &str, text: &[u8]) -> bool {
    // The checksum is not secret: anybody can compute it.
    text.len() == mark.len() + RANDOM + CHECKSUM
        && text.starts_with(mark.as_bytes())
        && text[mark.len()..].iter().all(u8::is_ascii_alphanumeric)
        && text
            .split_last_chunk()
            .is_some_and(|(before, sum)| *sum == checksum(before))
}

/// Computes the CRC-32 (ISO-HDLC) of a key's text as 6 base62 digits, the most significant first.
fn checksum(text: &[u8]) -> [u8; CHECKSUM] {
    let mut rest = crc32fast::hash(text) as usize;
    let mut digits = [0; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = ALPHABET[rest % ALPHABET.len()];
        rest /= ALPHABET.len();
    }
    digits
}

#[cfg(test)]
mod tests {
    use std::collections::{HashMap, HashSet};

    use super::*;

    const MARK: &str = "pst_";
    const KEY: &str = "pst_0123456789ABCDEFGHIJKLMNOPQRST4O7hJx";

    #[test]
    fn generated_key_can_be_parsed() {
        let key = ApiKey::generate(MARK).unwrap();
        let text = key.expose();
        assert_eq!(text.len(), 40);
        assert_eq!(ApiKey::parse(MARK, text).unwrap().hash(), key.hash());
        assert_eq!((key.prefix(), key.last4()), (&text[..8], &text[36..]));
    }

    #[test]
    fn prefix_differs_between_keys_however_long_the_mark_is() {
        let mark = "a".repeat(MAX_MARK);
        let [one, other] = [(); 2].map(|()| ApiKey::generate(&mark).unwrap());
        assert_ne!(one.prefix(), other.prefix());
        let prefix = crate::api_keys::KeyPrefix::new(one.prefix());
        assert_eq!(prefix.as_str(), one.prefix(), "nothing is cut off");
    }

    /// Both values were computed by another implementation.
    #[test]
    fn checksum_and_hash_of_a_known_key_do_not_change() {
        let key = ApiKey::parse(MARK, KEY).unwrap();
        let hex: String = key
            .hash()
            .0
            .iter()
            .map(|byte| format!("{byte:02x}"))
            .collect();
        assert_eq!(
            hex,
            "ffee5d62b69ce7a57dfe2ec1b0c64a60d2ad616ea6df87240b13092492cbbb14"
        );
    }

    #[test]
    fn key_with_one_wrong_character_is_malformed() {
        for position in 0..KEY.len() {
            for wrong in ALPHABET.iter().copied().chain(*b"_- \"") {
                let mut text = KEY.as_bytes().to_vec();
                if text[position] != wrong {
                    text[position] = wrong;
                    let text = String::from_utf8(text).unwrap();
                    assert!(ApiKey::parse(MARK, &text).is_none(), "{text}");
                }
            }
        }
    }

    #[test]
    fn text_of_another_form_is_malformed() {
        let cases = [
            "",
            "pst_",
            "pst_ünïcödé_ünïcödé_ünïcödé_ü",
            &KEY[..39],
            &KEY[1..],
            &format!("{KEY}0"),
            &format!(" {KEY}"),
            &KEY.replace("pst_", "PST_"),
        ];
        for text in cases {
            assert!(ApiKey::parse(MARK, text).is_none(), "{text}");
        }
    }

    #[test]
    fn generated_keys_differ_and_use_characters_evenly() {
        let keys: Vec<ApiKey> = (0..4000).map(|_| ApiKey::generate(MARK).unwrap()).collect();
        let distinct: HashSet<&str> = keys.iter().map(ApiKey::expose).collect();
        assert_eq!(distinct.len(), keys.len());

        let mut counts: HashMap<u8, u32> = HashMap::new();
        for key in &keys {
            for byte in key.expose()[4..34].bytes() {
                *counts.entry(byte).or_default() += 1;
            }
        }
        // About 1935 each; a bias by the remainder of 256 would make eight of them a quarter likelier.
        assert_eq!(counts.len(), 62);
        assert!(
            counts.values().all(|count| (1650..2220).contains(count)),
            "{counts:?}"
        );
    }

    #[test]
    fn debug_output_hides_the_secret() {
        let key = ApiKey::parse(MARK, KEY).unwrap();
        assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(…) KeyHash(…)");
    }
}
