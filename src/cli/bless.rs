//! `ebflow bless`: accept what the claims' evidence is now.

use ebflow::claim::{Claim, Evidence, register};
use ebflow::report::claims::{json, text};
use ebflow::{Preset, Result};
use serde::Serialize;

use super::Console;
use super::evidence::{BaselineArgs, gathered, refuse_to_lose, writable_folder};
use super::verify::judged;

/// Gather quick evidence of all claims and keep it as what `ebflow check` compares with.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Example:
  ebflow bless")]
pub struct Args {
    #[command(flatten)]
    #[serde(flatten)]
    baseline: BaselineArgs,
}

pub fn run(Args { baseline: args }: &Args, console: &mut Console<'_>) -> Result<u8> {
    let folder = writable_folder(&args.folder)?;
    let register = register();
    let claims: Vec<&dyn Claim> = register.iter().map(Box::as_ref).collect();
    refuse_to_lose(&folder, &register, &claims, Preset::Quick)?;
    let evidence = gathered(&claims, Preset::Quick, args.threads, Some(&folder), console)?;
    evidence.write(&folder)?;
    console.say(format_args!("accepted: {}", args.folder.join(Evidence::FILE).display()));
    match args.json {
        true => console.json(&json(&evidence))?,
        false => console.prose(&text(&evidence))?,
    }
    Ok(judged(&evidence))
}
