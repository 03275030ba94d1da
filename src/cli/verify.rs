//! `ebflow verify`: the paper's claims, judged.

use std::path::PathBuf;

use ebflow::claim::{Claim, Evidence, find, register};
use ebflow::files::Folder;
use ebflow::report::annotations;
use ebflow::report::claims::{headings, html, json, junit, list, markdown, overview, text};
use ebflow::{Preset, Result};
use serde::Serialize;

use super::args::{Threads, preset_name};
use super::evidence::{check_writable, gathered, refuse_to_lose, tell_github, writable_folder, write_file};
use super::{ALL_WELL, Console, FAILED_CHECK};

/// Judge the paper's claims by evidence gathered now.
#[derive(Debug, Serialize, clap::Args)]
#[command(after_help = "Examples:
  ebflow verify
  ebflow verify hitting-time tweedie --out verdicts")]
pub struct Args {
    /// The claims to judge [default: all].
    #[arg(value_name = "CLAIM")]
    claims: Vec<String>,
    /// Name the claims and what they say, and judge none.
    #[arg(long)]
    list: bool,
    /// How thoroughly to look: within a minute, or with more seeds, sizes and settings in several.
    #[arg(long, value_parser = preset_name(), default_value = "quick")]
    preset: Preset,
    /// Folder for the rows (claims.jsonl), report.html and CLAIMS.md.
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    #[command(flatten)]
    #[serde(flatten)]
    threads: Threads,
    /// Print one JSON object.
    #[arg(long)]
    #[serde(skip)]
    json: bool,
    /// Write the verdicts as JUnit test cases.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
}

#[derive(Serialize)]
struct Listing<T> {
    claims: T,
}

pub fn run(args: &Args, console: &mut Console<'_>) -> Result<u8> {
    let register = register();
    let chosen = chosen(&register, &args.claims)?;
    if args.list {
        return listed(&chosen, args.json, console).map(|()| ALL_WELL);
    }
    let preset = args.preset;
    let folder = args.out.as_deref().map(writable_folder).transpose()?;
    if let Some(folder) = &folder {
        refuse_to_lose(folder, &register, &chosen, preset)?;
    }
    args.junit.as_deref().map_or(Ok(()), check_writable)?;
    let evidence = gathered(&chosen, preset, args.threads, folder.as_ref(), console)?;
    if let Some(folder) = &folder {
        evidence.write(folder)?;
    }
    publish(&evidence, folder.as_ref(), args.json, console)?;
    write_file(args.junit.as_deref(), || junit(&evidence))?;
    tell_github(&annotations::of_evidence(&evidence), &overview(&evidence), console);
    Ok(judged(&evidence))
}

/// The claims by name, in the order of the register; all without names.
fn chosen<'a>(register: &'a [Box<dyn Claim>], names: &[String]) -> Result<Vec<&'a dyn Claim>> {
    names.iter().try_for_each(|name| find(register, name).map(drop))?;
    let wanted = |claim: &&dyn Claim| names.is_empty() || names.iter().any(|name| name == claim.card().id);
    Ok(register.iter().map(Box::as_ref).filter(wanted).collect())
}

fn listed(chosen: &[&dyn Claim], as_json: bool, console: &mut Console<'_>) -> Result<()> {
    match as_json {
        true => console.json(&Listing { claims: headings(chosen) }),
        false => console.prose(&list(chosen)),
    }
}

/// Prints the verdicts, and writes the pages about them.
pub fn publish(
    evidence: &Evidence,
    folder: Option<&Folder>,
    as_json: bool,
    console: &mut Console<'_>,
) -> Result<()> {
    match as_json {
        true => console.json(&json(evidence))?,
        false => console.prose(&text(evidence))?,
    }
    let Some(folder) = folder else { return Ok(()) };
    folder.write("report.html", html(evidence).as_bytes())?;
    folder.write("CLAIMS.md", markdown(evidence).as_bytes())?;
    console.say(format_args!("report: {}", folder.path().join("report.html").display()));
    Ok(())
}

/// A verdict that was not expected is a failed check.
pub fn judged(evidence: &Evidence) -> u8 {
    if evidence.is_expected() { ALL_WELL } else { FAILED_CHECK }
}
