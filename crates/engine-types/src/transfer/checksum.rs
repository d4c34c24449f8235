//! Checksums of tables, equal on both sides if all rows are.

use std::fmt;

use sha2::{Digest, Sha256};

use super::value::Value;

/// The number of rows, and the checksum of their values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checksum {
    /// The number of rows.
    pub rows: u64,
    /// SHA-256 of all values in their order, each with its type and length.
    pub sha256: [u8; 32],
}

/// Computes the [`Checksum`] of rows.
#[derive(Debug, Clone, Default)]
pub struct Checksums {
    rows: u64,
    hash: Sha256,
}

impl Checksums {
    /// Adds a row.
    pub fn add(&mut self, row: &[Value]) {
        self.rows += 1;
        for value in row {
            match value {
                Value::Null => self.hash.update([0]),
                Value::Integer(number) => {
                    self.hash.update([1]);
                    self.hash.update(number.to_be_bytes());
                }
                Value::Real(number) => {
                    self.hash.update([2]);
                    // SQLite stores -0.0 as 0.0.
                    self.hash.update((number + 0.0).to_bits().to_be_bytes());
                }
                Value::Text(text) => self.add_bytes(3, text.as_bytes()),
                Value::Bytes(bytes) => self.add_bytes(4, bytes),
            }
        }
    }

    /// The checksum of the rows so far.
    pub fn current(&self) -> Checksum {
        Checksum {
            rows: self.rows,
            sha256: self.hash.clone().finalize().into(),
        }
    }

    /// With their length, so that values cannot run into each other.
    fn add_bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.hash.update([tag]);
        self.hash.update((bytes.len() as u64).to_be_bytes());
        self.hash.update(bytes);
    }
}

/// The checksum in hexadecimal digits.
impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.sha256
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checksum(rows: &[&[Value]]) -> Checksum {
        let mut checksums = Checksums::default();
        rows.iter().for_each(|row| checksums.add(row));
        checksums.current()
    }

    #[test]
    fn both_zeros_are_equal() {
        let checksums = [0.0, -0.0].map(|zero| checksum(&[&[Value::Real(zero)]]));
        assert_eq!(checksums[0], checksums[1]);
    }

    #[test]
    fn values_that_differ_in_type_place_or_border_have_other_checksums() {
        let text = |text: &str| Value::Text(text.to_owned());
        let all = [
            checksum(&[]),
            checksum(&[&[Value::Null]]),
            checksum(&[&[Value::Null], &[Value::Null]]),
            checksum(&[&[Value::Integer(1)]]),
            checksum(&[&[Value::Real(1.0)]]),
            checksum(&[&[text("1")]]),
            checksum(&[&[Value::Bytes(b"1".to_vec())]]),
            checksum(&[&[text("ab"), text("c")]]),
            checksum(&[&[text("a"), text("bc")]]),
            checksum(&[&[text("c"), text("ab")]]),
        ];
        for (index, one) in all.iter().enumerate() {
            assert!(!all[..index].contains(one), "{index}");
        }
    }
}
