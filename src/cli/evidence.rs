//! What `verify`, `check` and `bless` share: gathering evidence with progress on stderr, and telling GitHub.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};

use ebflow::claim::{Claim, Evidence, Record, gather};
use ebflow::files::{Folder, check_outputs, write};
use ebflow::study::StudyFolder;
use ebflow::{Error, Preset, Result};
use serde::Serialize;

use super::Console;
use super::args::Threads;
use super::progress::Progress;
use super::provenance::provenance;

/// Where the committed evidence lives.
pub const BASELINE: &str = "validation/baseline";

/// Set by GitHub where it runs jobs, and shows lines of a certain form beside them.
const ACTIONS: &str = "GITHUB_ACTIONS";
/// Set by GitHub to the file that becomes the page of a job.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// Accepted evidence.
#[derive(Debug, Serialize, clap::Args)]
pub struct BaselineArgs {
    /// Folder of the claims' accepted evidence, or of a study.
    #[arg(value_name = "DIR", default_value = BASELINE)]
    pub folder: PathBuf,
    #[command(flatten)]
    #[serde(flatten)]
    pub threads: Threads,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    pub json: bool,
    /// Write what came out as JUnit test cases.
    #[arg(long, value_name = "FILE")]
    pub junit: Option<PathBuf>,
}

impl BaselineArgs {
    /// Refuses a JUnit file that could not be written, before any work is done.
    pub fn check(&self) -> Result<()> {
        self.junit.as_deref().map_or(Ok(()), check_writable)
    }

    /// Writes the JUnit file where it was asked for.
    pub fn write_junit(&self, content: impl FnOnce() -> String) -> Result<()> {
        write_file(self.junit.as_deref(), content)
    }

    /// The folder of a study, if it is one.
    pub fn study(&self) -> Option<StudyFolder> {
        StudyFolder::open(&self.folder).ok()
    }
}

/// Writes a file where it was asked for.
pub fn write_file(path: Option<&Path>, content: impl FnOnce() -> String) -> Result<()> {
    let Some(path) = path else { return Ok(()) };
    let content = content();
    write(path, |file| file.write_all(content.as_bytes()))
}

/// Puts claims to the test; what is finished is kept in the folder, if there is one, from then on.
pub fn gathered(
    claims: &[&dyn Claim],
    preset: Preset,
    threads: Threads,
    folder: Option<&Folder>,
    console: &mut Console<'_>,
) -> Result<Evidence> {
    let progress = Progress::new(claims.len(), "claims", console);
    let evidence = gather(claims, preset, threads.count(), Some(provenance()), |record, so_far| {
        progress.finished(so_far.records.len(), &line(record), None, console);
        folder.map_or(Ok(()), |folder| so_far.write_unfinished(folder))
    });
    progress.end();
    evidence
}

/// What a finished claim says of itself.
fn line(record: &Record) -> String {
    let seconds = record.elapsed.unwrap_or_default().as_secs_f64();
    format!("{}: {} ({seconds:.1} s)", record.card.id, record.verdict.kind().words())
}

/// Tells GitHub, where it runs this: complaints as annotations, and a summary for the page of the job. That this fails
/// is no reason to fail.
pub fn tell_github(annotations: &str, summary: &str, console: &mut Console<'_>) {
    if std::env::var_os(ACTIONS).is_some_and(|value| value == "true") {
        annotations.lines().for_each(|annotation| console.say(annotation));
    }
    let Some(path) = std::env::var_os(SUMMARY).filter(|path| !path.is_empty()).map(PathBuf::from) else {
        return;
    };
    let file = OpenOptions::new().append(true).create(true).open(&path);
    if let Err(error) = file.and_then(|mut file| file.write_all(summary.as_bytes())) {
        console.say(format_args!("warning: cannot write the summary to {}: {error}", path.display()));
    }
}

/// Refuses to replace evidence by less.
pub fn refuse_to_lose(
    folder: &Folder,
    register: &[Box<dyn Claim>],
    chosen: &[&dyn Claim],
    preset: Preset,
) -> Result<()> {
    let there = Evidence::read(folder.path(), register).ok();
    match there.filter(|evidence| evidence.is_more_than(chosen, preset)) {
        None => Ok(()),
        Some(_) => Err(Error::Store {
            path: folder.path().join(Evidence::FILE),
            problem:
                "it holds evidence of other claims, or more thorough evidence, which this run would replace; \
                      choose another folder, or remove the file first"
                    .into(),
        }),
    }
}

/// Refuses a folder of a study where evidence shall go: reports of both would have one name.
pub fn refuse_study(path: &Path) -> Result<()> {
    refuse_foreign(path, "study.toml", "the rows of a study", "evidence of claims")
}

/// Refuses a folder of evidence where a study shall go.
pub fn refuse_evidence(path: &Path) -> Result<()> {
    refuse_foreign(path, Evidence::FILE, "evidence of claims", "the rows of a study")
}

/// A folder for the report of another one: its own is not replaced.
pub fn folder_for_report(path: &Path) -> Result<Folder> {
    for (mark, theirs) in [("study.toml", "the rows of a study"), (Evidence::FILE, "evidence of claims")] {
        refuse_foreign(path, mark, theirs, "the report of another folder")?;
    }
    writable(path)
}

fn refuse_foreign(path: &Path, mark: &str, theirs: &str, ours: &str) -> Result<()> {
    if !path.join(mark).exists() {
        return Ok(());
    }
    let problem = format!(
        "this folder holds {theirs} ({mark}), and {ours} cannot be kept beside them; choose another folder"
    );
    Err(Error::Store { path: path.into(), problem })
}

/// A folder for evidence that can be written to.
pub fn writable_folder(path: &Path) -> Result<Folder> {
    refuse_study(path)?;
    writable(path)
}

fn writable(path: &Path) -> Result<Folder> {
    let folder = Folder::create(path)?;
    folder.sweep();
    folder.check_writable().map(|()| folder)
}

/// Refuses a file that cannot be written at the end; the folder for it is made.
pub fn check_writable(path: &Path) -> Result<()> {
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        Folder::create(folder)?;
    }
    check_outputs(&[path], &[], false)
}
