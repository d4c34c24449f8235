//! The instructions that each step took when the table was last changed. A change that makes a step slower on purpose
//! changes its row; one that makes it faster should, so that the gain is kept.

/// The steps by their names, with their instructions.
const BASELINE: &[(&str, u64)] = &[
    ("route", 1_822),
    ("key_lookup", 6_831),
    ("limiter_decision", 948),
    ("decode_and_validate", 6_890),
    ("response_headers", 9_576),
    ("log_line", 2_444),
    ("whole_request", 73_330),
];

/// The instructions of this step.
///
/// # Panics
///
/// If the table does not have it.
pub fn instructions(step: &str) -> u64 {
    let row = BASELINE.iter().find(|(name, _)| *name == step);
    row.unwrap_or_else(|| panic!("no baseline for {step}")).1
}
