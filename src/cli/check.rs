//! `ebflow check`: gather evidence again, and compare it with what was accepted.

use std::path::PathBuf;
use std::process::ExitCode;

use ebflow::Result;
use ebflow::claim::baseline::{Change, compare};
use ebflow::claim::{Claim, Evidence, register};
use ebflow::report::claims::{annotations, moved, moved_json};

use super::evidence::{BASELINE, Jobs, gathered, tell_github};
use super::{FAILED_CHECK, output};

/// Fail when a number has moved beyond its error bar since evidence was accepted.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Folder of the accepted evidence, as `ebflow bless` or `ebflow verify --out` has written it.
    #[arg(value_name = "DIR", default_value = BASELINE)]
    folder: PathBuf,
    #[command(flatten)]
    jobs: Jobs,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

pub fn run(args: &Args) -> Result<ExitCode> {
    let register = register();
    let accepted = Evidence::read(&args.folder, &register)?;
    let known = |claim: &&dyn Claim| accepted.records.iter().any(|record| record.card.id == claim.card().id);
    let (claims, new): (Vec<&dyn Claim>, Vec<&dyn Claim>) = register.iter().map(Box::as_ref).partition(known);
    if !new.is_empty() {
        let ids: Vec<&str> = new.iter().map(|claim| claim.card().id).collect();
        eprintln!("not in {}, so not checked: {}", args.folder.display(), ids.join(", "));
    }
    let found = gathered(&claims, accepted.preset, &args.jobs, None)?;
    let changes = compare(&accepted.records, &found.records);
    match args.json {
        true => output::json(&moved_json(&changes))?,
        false => output::bytes(summary(&found, &changes).as_bytes())?,
    }
    let page = format!("### ebflow check\n\n{}", summary(&found, &changes).replace('\n', "\n\n"));
    tell_github(&annotations::of_changes(&changes), &page)?;
    Ok(if changes.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(FAILED_CHECK) })
}

/// What moved, and how much did not.
fn summary(found: &Evidence, changes: &[Change]) -> String {
    let rows: usize = found.records.iter().map(|record| record.rows.len()).sum();
    let claims = found.records.len();
    match changes.len() {
        0 => format!("nothing moved: {rows} rows of {claims} claims are within their error bars\n"),
        n => format!(
            "{}{n} of what {rows} rows of {claims} claims say has changed; if it should, run `ebflow bless`\n",
            moved(changes)
        ),
    }
}
