//! `docs/rules.md` lists the rules, and the tour of `docs/contract.md` shows the findings of some edits.
//! `cargo xtask generate` renews the former, `UPDATE_DOCS=1 cargo test -p dropspec-diff` the latter.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use dropspec_diff::rules::{self, Category, Role};
use dropspec_diff::{Level, Policy, report};
use dropspec_model::Document;

use crate::common::{petstore, policy};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

#[test]
fn rules_page_is_up_to_date() {
    let page = std::fs::read_to_string(repository().join("docs/rules.md")).unwrap();
    // The rules of lint follow.
    let is_current = page.starts_with(&rules::render_page());
    assert!(is_current, "run `cargo xtask generate`");
}

#[test]
fn every_rule_can_be_found_by_its_id() {
    for change in rules::schema_changes() {
        for role in Role::ALL {
            let id = format!("{}-{}", role.prefix(), change.change);
            assert!(rules::find(&id).is_some(), "{id}");
        }
    }
    for rule in rules::all() {
        let found = rules::find(&rule.id).unwrap().rule();
        assert_eq!(found, rule, "{} has two files", rule.id);
        assert!(!rule.summary.is_empty() && !rule.example.is_empty());
        assert!(
            rule.category != Category::Documentation || rule.level == Level::Info,
            "{}: documentation breaks nobody: write level info, or another category",
            rule.id
        );
    }
}

/// Edits of the released document: what they do, the text before and after, and whether breaks are proved.
#[rustfmt::skip]
const TOUR: &[(&str, &str, &str, bool)] = &[
    ("The longest name of a pet has 50 characters",
        "          maxLength: 100\n        categoryId:\n", "          maxLength: 50\n        categoryId:\n", false),
    ("A pet can be reserved",
        "      enum: [available, pending, sold]\n", "      enum: [available, pending, reserved, sold]\n", true),
    ("The free plan has lower limits", "    per-minute: 60\n", "    per-minute: 30\n", false),
];

/// Writes the tour between its marks in `docs/contract.md`, or compares it. Positions are left out.
#[test]
fn tour_shows_the_findings() {
    let settings = std::fs::read_to_string(repository().join("spec/contract.toml")).unwrap();
    let mut policy = Policy::from_toml(&settings, policy().today).unwrap();
    let parse = |text: &str| Document::parse("spec/petstore.yaml", text).unwrap();
    let base = petstore();
    let mut tour = String::new();
    for (title, old, new, prove) in TOUR {
        policy.prove = *prove;
        let revision = base.replacen(old, new, 1);
        let findings = dropspec_diff::diff(&parse(&base), &parse(&revision), &policy);
        let _ = write!(tour, "### {title}\n\n```diff\n");
        for (sign, text, other) in [('-', old, new), ('+', new, old)] {
            for line in text.lines().filter(|line| !other.contains(line)) {
                let _ = writeln!(tour, "{sign}{line}");
            }
        }
        tour.push_str("```\n\n```text\n");
        for line in report::render_text(&findings).lines() {
            let mut parts = line.splitn(4, ':');
            let line = match (parts.next(), parts.nth(2)) {
                (Some(file @ "spec/petstore.yaml"), Some(rest)) => format!("{file}:{rest}"),
                _ => line.to_owned(),
            };
            let _ = writeln!(tour, "{line}");
        }
        tour.push_str("```\n\n");
    }
    let path = repository().join("docs/contract.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once("<!-- tour -->\n").unwrap();
    let (current, after) = rest.split_once("<!-- end of tour -->").unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let text = format!("{before}<!-- tour -->\n{tour}<!-- end of tour -->{after}");
        std::fs::write(&path, text).unwrap();
    } else {
        let is_current = current == tour;
        assert!(
            is_current,
            "run `UPDATE_DOCS=1 cargo test -p dropspec-diff`"
        );
    }
}
