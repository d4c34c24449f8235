//! Checks that `info.version` moves as the findings require (Semantic Versioning 2.0.0).

use semver::Version;

use crate::edit::Edit;
use crate::finding::Finding;
use crate::policy::VersionCheck;
use crate::rules::{Bump, Level, rule};
use crate::session::Session;
use crate::tree::{Id, ROOTS, Tree};

/// Reads a version leniently: `v1`, `1` and `1.2` are accepted, and what follows `-` or `+` is ignored.
fn parse_version(text: &str) -> Option<Version> {
    let text = text.strip_prefix('v').unwrap_or(text);
    let core = text.split(['-', '+']).next()?;
    // Numbers of 32 bits can be incremented without overflow.
    let numbers = core.split('.').map(|number| number.parse::<u32>().ok());
    let numbers: Vec<u64> = numbers.map(|n| n.map(u64::from)).collect::<Option<_>>()?;
    let number = |index: usize| numbers.get(index).copied().unwrap_or(0);
    (numbers.len() <= 3).then(|| Version::new(number(0), number(1), number(2)))
}

/// The version that follows with an increment.
fn increment(version: &Version, bump: Bump) -> Version {
    let (major, minor) = (version.major, version.minor);
    match bump {
        Bump::None => version.clone(),
        Bump::Patch => Version::new(major, minor, version.patch + 1),
        Bump::Major if major > 0 => Version::new(major + 1, 0, 0),
        // Before 1.0.0 a minor version may break.
        Bump::Minor | Bump::Major => Version::new(major, minor + 1, 0),
    }
}

/// The next version that may break clients, if the revision is not one.
pub(crate) fn find_breaking(session: &Session<'_>) -> Option<String> {
    let (old, new) = session.both(ROOTS, |tree, _| parse_version(&read_version(tree).1));
    let required = increment(&old?, Bump::Major);
    (new? < required).then(|| required.to_string())
}

/// The version increment that findings require together. An acknowledged break requires a minor version only.
pub(crate) fn find_bump(findings: &[Finding]) -> Bump {
    let counted = findings.iter().map(|finding| match finding.acknowledged {
        Some(_) => finding.bump.min(Bump::Minor),
        None => finding.bump,
    });
    counted.max().unwrap_or(Bump::None)
}

/// Reports if `info.version` did not change as `policy.versions` requires after these findings.
pub(crate) fn check_version(session: &mut Session<'_>, findings: &[Finding]) {
    let (old, new) = session.both(ROOTS, |tree, _| read_version(tree));
    let nodes = (old.0, new.0);
    let (Some(old), Some(new)) = (parse_version(&old.1), parse_version(&new.1)) else {
        return;
    };
    let bump = find_bump(findings);
    let most = findings.iter().map(|finding| finding.bump).max();
    let breaking = bump == Bump::Major;
    let required = increment(&old, bump);
    // An acknowledged break may increment the major version all the same.
    let alternative = increment(&old, most.unwrap_or(Bump::None));
    let enough = match old.major {
        0 => (new.major, new.minor) > (old.major, old.minor),
        _ => new.major > old.major,
    };
    let versions = session.policy.versions;
    let exact = versions == VersionCheck::Exact;
    let rule = match () {
        () if versions == VersionCheck::Off => return,
        () if exact && (new == required || new == alternative) => return,
        () if new < old && (exact || breaking) => rule!("api-version-decreased"),
        () if breaking && new == old => rule!("api-version-not-bumped"),
        () if breaking && !enough => rule!("api-major-version-not-bumped"),
        () if exact && new == old => rule!("api-version-not-bumped"),
        () if exact => rule!("api-version-mismatch"),
        () => return,
    };
    let warned = findings.iter().any(|finding| finding.level == Level::Warn);
    let reason = match bump {
        Bump::Major => "the interface changed incompatibly",
        Bump::None => "nothing changed",
        Bump::Patch => "only documentation changed",
        Bump::Minor if warned => "the interface changed, and what is warned of may break clients",
        Bump::Minor => "the interface changed compatibly",
    };
    let actual = if new == old {
        format!("it is still {old}")
    } else {
        format!("it went from {old} to {new}")
    };
    let or = if required == alternative {
        String::new()
    } else {
        format!(", or {alternative} for what was acknowledged")
    };
    let edit = Edit::changed(nodes.0, nodes.1).item(format!("version {required}"));
    let message = format!("{reason}: `info.version` must be {required}{or}; {actual}");
    session.report(rule, edit, message);
}

/// Reports a version that is not a semantic version, and a change of the version that no setting restricts.
pub(crate) fn check_readable(session: &mut Session<'_>) {
    let ((base, old), (revision, new)) = session.both(ROOTS, |tree, _| read_version(tree));
    let parsed = (parse_version(&old), parse_version(&new));
    let versions = session.policy.versions;
    let edit = Edit::changed(base, revision).item("version");
    if versions != VersionCheck::Off && (parsed.0.is_none() || parsed.1.is_none()) {
        let message = format!("`info.version` is not a semantic version: `{old}` → `{new}`");
        session.report(rule!("api-version-invalid"), edit, message);
    } else if old != new && (versions != VersionCheck::Exact || parsed.0 == parsed.1) {
        // With `Exact`, only what follows `-` or `+` changed.
        let message = format!("`info.version` went from `{old}` to `{new}`");
        session.report(rule!("api-version-changed"), edit, message);
    }
}

fn read_version(tree: &Tree<'_>) -> (Id, String) {
    match tree.path(Id::ROOT, &["info", "version"]) {
        Some(id) => {
            let node = tree.node(id);
            let text = node.as_str().map(str::to_owned);
            (id, text.unwrap_or_else(|| node.to_json().to_string()))
        }
        None => (Id::ROOT, String::new()),
    }
}
