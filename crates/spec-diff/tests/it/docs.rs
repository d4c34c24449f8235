//! `docs/contract.md` is true: its list of rules is the table, and its tour is what the comparison says of our contract.
//! `UPDATE_DOCS=1 cargo test -p spec-diff` writes both anew.
#![allow(clippy::unwrap_used)]

use std::fmt::Write;
use std::path::{Path, PathBuf};

use spec_diff::rules::{FAMILIES, Kind, REQUEST_ROLES, RESPONSE_ROLES, SINGLES, find};
use spec_diff::{Policy, report};
use spec_model::Document;

use crate::common::{petstore, policy};

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares the part of the document between two marks with `expected`.
fn assert_documented(mark: &str, expected: &str) {
    let path = repository().join("docs/contract.md");
    let text = std::fs::read_to_string(&path).unwrap();
    let (begin, end) = (
        format!("<!-- {mark} -->\n"),
        format!("<!-- end of {mark} -->"),
    );
    let start = text.find(&begin).unwrap() + begin.len();
    let length = text[start..].find(&end).unwrap();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        let rest = &text[start + length..];
        std::fs::write(&path, format!("{}{expected}{rest}", &text[..start])).unwrap();
        return;
    }
    assert!(
        text[start..start + length] == *expected,
        "docs/contract.md is stale between the marks `{mark}`: run `UPDATE_DOCS=1 cargo test -p spec-diff`"
    );
}

#[test]
fn every_rule_is_documented() {
    let mut text =
        String::from("| rule | level | what happened | for example |\n| --- | --- | --- | --- |\n");
    for rule in SINGLES {
        let level = report::level(rule.level);
        let _ = writeln!(
            text,
            "| `{}` | {level} | {} | {} |",
            rule.id, rule.meaning, rule.example
        );
    }
    assert_documented("rules", &text);

    let mut text = String::from(
        "| ends with | sent | received | what happened | for example |\n| --- | --- | --- | --- | --- |\n",
    );
    for family in FAMILIES {
        let (request, response) = (
            report::level(family.request),
            report::level(family.response),
        );
        let (meaning, example) = (family.meaning, family.example);
        let _ = writeln!(
            text,
            "| `-{}` | {request} | {response} | {meaning} | {example} |",
            family.change
        );
    }
    assert_documented("families", &text);
}

#[test]
fn every_rule_of_a_family_can_be_found() {
    for family in FAMILIES {
        for role in REQUEST_ROLES.iter().chain(&RESPONSE_ROLES) {
            assert!(find(&format!("{role}-{}", family.change)).is_some());
        }
    }
    for rule in SINGLES {
        assert!(
            !rule.meaning.is_empty() && !rule.example.is_empty(),
            "{}",
            rule.id
        );
        let found = find(rule.id).unwrap();
        assert_eq!(
            (found.level, found.kind),
            (rule.level, rule.kind),
            "{} stands twice",
            rule.id
        );
        // Words alone break nobody.
        assert!(rule.kind != Kind::Documentation || rule.level == spec_diff::Level::Info);
    }
}

/// An edit of our contract: what stands from `start` up to `end` is replaced.
struct TourEdit {
    title: &'static str,
    start: &'static str,
    end: &'static str,
    replacement: &'static str,
}

const TOUR: &[TourEdit] = &[
    TourEdit {
        title: "A name may be half as long",
        start: "          maxLength: 100\n        categoryId:\n",
        end: "          type: integer",
        replacement: "          maxLength: 50\n        categoryId:\n",
    },
    TourEdit {
        title: "A pet can be reserved",
        start: "      enum: [available, pending, sold]\n",
        end: "\n",
        replacement: "      enum: [available, pending, reserved, sold]\n",
    },
    TourEdit {
        title: "Pets can be found by their name",
        start: "        - name: categoryId\n          in: query\n",
        end: "          description",
        replacement: "        - name: name
          in: query
          description: Only pets of this name.
          schema: { type: string }
        - name: categoryId
          in: query
",
    },
    TourEdit {
        title: "The free plan shrinks",
        start: "    per-minute: 60\n",
        end: "    per-day",
        replacement: "    per-minute: 30\n",
    },
    TourEdit {
        title: "An old operation goes before its time",
        start: "    get:\n      operationId: getPet\n",
        end: "    put:\n      operationId: replacePet\n",
        replacement: "",
    },
];

/// How many removed lines of an edit are shown.
const SHOWN_LINES: usize = 3;

#[test]
fn the_tour_is_what_the_comparison_says() {
    let settings = std::fs::read_to_string(repository().join("spec/contract.toml")).unwrap();
    let policy = Policy::from_toml(&settings, policy().today).unwrap();
    let read = |text: &str| Document::parse("spec/petstore.yaml", text).unwrap();
    let base = petstore();
    let mut text = String::new();
    for (number, edit) in TOUR.iter().enumerate() {
        let start = base.find(edit.start).unwrap();
        let behind = start + edit.start.len();
        let end = behind + base[behind..].find(edit.end).unwrap();
        let from = &base[start..end];
        let revision = format!("{}{}{}", &base[..start], edit.replacement, &base[end..]);
        let findings = spec_diff::diff(&read(&base), &read(&revision), &policy);
        let (changes, said) = (changes(from, edit.replacement), report::text(&findings));
        let (number, title) = (number + 1, edit.title);
        let _ = write!(
            text,
            "### {number}. {title}\n\n```diff\n{changes}```\n\n```text\n{said}```\n\n"
        );
    }
    assert_documented("tour", &text);
}

/// The lines that differ, as a difference shows them.
fn changes(from: &str, to: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (from.lines().collect(), to.lines().collect());
    let gone: Vec<&&str> = old.iter().filter(|line| !new.contains(line)).collect();
    let mut text = String::new();
    for line in gone.iter().take(SHOWN_LINES) {
        let _ = writeln!(text, "-{line}");
    }
    if gone.len() > SHOWN_LINES {
        let _ = writeln!(text, "-      … and the rest of it");
    }
    for line in new.iter().filter(|line| !old.contains(line)) {
        let _ = writeln!(text, "+{line}");
    }
    text
}
