//! `ebflow bless`: accept what the claims' evidence, or a study's rows, are now.

use ebflow::claim::{Claim, Evidence, register};
use ebflow::report::claims::{json, junit, text};
use ebflow::report::{self as reports, Material};
use ebflow::study::baseline::Accepted;
use ebflow::study::{Completeness, StudyFolder, Summary};
use ebflow::{Preset, Result};
use serde::Serialize;

use super::evidence::{BaselineArgs, gathered, refuse_to_lose, writable_folder};
use super::provenance::provenance;
use super::verify::judged;
use super::{Console, INTERRUPTED, NUMERICAL_FAILURE, report, study};

/// Gather quick evidence of all claims, or compute the rows of a study, and keep it as what `ebflow check` compares with.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Examples:
  ebflow bless
  ebflow bless numbers                  a folder with a study.toml in it")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    baseline: BaselineArgs,
}

pub fn run(Args { baseline: args }: &Args, console: &mut Console<'_>) -> Result<u8> {
    args.check()?;
    if let Some(folder) = args.study() {
        return of_study(&folder, args, console);
    }
    let folder = writable_folder(&args.folder)?;
    let register = register();
    let claims: Vec<&dyn Claim> = register.iter().map(Box::as_ref).collect();
    refuse_to_lose(&folder, &register, &claims, Preset::Quick)?;
    let evidence = gathered(&claims, Preset::Quick, args.threads, Some(&folder), console)?;
    evidence.write(&folder)?;
    accepted(args, Evidence::FILE, console);
    args.write_junit(|| junit(&evidence))?;
    match args.json {
        true => console.json(&json(&evidence))?,
        false => console.prose(&text(&evidence))?,
    }
    Ok(judged(&evidence))
}

/// Accepts the rows of a study, all of which must be there.
fn of_study(folder: &StudyFolder, args: &BaselineArgs, console: &mut Console<'_>) -> Result<u8> {
    folder.files().check_writable()?;
    let spec = folder.spec()?;
    let Some(table) = study::computed_anew(&spec, args.threads, console)? else { return Ok(INTERRUPTED) };
    let summary = Summary::new(&spec, &table, Completeness::Required)?;
    if summary.failed > 0 {
        console
            .say(format_args!("{} of {} cells failed: nothing is accepted", summary.failed, summary.cells));
        for row in table.rows() {
            row.error().into_iter().for_each(|error| {
                console.say(format_args!("{}, seed {}: {error}", row.setting, row.seed));
            });
        }
        return Ok(NUMERICAL_FAILURE);
    }
    Accepted::of(&table, provenance()).write(folder)?;
    accepted(args, Accepted::FILE, console);
    let material = Material { spec: &spec, table: &table, summary: &summary, runs: &[] };
    args.write_junit(|| reports::junit(&material))?;
    match args.json {
        true => console.json(&reports::document(&material))?,
        false => console.prose(&reports::text(&material, console.columns))?,
    }
    Ok(report::judged(&summary))
}

fn accepted(args: &BaselineArgs, file: &str, console: &mut Console<'_>) {
    console.say(format_args!("accepted: {}", args.folder.join(file).display()));
}
