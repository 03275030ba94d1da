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
//! | [`denoise`] | both stages in one call | `alg:full-sample-sequential-posterior` |
//! | [`metric`] | distances between clouds and laws | `eq:sc-KR` |
//! | `study` | convergence studies: a TOML file in, rows and rates out (feature `study`) | |
//! | `claim` | the paper's statements, judged by evidence with error bars (feature `study`) | |
//! | `report` | what rows say, as text, CSV, JSON, JUnit, Markdown, SVG and HTML (feature `study`) | |
//!
//! # A first flow
//!
//! ```
//! use ebflow::drift::Dense;
//! use ebflow::law::Law;
//! use ebflow::{Adaptive, Beta, Flow, NoiseVariance, Schedule};
//!
//! let prior = Law::parse("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }")?;
//! let noise = NoiseVariance::new(0.25)?;
//! let tokens = prior.sample_noisy(200, noise, 7)?.noisy;
//!
//! let flow = Flow::new(Schedule::constant(Beta::new(20.0)?), noise.denoising_horizon())?;
//! let trajectory = flow.run(&tokens, &Dense, &Adaptive::new(1e-6, 1e-6)?)?;
//! assert!(trajectory.end.covariance()[(0, 0)] < tokens.covariance()[(0, 0)]);
//! # Ok::<(), ebflow::Error>(())
//! ```
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
pub mod law;
pub mod meanfield;
pub mod measured;
pub mod metric;
mod numeric;
pub mod posterior;
#[cfg(feature = "study")]
pub mod report;
pub mod scale;
pub mod simd;
#[cfg(feature = "study")]
pub mod study;

pub use cloud::{Cloud, CloudView};
pub use drift::{Drift, DriftField, Targets};
pub use error::{Error, Result};
pub use flow::{Adaptive, Flow, Layers, Schedule, Trajectory};
pub use law::{BayesOracle, Law};
pub use measured::{Bracket, Measured};
pub use scale::{BallRadius, Beta, NoiseVariance, RawTime, ScoreTime};
