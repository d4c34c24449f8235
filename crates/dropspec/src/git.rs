//! The git repository of a folder: its files in revisions, and where a branch left the default branch.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, bail};
use dropspec_model::did_you_mean;

/// How a shallow clone gets what it lacks.
const FETCH: &str = "this clone is shallow: fetch its history, in GitHub Actions by `fetch-depth: 0` of actions/checkout, \
                     elsewhere by `git fetch --unshallow origin` and then `git fetch origin main:refs/remotes/origin/main`, or \
                     name the base as well";

/// A git repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Repository {
    /// The folder of the working tree, without symbolic links.
    top: PathBuf,
}

/// What git says where it cannot do something.
pub type Reason = String;

impl Repository {
    /// Finds the repository that a folder belongs to.
    ///
    /// # Errors
    /// There is none, or git cannot be run.
    pub fn find(folder: &Path) -> Result<Repository, Reason> {
        let folder = if folder.as_os_str().is_empty() {
            Path::new(".")
        } else {
            folder
        };
        let top = run(folder, &["rev-parse", "--show-toplevel"])?;
        let top = PathBuf::from(line(&top));
        let top = top.canonicalize().map_err(|error| error.to_string())?;
        Ok(Repository { top })
    }

    /// The folder of the working tree.
    pub fn top(&self) -> &Path {
        &self.top
    }

    /// The path of a file from the top. The file need not be there, but its folder.
    ///
    /// # Errors
    /// The file is not below the top.
    pub fn path_of(&self, file: &Path) -> anyhow::Result<PathBuf> {
        let absolute = std::path::absolute(file)?;
        let whole = absolute.canonicalize().or_else(|_| {
            let folder = absolute.parent().unwrap_or(&absolute).canonicalize()?;
            let name = absolute.file_name().unwrap_or_default();
            std::io::Result::Ok(folder.join(name))
        });
        let whole = whole.with_context(|| format!("{} cannot be found", file.display()))?;
        let path = whole.strip_prefix(&self.top).with_context(|| {
            let (file, top) = (file.display(), self.top.display());
            format!("{file} is not in the git repository {top}")
        })?;
        Ok(path.to_owned())
    }

    /// The content of a file in a revision; an empty revision is the index. `path` starts at the top.
    ///
    /// # Errors
    /// The revision does not have it.
    pub fn show(&self, revision: &str, path: &Path) -> Result<Vec<u8>, Reason> {
        let object = object(revision, path);
        run(&self.top, &["show", "--end-of-options", &object])
    }

    /// Whether there is a folder at a path in a revision, and no file.
    ///
    /// # Errors
    /// There is nothing.
    pub fn is_folder(&self, revision: &str, path: &Path) -> Result<bool, Reason> {
        let object = object(revision, path);
        // `cat-file` takes no `--end-of-options`; no option contains a colon.
        let kind = run(&self.top, &["cat-file", "-t", &object])?;
        Ok(line(&kind) == "tree")
    }

    /// The files below a folder in a revision, by their paths from it. Links and submodules are left out.
    ///
    /// # Errors
    /// The revision does not have the folder.
    pub fn list(&self, revision: &str, folder: &Path) -> Result<Vec<PathBuf>, Reason> {
        let object = object(revision, folder);
        let list = ["ls-tree", "-r", "-z", "--full-tree", "--end-of-options"];
        let listed = run(&self.top, &[&list[..], &[&object]].concat())?;
        let listed = String::from_utf8_lossy(&listed);
        let entries = listed
            .split('\0')
            .filter_map(|entry| entry.split_once('\t'));
        let files = entries.filter(|(mode, _)| mode.starts_with("100"));
        Ok(files.map(|(_, path)| PathBuf::from(path)).collect())
    }

    /// The commit where the current branch left the default branch, that of `origin` or else `main` or `master`, and the name of
    /// that branch.
    ///
    /// # Errors
    /// There is no default branch, or it has no commit in common with the current one.
    pub fn merge_base(&self) -> anyhow::Result<(String, String)> {
        let head = "refs/remotes/origin/HEAD";
        let of_origin = run(&self.top, &["symbolic-ref", "--quiet", "--short", head]);
        let of_origin = of_origin.ok().map(|name| line(&name));
        let others = ["origin/main", "origin/master", "main", "master"];
        let names = of_origin.into_iter().chain(others.map(str::to_owned));
        let mut names = names.into_iter();
        let is_shallow = self.says(&["rev-parse", "--is-shallow-repository"], "true");
        let help = if is_shallow {
            FETCH
        } else {
            "name the base as well, such as `diff develop api.yaml`, or fetch the branch"
        };
        let branch = names.find(|name| self.has(&format!("{name}^{{commit}}")));
        let branch = branch.with_context(|| {
            format!("the default branch is unknown, as there is neither origin/HEAD nor a branch main or master: {help}")
        })?;
        let found = run(&self.top, &["merge-base", "HEAD", &branch]).ok();
        let commit =
            found.with_context(|| format!("HEAD and {branch} have no commit in common: {help}"))?;
        let commit = line(&commit);
        if is_shallow && self.has_nothing_since(&commit) {
            bail!("there is no base, as nothing is known since {branch}: {FETCH}");
        }
        Ok((commit, branch))
    }

    /// Whether nothing changed since a commit: it is that of the working tree.
    fn has_nothing_since(&self, commit: &str) -> bool {
        self.says(&["rev-parse", "HEAD"], commit)
            && self.says(&["status", "--porcelain", "--untracked-files=no"], "")
    }

    /// Whether git prints this line.
    fn says(&self, arguments: &[&str], text: &str) -> bool {
        run(&self.top, arguments).is_ok_and(|said| line(&said) == text)
    }

    /// Whether a revision has a file or a folder.
    pub fn has_path(&self, revision: &str, path: &Path) -> bool {
        self.has(&object(revision, path))
    }

    /// Whether there is an object of this name.
    fn has(&self, name: &str) -> bool {
        let verify = ["rev-parse", "--verify", "--quiet", "--end-of-options", name];
        run(&self.top, &verify).is_ok()
    }

    /// Checks that there is a revision.
    ///
    /// # Errors
    /// There is none.
    pub fn check_revision(&self, revision: &str) -> anyhow::Result<()> {
        if self.has(&format!("{revision}^{{tree}}")) {
            return Ok(());
        }
        let names = run(&self.top, &["for-each-ref", "--format=%(refname:short)"]);
        let names = names.unwrap_or_default();
        let names = String::from_utf8_lossy(&names);
        bail!(
            "`{revision}` is neither a file nor a revision of git: {}`git branch --all` and `git tag` list names \
             (in a shallow clone, fetch the revision first)",
            did_you_mean(revision, names.lines())
        )
    }
}

/// The name of a file in a revision.
fn object(revision: &str, path: &Path) -> String {
    format!("{revision}:{}", path.display())
}

/// The output without the end of its line.
fn line(output: &[u8]) -> String {
    String::from_utf8_lossy(output).trim_end().to_owned()
}

/// Runs git in a folder, and returns what it prints.
///
/// # Errors
/// It fails; the reason is what it says, in English.
pub fn run(folder: &Path, arguments: &[&str]) -> Result<Vec<u8>, Reason> {
    let mut git = Command::new("git");
    git.arg("-C").arg(folder).env("LC_ALL", "C");
    let output = git.args(arguments).output();
    let output = output.map_err(|error| format!("git cannot be run: {error}"))?;
    if output.status.success() {
        Ok(output.stdout)
    } else {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = said.trim().replace('\n', " ");
        Err(said.trim_start_matches("fatal: ").to_owned())
    }
}
