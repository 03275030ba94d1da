//! [`Potential`]: a function that is 1-Lipschitz by construction and proves a lower bound of `W1`.
//!
//! # Formula
//! ```text
//! f(x) = min_j |x − y_j| − v_j,     ∫ f d(μ − ν) ≤ W1(μ, ν)   for all laws μ, ν
//! ```
//! A minimum of 1-Lipschitz functions is 1-Lipschitz, whatever the heights `v_j` are. With the optimal `v_j` of
//! a transport problem equality holds for its two clouds; on fresh points `f` bounds the distance of the laws
//! behind them.
//!
//! # Paper
//! `eq:sc-KR`

use rayon::prelude::*;

use super::dual::Dual;
use super::prices::Prices;
use super::problem::Unit;
use super::tree::Tree;
use crate::cloud::{Cloud, norm};
use crate::error::{Result, check_same_space};
use crate::numeric::sum::Sum;

/// Points per task; fixed, so that nothing depends on the number of threads.
const CHUNK: usize = 256;

/// The Kantorovich potential `f`: large where the first cloud has more mass, small where the second has.
///
/// ```
/// use ebflow::{Cloud, metric::transport};
/// let first = Cloud::new(vec![3.0, 4.0], 2)?;
/// let second = Cloud::new(vec![0.0, 0.0], 2)?;
/// let potential = transport::wasserstein(&first, &second)?.potential;
/// assert_eq!(potential.mean(&first)? - potential.mean(&second)?, 5.0);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Potential {
    pub(super) dimension: usize,
    pub(super) unit: Unit,
    /// The points `y_j`, scaled, and their heights; none of either for the zero function.
    pub(super) anchors: Vec<f64>,
    pub(super) heights: Dual,
}

impl Potential {
    /// `f` at every point of a cloud.
    pub fn values(&self, cloud: &Cloud) -> Result<Vec<f64>> {
        check_same_space("the cloud", cloud.dimension(), "the potential", self.dimension)?;
        let values = match self.dimension {
            _ if self.heights.values.is_empty() => vec![0.0; cloud.len()],
            1 => self.evaluate::<1>(cloud),
            2 => self.evaluate::<2>(cloud),
            3 => self.evaluate::<3>(cloud),
            _ => self.evaluate::<0>(cloud),
        };
        match values.iter().find(|value| !value.is_finite()) {
            Some(&value) => Err(super::too_far(value)),
            None => Ok(values),
        }
    }

    /// The mean `Σ ω_i f(z_i)` over a cloud.
    pub fn mean(&self, cloud: &Cloud) -> Result<f64> {
        let values = self.values(cloud)?;
        let terms = values.iter().enumerate().map(|(i, value)| cloud.weight(i) * value);
        Ok(terms.collect::<Sum>().value())
    }

    fn evaluate<const D: usize>(&self, cloud: &Cloud) -> Vec<f64> {
        let (tree, order) = Tree::<D>::build(&self.anchors, self.dimension);
        let d = self.dimension;
        let origin = |&row: &u32| self.heights.origins[row as usize * d..][..d].iter().copied();
        let heights = Dual {
            values: order.iter().map(|&row| self.heights.values[row as usize]).collect(),
            origins: order.iter().flat_map(origin).collect(),
        };
        let prices = Prices::new(&tree, &heights);
        let chunks = cloud.points().par_chunks(CHUNK * d);
        chunks.flat_map_iter(|points| points.chunks(d).map(|x| self.at(x, &prices))).collect()
    }

    fn at<const D: usize>(&self, x: &[f64], prices: &Prices<D>) -> f64 {
        let scaled: Vec<f64> = x.iter().map(|&x| self.unit.scale(x)).collect();
        let mut found = vec![];
        prices.smallest(&scaled, f64::INFINITY, 1, &mut found);
        match found.first() {
            Some(best) => self.unit.restore(best.value),
            None => self.far_away(x),
        }
    }

    /// `f` where squared distances overflow in the scaled coordinates.
    fn far_away(&self, x: &[f64]) -> f64 {
        let anchors = self.anchors.chunks_exact(self.dimension).zip(&self.heights.values);
        let values = anchors.map(|(y, &height)| {
            let gap: Vec<f64> = x.iter().zip(y).map(|(&x, &y)| x - self.unit.restore(y)).collect();
            norm(&gap) - self.unit.restore(height)
        });
        values.fold(f64::INFINITY, f64::min)
    }
}
