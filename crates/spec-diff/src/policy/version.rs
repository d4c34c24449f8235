//! Whether `info.version` moved by what the changes imply (Semantic Versioning 2.0.0).

use crate::finding::Finding;
use crate::policy::{Policy, Versions};
use crate::rules::Bump;
use crate::session::{Edit, Session};
use crate::tree::{Id, Tree};

/// A version, without what follows `-` or `+`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Version {
    major: u64,
    minor: u64,
    patch: u64,
}

impl Version {
    fn parse(text: &str) -> Option<Version> {
        let text = text.strip_prefix('v').unwrap_or(text);
        let core = text.split(['-', '+']).next()?;
        // Small enough to be counted on.
        let mut numbers = core
            .split('.')
            .map(|number| number.parse::<u32>().ok().map(u64::from));
        let version = Version {
            major: numbers.next()??,
            // `1` and `1.2` are common, and clear.
            minor: numbers.next().unwrap_or(Some(0))?,
            patch: numbers.next().unwrap_or(Some(0))?,
        };
        numbers.next().is_none().then_some(version)
    }

    fn bumped(self, bump: Bump) -> Version {
        let Version {
            major,
            minor,
            patch,
        } = self;
        // Before 1.0.0 a minor version may break.
        let bump = match bump {
            Bump::Major if major == 0 => Bump::Minor,
            bump => bump,
        };
        match bump {
            Bump::None => self,
            Bump::Patch => Version {
                patch: patch + 1,
                ..self
            },
            Bump::Minor => Version {
                minor: minor + 1,
                patch: 0,
                major,
            },
            Bump::Major => Version {
                major: major + 1,
                minor: 0,
                patch: 0,
            },
        }
    }
}

impl std::fmt::Display for Version {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

/// Which version rule the findings break, where, and what to write instead.
pub(crate) struct Verdict {
    pub(crate) rule: &'static str,
    pub(crate) edit: Edit,
    pub(crate) message: String,
}

/// Judges `info.version` by what was found.
pub(crate) fn check(
    base: &Tree<'_>,
    revision: &Tree<'_>,
    findings: &[Finding],
    policy: &Policy,
) -> Option<Verdict> {
    let (old_site, old) = version(base);
    let (new_site, new) = version(revision);
    let (old, new) = (Version::parse(&old)?, Version::parse(&new)?);
    // An acknowledged break is a change, and breaks nobody who counts.
    let counted = findings.iter().map(|finding| match finding.acknowledged {
        Some(_) => finding.bump.min(Bump::Minor),
        None => finding.bump,
    });
    let bump = counted.max().unwrap_or(Bump::None);
    let most = findings.iter().map(|finding| finding.bump).max();
    let breaking = bump == Bump::Major;
    let due = old.bumped(bump);
    // Whoever agreed to a break may say so in the version.
    let also_right = old.bumped(most.unwrap_or(Bump::None));
    let enough = match old.major {
        0 => (new.major, new.minor) > (old.major, old.minor),
        _ => new.major > old.major,
    };
    let exact = policy.versions == Versions::Exact;
    let rule = match () {
        () if policy.versions == Versions::Off => return None,
        () if exact && (new == due || new == also_right) => return None,
        () if new < old && (exact || breaking) => "api-version-decreased",
        () if breaking && new == old => "api-version-not-bumped",
        () if breaking && !enough => "api-major-version-not-bumped",
        () if exact && new == old => "api-version-not-bumped",
        () if exact => "api-version-mismatch",
        () => return None,
    };
    let why = match (breaking, bump) {
        (true, _) => "a change breaks",
        (false, Bump::None) => "nothing changed",
        (false, Bump::Patch) => "only the words changed",
        (false, _) => "the changes break nobody",
    };
    let moved = match new == old {
        true => format!("it is still {old}"),
        false => format!("it went from {old} to {new}"),
    };
    let or = match due == also_right {
        true => String::new(),
        false => format!(", or {also_right} for what was acknowledged"),
    };
    Some(Verdict {
        rule,
        edit: Edit::changed(old_site, new_site).item(format!("version {due}")),
        message: format!("{why}: `info.version` must be {due}{or}, {moved}"),
    })
}

/// Reports a version that cannot be judged, or that nobody asked to judge.
pub(crate) fn check_readable(session: &mut Session<'_>) {
    let (old_site, old) = version(&session.base.tree);
    let (new_site, new) = version(&session.revision.tree);
    let readable = Version::parse(&old).is_some() && Version::parse(&new).is_some();
    let edit = Edit::changed(old_site, new_site).item("version");
    if !readable && session.policy.versions != Versions::Off {
        let message = format!("`info.version` cannot be judged: `{old}` → `{new}`");
        session.report("api-version-invalid", edit, message);
    } else if old != new && session.policy.versions != Versions::Exact {
        let message = format!("`info.version` went from `{old}` to `{new}`");
        session.report("api-version-changed", edit, message);
    } else if old != new && Version::parse(&old) == Version::parse(&new) {
        // What follows `-` or `+` moves no number.
        let message = format!("`info.version` went from `{old}` to `{new}`");
        session.report("api-version-changed", edit, message);
    }
}

fn version(tree: &Tree<'_>) -> (Id, String) {
    match tree.path(Id::ROOT, &["info", "version"]) {
        Some(id) => {
            let node = tree.node(id);
            let text = node.as_str().map(str::to_owned);
            (id, text.unwrap_or_else(|| node.to_json().to_string()))
        }
        None => (Id::ROOT, String::new()),
    }
}
