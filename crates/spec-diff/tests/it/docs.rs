//! `docs/rules.md` lists the rules, and the tour of `docs/contract.md` shows the findings of some edits.
//! `cargo xtask generate` renews the former, `UPDATE_DOCS=1 cargo test -p spec-diff` the latter.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use spec_diff::rules::{self, Category, Role};
use spec_diff::{Level, Policy, report};
use spec_model::Document;

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
        // Documentation breaks nobody.
        assert!(rule.category != Category::Documentation || rule.level == Level::Info);
    }
}

/// An edit of the released document: the lines from `start` up to `end` are replaced.
struct TourEdit {
    title: &'static str,
    start: &'static str,
    end: &'static str,
    replacement: &'static str,
    prove: bool,
}

const TOUR: &[TourEdit] = &[
    TourEdit {
        title: "The longest name of a pet has 50 characters",
        start: "          maxLength: 100\n        categoryId:\n",
        end: "          type: integer",
        replacement: "          maxLength: 50\n        categoryId:\n",
        prove: false,
    },
    TourEdit {
        title: "A pet can be reserved",
        start: "      enum: [available, pending, sold]\n",
        end: "\n",
        replacement: "      enum: [available, pending, reserved, sold]\n",
        prove: true,
    },
    TourEdit {
        title: "The free plan has lower limits",
        start: "    per-minute: 60\n",
        end: "    per-day",
        replacement: "    per-minute: 30\n",
        prove: false,
    },
];

/// Writes the tour between its marks in `docs/contract.md`, or compares it. Positions are left out.
#[test]
fn tour_shows_the_findings() {
    let settings = std::fs::read_to_string(repository().join("spec/contract.toml")).unwrap();
    let mut policy = Policy::from_toml(&settings, policy().today).unwrap();
    let parse = |text: &str| Document::parse("spec/petstore.yaml", text).unwrap();
    let base = petstore();
    let mut tour = String::new();
    for edit in TOUR {
        let start = base.find(edit.start).unwrap();
        let behind = start + edit.start.len();
        let end = behind + base[behind..].find(edit.end).unwrap();
        let (old, new) = (&base[start..end], edit.replacement);
        let revision = format!("{}{new}{}", &base[..start], &base[end..]);
        policy.prove = edit.prove;
        let findings = spec_diff::diff(&parse(&base), &parse(&revision), &policy);
        let lines = |text: &str, other: &str, sign: char| -> String {
            let lines = text
                .lines()
                .filter(|line| !other.lines().any(|l| l == *line));
            lines.map(|line| format!("{sign}{line}\n")).collect()
        };
        let (removed, added) = (lines(old, new, '-'), lines(new, old, '+'));
        let _ = write!(
            tour,
            "### {}\n\n```diff\n{removed}{added}```\n\n```text\n",
            edit.title
        );
        for line in report::render_text(&findings).lines() {
            let mut parts = line.splitn(4, ':');
            let line = match (parts.next(), parts.nth(2)) {
                (Some(file @ "spec/petstore.yaml"), Some(rest)) => format!("{file}:{rest}"),
                _ => line.to_owned(),
            };
            tour.push_str(&line);
            tour.push('\n');
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
        assert!(is_current, "run `UPDATE_DOCS=1 cargo test -p spec-diff`");
    }
}
