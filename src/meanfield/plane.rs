//! Quadrature nodes in the plane: a tensor grid along the law's own axes, rings for a law truncated to a ball.
//!
//! # Formula
//! ```text
//! ω_ij = f0(x_ij) h_1 h_2               on the grid,
//! ω_ij = f0(x_ij) r_i w_i 2π/m_i        on rings of radius r_i with m_i ≈ 2πr_i/h + const nodes
//! ```
//! The axes are the eigenvectors of the noisy covariance, so that an elongated law at an angle wastes no nodes. Both
//! rules converge spectrally: trapezoid along lines and circles, Gauss–Legendre along the radius.

use nalgebra::{DMatrix, SymmetricEigen};

use super::line::{Extent, extent};
use crate::error::{Error, Result};
use crate::law::Law;
use crate::numeric::quadrature::SIXTEEN;
use crate::scale::BallRadius;

/// Ring spacings that a radial panel covers.
const PANEL_SPAN: f64 = 8.0;
/// Nodes on a ring however small: harmonics of a smooth law decay like `1/m!` there.
const SMALLEST_RING: f64 = 16.0;
/// More nodes than this take hours.
const MAX_NODES: f64 = 400_000.0;

/// Nodes in the plane, row-major, with probability weights.
#[derive(Debug, Clone)]
pub(super) struct PlaneGrid {
    /// Labels, two coordinates each.
    pub labels: Vec<f64>,
    /// Probability weights.
    pub weights: Vec<f64>,
    /// How far apart the nodes are.
    pub spacing: f64,
    /// How far the weights were from summing to the law's mass.
    pub missing: f64,
}

impl PlaneGrid {
    /// The tensor grid of spacing `h` over all but `cut` of the mass of a law with a density; lighter nodes are left out.
    pub fn tensor(law: &Law, h: f64, cut: f64) -> Result<Self> {
        let axes = SymmetricEigen::new(law.covariance()).eigenvectors;
        let lines = [0, 1].map(|axis| axis_nodes(law, &axes, axis, h, cut));
        let [first, second] = lines;
        let (first, second) = (first?, second?);
        check_count(first.len() as f64 * second.len() as f64)?;
        let mut grid = Self::empty(h);
        for a in &first {
            for b in &second {
                let point = [0, 1].map(|i| axes[(i, 0)] * a + axes[(i, 1)] * b);
                grid.push(point, law.density(&point)? * h * h, cut);
            }
        }
        Ok(grid.normalised(Some(1.0)))
    }

    /// Rings about the origin of spacing `h` up to the radius `R`, where the law ends.
    pub fn rings(law: &Law, radius: BallRadius, h: f64, cut: f64) -> Result<Self> {
        check_count(4.0 * (radius.get() / h).powi(2) + 1.0)?;
        let panels = (radius.get() / (PANEL_SPAN * h)).ceil().max(1.0);
        let (width, rule) = (radius.get() / panels, &*SIXTEEN);
        let mut grid = Self::empty(h);
        for panel in 0..panels as usize {
            for (t, w) in rule.nodes.iter().zip(&rule.weights) {
                let r = width * (panel as f64 + 0.5 * (1.0 + t));
                grid.push_ring(law, r, 0.5 * width * w, h, cut)?;
            }
        }
        Ok(grid.normalised(law.truncated(radius).mass()))
    }

    fn push_ring(&mut self, law: &Law, r: f64, thickness: f64, h: f64, cut: f64) -> Result<()> {
        let count = (std::f64::consts::TAU * r / h + SMALLEST_RING).ceil();
        let angle = std::f64::consts::TAU / count;
        for k in 0..count as usize {
            let (sin, cos) = (k as f64 * angle).sin_cos();
            let point = [r * cos, r * sin];
            self.push(point, law.density(&point)? * r * thickness * angle, cut);
        }
        Ok(())
    }

    fn empty(spacing: f64) -> Self {
        Self { labels: vec![], weights: vec![], spacing, missing: 0.0 }
    }

    fn push(&mut self, point: [f64; 2], weight: f64, cut: f64) {
        if weight >= cut {
            self.labels.extend(point);
            self.weights.push(weight);
        }
    }

    fn normalised(mut self, mass: Option<f64>) -> Self {
        let sum: f64 = self.weights.iter().sum();
        self.weights.iter_mut().for_each(|w| *w /= sum);
        self.missing = mass.map_or(0.0, |mass| (1.0 - sum / mass).abs());
        self
    }
}

/// Coordinates of the nodes along one axis of the frame.
fn axis_nodes(law: &Law, axes: &DMatrix<f64>, axis: usize, h: f64, cut: f64) -> Result<Vec<f64>> {
    let direction: Vec<f64> = axes.column(axis).iter().copied().collect();
    let line = law.projection(&direction)?;
    let centre = law.mean().dot(&axes.column(axis));
    let scale = (axes.column(axis).transpose() * law.covariance() * axes.column(axis))[0].sqrt();
    let Extent { low, high } = extent(&line, centre, scale, cut);
    let count = ((high - low) / h).ceil();
    check_count(count)?;
    Ok((0..=count as usize).map(|k| low + k as f64 * h).collect())
}

fn check_count(count: f64) -> Result<()> {
    if count <= MAX_NODES {
        return Ok(());
    }
    Err(Error::Integration {
        what: "the mean-field reference",
        raw_time: 0.0,
        problem: format!(
            "{count:.0} nodes in the plane would be needed, more than {MAX_NODES}; ask for less accuracy, or lower β"
        ),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILTED: &str = r#"{ kind = "gaussian", mean = [0.5, -1], cov = [[1.2, 0.4], [0.4, 0.7]] }"#;

    fn second_moment(grid: &PlaneGrid, i: usize, j: usize) -> f64 {
        let rows = grid.labels.chunks_exact(2).zip(&grid.weights);
        rows.map(|(x, w)| w * x[i] * x[j]).sum()
    }

    #[test]
    fn the_tensor_grid_has_the_moments_of_the_law() {
        let law = Law::parse(TILTED).unwrap();
        let grid = PlaneGrid::tensor(&law, 0.4, 1e-22).unwrap();
        assert!(grid.missing < 1e-14, "{:e}", grid.missing);
        assert!((second_moment(&grid, 0, 1) - (0.4 - 0.5)).abs() < 1e-13);
        assert!((second_moment(&grid, 1, 1) - (0.7 + 1.0)).abs() < 1e-13);
    }

    #[test]
    fn rings_have_the_mass_and_moments_of_the_truncated_law() {
        let law = Law::parse(r#"{ kind = "gaussian", mean = [0.5, -1], std = 0.8 }"#).unwrap();
        let radius = BallRadius::new(1.5).unwrap();
        let grid = PlaneGrid::rings(&law, radius, 0.3, 1e-22).unwrap();
        assert!(grid.missing < 1e-13, "{:e}", grid.missing);
        let finer = PlaneGrid::rings(&law, radius, 0.17, 1e-22).unwrap();
        assert!((second_moment(&grid, 0, 1) - second_moment(&finer, 0, 1)).abs() < 1e-13);
    }
}
