//! Priors `P0` and noisy laws `f0 = γ_τ * P0`: what tokens are drawn from, and what is known of it exactly.
//!
//! | kind | law | with noise of variance `τ` |
//! |---|---|---|
//! | [`Gaussian`] | `N(m, Σ)`, `Σ` possibly singular | `N(m, Σ + τI)` |
//! | [`Mixture`] | `Σ_k p_k N(m_k, Σ_k)` | `Σ_k p_k N(m_k, Σ_k + τI)` |
//! | [`Atoms`] | `Σ_j p_j δ_{a_j}` | `Σ_j p_j N(a_j, τI)` |
//! | [`Laplace`] | density `e^{−|x−m|/b}/2b` on the line | itself, with the noise folded in |
//! | [`Uniform`] | uniform on `[low, high]` on the line | itself, with the noise folded in |
//! | [`Student`] | Student's t on the line | itself, with the noise folded in |
//! | [`Product`] | independent coordinates, each with a law on the line | the product of the noisy factors |
//!
//! The set is closed under adding noise, so a noisy law is a [`Law`] like any other. Parameters are checked once, on
//! construction; afterwards values are trusted. Every law samples reproducibly ([`generator()`]), and has an exact
//! posterior mean ([`BayesOracle`]).
//!
//! ```
//! use ebflow::NoiseVariance;
//! use ebflow::law::{BayesOracle, Law};
//! let law = Law::parse(r#"{ kind = "mixture", weights = [0.5, 0.5], means = [[-1, 0], [1, 0]], std = 0.1 }"#)?;
//! let noise = NoiseVariance::new(0.5)?;
//! let sample = law.sample_noisy(100, noise, 7)?;
//! let denoised = law.posterior_means(&sample.noisy, noise)?;
//! assert_eq!(denoised.len(), 100);
//! # Ok::<(), ebflow::Error>(())
//! ```
//!
//! # Adding one
//! 1. A file of its own, with a struct whose constructor checks the parameters once, and the formulas of its mean, covariance, projections, noisy law and posterior mean
//!    in the documentation.
//! 2. The trait `Kind` for it; noise gives a law of the same set again, so a law that is not closed under noise carries the noise as a parameter, as [`Laplace`] does.
//! 3. Its projections as a shape of `line/shape.rs`: cumulative distribution, quantile, and the partial expectations `E(X − x)₊`, `E(x − X)₊`, from which
//!    `W1`, truncation and the mean field follow.
//! 4. A variant of [`Law`], a line in `Law::kind`, a kind with its keys in `spec.rs`, a row in the tables here and there and in the help of the command line.
//! 5. Values from elsewhere (`tests/reference/laws.py` makes them with mpmath) in `tests.rs`, where moments, quantiles, tails and posterior means are tested for all kinds.

mod atoms;
mod covariance;
mod gaussian;
mod generator;
mod laplace;
mod line;
mod mixture;
mod oracle;
mod product;
mod responsibility;
#[cfg(feature = "files")]
mod spec;
mod student;
#[cfg(test)]
mod tests;
mod truncated;
mod uniform;
mod weights;
mod window;

use nalgebra::{DMatrix, DVector};

pub use atoms::Atoms;
pub use covariance::Covariance;
pub use gaussian::Gaussian;
pub use generator::{Generator, NoisySample, generator, noise_generator};
pub use laplace::Laplace;
pub use line::{Level, LineAtom, LineLaw, LocationScale, Split};
pub use mixture::Mixture;
pub use oracle::BayesOracle;
pub use product::Product;
#[cfg(feature = "study")]
pub(crate) use spec::{kinds, read as read_law};
pub use student::Student;
pub use truncated::TruncatedLaw;
pub use uniform::Uniform;

use self::generator::draw_rows;
use crate::cloud::Cloud;
use crate::error::{Error, Result, check_same_space};
use crate::scale::NoiseVariance;

/// A probability law on `R^d`.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Law {
    /// `N(m, Σ)`.
    Gaussian(Gaussian),
    /// A finite mixture of Gaussians.
    Mixture(Mixture),
    /// Finitely many atoms.
    Atoms(Atoms),
    /// The Laplace law on the line.
    Laplace(Laplace),
    /// The uniform law on an interval.
    Uniform(Uniform),
    /// Student's t on the line.
    Student(Student),
    /// Independent coordinates.
    Product(Product),
}

/// What every kind of law provides; slices have the law's dimension and noise variances are positive.
pub(crate) trait Kind {
    fn name(&self) -> &'static str;
    fn dimension(&self) -> usize;
    fn mean_vector(&self) -> DVector<f64>;
    fn covariance_matrix(&self) -> DMatrix<f64>;
    fn draw(&self, generator: &mut Generator, out: &mut [f64]);
    fn noisy(&self, noise: f64) -> Law;
    /// `None` where it has no closed form.
    fn projection(&self, direction: &[f64]) -> Option<LineLaw>;
    /// `None` where there is no density.
    fn log_density(&self, x: &[f64]) -> Option<f64>;
    fn posterior_mean(&self, y: &[f64], noise: f64, out: &mut [f64]);
}

impl Law {
    pub(crate) fn kind(&self) -> &dyn Kind {
        match self {
            Self::Gaussian(law) => law,
            Self::Mixture(law) => law,
            Self::Atoms(law) => law,
            Self::Laplace(law) => law,
            Self::Uniform(law) => law,
            Self::Student(law) => law,
            Self::Product(law) => law,
        }
    }

    /// The kind as it is written in a law's table: `"gaussian"`, `"mixture"`, ….
    pub fn kind_name(&self) -> &'static str {
        self.kind().name()
    }

    /// Number `d` of coordinates of a point.
    pub fn dimension(&self) -> usize {
        self.kind().dimension()
    }

    /// `E X`.
    pub fn mean(&self) -> DVector<f64> {
        self.kind().mean_vector()
    }

    /// The covariance `E (X − EX)(X − EX)ᵀ`.
    pub fn covariance(&self) -> DMatrix<f64> {
        self.kind().covariance_matrix()
    }

    /// `n` independent points, drawn one after the other.
    pub fn sample(&self, n: usize, generator: &mut Generator) -> Result<Cloud> {
        draw_rows(n, self.dimension(), |row| {
            self.kind().draw(generator, row);
            Ok(())
        })
    }

    /// `n` clean points, the same that [`Law::sample`] draws from `generator(seed)`, and what noise makes of them.
    pub fn sample_noisy(&self, n: usize, noise: NoiseVariance, seed: u64) -> Result<NoisySample> {
        NoisySample::of(self.sample(n, &mut generator(seed))?, noise, seed)
    }

    /// The noisy law `f0 = γ_τ * P0`, exactly.
    pub fn noisy(&self, noise: NoiseVariance) -> Self {
        self.kind().noisy(noise.get())
    }

    /// `ln f(x)`, accurate however far out; minus infinity where the density is zero.
    pub fn log_density(&self, x: &[f64]) -> Result<f64> {
        self.check_point(x)?;
        self.kind().log_density(x).ok_or(Error::Unsupported {
            kind: self.kind_name(),
            capability: "a density",
            remedy: "it has atoms or a singular covariance; add noise first (Law::noisy)",
        })
    }

    /// `f(x)`.
    pub fn density(&self, x: &[f64]) -> Result<f64> {
        self.log_density(x).map(f64::exp)
    }

    /// The exact law of `⟨u, X⟩`; the direction need not have unit length.
    pub fn projection(&self, direction: &[f64]) -> Result<LineLaw> {
        self.check_point(direction)?;
        self.kind().projection(direction).ok_or(Error::Unsupported {
            kind: self.kind_name(),
            capability: "the projection to a line that is not an axis",
            remedy: "the coordinates of this law are independent, and their sum has no closed form; project to an axis",
        })
    }

    /// True when projections to any line are known.
    pub(crate) fn projects_everywhere(&self) -> bool {
        !matches!(self, Self::Product(_))
    }

    /// A law on the line as such.
    pub fn on_line(&self) -> Result<LineLaw> {
        check_same_space(format!("the {} law", self.kind_name()), self.dimension(), "the line", 1)?;
        self.projection(&[1.0])
    }

    fn check_point(&self, x: &[f64]) -> Result<()> {
        check_same_space("the vector", x.len(), format!("the {} law", self.kind_name()), self.dimension())?;
        match x.iter().position(|x| !x.is_finite()) {
            Some(column) => {
                Err(Error::NotFinite { what: "the vector".into(), row: 0, column, value: x[column] })
            }
            None => Ok(()),
        }
    }
}
