//! What `verify`, `check` and `bless` share: gathering evidence with progress on stderr, and telling GitHub.

use std::fs::OpenOptions;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ebflow::claim::{Claim, Evidence, Record, gather};
use ebflow::files::check_outputs;
use ebflow::study::{Folder, Preset};
use ebflow::{Error, Result};
use indicatif::ProgressBar;

use super::Console;

/// Where the committed evidence lives.
pub const BASELINE: &str = "validation/baseline";

/// Set by GitHub where it runs jobs, and shows lines of a certain form beside them.
const ACTIONS: &str = "GITHUB_ACTIONS";
/// Set by GitHub to the file that becomes the page of a job.
const SUMMARY: &str = "GITHUB_STEP_SUMMARY";

/// How thoroughly evidence is gathered.
#[derive(Debug, Clone, Copy, clap::ValueEnum)]
pub enum PresetName {
    /// Within a minute.
    Quick,
    /// More seeds, sizes and settings: minutes.
    Full,
}

impl From<PresetName> for Preset {
    fn from(name: PresetName) -> Self {
        match name {
            PresetName::Quick => Self::Quick,
            PresetName::Full => Self::Full,
        }
    }
}

/// Accepted evidence.
#[derive(Debug, clap::Args)]
pub struct BaselineArgs {
    /// Folder of the accepted evidence.
    #[arg(value_name = "DIR", default_value = BASELINE)]
    pub folder: PathBuf,
    #[command(flatten)]
    pub jobs: Jobs,
    /// Print one JSON object.
    #[arg(long)]
    pub json: bool,
}

/// Threads to use.
#[derive(Debug, clap::Args)]
pub struct Jobs {
    /// Threads to use [default: all cores]. Evidence does not depend on it.
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u16).range(1..))]
    jobs: Option<u16>,
}

impl Jobs {
    fn count(&self) -> usize {
        let cores = || std::thread::available_parallelism().map_or(1, usize::from);
        self.jobs.map_or_else(cores, usize::from)
    }
}

/// Puts claims to the test; what is finished is kept in the folder, if there is one, from then on.
pub fn gathered(
    claims: &[&dyn Claim],
    preset: Preset,
    jobs: &Jobs,
    folder: Option<&Folder>,
    console: &mut Console<'_>,
) -> Result<Evidence> {
    let progress = Progress::new(claims.len(), console);
    let evidence = gather(claims, preset, jobs.count(), |record, so_far| {
        progress.show(record, so_far.records.len(), claims.len(), console);
        folder.map_or(Ok(()), |folder| so_far.write_unfinished(folder))
    });
    progress.end();
    evidence
}

/// A bar on a terminal, a line per finished claim elsewhere.
enum Progress {
    Bar(ProgressBar),
    Lines,
}

impl Progress {
    fn new(claims: usize, console: &Console<'_>) -> Self {
        if !console.interactive {
            return Self::Lines;
        }
        let bar = ProgressBar::new(claims as u64);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self::Bar(bar)
    }

    fn show(&self, record: &Record, done: usize, total: usize, console: &mut Console<'_>) {
        match self {
            Self::Bar(bar) => bar.set_position(done as u64),
            Self::Lines => {
                let seconds = record.elapsed.unwrap_or_default().as_secs_f64();
                let verdict = record.verdict.kind().words();
                let id = record.card.id;
                console.say(format_args!("[{done}/{total}] {id}: {verdict} ({seconds:.1} s)"));
            }
        }
    }

    fn end(&self) {
        if let Self::Bar(bar) = self {
            bar.finish_and_clear();
        }
    }
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
