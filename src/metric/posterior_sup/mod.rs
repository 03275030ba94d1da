//! The largest difference of two posterior means over a ball, certified.
//!
//! # Formula
//! `sup_{|y| ≤ M} |e(y)|`, `e = m_μ − m_ν`, `m_μ(y) = E[X | y]` for `X ~ μ` seen through noise of variance `τ`. With `X` distributed by
//! the posterior at `c` and centred there, the posterior at `c + h` is its exponential tilt, and for `|h| ≤ ρ`, `a = ρ/τ`,
//! ```text
//! m(c+h) − m(c) = E[X e^{⟨h,X⟩/τ}] / E[e^{⟨h,X⟩/τ}] = Cov(c) h/τ + r,
//! |r| ≤ a²/2 · sup_u E[|⟨u,X⟩|³ e^{a|X|}] + a³/2 · ‖Cov(c)‖ sup_u E[⟨u,X⟩² e^{a|X|}]
//! ```
//! (the denominator is at least one by Jensen). So on a cube about `c` the difference `e` is affine up to the two remainders,
//! and `|e|` is at most its largest value at a corner plus these. Branch and bound over cubes that cover the ball turns
//! this into bounds of the supremum; the lower bound is attained at a point that is returned.
//!
//! # Paper
//! `prop:nc-posterior-mean-W1`

mod cube;
mod line;
mod local;
mod mixture;
mod particles;
mod search;
#[cfg(test)]
mod tests;

use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use crate::law::Law;
use crate::scale::{BallRadius, NoiseVariance};
use line::LogConcave;
use local::Posterior;
use mixture::GaussianPosterior;
use particles::ParticlePosterior;

/// A prior whose posterior mean is compared.
#[derive(Debug, Clone, Copy)]
pub enum Prior<'a> {
    /// The empirical law of a cloud, weights included.
    Particles(&'a Cloud),
    /// A law.
    Law(&'a Law),
}

/// Where to search and when to stop.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct SupSearch {
    /// `M`: queries with `|y| ≤ M` are looked at.
    pub radius: BallRadius,
    /// The search ends when `upper − lower` is at most this share of the upper bound …
    pub relative_gap: f64,
    /// … or at most this.
    pub absolute_gap: f64,
    /// It also ends after this many cubes, with bounds that are valid but farther apart.
    pub max_cubes: usize,
}

/// Bounds of the supremum.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct PosteriorSup {
    /// The difference at [`PosteriorSup::at`]: the supremum is at least this.
    pub lower: f64,
    /// The supremum is at most this.
    pub upper: f64,
    /// A point of the ball at which the lower bound is attained.
    pub at: Vec<f64>,
    /// Cubes that were bounded.
    pub cubes: usize,
    /// Whether the gap asked for was reached.
    pub converged: bool,
}

/// Bounds `sup_{|y| ≤ M} |m_a(y) − m_b(y)|` in dimension one, two or three.
///
/// ```
/// use ebflow::law::Law;
/// use ebflow::metric::{Prior, SupSearch, posterior_sup};
/// use ebflow::{BallRadius, Cloud, NoiseVariance};
/// // m_a(y) = tanh(y/τ) against m_b(y) = y/2: the largest difference is where 1 − tanh² = 1/2.
/// let coin = Cloud::new(vec![-1.0, 1.0], 1)?;
/// let normal = Law::parse(r#"{ kind = "gaussian", mean = 0, std = 1 }"#)?;
/// let search =
///     SupSearch { radius: BallRadius::new(1.5)?, relative_gap: 1e-6, absolute_gap: 0.0, max_cubes: 10_000 };
/// let noise = NoiseVariance::new(1.0)?;
/// let sup = posterior_sup(Prior::Particles(&coin), Prior::Law(&normal), noise, &search)?;
/// let exact = 0.5_f64.sqrt() - 0.5_f64.sqrt().atanh() / 2.0;
/// assert!(sup.lower <= exact && exact <= sup.upper && sup.converged);
/// # Ok::<(), ebflow::Error>(())
/// ```
pub fn posterior_sup(
    a: Prior<'_>,
    b: Prior<'_>,
    noise: NoiseVariance,
    search: &SupSearch,
) -> Result<PosteriorSup> {
    let dimension = a.dimension();
    check_same_space("the second prior", b.dimension(), "the first", dimension)?;
    search.check()?;
    match dimension {
        1 => on_dimension::<1>(a, b, noise, search),
        2 => on_dimension::<2>(a, b, noise, search),
        3 => on_dimension::<3>(a, b, noise, search),
        _ => Err(Error::InvalidParameter {
            name: "dimension of a posterior supremum",
            value: dimension as f64,
            requirement: "1, 2 or 3 (the ball is covered by cubes; in more dimensions evaluate at chosen points)",
        }),
    }
}

fn on_dimension<const D: usize>(
    a: Prior<'_>,
    b: Prior<'_>,
    noise: NoiseVariance,
    search: &SupSearch,
) -> Result<PosteriorSup> {
    search::supremum(a.posterior::<D>(noise)?.as_ref(), b.posterior::<D>(noise)?.as_ref(), search)
}

/// Laws whose posterior means have no bound that the search could use.
const NOT_CERTIFIED: &str = "it is certified for gaussian, mixture and atoms, and on the line for laplace and uniform; take mean squared errors";

impl Prior<'_> {
    fn dimension(&self) -> usize {
        match self {
            Self::Particles(cloud) => cloud.dimension(),
            Self::Law(law) => law.dimension(),
        }
    }

    fn posterior<const D: usize>(&self, noise: NoiseVariance) -> Result<Box<dyn Posterior<D>>> {
        Ok(match self {
            Self::Particles(cloud) => Box::new(ParticlePosterior::<D>::new(cloud, noise)?),
            Self::Law(Law::Atoms(atoms)) => {
                let cloud = Cloud::new(atoms.points().concat(), D)?.with_weights(atoms.weights().to_vec())?;
                Box::new(ParticlePosterior::<D>::new(&cloud, noise)?)
            }
            Self::Law(Law::Gaussian(law)) => {
                Box::new(GaussianPosterior::<D>::new(&[1.0], std::slice::from_ref(law), noise))
            }
            Self::Law(Law::Mixture(law)) => {
                Box::new(GaussianPosterior::<D>::new(law.weights(), law.components(), noise))
            }
            Self::Law(law @ (Law::Laplace(_) | Law::Uniform(_))) => {
                Box::new(LogConcave::new((*law).clone(), noise))
            }
            Self::Law(law @ (Law::Student(_) | Law::Product(_))) => {
                return Err(Error::Unsupported {
                    kind: law.kind_name(),
                    capability: "the certified supremum of a posterior error",
                    remedy: NOT_CERTIFIED,
                });
            }
        })
    }
}

impl SupSearch {
    fn check(&self) -> Result<()> {
        for (name, value) in [("relative gap", self.relative_gap), ("absolute gap", self.absolute_gap)] {
            if !(value >= 0.0 && value.is_finite()) {
                let requirement = "a finite number that is not negative";
                return Err(Error::InvalidParameter { name, value, requirement });
            }
        }
        if self.max_cubes == 0 {
            let requirement = "at least 1";
            return Err(Error::InvalidParameter { name: "number of cubes", value: 0.0, requirement });
        }
        Ok(())
    }

    /// The gap that is good enough when the upper bound is this.
    fn allowed(&self, upper: f64) -> f64 {
        self.absolute_gap.max(self.relative_gap * upper)
    }
}

impl PosteriorSup {
    /// `upper − lower`.
    pub fn gap(&self) -> f64 {
        self.upper - self.lower
    }
}
