//! The secret that a caller shows: `pst_`, 30 random base62 characters, and 6 more that hold the CRC-32 of what stands
//! before them, so that a typo is told from a key without a look-up.

use std::fmt;

use sha2::{Digest, Sha256};
use thiserror::Error;

const MARK: &str = "pst_";
const RANDOM: usize = 30;
const CHECKSUM: usize = 6;
const ALPHABET: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A well-formed API key, known to somebody or not. It shows itself to [`ApiKey::expose`] alone.
#[derive(Clone)]
pub struct ApiKey(String);

/// SHA-256 of an API key: all that is kept of it.
///
/// Keys are looked up by it in an index, and that takes a time which depends on how far the hash resembles others. It
/// tells nothing: who does not have the key cannot choose its hash, so there is no secret to feel one's way along. A
/// plain, fast hash is enough for the same reason that salt is not needed: 30 random characters cannot be guessed.
/// The secrets themselves are never compared.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct KeyHash(pub(crate) [u8; 32]);

/// The text is no API key: mistyped, cut off, or something else.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("an API key is pst_ and 36 letters and digits, of which the last 6 are a checksum")]
pub struct MalformedKey;

impl ApiKey {
    /// A new key, from the system's random source.
    ///
    /// # Errors
    ///
    /// When the system has no randomness to give.
    pub fn generate() -> Result<ApiKey, getrandom::Error> {
        let mut text = String::with_capacity(MARK.len() + RANDOM + CHECKSUM);
        text.push_str(MARK);
        while text.len() < MARK.len() + RANDOM {
            let mut bytes = [0_u8; 2 * RANDOM];
            getrandom::fill(&mut bytes)?;
            let missing = MARK.len() + RANDOM - text.len();
            text.extend(bytes.into_iter().filter_map(character).take(missing));
        }
        text.push_str(&checksum(&text));
        Ok(ApiKey(text))
    }

    /// Reads a key, and finds typos by its checksum.
    ///
    /// # Errors
    ///
    /// When the text cannot be a key that was ever handed out.
    pub fn parse(text: &str) -> Result<ApiKey, MalformedKey> {
        let body = text.strip_prefix(MARK).ok_or(MalformedKey)?;
        if body.len() != RANDOM + CHECKSUM || !body.bytes().all(|byte| ALPHABET.contains(&byte)) {
            return Err(MalformedKey);
        }
        // The checksum is no secret: anybody can compute it.
        let (before, sum) = text.split_at(text.len() - CHECKSUM);
        if checksum(before) != sum {
            return Err(MalformedKey);
        }
        Ok(ApiKey(text.to_owned()))
    }

    /// The key itself, to be shown to its owner once and to nobody else.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// What is kept of the key.
    pub fn hash(&self) -> KeyHash {
        KeyHash(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The first 8 characters, by which people know it.
    pub fn prefix(&self) -> &str {
        &self.0[..8]
    }

    /// The last 4 characters, by which people tell it from another.
    pub fn last4(&self) -> &str {
        &self.0[self.0.len() - 4..]
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

/// The character for a random byte, or none: 256 is no multiple of 62, and the bytes beyond the last one would make
/// some characters likelier than others.
fn character(byte: u8) -> Option<char> {
    let usable = 256 / ALPHABET.len() * ALPHABET.len();
    let byte = usize::from(byte);
    (byte < usable).then(|| char::from(ALPHABET[byte % ALPHABET.len()]))
}

/// CRC-32 (ISO-HDLC) in base62, the most significant digit first.
fn checksum(text: &str) -> String {
    let mut rest = crc32fast::hash(text.as_bytes()) as usize;
    let mut digits = ['0'; CHECKSUM];
    for digit in digits.iter_mut().rev() {
        *digit = char::from(ALPHABET[rest % ALPHABET.len()]);
        rest /= ALPHABET.len();
    }
    digits.iter().collect()
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]

    use std::collections::{HashMap, HashSet};

    use super::*;

    const KEY: &str = "pst_0123456789ABCDEFGHIJKLMNOPQRST4O7hJx";

    #[test]
    fn a_generated_key_is_read_back() {
        let key = ApiKey::generate().unwrap();
        let text = key.expose();
        assert_eq!(text.len(), 40);
        assert_eq!(ApiKey::parse(text).unwrap().hash(), key.hash());
        assert_eq!((key.prefix(), key.last4()), (&text[..8], &text[36..]));
    }

    /// Both figures were computed by another implementation.
    #[test]
    fn checksum_and_hash_stay_what_they_were() {
        let key = ApiKey::parse(KEY).unwrap();
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
    fn every_single_typo_is_found() {
        for position in 0..KEY.len() {
            for wrong in ALPHABET.iter().copied().chain(*b"_- \"") {
                let mut text = KEY.as_bytes().to_vec();
                if text[position] != wrong {
                    text[position] = wrong;
                    let text = String::from_utf8(text).unwrap();
                    assert_eq!(ApiKey::parse(&text).err(), Some(MalformedKey), "{text}");
                }
            }
        }
    }

    #[test]
    fn what_is_not_a_key_is_malformed() {
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
            assert_eq!(ApiKey::parse(text).err(), Some(MalformedKey), "{text}");
        }
    }

    #[test]
    fn keys_differ_and_use_every_character_alike() {
        let keys: Vec<ApiKey> = (0..4000).map(|_| ApiKey::generate().unwrap()).collect();
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
    fn debugging_does_not_show_the_secret() {
        let key = ApiKey::parse(KEY).unwrap();
        assert_eq!(format!("{key:?} {:?}", key.hash()), "ApiKey(…) KeyHash(…)");
    }
}
