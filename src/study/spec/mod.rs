//! [`Spec`]: a study as its file describes it.
//!
//! ```toml
//! title = "W1 against N"
//! paper = "thm:gaussiandenoise"            # label of the statement, optional
//! prose = "What is studied, and why."
//! quantities = ["w1_prior", "coupled"]
//!
//! [prior]                                  # any law
//! kind = "gaussian"
//! mean = 0
//! std = 1
//!
//! [noise]
//! variance = 0.25
//!
//! [flow]
//! beta = 20
//! rtol = 1e-8                              # or: layers = 100
//! atol = 1e-8
//!
//! [drift]                                  # optional
//! method = "auto"
//!
//! [sweep]                                  # any of n, radius, beta, noise_var, layers
//! n = [100, 200, 400]
//! seeds = 8                                # or a list
//!
//! [measure]                                # what some quantities need to know
//! depths = 21                              # points of a path over depth
//!
//! [[fit]]
//! quantity = "coupled"
//! against = "n"
//! model = "power"                          # or "mixed": a·N^(−p) + b
//! expect = [-0.6, -0.4]                    # band in which the slope should lie
//!
//! [[statement]]                            # judged by the rows
//! id = "hitting-time"
//! says = "The variance is back at the prior's at T*."
//! quantity = "hitting_time_exact"          # or: slope_of = "coupled" and against = "n"
//! relation = "equal"                       # at_most, at_least; within two ends; decreasing against a parameter
//! to = "tau/2 + ln(1 + tau/prior_var)/(2*beta)"   # a number, or a formula in parameters and quantities
//! where = "beta*tau >= 1"                  # optional: settings outside are left out
//! beyond = "beta*tau < 1"                  # optional: settings in which it is not meant to hold
//! expect = "holds"                         # optional: holds_within, fails, inconclusive
//!
//! [quick]                                  # laid over the above by the preset `quick`
//! sweep.n = [50, 100]
//! ```

mod cross_checks;
mod keys;
mod sections;
mod statements;

pub use crate::files::document::SpecError;
pub use keys::{KEYS, Section};
pub(super) use statements::Subject;
pub use statements::{PARAMETERS, StatementSpec};

use serde::Serialize;

use super::axis::{Axis, Setting};
use super::quantity::Quantity;
use crate::drift::Named;
use crate::files::document::{Complaints, Diagnostic, Node, Place, Reader, Source, Tree};
use crate::law::Law;
use crate::preset::Preset;

/// The name under which the `--set` options appear in complaints.
const OPTION: &str = "--set";
/// The table that the preset `quick` lays over the rest.
const QUICK: &str = "quick";

/// A study, read and checked.
#[derive(Debug, Clone)]
pub struct Spec {
    /// What the study is called.
    pub title: String,
    /// What it is about.
    pub prose: String,
    /// Label of the statement in the paper.
    pub paper: Option<String>,
    /// What is measured, in the order of the file.
    pub quantities: Vec<Quantity>,
    /// The prior that clean tokens are drawn from.
    pub prior: Law,
    /// The value of every parameter that is not swept; those that are have their first value here.
    pub base: Setting,
    /// How the flow is integrated and its kernel sums evaluated.
    pub method: MethodSpec,
    /// What is varied, in the order in which it varies: the last axis fastest.
    pub sweep: Vec<Sweep>,
    /// With which each setting is repeated.
    pub seeds: Vec<u64>,
    /// What some quantities need to know.
    pub measure: MeasureSpec,
    /// Which rates are fitted, and what is expected of them.
    pub fits: Vec<FitSpec>,
    /// What the study says of its own numbers.
    pub statements: Vec<StatementSpec>,
    /// The prior as it is written, for hashing.
    pub(super) prior_table: toml::Value,
    /// The study with all overrides in place.
    effective: toml::Value,
}

/// The values of one swept parameter, increasing.
#[derive(Debug, Clone, PartialEq)]
pub struct Sweep {
    /// Which.
    pub axis: Axis,
    /// Where cells are placed along it.
    pub values: Vec<f64>,
}

/// How the flow is computed.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MethodSpec {
    /// Tolerances of the adaptive integrator; none for layers.
    pub tolerances: Option<Tolerances>,
    /// How kernel sums are evaluated.
    pub drift: Named,
    /// Bound on how far truncating the kernel may move a drift.
    pub eps: Option<f64>,
}

/// How accurate the adaptive integrator is asked to be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tolerances {
    /// Relative.
    pub rtol: f64,
    /// Absolute.
    pub atol: f64,
}

/// What some quantities need to know.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct MeasureSpec {
    /// Radius of the ball over which the posterior error is maximised.
    pub sup_radius: Option<f64>,
    /// Points of a path over depth, both ends included.
    pub depths: usize,
    /// Particles whose way is kept for the report, for the first seed; none without the key.
    pub cloud_points: Option<usize>,
}

/// A fit to make.
#[derive(Debug, Clone, PartialEq)]
pub struct FitSpec {
    /// What is fitted.
    pub quantity: Quantity,
    /// The swept axis on the abscissa.
    pub against: Axis,
    /// With which model.
    pub model: Model,
    /// The band in which the slope should lie.
    pub expect: Option<Band>,
    /// Values of the parameter below this are left out.
    pub from: Option<f64>,
    /// Values of the parameter above this are left out.
    pub to: Option<f64>,
}

/// Models of a fit in a size `x`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Model {
    /// `y = C·x^s`.
    Power,
    /// `y = a·x^s + b`, with `s` negative.
    Mixed,
}

/// An expected range.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Band {
    /// From here …
    pub low: f64,
    /// … to there.
    pub high: f64,
}

impl Spec {
    /// Reads a study as it stands. `name` is what complaints call the text.
    pub fn parse(name: &str, text: &str) -> Result<Self, SpecError> {
        Self::read(name, text, Preset::Full, &[])
    }

    /// Reads a preset of a study, with overrides of the form `sweep.n = [100, 200]` laid over it.
    pub fn read(name: &str, text: &str, preset: Preset, overrides: &[String]) -> Result<Self, SpecError> {
        let mut sources = vec![Source { name: name.into(), text: text.into() }];
        sources.extend(overrides.iter().map(|text| Source { name: OPTION.into(), text: text.clone() }));
        let fail = |diagnostics| SpecError::new(sources.clone(), diagnostics);
        let tree = Tree::parse(text, 0).map_err(|d| fail(vec![d]))?;
        let mut variants = variants(tree, preset).map_err(|d| fail(vec![d]))?;
        for (at, text) in overrides.iter().enumerate() {
            let over = Tree::parse(text, at + 1).map_err(|d| fail(vec![d.help(SET_HELP)]))?;
            variants.iter_mut().for_each(|tree| tree.overlay(over.clone()));
        }
        let mut read = variants.iter().map(sections::spec).collect::<Result<Vec<_>, _>>().map_err(fail)?;
        Ok(read.swap_remove(0))
    }

    /// The study as a file of its own, with all overrides in place.
    pub fn to_toml(&self) -> String {
        toml::to_string(&self.effective).unwrap_or_default()
    }
}

const SET_HELP: &str = "an override is KEY=VALUE in TOML, such as sweep.n=[100,200] or title=\"mine\" (strings need their quotes)";

/// The variant that was asked for, and behind it the other one, which is checked all the same.
fn variants(mut tree: Tree, preset: Preset) -> Result<Vec<Tree>, Diagnostic> {
    let Node::Table(table) = &mut tree.node else { return Ok(vec![tree]) };
    let Some(quick) = table.remove(QUICK) else {
        return if preset == Preset::Full { Ok(vec![tree]) } else { Err(no_quick(&tree)) };
    };
    let mut overlaid = tree.clone();
    overlaid.overlay(quick.value);
    Ok(match preset {
        Preset::Full => vec![tree, overlaid],
        Preset::Quick => vec![overlaid, tree],
    })
}

fn no_quick(tree: &Tree) -> Diagnostic {
    let place = Place { span: 0..0, ..tree.place };
    Diagnostic::new("this study has no quick variant", place)
        .help("add a table [quick] with what should differ, such as sweep.n = [50, 100]")
}
