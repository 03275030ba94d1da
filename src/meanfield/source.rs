//! The nodes of a problem at any resolution.

use super::MeanField;
use super::grading::{Grading, Setting};
use super::line::{Extent, extent};
use super::plane::PlaneGrid;
use super::quadrature::Grid;
use crate::drift::Drift;
use crate::error::{Error, Result};
use crate::law::Law;
use crate::scale::{BallRadius, RawTime};

/// Mass beyond the ends of the nodes, as a share of the accuracy: what it does to `W1` stays far below.
const TAIL_SHARE: f64 = 1e-9;
/// The ends lie at least this far out: a nearer edge breaks up into clumps that force short steps in time.
const LARGEST_TAIL: f64 = 1e-15;
/// Nodes lighter than this share of the tails are left out: by a little less than the mass beyond the ends.
const NODE_SHARE: f64 = 0.1;
/// Weight of the lightest nodes in the plane, as a share of the accuracy: posterior means of queries far out see the tails.
const PLANE_SHARE: f64 = 1e-13;
/// Against these, the coarse level of a pair leaves out nodes so many times heavier: what the tails do to a result then
/// shows as a difference of the two.
const COARSE_CUT: f64 = 30.0;
/// Share of the accuracy that unresolved cells may spend.
const CELL_SHARE: f64 = 0.01;

/// What it takes to place nodes at any resolution.
pub(super) enum Source {
    /// On the line, graded after pilot runs.
    Line(Line),
    /// In the plane.
    Plane(Plane),
}

pub(super) struct Line {
    grading: Grading,
    cut: f64,
}

pub(super) struct Plane {
    noisy: Law,
    radius: Option<BallRadius>,
    finest: f64,
    cut: f64,
    resolution: f64,
}

/// Whether nodes are the answer, or there to judge the answer by.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Role {
    Answer,
    Judge,
}

/// Resolutions to try: the first, and how much finer each is than the one before.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ladder {
    pub first: f64,
    pub ratio: f64,
}

/// How accurate the nodes have to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    /// Length by which results may be off.
    pub accuracy: f64,
    /// Standard deviation of the noisy law.
    pub scale: f64,
    /// How far the flow runs.
    pub horizon: RawTime,
}

impl Need {
    fn tail(&self) -> f64 {
        (TAIL_SHARE * self.accuracy / self.scale).min(LARGEST_TAIL)
    }
}

impl Source {
    /// Finds out where nodes must lie.
    pub fn new(problem: &MeanField, need: Need, drift: &dyn Drift) -> Result<Self> {
        let noisy = problem.law.noisy(problem.noise);
        match noisy.dimension() {
            1 => Self::line(problem, &noisy, need, drift),
            2 => Ok(Self::Plane(Plane {
                radius: problem.radius,
                finest: 1.0 / (problem.beta.get() + 1.0 / narrowest(&noisy) + stage_two(problem)).sqrt(),
                cut: PLANE_SHARE * need.accuracy / need.scale,
                resolution: just_resolved(0.1 * need.accuracy / need.scale),
                noisy,
            })),
            _ => Err(Error::Unsupported {
                kind: problem.law.kind_name(),
                capability: "the mean field in more than two dimensions",
                remedy: "it is known where the components share one covariance and their means lie on a line along one of its axes, without truncation",
            }),
        }
    }

    fn line(problem: &MeanField, noisy: &Law, need: Need, drift: &dyn Drift) -> Result<Self> {
        let line = noisy.on_line()?;
        let mut ends = extent(&line, noisy.mean()[0], need.scale, need.tail());
        let base = match problem.radius {
            None => line,
            Some(radius) => {
                ends = Extent { low: ends.low.max(-radius.get()), high: ends.high.min(radius.get()) };
                line.truncated(radius)?
            }
        };
        let mut grading = Grading::new(Setting {
            base,
            extent: ends,
            beta: problem.beta,
            narrowest: narrowest(noisy),
            scale: need.scale,
            allowance: CELL_SHARE * need.accuracy,
        });
        let cut = NODE_SHARE * need.tail();
        grading.fit(need.horizon, cut, drift)?;
        Ok(Self::Line(Line { grading, cut }))
    }

    /// The resolutions from which refinement starts.
    pub fn ladder(&self) -> Ladder {
        match self {
            Self::Line(_) => Ladder { first: 0.6, ratio: 1.4 },
            Self::Plane(plane) => Ladder { first: plane.resolution, ratio: 1.25 },
        }
    }

    /// Nodes whose spacing is the share `resolution` of what resolves kernel and law.
    pub fn grid(&self, resolution: f64, role: Role) -> Result<Grid> {
        let share = if role == Role::Judge { COARSE_CUT } else { 1.0 };
        match self {
            Self::Line(line) => Ok(Grid::Line(line.grading.grid(resolution, share * line.cut)?)),
            Self::Plane(Plane { noisy, radius, finest, cut, .. }) => {
                let (h, cut) = (resolution * finest, share * cut);
                Ok(Grid::Plane(match radius {
                    None => PlaneGrid::tensor(noisy, h, cut)?,
                    Some(radius) => PlaneGrid::rings(noisy, *radius, h, cut)?,
                }))
            }
        }
    }
}

/// The precision `1/τ` of the kernel of Stage 2, if that is asked for.
fn stage_two(problem: &MeanField) -> f64 {
    problem.queries.as_ref().map_or(0.0, |_| 1.0 / problem.noise.get())
}

/// The resolution `c` at which the trapezoid rule has the relative error `exp(−2π²/c²)`.
fn just_resolved(error: f64) -> f64 {
    let exponent = -error.min(0.1).ln();
    std::f64::consts::PI * (2.0 / exponent).sqrt()
}

/// The smallest variance of a Gaussian factor of a noisy law: the scale on which its density is analytic.
fn narrowest(noisy: &Law) -> f64 {
    match noisy {
        Law::Gaussian(law) => law.covariance().variances().min(),
        Law::Mixture(law) => {
            let each = law.components().iter().map(|component| component.covariance().variances().min());
            each.fold(f64::INFINITY, f64::min)
        }
        Law::Laplace(law) => law.parameters().smoothing,
        Law::Uniform(law) => law.smoothing(),
        Law::Student(law) => law.parameters().smoothing,
        Law::Product(law) => law.factors().iter().map(narrowest).fold(f64::INFINITY, f64::min),
        // Noise turns atoms into a mixture, so there are none here.
        Law::Atoms(_) => 0.0,
    }
}
