//! Verified integration of the mean-field particle flow of Gaussian attention.
//!
//! `N` particles move towards kernel barycentres of each other,
//!
//! ```text
//! dz_i/dt = F_i − z_i,    F_i = Σ_j ω_j w_ij z_j / Σ_j ω_j w_ij,    w_ij = exp(−β|z_i − z_j|²/2),
//! ```
//!
//! which turns a noisy sample into a particle approximation of its clean prior (Stage 1); averaging the particles with the
//! likelihood of a noisy token gives its posterior mean (Stage 2). Labels such as `eq:covariance-ode` in these pages are
//! those of the paper *Attention as In-Context Empirical Bayes: A Two-Stage View via Particle Dynamics*.
//!
//! # The map
//!
//! Data flows downwards; a module uses only those above it.
//!
//! | module | holds | paper |
//! |---|---|---|
//! | [`error`] | the one error type | |
//! | [`measured`] | a number with its error bars, a bracket | |
//! | `numeric` | quadrature, roots, sums, tails | |
//! | `parallel` | loops on all threads | |
//! | [`Gauge`] | how far some work is | |
//! | [`scale`] | times, temperatures, radii: one type each | remark "Time normalization" |
//! | [`simd`] | vectors of the machine: one trait, one choice at run time, one exponential | |
//! | [`cloud`] | weighted points; truncation of a sample to a ball | `alg:truncated-sequential-posterior` |
//! | `files` | NumPy files; files written whole or not at all (feature `files`) | |
//! | [`law`] | priors, their noisy laws, Bayes estimators | `sec:app_bayes_opt_GMM_formula` |
//! | [`drift`] | the kernel sums | `prop:sc-barycentric-drift` |
//! | [`flow`] | layers, adaptive integration, schedules; error bounds, events | `alg:two_stage_multilayer_attn` |
//! | [`exact`] | closed forms of Gaussian laws | `lem:gaussian-invariance-covariance`, `thm:gaussiandenoise` |
//! | [`meanfield`] | the flow of the law itself, `N = ∞` | `eq:nc-noncompact-continuity-equation` |
//! | [`posterior`] | Stage 2, energies, baselines | `eq:stage2_cross_attn`, `eq:energy_DAM` |
//! | [`mod@denoise`] | both stages in one call | `alg:full-sample-sequential-posterior` |
//! | [`metric`] | distances between clouds and laws | `eq:sc-KR` |
//! | `claim` | the paper's statements, judged by evidence with error bars (feature `study`) | |
//! | `study` | convergence studies: a TOML file in, rows, rates and verdicts on statements of its own out (feature `study`) | |
//! | `report` | what rows say, as text, CSV, JSON, JUnit, Markdown, SVG and HTML (feature `study`) | |
//!
//! How to add a law, a drift, an integrator, a quantity of studies or a claim is told where they live: [`law`], [`drift`], [`flow::integrator`],
//! `study::quantity`, `claim`. The modules `claim`, `study` and `report` carry the command-line tool and change with it; the rest is the library.
//!
//! # Three programs
//!
//! Denoise a cloud: row `i` of the result is the estimate for token `i`. A law is an inline table as here, or a TOML file of the same keys, by its name.
//!
//! ```
//! use ebflow::{Beta, Law, NoiseVariance};
//!
//! let prior = Law::parse("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }")?;
//! let (noise, beta) = (NoiseVariance::new(0.25)?, Beta::new(20.0)?);
//! let tokens = prior.sample_noisy(200, noise, 7)?.noisy;
//! let estimates = ebflow::denoise(&tokens, noise, beta)?;
//! assert_eq!(estimates.len(), tokens.len());
//! # Ok::<(), ebflow::Error>(())
//! ```
//!
//! Follow the flow and bound its error. Whatever is not said is chosen: the drift, tolerances of `1e-8`.
//!
//! ```
//! use ebflow::{Beta, Cloud, Flow, RawTime};
//!
//! let tokens = Cloud::new(vec![-1.2, -0.9, 0.8, 1.1], 1)?;
//! let run = Flow::new(Beta::new(20.0)?, RawTime::new(2.0)?).with_error_bound().run(&tokens)?;
//! assert!(run.error.bound.unwrap().w1 < 1e-6);
//! # Ok::<(), ebflow::Error>(())
//! ```
//!
//! Measure how far two clouds are apart, from both sides.
//!
//! ```
//! use ebflow::Cloud;
//!
//! let (a, b) = (Cloud::new(vec![0.0, 0.0], 2)?, Cloud::new(vec![3.0, 4.0], 2)?);
//! let distance = ebflow::w1(&a, &b)?;
//! assert!(distance.lower <= 5.0 && 5.0 <= distance.upper);
//! # Ok::<(), ebflow::Error>(())
//! ```
//!
//! # Notation
//!
//! | symbol | meaning | type or name |
//! |---|---|---|
//! | `t` | raw time, the clock of `dz/dt = F(z) − z` | [`RawTime`] |
//! | `s = t/β` | score time | [`ScoreTime`] |
//! | `N`, `d` | number of particles, dimension of the space | [`Cloud::len`], [`Cloud::dimension`] |
//! | `z_i`, `v_i`, `F_i` | particle, its drift, its barycentre `z_i + v_i` | [`DriftField::velocity`] |
//! | `β` | inverse temperature: the kernel is `N(0, I/β)` | [`Beta`] |
//! | `τ = σ²` | variance of the observation noise | [`NoiseVariance`] |
//! | `R` | radius of the ball that truncates the initial cloud | [`BallRadius`] |
//! | `T_β = βτ/2` | denoising horizon in raw time, `τ/2` in score time | [`NoiseVariance::denoising_horizon`] |
//! | `ω_j` | weight of particle `j`, `1/N` unless said otherwise | [`Cloud::weight`] |
//! | `η` | step of a layer, below 1 | [`Layers`] |
//! | `P0`, `f0`, `f_t` | clean prior, noisy law `N(0, τI) * P0`, law of the mean field at `t` | [`Law`], [`Law::noisy`], [`meanfield`] |
//! | `Σ0`, `τ_a²` | covariance of `P0`; its variance per axis, if that is one number | [`Law::covariance`] |
//! | `Γ_t` | covariance of the mean field of a Gaussian law, `Γ_0 = Σ0 + τI` | [`exact::CovarianceFlow`] |
//! | `T*` | score time at which the variance is back at `τ_a²` | [`exact::VarianceDescent`] |
//! | `m(y)` | posterior mean of `X ~ P0` given `y = X + N(0, τI)` | [`BayesOracle`], [`posterior`] |
//! | `ε` | how far leaving out a part of the kernel sum may move a drift | [`drift::Tolerance`] |
//! | `W1` | Wasserstein distance of order one | [`w1()`] |
#![warn(missing_docs)]
#![forbid(unsafe_code)]

#[cfg(feature = "study")]
pub mod claim;
pub mod cloud;
pub mod denoise;
pub mod drift;
pub mod error;
pub mod exact;
#[cfg(feature = "files")]
pub mod files;
pub mod flow;
mod gauge;
pub mod law;
pub mod meanfield;
pub mod measured;
pub mod metric;
mod numeric;
mod parallel;
pub mod posterior;
mod preset;
#[cfg(feature = "study")]
mod provenance;
#[cfg(feature = "study")]
pub mod report;
pub mod scale;
pub mod simd;
#[cfg(feature = "study")]
pub mod study;

pub use cloud::{Cloud, CloudView};
pub use denoise::denoise;
pub use drift::{Drift, DriftField, Targets};
pub use error::{Error, Result};
pub use flow::{Adaptive, Flow, Layers, Schedule, Trajectory};
pub use gauge::Gauge;
pub use law::{BayesOracle, Law};
pub use measured::{Bracket, Measured};
pub use metric::w1;
pub use preset::Preset;
#[cfg(feature = "study")]
pub use provenance::Provenance;
pub use scale::{BallRadius, Beta, NoiseVariance, RawTime, ScoreTime};
