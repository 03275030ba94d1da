//! The Jacobian of the self-drift, applied to a direction.
//!
//! # Formula
//! With the normalised weights `a_ik = ω_k w_ik / Σ_j ω_j w_ij`, the barycentre `F_i = Σ_k a_ik z_k` and the covariance
//! `Cov_i = Σ_k a_ik (z_k − F_i)(z_k − F_i)ᵀ`, the blocks `J_ik = ∂v_i/∂z_k` are
//! ```text
//! J_ii = β Cov_i + (a_ii − 1) I,      J_ik = a_ik (I + β (z_k − F_i)(z_i − z_k)ᵀ)   (i ≠ k).
//! ```
//! Differentiating `v_i = Σ_k a_ik (z_k − z_i)` along `q` directly, with `Δ_ik = z_k − z_i`,
//! ```text
//! (Jq)_i = Σ_k a_ik ((q_k − q_i) − β s_ik (Δ_ik − v_i)),      s_ik = Δ_ik · (q_k − q_i),
//! ```
//! which is the same thing. Nothing cancels against `q_i` itself, a common translation `q_i = q` gives exactly zero, and the sums
//! over `Δ`, `q_k − q_i`, `s` and `sΔ` need no drift beforehand: one pass over the pairs gives `v` and `Jq` together.
//!
//! Along the flow `z̈ = J ż`, which is what the error bound needs.

use std::f64::consts::LOG2_E;

use crate::cloud::CloudView;
use crate::error::{Error, Result};
use crate::parallel;
use crate::scale::Beta;
use crate::simd::{BLOCK, Block, LARGEST_EXPONENT, Plain, Program, Vector, widest};

/// Vectors whose exponentials are computed side by side.
const CHAINS: usize = 4;

/// Dimensions whose sums stay in registers or on the stack.
const MOST_INLINE: usize = 3;

/// The drift of a cloud and its derivative along a direction; reused from one evaluation to the next.
///
/// ```
/// use ebflow::drift::JacobianField;
/// use ebflow::{Beta, Cloud};
/// let cloud = Cloud::new(vec![-1.0, 0.5, 1.0], 1)?;
/// let mut field = JacobianField::default();
/// field.evaluate(cloud.view(), Beta::new(2.0)?, &[1.0, 1.0, 1.0])?;
/// assert_eq!(field.product, [0.0; 3]); // moving everything alike changes no velocity
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Debug, Clone, Default)]
pub struct JacobianField {
    /// `v`, row-major: the full sum, computed along the way.
    pub velocity: Vec<f64>,
    /// `Jq`, row-major.
    pub product: Vec<f64>,
}

impl JacobianField {
    /// Evaluates `v` and `Jq` at the points of a cloud, over all pairs; `direction` is `q`, row-major like the points.
    pub fn evaluate(&mut self, cloud: CloudView<'_>, beta: Beta, direction: &[f64]) -> Result<()> {
        if direction.len() != cloud.points.len() {
            return Err(Error::LengthMismatch {
                what: "the direction".into(),
                other: "the coordinates of the particles".into(),
                expected: cloud.points.len(),
                found: direction.len(),
            });
        }
        let d = cloud.dimension;
        let columns = Columns::new(cloud, beta, direction);
        self.velocity.resize(cloud.points.len(), 0.0);
        self.product.resize(cloud.points.len(), 0.0);
        let mut rows: Vec<_> = self.velocity.chunks_mut(d).zip(self.product.chunks_mut(d)).collect();
        parallel::each(&mut rows, &|i, (velocity, product)| columns.row(i).finish(beta, velocity, product));
        Ok(())
    }
}

/// The cloud and the direction, one array per coordinate, padded to whole blocks with points of no mass.
struct Columns {
    dimension: usize,
    /// `(β/2) log₂ e`.
    sharpness: f64,
    /// `d` arrays of positions, then `d` of the direction.
    attributes: Vec<Vec<Block<f64>>>,
    /// Weights without their powers of two, and these, negated: a weight of `10⁻²⁹⁰` is as good as one of 1.
    masses: Vec<Block<f64>>,
    levels: Vec<Block<f64>>,
    /// Per row, what its exponents are reduced by.
    shifts: Vec<f64>,
}

/// Next to the heaviest, whose level is about zero, terms up to this level can be summed about themselves.
const NEAR_LEVEL: f64 = 500.0;

/// The level of what has no mass.
const NO_LEVEL: f64 = 1e300;

impl Columns {
    fn new(cloud: CloudView<'_>, beta: Beta, direction: &[f64]) -> Self {
        let (d, n) = (cloud.dimension, cloud.len());
        // Padding sits on the first point: a distance of zero neither overflows nor, without mass, counts.
        let column = |values: &[f64], c: usize| Block::row(n, |i| values[if i < n { i * d + c } else { c }]);
        let positions = (0..d).map(|c| column(cloud.points, c));
        let directions = (0..d).map(|c| column(direction, c));
        let mass = |i: usize| if i < n { cloud.weights.map_or(1.0, |w| w[i]) } else { 0.0 };
        let levels: Vec<f64> = (0..n).map(|i| level(mass(i))).collect();
        Self {
            dimension: d,
            sharpness: 0.5 * LOG2_E * beta.get(),
            attributes: positions.chain(directions).collect(),
            masses: Block::row(n, |i| if mass(i) > 0.0 { mass(i) * level(mass(i)).exp2() } else { 0.0 }),
            shifts: parallel::map(n, &|i| shift(cloud, beta, &levels, i)),
            levels: Block::row(n, |i| level(mass(i))),
        }
    }

    fn row(&self, i: usize) -> Sums {
        match self.dimension {
            1 => widest(Row::<1> { columns: self, row: i }),
            2 => widest(Row::<2> { columns: self, row: i }),
            3 => widest(Row::<3> { columns: self, row: i }),
            _ => widest(Row::<0> { columns: self, row: i }),
        }
    }
}

/// The power of two in a weight, negated.
fn level(mass: f64) -> f64 {
    if mass > 0.0 { -mass.log2().floor().max(-1000.0) } else { NO_LEVEL }
}

/// What the exponents of a row are reduced by, in powers of two: that of its own particle, unless others weigh so much more that the smallest has to be
/// looked for.
fn shift(cloud: CloudView<'_>, beta: Beta, levels: &[f64], i: usize) -> f64 {
    let d = cloud.dimension;
    if levels[i] < NEAR_LEVEL {
        return levels[i];
    }
    let own = &cloud.points[i * d..][..d];
    let distance_2 = |z: &[f64]| z.iter().zip(own).map(|(a, b)| (a - b) * (a - b)).sum::<f64>();
    let sources = cloud.points.chunks_exact(d).zip(levels);
    let exponents = sources.map(|(z, level)| 0.5 * LOG2_E * beta.get() * distance_2(z) + level);
    exponents.fold(f64::MAX, f64::min)
}

/// The sums of one row, not yet divided by the mass.
struct Sums {
    /// `Σ w`.
    mass: f64,
    /// `Σ w s`.
    stretch: f64,
    /// `Σ w Δ`.
    offset: Vec<f64>,
    /// `Σ w (q_k − q_i)`.
    turn: Vec<f64>,
    /// `Σ w s Δ`.
    stretched_offset: Vec<f64>,
}

impl Sums {
    fn finish(&self, beta: Beta, velocity: &mut [f64], product: &mut [f64]) {
        for c in 0..velocity.len() {
            velocity[c] = self.offset[c] / self.mass;
            let bend = self.stretched_offset[c] - velocity[c] * self.stretch;
            product[c] = (self.turn[c] - beta.get() * bend) / self.mass;
        }
    }
}

/// One row in dimension `DIMENSION`; zero stands for one known at run time only.
struct Row<'a, const DIMENSION: usize> {
    columns: &'a Columns,
    row: usize,
}

impl<const DIMENSION: usize> Program for Row<'_, DIMENSION> {
    type Scalar = f64;
    type Output = Sums;

    fn portable(self) -> Sums {
        Row::<0> { columns: self.columns, row: self.row }.run(Plain::<f64, 4>::default())
    }

    #[inline(always)]
    fn run<V: Vector<Scalar = f64>>(self, any: V) -> Sums {
        let Self { columns, row } = self;
        let d = if DIMENSION == 0 { columns.dimension } else { DIMENSION };
        let (z, q) = columns.attributes.split_at(d);
        let own = |attribute: &[Block<f64>]| any.splat(attribute[row / BLOCK][row % BLOCK]);
        let (sharpness, shift) = (any.splat(columns.sharpness), any.splat(-columns.shifts[row]));
        let (one, largest) = (any.splat(1.0), any.splat(LARGEST_EXPONENT));
        let mut room = [[any.zero(); 3]; MOST_INLINE];
        let mut spill = vec![[any.zero(); 3]; if d > MOST_INLINE { d } else { 0 }];
        let sums = if d > MOST_INLINE { &mut spill[..] } else { &mut room[..d] };
        let (mut mass, mut stretch) = (any.zero(), any.zero());
        let (mut weights, mut inners) = (Block([0.0; BLOCK]), Block([0.0; BLOCK]));
        for (at, (masses, levels)) in columns.masses.iter().zip(&columns.levels).enumerate() {
            for k in (0..BLOCK).step_by(CHAINS * V::WIDTH) {
                let (mut exponent, mut inner) = ([shift; CHAINS], [any.zero(); CHAINS]);
                for n in 0..CHAINS {
                    exponent[n] = any.load(&levels[k + n * V::WIDTH..]).add(shift);
                }
                for c in 0..d {
                    let (z_c, q_c, z_i, q_i) = (&z[c][at], &q[c][at], own(&z[c]), own(&q[c]));
                    for n in 0..CHAINS {
                        let offset = any.load(&z_c[k + n * V::WIDTH..]).sub(z_i);
                        exponent[n] = offset.mul(sharpness).mul_add(offset, exponent[n]);
                        inner[n] = offset.mul_add(any.load(&q_c[k + n * V::WIDTH..]).sub(q_i), inner[n]);
                    }
                }
                for exponent in &mut exponent {
                    *exponent = exponent.min(largest);
                }
                let values = V::exp2_minus(one, exponent);
                for n in 0..CHAINS {
                    let weight = values[n].mul(any.load(&masses[k + n * V::WIDTH..]));
                    weight.store(&mut weights[k + n * V::WIDTH..]);
                    inner[n].mul(weight).store(&mut inners[k + n * V::WIDTH..]);
                }
            }
            for k in (0..BLOCK).step_by(V::WIDTH) {
                mass = mass.add(any.load(&weights[k..]));
                stretch = stretch.add(any.load(&inners[k..]));
            }
            for c in 0..d {
                let (z_c, q_c, z_i, q_i) = (&z[c][at], &q[c][at], own(&z[c]), own(&q[c]));
                let [mut offsets, mut turns, mut stretched] = sums[c];
                for k in (0..BLOCK).step_by(V::WIDTH) {
                    let (weight, inner) = (any.load(&weights[k..]), any.load(&inners[k..]));
                    let offset = any.load(&z_c[k..]).sub(z_i);
                    offsets = weight.mul_add(offset, offsets);
                    turns = weight.mul_add(any.load(&q_c[k..]).sub(q_i), turns);
                    stretched = inner.mul_add(offset, stretched);
                }
                sums[c] = [offsets, turns, stretched];
            }
        }
        let every = |which: usize| sums.iter().map(|s| s[which].total()).collect();
        Sums {
            mass: mass.total(),
            stretch: stretch.total(),
            offset: every(0),
            turn: every(1),
            stretched_offset: every(2),
        }
    }
}
