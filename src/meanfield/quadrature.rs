//! [`QuadratureCloud`]: a law as weighted nodes that remember their labels, somewhere along the flow.
//!
//! # Formula
//! ```text
//! E g(Z_t) ≈ Σ_j ω_j g(z_j),      m_t(y) = Σ_j ω_j e^{−|y−z_j|²/2τ} z_j / Σ_j ω_j e^{−|y−z_j|²/2τ}
//! ```
//! and, on the line, what the map from labels to positions adds: distribution function, density, `W1` ([`Image`]).

use std::sync::Arc;

use super::image::{Image, W1_TOLERANCE};
use super::line::LineGrid;
use super::march::advanced;
use super::plane::PlaneGrid;
use super::stage_two::Query;
use crate::cloud::Cloud;
use crate::drift::{Drift, DriftField, Targets};
use crate::error::{Error, Result, check_same_space};
use crate::law::LineLaw;
use crate::scale::{Beta, NoiseVariance, RawTime};

/// `ln E e^{−|y−Z|²/2τ}` below which densities underflow around a query.
const LOWEST_MASS: f64 = -600.0;

/// Nodes in the plane may be this many standard deviations of the noise apart: they miss its kernel by `e^{−2π²/1.5²} = 1.5e-4`, coarser
/// ones by visibly more.
const WIDEST_SPACING: f64 = 1.5;

/// The nodes of a law before the flow.
#[derive(Debug)]
pub(super) enum Grid {
    Line(LineGrid),
    Plane(PlaneGrid),
}

impl Grid {
    /// The nodes as a weighted cloud.
    pub fn cloud(&self) -> Result<Cloud> {
        let (labels, weights, dimension) = match self {
            Self::Line(grid) => (&grid.labels, &grid.weights, 1),
            Self::Plane(grid) => (&grid.labels, &grid.weights, 2),
        };
        Cloud::named(labels.clone(), dimension, "the quadrature nodes")?.with_weights(weights.clone())
    }

    /// What the mass that the nodes leave out, or count too much, may do to `W1`: it moves at most from end to end.
    pub fn left_out(&self) -> f64 {
        let (labels, dimension, missing) = match self {
            Self::Line(grid) => (&grid.labels, 1, grid.missing),
            Self::Plane(grid) => (&grid.labels, 2, grid.missing),
        };
        let extent = |axis: usize| {
            let values = || labels.iter().skip(axis).step_by(dimension).copied();
            values().fold(f64::NEG_INFINITY, f64::max) - values().fold(f64::INFINITY, f64::min)
        };
        missing * (0..dimension).map(|axis| extent(axis).powi(2)).sum::<f64>().sqrt()
    }
}

/// The law of the mean field at one time, at one resolution.
#[derive(Debug, Clone)]
pub struct QuadratureCloud {
    grid: Arc<Grid>,
    cloud: Cloud,
    /// Tolerance with which the nodes were integrated in time.
    tolerance: f64,
}

/// Stage 2 at one query.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The posterior mean `m(y)`.
    pub mean: Vec<f64>,
    /// The energy `E(y) = −τ ln Σ_j ω_j e^{−|y−z_j|²/2τ}`.
    pub energy: f64,
}

impl QuadratureCloud {
    pub(super) fn new(grid: Arc<Grid>, cloud: Cloud, tolerance: f64) -> Self {
        Self { grid, cloud, tolerance }
    }

    /// The same law some raw time later.
    pub fn advanced(&self, by: RawTime, beta: Beta, drift: &dyn Drift) -> Result<Self> {
        let cloud = advanced(&self.cloud, by, beta, self.tolerance, drift)?;
        Ok(Self { cloud, ..self.clone() })
    }

    /// The nodes where they are now, with their weights: an ordinary cloud.
    pub fn cloud(&self) -> &Cloud {
        &self.cloud
    }

    /// Stage 2 against this law, for noise of variance `τ`.
    pub fn posterior(&self, queries: &Cloud, noise: NoiseVariance, drift: &dyn Drift) -> Result<Vec<Answer>> {
        let dimension = self.cloud.dimension();
        check_same_space("the query set", queries.dimension(), "the law", dimension)?;
        self.check_spacing(noise)?;
        let mut field = DriftField::default();
        let targets = Targets::Points(queries.points());
        drift.evaluate(self.cloud.view(), targets, Beta::of_posterior(noise)?, &mut field)?;
        let rows = queries.rows().zip(field.velocity.chunks_exact(dimension)).zip(&field.log_mass);
        let answer = |((y, v), log_mass): ((&[f64], &[f64]), &f64)| Answer {
            mean: y.iter().zip(v).map(|(y, v)| y + v).collect(),
            energy: -noise.get() * log_mass,
        };
        let sums: Vec<Answer> = rows.map(answer).collect();
        let Grid::Line(grid) = self.grid.as_ref() else { return Ok(sums) };
        let image = Image::new(grid, self.cloud.points());
        let integrated = |(sum, &y): (Answer, &f64)| match image.stage_two(Query { y, variance: noise.get() })
        {
            None => sum,
            Some(found) => Answer { mean: vec![found.mean], energy: -noise.get() * found.log_mass },
        };
        Ok(sums.into_iter().zip(queries.points()).map(integrated).collect())
    }

    /// Refuses nodes in the plane that are so far apart that two resolutions of them would be wrong alike.
    fn check_spacing(&self, noise: NoiseVariance) -> Result<()> {
        let width = noise.get().sqrt();
        match self.grid.as_ref() {
            Grid::Plane(grid) if grid.spacing > WIDEST_SPACING * width => Err(Error::Integration {
                what: "a posterior mean of the mean field",
                raw_time: 0.0,
                problem: format!(
                    "nodes lie {:.1e} apart, too far for the noise of standard deviation {width:.1e}; name the queries before the flow \
                     (`MeanField::asked_at`), so that nodes are placed for them",
                    grid.spacing
                ),
            }),
            _ => Ok(()),
        }
    }

    /// The share of what a query sees, or less, that lies beyond all nodes; one if that cannot be told.
    pub(super) fn missed_share(&self, query: &[f64], answer: &Answer, noise: NoiseVariance) -> f64 {
        let log_mass = -answer.energy / noise.get();
        match self.grid.as_ref() {
            Grid::Line(grid) if log_mass > LOWEST_MASS => {
                let (mass, image) = (log_mass.exp(), Image::new(grid, self.cloud.points()));
                (image.missed(query[0], noise.get()) / mass).min(1.0)
            }
            Grid::Plane(_) if self.reaches(query, noise.get().sqrt()) => 0.0,
            _ => 1.0,
        }
    }

    /// Whether a point has a node within some distance.
    fn reaches(&self, point: &[f64], distance: f64) -> bool {
        let square = |node: &[f64]| node.iter().zip(point).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
        self.cloud.rows().any(|node| square(node) <= distance * distance)
    }

    /// `W1` to a law on the line.
    pub fn w1_to(&self, law: &LineLaw) -> Result<f64> {
        Ok(self.image()?.w1(law, self.scale()))
    }

    /// `W1` to another law of the same kind.
    pub fn w1_between(&self, other: &Self) -> Result<f64> {
        Ok(self.image()?.w1(&other.image()?, self.scale()))
    }

    /// What rounding and the rule leave in a `W1` to this law, one interval between nodes not knowing of the other.
    pub(super) fn w1_rounding(&self) -> f64 {
        W1_TOLERANCE * self.scale() * (self.cloud.len() as f64).sqrt()
    }

    /// The density `f_t` at points of the line.
    pub fn density(&self, points: &[f64]) -> Result<Vec<f64>> {
        let image = self.image()?;
        Ok(points.iter().map(|&z| image.density(z)).collect())
    }

    /// The size of the labels: a length that does not vanish when the flow collapses, and grows with the offset that rounding sees.
    pub(super) fn scale(&self) -> f64 {
        let (labels, weights) = match self.grid.as_ref() {
            Grid::Line(grid) => (&grid.labels, &grid.weights),
            Grid::Plane(grid) => (&grid.labels, &grid.weights),
        };
        let rows = labels.chunks_exact(self.cloud.dimension()).zip(weights);
        let square = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>();
        rows.map(|(x, w)| w * square(x)).sum::<f64>().sqrt()
    }

    fn image(&self) -> Result<Image<'_>> {
        match self.grid.as_ref() {
            Grid::Line(grid) => Ok(Image::new(grid, self.cloud.points())),
            Grid::Plane(_) => {
                let line = "the line, where its distribution function lives,";
                Err(check_same_space("the law of the mean field", 2, line, 1).unwrap_err())
            }
        }
    }
}
