//! `cargo xtask conformance`: compares the findings for the cases of a corpus with the expected ones.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use anyhow::Context;
use chrono::NaiveDate;
use clap::Args;
use dropspec::output::print;
use dropspec::project;
use dropspec_diff::{Finding, Level, Policy, VersionCheck, parse_stability};
use dropspec_model::Stability;
use serde::de::IntoDeserializer;
use serde::{Deserialize, Deserializer};

/// Run the cases of a contract-diff corpus
///
/// Prints in how many cases the highest level agrees, and in how many the set of rule ids. Fails if a case disagrees that has
/// no reason in `docs/contract.md`. The corpus is a directory with
/// `cases.jsonl` and `data/`. If it is missing, the command fails where CI is set, and prints a note elsewhere.
#[derive(Debug, Args)]
pub struct Arguments {
    /// The directory of the corpus.
    pub directory: PathBuf,
}

/// The day that all cases of the corpus assume to be today, for sunsets.
const ASSUMED_TODAY: &str = "2026-11-21";
/// The cases that disagree on purpose. The section "Differences from oasdiff" of `docs/contract.md` has the reasons.
const JUSTIFIED: [&str; 36] = [
    // A new bound of a request rejects what was valid.
    "RequestBodyMaxLengthSetCheck",
    "RequestBodyMaxSetCheck",
    "RequestParameterMaxLengthSetCheck",
    "RequestPropertyMaxLengthSetCheck",
    "RequestPropertyMaxSetCheck",
    // A bound beside a type that it does not apply to, or beside an enum, constrains nothing.
    "MaxLengthFromNil",
    "RequestBodyMinLengthDecreased",
    "RequestBodyMinLengthIncreased",
    "RequestMaxLengthSmaller",
    "RequestParameterMaxItemsDecreased",
    "RequestParameterMaxItemsIncreased",
    "RequestParameterMaxItemsWithFlatten",
    "ResponseMinItemsSmaller",
    // No request becomes invalid: the path had the parameter, the other schemas of `allOf` say the same, objects have no format.
    "NewPathParam",
    "RequestPropertyAllOfAdded",
    "RequestBodyFormatChangedCheck",
    // A default is what the server assumes where a client sends nothing.
    "RequestBodyDefaultValueAdded",
    "RequestBodyDefaultValueRemoving",
    "RequestPropertyDefaultValueChanged",
    // What a response may contain that clients do not know, and what it no longer contains.
    "AddedResponseEnum",
    "GeneralizedPattern",
    "ResponsePropertyPatternChanged",
    "ResponsePropertyAllOfRemoved",
    "RequiredPropertyWriteOnlyEnabled",
    "ResponseOptionalPropertyBecameWriteOnly",
    "ResponseRequiredPropertyBecameWriteOnly",
    // The value of a discriminator selects another schema, or none.
    "RequestDiscriminatorUpdatedCheckMappingChanging",
    "RequestDiscriminatorUpdatedCheckPropertyNameChanging",
    "ResponseDiscriminatorUpdatedCheckPropertyNameChanging",
    // A server may ignore or refuse what became read-only.
    "RequestOptionalPropertyBecameReadOnly",
    "RequestRequiredPropertyBecameReadOnly",
    // Clients must follow an address that moves.
    "ComponentSecurityOauthTokenUpdated",
    "ComponentSecurityOauthURLUpdated",
    // Parameters of a path, servers, security, callbacks.
    "AddedEnum",
    "DeletedTag",
    "ModifiedExtension",
];

#[derive(Debug, Deserialize)]
struct Case {
    name: String,
    base: String,
    revision: String,
    rules: Option<BTreeSet<String>>,
    /// The lowest level that the case compares.
    #[serde(deserialize_with = "read_floor")]
    floor: Level,
    options: Option<String>,
    mode: Mode,
    expected: Vec<Expected>,
    absent: BTreeSet<String>,
}

/// Deserializes the lowest level that a case compares. The corpus writes `err` for an error.
fn read_floor<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Level, D::Error> {
    match String::deserialize(deserializer)?.as_str() {
        "err" => Ok(Level::Error),
        text => Level::deserialize(text.into_deserializer()),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum Mode {
    /// These ids and no others.
    Exact,
    /// At least these.
    Contains,
    /// None of `absent`.
    AbsentOnly,
}

#[derive(Debug, Deserialize)]
struct Expected {
    id: String,
    level: Level,
}

impl Case {
    /// Whether the case compares a rule: one of `rules`, or one that it expects or excludes.
    fn includes(&self, id: &str) -> bool {
        let named =
            self.expected.iter().any(|expected| expected.id == id) || self.absent.contains(id);
        named || self.rules.as_ref().is_none_or(|rules| rules.contains(id))
    }
}

/// The result of one case: the findings of `dropspec-diff`, and whether they agree with the expected ones.
struct Outcome {
    level_agrees: bool,
    rules_agree: bool,
    found: BTreeSet<(String, Level)>,
}

/// Runs `cargo xtask conformance`: compares `dropspec-diff` with all cases of a corpus. Fails if a case disagrees
/// without a reason.
pub fn run(arguments: &Arguments) -> anyhow::Result<ExitCode> {
    let cases = arguments.directory.join("cases.jsonl");
    if !cases.exists() {
        let directory = arguments.directory.display();
        print(format_args!("skipped: no corpus at {directory}\n"))?;
        let in_ci = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
        return Ok(ExitCode::from(u8::from(in_ci)));
    }
    let text = std::fs::read_to_string(&cases)
        .with_context(|| format!("cannot read {}", cases.display()))?;
    let (mut total, mut levels, mut rules) = (0_u32, 0_u32, 0_u32);
    let mut justified: BTreeSet<&str> = JUSTIFIED.into();
    let mut unjustified = 0_u32;
    let lines = text.lines().zip(1..);
    for (line, number) in lines.filter(|(line, _)| !line.trim().is_empty()) {
        let case: Case = serde_json::from_str(line)
            .with_context(|| format!("{}:{number}: the line is not a case", cases.display()))?;
        let outcome = run_case(&case, &arguments.directory.join("data"))?;
        total += 1;
        levels += u32::from(outcome.level_agrees);
        rules += u32::from(outcome.rules_agree);
        if outcome.level_agrees && outcome.rules_agree {
            continue;
        }
        let is_justified = JUSTIFIED.contains(&case.name.as_str());
        justified.remove(case.name.as_str());
        unjustified += u32::from(!is_justified);
        if !is_justified {
            print(format_args!(
                "{}: {} → {}\n  expected {:?} {:?}, and none of {:?}\n  found {:?}\n",
                case.name,
                case.base,
                case.revision,
                case.mode,
                case.expected,
                case.absent,
                outcome.found
            ))?;
        }
    }
    for (what, agreeing) in [
        ("highest level agrees:", levels),
        ("rule ids agree:", rules),
    ] {
        let percent = f64::from(agreeing) * 100.0 / f64::from(total.max(1));
        print(format_args!(
            "{what:<21} {agreeing} of {total} ({percent:.1}%)\n"
        ))?;
    }
    print(format_args!("without a reason:     {unjustified}\n"))?;
    for name in &justified {
        print(format_args!(
            "{name} agrees, or is no case; remove it from the list\n"
        ))?;
    }
    Ok(ExitCode::from(u8::from(
        unjustified > 0 || !justified.is_empty(),
    )))
}

fn run_case(case: &Case, data: &Path) -> anyhow::Result<Outcome> {
    let read = |name: &str| project::parse_tree(name, &project::read_text(&data.join(name))?);
    let base = read(&case.base)?;
    let revision = read(&case.revision)?;
    let policy = parse_options(case.options.as_deref())?;
    let findings = dropspec_diff::diff(&base, &revision, &policy);
    let found = triggered_rules(&findings, case);
    let ids: BTreeSet<&str> = found.iter().map(|(id, _)| id.as_str()).collect();
    let expected: BTreeSet<&str> = case.expected.iter().map(|e| e.id.as_str()).collect();
    let none_absent = !case.absent.iter().any(|id| ids.contains(id.as_str()));
    let rules_agree = none_absent
        && match case.mode {
            Mode::Exact => ids == expected,
            Mode::Contains => expected.is_subset(&ids),
            Mode::AbsentOnly => true,
        };
    // Where other rules may trigger, only the expected ones are compared.
    let highest = match case.mode {
        Mode::Exact => found.iter().map(|(_, level)| *level).max(),
        Mode::Contains | Mode::AbsentOnly => found
            .iter()
            .filter(|(id, _)| expected.contains(id.as_str()))
            .map(|(_, level)| *level)
            .max(),
    };
    let level_agrees = highest == case.expected.iter().map(|e| e.level).max();
    Ok(Outcome {
        level_agrees,
        rules_agree,
        found,
    })
}

/// The rules with findings, and their levels, as far as the case compares them.
fn triggered_rules(findings: &[Finding], case: &Case) -> BTreeSet<(String, Level)> {
    let own = findings.iter().map(|finding| (finding.id, finding.level));
    let also = findings.iter().flat_map(|finding| &finding.also);
    own.chain(also.map(|also| (also.id, also.level)))
        .filter(|(id, level)| *level >= case.floor && case.includes(id.as_str()))
        .map(|(id, level)| (id.to_string(), level))
        .collect()
}

/// Parses the options of a case into the policy for its comparison.
fn parse_options(options: Option<&str>) -> anyhow::Result<Policy> {
    let today: NaiveDate = ASSUMED_TODAY.parse()?;
    let mut policy = Policy::new(today);
    policy.ignore_below = Some(Stability::Beta);
    let arguments = |text: &str| -> Option<String> {
        Some(text.split_once('(')?.1.strip_suffix(')')?.to_owned())
    };
    match options {
        None => {}
        Some("versioning-policy-enabled") => policy.versions = VersionCheck::Breaking,
        Some(text) if text.starts_with("WithDeprecation") => {
            let days = arguments(text).context("WithDeprecation needs days")?;
            let (beta, stable) = days.split_once(',').context("two numbers of days")?;
            policy.min_notice_days_beta = beta.trim().parse()?;
            policy.min_notice_days = stable.trim().parse()?;
        }
        Some(text) if text.starts_with("WithStabilityLevel") => {
            let level = arguments(text).and_then(|level| parse_stability(&level));
            policy.ignore_below = Some(level.context("WithStabilityLevel needs a level")?);
        }
        Some(other) => anyhow::bail!("the option `{other}` is unknown"),
    }
    Ok(policy)
}
