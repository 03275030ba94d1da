//! [`Fit`]: rates fitted to the rows of a study, and whether they lie in the band that was expected.
//!
//! Cells with the same seed share their random numbers (the tokens of a smaller `N` are the first of those of a larger one), so
//! values at different sizes are related. The slope is therefore fitted seed by seed and then averaged, and neighbouring sizes
//! are compared by differences within seeds: noise that they share drops out of both.

use serde::Serialize;

use super::axis::{Axis, Setting};
use super::quantity::Quantity;
use super::spec::{Band, FitSpec, Model, Spec};
use super::summary::{Completeness, Table};
use crate::error::Result;
use crate::metric::{
    AsymptoticRange, Confidence, Interval, RateData, SizeSample, asymptotic_range, mixed_fit, power_fit,
    seedwise_slope,
};

/// A slope that changes by no more than this over the range counts as settled.
const SETTLED: f64 = 0.1;

/// A fit against one parameter, the others being fixed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fit {
    /// What is fitted.
    pub quantity: Quantity,
    /// The swept axis on the abscissa.
    pub against: Axis,
    /// With which model.
    pub model: Model,
    /// The band in which the slope should lie.
    pub expect: Option<Band>,
    /// The other swept parameters with their values.
    pub fixed: Vec<Fixed>,
    /// What came out.
    #[serde(flatten)]
    pub outcome: FitOutcome,
    /// Whether the slope lies in its band.
    pub verdict: BandVerdict,
    #[serde(skip)]
    at: Setting,
}

/// A rate, or why there is none.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum FitOutcome {
    /// The rate.
    Fitted(Box<Fitted>),
    /// Why the data give none.
    Refused(String),
}

/// A parameter that is held fixed in a fit.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fixed {
    /// Which.
    pub axis: Axis,
    /// Where it is held.
    pub value: f64,
}

/// What a fit has found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Fitted {
    /// The exponent `s`: negative when the quantity falls.
    pub slope: Interval,
    /// Whether the interval comes from slopes seed by seed.
    pub by_seed: bool,
    /// The fitted curve.
    pub line: Line,
    /// What more of the parameter does not remove, for the mixed model.
    pub floor: Option<Interval>,
    /// Whether the slope is settled over the range.
    pub range: Option<AsymptoticRange>,
    /// Changes from one size to the next, seed by seed.
    pub steps: Vec<PairedStep>,
}

/// The fitted curve `y = C·x^s + b`.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Line {
    /// `C`.
    pub prefactor: f64,
    /// `s`.
    pub slope: f64,
    /// `b`; zero for a power law.
    pub floor: f64,
}

/// The change of a quantity between neighbouring sizes.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[non_exhaustive]
pub struct PairedStep {
    /// The smaller size.
    pub from: f64,
    /// The larger size.
    pub to: f64,
    /// The mean difference within seeds.
    pub difference: Interval,
    /// The standard error that independent seeds would have had.
    pub unpaired_standard_error: f64,
    /// The observed order `ln(y'/y)/ln(x'/x)` within seeds; none where a value is not positive, or there is one seed.
    pub order: Option<Interval>,
}

/// Whether a slope lies in the band expected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum BandVerdict {
    /// Its whole interval does.
    Within,
    /// No point of its interval does.
    Outside,
    /// The interval reaches across an end of the band, or there is no fit.
    Undecided,
    /// No band was given.
    NoBand,
}

impl BandVerdict {
    fn of(slope: &Interval, band: Option<Band>) -> Self {
        match band {
            None => Self::NoBand,
            Some(Band { low, high }) if slope.lower >= low && slope.upper <= high => Self::Within,
            Some(Band { low, high }) if slope.upper < low || slope.lower > high => Self::Outside,
            Some(_) => Self::Undecided,
        }
    }

    /// As tables and reports say it.
    pub fn words(self) -> &'static str {
        match self {
            Self::Within => "within the band",
            Self::Outside => "outside the band",
            Self::Undecided => "undecided",
            Self::NoBand => "no band",
        }
    }
}

impl Line {
    /// The curve at a size.
    pub fn at(&self, size: f64) -> f64 {
        self.prefactor * size.powf(self.slope) + self.floor
    }
}

/// The values of one size, seed by seed; none where a cell is missing.
struct Sized {
    size: f64,
    values: Vec<Option<f64>>,
}

impl Fit {
    /// All fits of a study: one for each value of the other swept parameters.
    pub(super) fn all(
        spec: &Spec,
        table: &Table,
        completeness: Completeness,
        confidence: Confidence,
    ) -> Vec<Self> {
        let mut fits = Vec::new();
        for fit in &spec.fits {
            for at in spec.settings() {
                // One representative of each family: its member with the smallest size.
                if at.get(fit.against) == spec.base.get(fit.against) {
                    let whole = |_: &Setting| true;
                    fits.push(Self::one(spec, fit, at, table, completeness, confidence, &whole));
                }
            }
        }
        fits
    }

    /// The fit over the members of a family that are admitted.
    pub(super) fn one(
        spec: &Spec,
        fit: &FitSpec,
        at: Setting,
        table: &Table,
        completeness: Completeness,
        confidence: Confidence,
        admitted: &dyn Fn(&Setting) -> bool,
    ) -> Self {
        let others = spec.sweep.iter().filter(|sweep| sweep.axis != fit.against);
        let fixed =
            others.filter_map(|sweep| at.get(sweep.axis).map(|value| Fixed { axis: sweep.axis, value }));
        let sizes = sizes(spec, fit, at, table, admitted);
        let outcome = FitOutcome::of(&sizes, fit.model, completeness, confidence);
        let verdict = match &outcome {
            FitOutcome::Fitted(fitted) => BandVerdict::of(&fitted.slope, fit.expect),
            FitOutcome::Refused(_) => BandVerdict::Undecided,
        };
        let FitSpec { quantity, against, model, expect, .. } = *fit;
        Self { quantity, against, model, expect, fixed: fixed.collect(), outcome, verdict, at }
    }

    /// The rate, if there is one.
    pub fn fitted(&self) -> Option<&Fitted> {
        match &self.outcome {
            FitOutcome::Fitted(fitted) => Some(fitted),
            FitOutcome::Refused(_) => None,
        }
    }

    /// Why there is no rate, if there is none.
    pub fn refusal(&self) -> Option<&str> {
        match &self.outcome {
            FitOutcome::Fitted(_) => None,
            FitOutcome::Refused(reason) => Some(reason),
        }
    }

    /// The member of the family with the smallest size.
    pub(super) fn at(&self) -> &Setting {
        &self.at
    }

    /// The family: what is fixed in it.
    pub(super) fn family(&self) -> String {
        let fixed: Vec<String> =
            self.fixed.iter().map(|fixed| format!("{} = {}", fixed.axis.symbol(), fixed.value)).collect();
        if fixed.is_empty() { "all sizes".into() } else { fixed.join(", ") }
    }

    /// True when the fit is about the curve on which a setting lies.
    pub fn covers(&self, setting: &Setting) -> bool {
        let mut moved = *setting;
        if let Some(size) = self.at.get(self.against) {
            moved.set(self.against, size);
        }
        moved == self.at
    }
}

impl FitOutcome {
    fn of(sizes: &[Sized], model: Model, completeness: Completeness, confidence: Confidence) -> Self {
        if let Some(reason) = incomplete(sizes, completeness) {
            return Self::Refused(reason);
        }
        match fitted(sizes, model, confidence) {
            Ok(fitted) => Self::Fitted(Box::new(fitted)),
            Err(error) => Self::Refused(error.to_string()),
        }
    }
}

fn sizes(
    spec: &Spec,
    fit: &FitSpec,
    at: Setting,
    table: &Table,
    admitted: &dyn Fn(&Setting) -> bool,
) -> Vec<Sized> {
    let number = |row: &super::row::CellRow| row.number(fit.quantity);
    let sized = |(size, setting): (f64, Setting)| {
        let values = table.at(setting).map(|filled| filled.row.as_ref().and_then(number)).collect();
        Sized { size, values }
    };
    let covered = spec.family(at, fit.against).into_iter().filter(|(size, _)| fit.covers(*size));
    covered.filter(|(_, setting)| admitted(setting)).map(sized).collect()
}

/// Why a fit must wait, if it must.
fn incomplete(sizes: &[Sized], completeness: Completeness) -> Option<String> {
    let values = || sizes.iter().flat_map(|sized| &sized.values);
    let missing = values().filter(|value| value.is_none()).count();
    if missing == 0 || completeness == Completeness::Waived {
        return None;
    }
    Some(format!(
        "{missing} of {} values are missing; finish the study, or allow incomplete sweeps to fit what there is",
        values().count()
    ))
}

fn fitted(sizes: &[Sized], model: Model, confidence: Confidence) -> Result<Fitted> {
    let present = |sized: &Sized| -> Vec<f64> { sized.values.iter().copied().flatten().collect() };
    let samples = sizes.iter().map(|sized| SizeSample { size: sized.size, values: present(sized) });
    let data = RateData::new(samples.filter(|sample| !sample.values.is_empty()).collect())?;
    let range = asymptotic_range(&data, SETTLED, confidence).ok();
    let steps = steps(sizes, confidence);
    match model {
        Model::Power => {
            let pooled = power_fit(&data, confidence)?;
            let by_seed = by_seed(sizes).and_then(|data| seedwise_slope(&data, confidence).ok());
            let slope = by_seed.unwrap_or(pooled.slope);
            let line =
                Line { prefactor: prefactor(&data, slope.estimate), slope: slope.estimate, floor: 0.0 };
            Ok(Fitted { slope, by_seed: by_seed.is_some(), line, floor: None, range, steps })
        }
        Model::Mixed => {
            let fit = mixed_fit(&data, confidence)?;
            let Interval { estimate, standard_error, lower, upper } = fit.exponent;
            let slope = Interval { estimate: -estimate, standard_error, lower: -upper, upper: -lower };
            let line =
                Line { prefactor: fit.prefactor.estimate, slope: slope.estimate, floor: fit.floor.estimate };
            Ok(Fitted { slope, by_seed: false, line, floor: Some(fit.floor), range, steps })
        }
    }
}

/// The seeds that have a value at every size.
fn by_seed(sizes: &[Sized]) -> Option<RateData> {
    let seeds = sizes.iter().map(|sized| sized.values.len()).min()?;
    let whole: Vec<usize> =
        (0..seeds).filter(|&seed| sizes.iter().all(|sized| sized.values[seed].is_some())).collect();
    let sample = |sized: &Sized| SizeSample {
        size: sized.size,
        values: whole.iter().filter_map(|&seed| sized.values[seed]).collect(),
    };
    RateData::new(sizes.iter().map(sample).collect()).ok()
}

/// `C` such that `C·x^s` passes through the middle of the data.
fn prefactor(data: &RateData, slope: f64) -> f64 {
    let logs = data
        .samples()
        .iter()
        .flat_map(|sample| sample.values.iter().map(move |value| value.ln() - slope * sample.size.ln()));
    (logs.sum::<f64>() / data.values() as f64).exp()
}

/// The exponent between two sizes of a ratio, seed by seed.
fn order(both: &[(f64, f64)], ratio: f64, confidence: Confidence) -> Option<Interval> {
    let orders: Vec<f64> = both.iter().map(|(near, far)| (far / near).ln() / ratio.ln()).collect();
    Interval::of_mean(&orders, confidence).ok().filter(|order| order.estimate.is_finite())
}

fn steps(sizes: &[Sized], confidence: Confidence) -> Vec<PairedStep> {
    let step = |pair: &[Sized]| -> Option<PairedStep> {
        let [near, far] = pair else { return None };
        let both = near.values.iter().zip(&far.values).filter_map(|(a, b)| Some(((*a)?, (*b)?)));
        let both: Vec<(f64, f64)> = both.collect();
        let of = |f: fn(&(f64, f64)) -> f64| {
            Interval::of_mean(&both.iter().map(f).collect::<Vec<f64>>(), confidence).ok()
        };
        let alone = (of(|pair| pair.0)?.standard_error, of(|pair| pair.1)?.standard_error);
        Some(PairedStep {
            from: near.size,
            to: far.size,
            difference: of(|pair| pair.1 - pair.0)?,
            unpaired_standard_error: alone.0.hypot(alone.1),
            order: order(&both, far.size / near.size, confidence),
        })
    };
    sizes.windows(2).filter_map(step).collect()
}
