//! `ebflow check`: gather evidence again, or compute a study's rows again, and compare them with what was accepted.

use ebflow::claim::baseline::compare;
use ebflow::claim::{Claim, Evidence, register};
use ebflow::report::{Comparison, annotations, moved, moved_json, moved_junit};
use ebflow::study::baseline::{self, Accepted};
use ebflow::study::{Completeness, StudyFolder, Summary};
use ebflow::{Error, Preset, Result};
use serde::Serialize;

use super::evidence::{BaselineArgs, gathered, tell_github};
use super::{ALL_WELL, Console, FAILED_CHECK, INTERRUPTED, study};

/// Fail when a number has moved beyond its error bar since it was accepted: of the claims, or of a study.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Examples:
  ebflow check --json
  ebflow check numbers --junit check.xml        a study whose rows `ebflow bless numbers` has accepted")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    accepted: BaselineArgs,
}

pub fn run(Args { accepted: args }: &Args, console: &mut Console<'_>) -> Result<u8> {
    args.check()?;
    let comparison = match args.study() {
        Some(folder) => of_study(&folder, args, console)?,
        None => Some(of_claims(args, console)?),
    };
    let Some(comparison) = comparison else { return Ok(INTERRUPTED) };
    let text = moved(&comparison);
    args.write_junit(|| moved_junit(&comparison))?;
    match args.json {
        true => console.json(&moved_json(&comparison))?,
        false => console.prose(&text)?,
    }
    tell_github(
        &annotations::of_comparison(&comparison),
        &format!("### ebflow check\n\n```text\n{text}```\n"),
        console,
    );
    Ok(if comparison.is_good() { ALL_WELL } else { FAILED_CHECK })
}

fn of_claims(args: &BaselineArgs, console: &mut Console<'_>) -> Result<Comparison> {
    let register = register();
    let accepted = Evidence::read(&args.folder, &register)?;
    if accepted.records.is_empty() {
        let problem = "it holds evidence of no claim; run `ebflow bless` to accept some".to_owned();
        return Err(Error::Store { path: args.folder.join(Evidence::FILE), problem });
    }
    let known = |claim: &&dyn Claim| accepted.records.iter().any(|record| record.card.id == claim.card().id);
    let (claims, others): (Vec<&dyn Claim>, Vec<&dyn Claim>) =
        register.iter().map(Box::as_ref).partition(known);
    let not_checked = others.iter().map(|claim| claim.card().id).collect();
    let found = gathered(&claims, accepted.preset, args.threads, None, console)?;
    let folder = args.folder.display();
    let acceptance = match accepted.preset {
        Preset::Quick => format!("ebflow bless {folder}"),
        Preset::Full => format!("ebflow verify --preset full --out {folder}"),
    };
    Ok(Comparison::of_claims(&found, compare(&accepted.records, &found.records), not_checked, acceptance))
}

/// None when it was interrupted.
fn of_study(
    folder: &StudyFolder,
    args: &BaselineArgs,
    console: &mut Console<'_>,
) -> Result<Option<Comparison>> {
    let (spec, accepted) = (folder.spec()?, Accepted::read(folder)?);
    let Some(table) = study::computed_anew(&spec, args.threads, console)? else { return Ok(None) };
    let summary = Summary::new(&spec, &table, Completeness::Waived)?;
    let changes = baseline::compare(&spec, &accepted, &table)?;
    let acceptance = format!("ebflow bless {}", args.folder.display());
    Ok(Some(Comparison::of_study(&spec, &summary, changes, acceptance)))
}
