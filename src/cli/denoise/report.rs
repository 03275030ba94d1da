//! What `ebflow denoise` says.

use std::fmt;

use ebflow::denoise::{Neighbours, Tried, Tuning};
use ebflow::{Beta, Cloud, RawTime, ScoreTime};
use serde::Serialize;

use super::truth::Score;
use super::{Args, Outcome};
use crate::cli::output;
use crate::cli::run_report::RunReport;

#[derive(Serialize)]
pub(super) struct Report {
    #[serde(flatten)]
    run: RunReport,
    #[serde(flatten)]
    chosen: Option<Chosen>,
    neighbours: Seen,
    /// What stands in the way of Stage 1, if anything does.
    remark: Option<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    estimators: Vec<Score>,
}

/// What was left to the tokens.
#[derive(Serialize)]
struct Chosen {
    /// Null where it was given: JSON has it among the inputs.
    #[serde(skip_serializing_if = "Option::is_none")]
    beta: Option<Beta>,
    risk: RiskReport,
    /// In units of the denoising horizon.
    #[serde(skip)]
    depth: f64,
}

#[derive(Serialize)]
struct RiskReport {
    estimate: f64,
    standard_error: f64,
    curve: Vec<CurvePoint>,
}

/// The estimated risk of something that was tried.
#[derive(Serialize)]
struct CurvePoint {
    beta: Beta,
    score_time: ScoreTime,
    raw_time: RawTime,
    risk: f64,
    standard_error: f64,
}

/// Effective neighbours, tokens themselves included, before and after Stage 1.
#[derive(Clone, Copy, Serialize)]
pub(super) struct Seen {
    #[serde(flatten)]
    pub(super) start: Neighbours,
    pub(super) end: Neighbours,
}

impl Chosen {
    fn new(tuning: &Tuning, args: &Args) -> Self {
        let point = |tried: &Tried| CurvePoint {
            beta: tried.beta,
            score_time: tried.score_time,
            raw_time: tried.raw_time,
            risk: tried.risk.estimate,
            standard_error: tried.risk.standard_error,
        };
        Self {
            beta: args.beta.is_auto().then_some(tuning.beta),
            risk: RiskReport {
                estimate: tuning.risk.estimate,
                standard_error: tuning.risk.standard_error,
                curve: tuning.curve.iter().map(point).collect(),
            },
            depth: tuning.depth.get() / args.noise.variance().denoising_horizon().get(),
        }
    }
}

impl fmt::Display for Chosen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RiskReport { estimate, standard_error, curve } = &self.risk;
        if let Some(beta) = self.beta {
            output::line(
                f,
                "chosen",
                format_args!("β = {:.4}, depth {} of the horizon τ/2", beta.get(), self.depth),
            )?;
        } else {
            output::line(f, "chosen", format_args!("depth {} of the horizon τ/2", self.depth))?;
        }
        let tried =
            format_args!("{estimate:.4} ± {standard_error:.4} estimated, the least of {}", curve.len());
        output::line(f, "risk per token", tried)
    }
}

impl fmt::Display for Seen {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words =
            |seen: &Neighbours| format!("median {:.1}, {:.1} % alone", seen.median, 100.0 * seen.isolated);
        output::line(f, "neighbours", format_args!("{} at the start", words(&self.start)))?;
        output::line(f, "", format_args!("{} at the end", words(&self.end)))
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.chosen.iter().try_for_each(|chosen| write!(f, "{chosen}"))?;
        write!(f, "{}{}", self.run, self.neighbours)?;
        if let Some(remark) = &self.remark {
            output::line(f, "remark", remark)?;
        }
        if self.estimators.is_empty() {
            return Ok(());
        }
        let cell = |v: Option<f64>| v.map_or_else(|| "-".into(), |v| format!("{v:.6}"));
        let header =
            ["to the truth", "per coordinate", "to Bayes"].map(|title| format!("{title:>15}")).concat();
        writeln!(f, "\n{:<18}{header}", "mean squared error")?;
        for score in &self.estimators {
            let cells = [score.mse_to_clean, score.mse_per_coordinate, score.mse_to_bayes];
            writeln!(f, "{:<18}{}", score.estimator, cells.map(|v| format!("{:>15}", cell(v))).concat())?;
        }
        Ok(())
    }
}

impl Report {
    pub(super) fn new(args: &Args, tokens: &Cloud, outcome: &Outcome) -> Self {
        let mut run = RunReport::new(tokens, &outcome.denoised.trajectory, args.options.drift)
            .with_file("estimates", &args.out);
        for (what, path) in [("particles", &args.particles), ("deviations", &args.sd), ("page", &args.report)]
        {
            if let Some(path) = path {
                run = run.with_file(what, path);
            }
        }
        Self {
            run,
            chosen: outcome.tuning.as_ref().map(|tuning| Chosen::new(tuning, args)),
            remark: outcome.seen.remark(),
            neighbours: outcome.seen,
            estimators: outcome.scores.clone(),
        }
    }
}

/// The share of tokens that see nobody from which Stage 1 is said to do nothing for them.
const TOO_MANY_ALONE: f64 = 0.5;

impl Seen {
    /// Words where most tokens are alone.
    fn remark(&self) -> Option<String> {
        let alone = 100.0 * self.start.isolated;
        (self.start.isolated > TOO_MANY_ALONE).then(|| {
            format!(
                "{alone:.0} % of the tokens see nobody else with this β, so Stage 1 cannot move them: \
                 a smaller β would help; leave --beta out to have it chosen"
            )
        })
    }
}
