//! [`Tuner`]: the inverse temperature and the depth of least estimated risk.
//!
//! The scale of `β` is that of the noise: what matters is `b = βτ`. From `b = 4`, or less where most tokens see nobody with that, the ladder `b = 2^k` is climbed in either direction while
//! the least risk over all depths falls. Upwards it ends where most tokens see nobody, since then no depth moves them; downwards one rung that is no better is forgiven. Depths are multiples of the
//! horizon `τ/2`, the one-shot estimator (depth zero) among them.
//!
//! Deep runs under sharp kernels answer violently to their tokens, so that one set of signs says little of their risk. The best rungs are therefore tried with more signs, and the
//! standard error is added before risks are compared: what is uncertain must be better to be chosen. The least of several noisy numbers is too small all the same. So the
//! risk of the choice is estimated once more, with signs that had no say in it.

use std::sync::Arc;

use rand::RngExt;
use serde::Serialize;

use super::neighbours::Neighbours;
use super::risk::{Problem, Terms};
use crate::cloud::Cloud;
use crate::drift::{Auto, Drift};
use crate::error::{Error, Result};
use crate::law::{Generator, generator, noise_generator};
use crate::scale::{Beta, NoiseVariance, RawTime, ScoreTime};

/// The seed of the random signs, unless another is asked for.
const SEED: u64 = 0;

/// Depths that are tried, in units of the denoising horizon.
const DEPTHS: [f64; 10] = [0.0, 0.5, 0.75, 1.0, 1.25, 1.5, 1.75, 2.0, 2.5, 3.0];

/// `log₂ βτ` where the search starts, and where it ends at the latest.
const START: f64 = 2.0;
const LOWEST: f64 = -10.0;
const HIGHEST: f64 = 40.0;

/// Rungs that are tried with more signs, and how many more.
const FINALISTS: usize = 3;
const MORE_SIGNS: usize = 2;

/// Rungs in a row that are no better before the ladder is left, downwards and upwards.
const PATIENCE: [usize; 2] = [2, 1];

/// Beyond this share of tokens that see nobody a sharper kernel is not tried.
const MOST_ISOLATED: f64 = 0.5;

/// Chooses the inverse temperature, the depth, or both, for tokens whose prior nobody knows.
///
/// ```
/// use ebflow::denoise::Tuner;
/// use ebflow::{Law, NoiseVariance};
/// let noise = NoiseVariance::new(0.25)?;
/// let prior = Law::parse("{ kind = 'mixture', weights = [0.5, 0.5], means = [-1, 1], std = 0.1 }")?;
/// let sample = prior.sample_noisy(500, noise, 7)?;
/// let tuning = Tuner::new(noise).tune(&sample.noisy)?;
/// assert!(tuning.risk.estimate < 0.1 && tuning.risk.standard_error < 0.03);
/// # Ok::<(), ebflow::Error>(())
/// ```
#[derive(Clone)]
pub struct Tuner<'a> {
    noise: NoiseVariance,
    beta: Option<Beta>,
    depth: Option<ScoreTime>,
    drift: Arc<dyn Drift + 'a>,
    seed: u64,
}

/// What a [`Tuner`] chooses.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Tuning {
    /// Inverse temperature of Stage 1.
    pub beta: Beta,
    /// Score time up to which Stage 1 runs.
    pub depth: ScoreTime,
    /// The risk of this choice, judged by signs that had no say in it.
    pub risk: Risk,
    /// The risk of everything that was tried, `β` and then depths increasing.
    pub curve: Vec<Tried>,
}

/// An estimated mean squared error per token, summed over coordinates.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Risk {
    /// The estimate, which scatters about the error that was made: where that is small it may be negative.
    pub estimate: f64,
    /// Its standard error over the tokens.
    pub standard_error: f64,
}

impl Risk {
    /// What choices are compared by.
    fn cautious(&self) -> f64 {
        self.estimate + self.standard_error
    }
}

/// A choice that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tried {
    /// Inverse temperature of Stage 1.
    pub beta: Beta,
    /// Score time up to which Stage 1 ran.
    pub score_time: ScoreTime,
    /// The same as raw time.
    pub raw_time: RawTime,
    /// What it comes to, by the signs that choose.
    #[serde(flatten)]
    pub risk: Risk,
}

impl<'a> Tuner<'a> {
    /// Chooses both; kernel sums are evaluated by [`Auto`].
    pub fn new(noise: NoiseVariance) -> Self {
        Self { noise, beta: None, depth: None, drift: Arc::new(Auto::default()), seed: SEED }
    }

    /// Keeps to an inverse temperature, if one is given.
    pub fn with_beta(self, beta: impl Into<Option<Beta>>) -> Self {
        Self { beta: beta.into(), ..self }
    }

    /// Keeps to a depth, if one is given.
    pub fn with_depth(self, depth: impl Into<Option<ScoreTime>>) -> Self {
        Self { depth: depth.into(), ..self }
    }

    /// Evaluates kernel sums this way.
    pub fn with_drift(self, drift: impl Drift + 'a) -> Self {
        Self { drift: Arc::new(drift), ..self }
    }

    /// Draws the random signs from this seed.
    pub fn with_seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// Chooses for these tokens.
    pub fn tune(&self, tokens: &Cloud) -> Result<Tuning> {
        if tokens.len() < 2 {
            return Err(Error::InvalidParameter {
                name: "number of tokens",
                value: tokens.len() as f64,
                requirement: "at least two for a choice of β and depth by their risk; choose both yourself",
            });
        }
        let problem = Problem::new(tokens, self.noise, self.drift.as_ref())?;
        let mut generator = generator(self.seed);
        let signs = (0..=MORE_SIGNS).map(|_| signs(tokens, &mut generator)).collect();
        let mut search = Search { tuner: self, problem, signs, rungs: vec![] };
        match self.beta {
            Some(beta) => search.visit(beta)?,
            None => search.climb()?,
        }
        search.look_again()?;
        search.finish()
    }

    /// Depths to try, increasing.
    fn depths(&self) -> Result<Vec<ScoreTime>> {
        match self.depth {
            Some(depth) => Ok(vec![depth]),
            None => {
                let horizon = self.noise.denoising_horizon().get();
                DEPTHS.iter().map(|multiple| ScoreTime::new(multiple * horizon)).collect()
            }
        }
    }
}

pub(super) fn signs(tokens: &Cloud, generator: &mut Generator) -> Vec<f64> {
    tokens.points().iter().map(|_| if generator.random() { 1.0 } else { -1.0 }).collect()
}

/// A temperature that was tried.
struct Rung {
    beta: Beta,
    /// The terms of the tokens at every depth, means over the signs.
    terms: Vec<Terms>,
    /// At every depth.
    risks: Vec<Risk>,
}

impl Rung {
    fn least(&self) -> f64 {
        self.risks.iter().map(Risk::cautious).fold(f64::INFINITY, f64::min)
    }
}

/// A search under way.
struct Search<'a> {
    tuner: &'a Tuner<'a>,
    problem: Problem<'a>,
    /// Those by which rungs are climbed, then those for finalists.
    signs: Vec<Vec<f64>>,
    rungs: Vec<Rung>,
}

impl Search<'_> {
    /// Tries all depths at one temperature.
    fn visit(&mut self, beta: Beta) -> Result<()> {
        let terms = self.problem.terms(beta, &self.tuner.depths()?, &self.signs[..1])?;
        let risks = terms.iter().map(|terms| self.risk(terms)).collect();
        self.rungs.push(Rung { beta, terms, risks });
        Ok(())
    }

    /// Tries the best temperatures with more signs.
    fn look_again(&mut self) -> Result<()> {
        self.rungs.sort_by(|a, b| a.least().total_cmp(&b.least()));
        let depths = self.tuner.depths()?;
        for at in 0..self.rungs.len().min(FINALISTS) {
            let more = self.problem.terms(self.rungs[at].beta, &depths, &self.signs[1..])?;
            for (depth, more) in more.iter().enumerate() {
                let share = 1.0 / self.signs.len() as f64;
                let terms = &mut self.rungs[at].terms[depth];
                let mean = |(first, more): (&f64, &f64)| share * first + (1.0 - share) * more;
                terms.tokens = terms.tokens.iter().zip(&more.tokens).map(mean).collect();
                self.rungs[at].risks[depth] = self.risk(&self.rungs[at].terms[depth]);
            }
        }
        Ok(())
    }

    fn risk(&self, terms: &Terms) -> Risk {
        let tokens = &self.problem.tokens;
        let weighted = || terms.tokens.iter().enumerate().map(|(i, r)| (tokens.weight(i), r));
        let estimate = weighted().map(|(w, r)| w * r).sum::<f64>();
        let variance: f64 = weighted().map(|(w, r)| (w * (r - estimate)).powi(2)).sum();
        let n = tokens.len() as f64;
        Risk { estimate, standard_error: (variance * n / (n - 1.0)).sqrt() }
    }

    /// `β = 2^k/τ`
    fn beta(&self, rung: f64) -> Result<Beta> {
        Beta::new(rung.exp2() / self.tuner.noise.get())
    }

    fn least(&self) -> f64 {
        self.rungs.iter().map(Rung::least).fold(f64::INFINITY, f64::min)
    }

    /// Climbs the ladder from its start, down, and up if that is no better.
    fn climb(&mut self) -> Result<()> {
        let mut start = START;
        while start > LOWEST && !self.is_seen(start)? {
            start -= 1.0;
        }
        self.visit(self.beta(start)?)?;
        let [downwards, upwards] = PATIENCE;
        let least = self.least();
        self.walk(start, -1.0, downwards)?;
        if self.least() >= least {
            self.walk(start, 1.0, upwards)?;
        }
        Ok(())
    }

    /// Tries rung after rung until so many in a row are no better.
    fn walk(&mut self, from: f64, by: f64, patience: usize) -> Result<()> {
        let (mut at, mut no_better) = (from + by, 0);
        while no_better < patience && (LOWEST..=HIGHEST).contains(&at) && self.is_seen(at)? {
            let least = self.least();
            self.visit(self.beta(at)?)?;
            no_better = if self.least() < least { 0 } else { no_better + 1 };
            at += by;
        }
        Ok(())
    }

    /// Do enough tokens see others?
    fn is_seen(&self, rung: f64) -> Result<bool> {
        let neighbours = Neighbours::of(&self.problem.tokens, self.beta(rung)?, self.problem.drift)?;
        Ok(neighbours.isolated <= MOST_ISOLATED)
    }

    /// The best of what was tried, judged once more.
    fn finish(mut self) -> Result<Tuning> {
        self.rungs.sort_by(|a, b| a.beta.get().total_cmp(&b.beta.get()));
        let mut curve = Vec::new();
        for Rung { beta, terms, risks } in &self.rungs {
            for (Terms { depth, .. }, &risk) in terms.iter().zip(risks) {
                curve.push(Tried { beta: *beta, score_time: *depth, raw_time: depth.to_raw(*beta)?, risk });
            }
        }
        let by_risk = |a: &&Tried, b: &&Tried| a.risk.cautious().total_cmp(&b.risk.cautious());
        let nothing = || Error::Empty { what: "the set of depths to try".into() };
        let best = *curve.iter().min_by(by_risk).ok_or_else(nothing)?;
        let (beta, depth) = (best.beta, best.score_time);
        let fresh = signs(&self.problem.tokens, &mut noise_generator(self.tuner.seed));
        let judged = self.problem.terms(beta, &[depth], &[fresh])?;
        let risk = self.risk(judged.first().ok_or_else(nothing)?);
        Ok(Tuning { beta, depth, risk, curve })
    }
}
