//! The status of a pet.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The status of a pet: whether it can be ordered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PetStatus {
    /// Can be ordered. It has at least one free unit.
    Available,
    /// Cannot be ordered: the last unit is on order, or the pet was set aside by hand.
    Pending,
    /// Has neither units nor open orders.
    Sold,
}

impl PetStatus {
    /// Every status.
    pub(crate) const ALL: [PetStatus; 3] =
        [PetStatus::Available, PetStatus::Pending, PetStatus::Sold];

    /// Reads the name of a status.
    pub(crate) fn read(name: &str) -> Result<PetStatus, String> {
        let mut all = PetStatus::ALL.into_iter();
        all.find(|it| it.as_str() == name)
            .ok_or_else(|| format!("{name:?} is no status of a pet"))
    }

    /// The name of the status, as in the document and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            PetStatus::Available => "available",
            PetStatus::Pending => "pending",
            PetStatus::Sold => "sold",
        }
    }
}

impl fmt::Display for PetStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
