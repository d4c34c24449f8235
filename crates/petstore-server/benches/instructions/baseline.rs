//! The instructions that each step took when the table was last changed. A change that makes a step slower on purpose
//! changes its row; one that makes it faster should, so that the gain is kept.

/// The steps by their names, with their instructions.
const BASELINE: &[(&str, u64)] = &[
    ("route", 1_255),
    ("key_lookup", 7_068),
    ("limiter_decision", 877),
    ("decode_and_validate", 6_197),
    ("response_headers", 9_796),
    ("log_line", 2_188),
    ("whole_request", 80_726),
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
