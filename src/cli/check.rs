//! `ebflow check`: gather evidence again, and compare it with what was accepted.

use ebflow::claim::baseline::compare;
use ebflow::claim::{Claim, Evidence, register};
use ebflow::report::claims::{Comparison, annotations, moved, moved_json};
use ebflow::{Error, Preset, Result};
use serde::Serialize;

use super::evidence::{BaselineArgs, gathered, tell_github};
use super::{ALL_WELL, Console, FAILED_CHECK};

/// Fail when a number has moved beyond its error bar since evidence was accepted.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow check --json")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    accepted: BaselineArgs,
}

pub fn run(Args { accepted: args }: &Args, console: &mut Console<'_>) -> Result<u8> {
    let register = register();
    let accepted = Evidence::read(&args.folder, &register)?;
    if accepted.records.is_empty() {
        let problem = "it holds evidence of no claim; run `ebflow bless` to accept some".to_owned();
        return Err(Error::Store { path: args.folder.join(Evidence::FILE), problem });
    }
    let known = |claim: &&dyn Claim| accepted.records.iter().any(|record| record.card.id == claim.card().id);
    let (claims, others): (Vec<&dyn Claim>, Vec<&dyn Claim>) =
        register.iter().map(Box::as_ref).partition(known);
    let not_checked: Vec<&str> = others.iter().map(|claim| claim.card().id).collect();
    let found = gathered(&claims, accepted.preset, args.threads, None, console)?;
    let changes = compare(&accepted.records, &found.records);
    let folder = args.folder.display();
    let acceptance = match accepted.preset {
        Preset::Quick => format!("ebflow bless {folder}"),
        Preset::Full => format!("ebflow verify --preset full --out {folder}"),
    };
    let comparison =
        Comparison { found: &found, changes: &changes, not_checked: &not_checked, acceptance: &acceptance };
    let text = moved(&comparison);
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
