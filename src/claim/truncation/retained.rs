//! A sample truncated after it was drawn: how much it keeps, and how little that moves it.
//!
//! # Formula
//! `N_R`, the number of points kept, is binomial with mean `N p_R`, so that Hoeffding's bound, the loss `1 − (1 − q_R)^N` and their simulation have exact
//! counterparts; Hoeffding's bound says something where it is below one. Sample by sample
//! `W1(ν, ν^emp[R]) ≤ (1/N) Σ_{|Y_i|>R} |Y_i| + R(N − N_R)/N`, whose mean is `A_R + Rq_R ≤ 2A_R`; Markov's inequality does the rest. Equality is attained by
//! two points, one inside at `r = R` and one outside on the other side.
//!
//! # Paper
//! `rem:empirical-hard-truncation`

use super::integrals::far;
use super::moments::{MASS, Moments};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::law::{Law, generator};
use crate::measured::Measured;
use crate::metric::distance;
use crate::numeric::binomial::Binomial;
use crate::numeric::larger;
use crate::preset::Preset;
use crate::scale::BallRadius;

const SEED: u64 = 1206;
/// Points in a sample.
const POINTS: usize = 100;
/// Points in a small sample, whose distance to its truncation fluctuates.
const FEW: usize = 10;
/// The distance that Markov's inequality is put to the test with.
const EPSILON: f64 = 0.2;

static CARD: Card = Card {
    id: "retained-fraction",
    label: "rem:empirical-hard-truncation",
    statement: "The retained fraction obeys Hoeffding's bound, no point is lost with probability (1−q_R)^N ≥ 1−Nq_R, W1(ν_N, ν_N^emp[R]) is at most (1/N)Σ_{|Y_i|>R}|Y_i| + R(N−N_R)/N if a point is left, and exceeds ε with probability at most (A_R+Rq_R)/ε.",
    gist: "What truncating a sample to a ball loses, with high probability.",
    ours: "",
    regime: "Gaussian and Laplace laws in d = 1, 2; exact binomial probabilities for N from 100 to 1000 (in full from 20 to 5000) where Hoeffding's bound is below one, samples of 10 and 100 points",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "N(0.5, 1), R = 1.5, N = 100: mean W1 against E[|Y|; |Y| > R] + R P(|Y| > R)",
        says: "mean W1 lost by N = 100 points at R = 1.5",
    },
    plot: Some(Axes {
        x: "deviation η",
        y: "P(|N_R/N − p_R| > η) compared with Hoeffding's bound",
        log_x: false,
        log_y: true,
    }),
};

/// The claim; truncation and the mass of a ball can be exchanged.
pub struct RetainedFraction {
    /// Truncates a sample.
    pub cut: fn(&Cloud, BallRadius) -> Result<Cloud>,
    /// `p_R`, where it is known.
    pub mass: fn(&Law, BallRadius) -> Option<f64>,
    /// What `P(|N_R/N − p_R| > η)` is bounded by, given `N` and `η`.
    pub deviation: fn(f64, f64) -> f64,
}

impl Default for RetainedFraction {
    fn default() -> Self {
        Self {
            cut: Cloud::truncated_to,
            mass: |law, radius| law.truncated(radius).mass(),
            deviation: hoeffding,
        }
    }
}

/// Hoeffding's bound.
fn hoeffding(n: f64, eta: f64) -> f64 {
    2.0 * (-2.0 * n * eta * eta).exp()
}

/// A law with a ball that loses many points and one that loses few.
struct Case {
    name: &'static str,
    law: &'static str,
    narrow: f64,
    wide: f64,
}

const CASES: [Case; 3] = [
    Case { name: "N(0.5, 1)", law: "{ kind = 'gaussian', mean = 0.5, std = 1 }", narrow: 1.5, wide: 2.9 },
    Case { name: "Laplace", law: "{ kind = 'laplace', mean = 0, scale = 1 }", narrow: 1.5, wide: 4.8 },
    Case {
        name: "N(0, I), d = 2",
        law: "{ kind = 'gaussian', mean = [0, 0], std = 1 }",
        narrow: 1.5,
        wide: 3.1,
    },
];

impl Claim for RetainedFraction {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        // Shares are counted over many samples; transport is dear, so fewer are moved.
        let (samples, moved) = match preset {
            Preset::Quick => (4000, 100),
            Preset::Full => (40_000, 1000),
        };
        let mut rows = Vec::new();
        for case in &CASES {
            let law = Law::parse(case.law)?;
            let mut stream = generator(SEED);
            let mut draw = |points: usize, count: usize| -> Result<Vec<Cloud>> {
                (0..count).map(|_| law.sample(points, &mut stream)).collect()
            };
            let (clouds, small) = (draw(POINTS, samples)?, draw(FEW, samples)?);
            rows.push(self.fraction(case, &law, &clouds)?);
            rows.extend(self.loss(case, &law, &clouds)?);
            rows.extend(self.distances(case, &law, &clouds[..moved])?);
            rows.push(self.markov(case, &law, &small)?);
        }
        rows.extend(self.deviations(preset)?);
        rows.push(sharpest()?);
        Ok(rows)
    }
}

/// A share of independent trials with its standard error, that of the probability if it is known.
fn share(hits: usize, trials: usize, probability: f64) -> Measured {
    let error = (probability * (1.0 - probability) / trials as f64).sqrt();
    Measured::exact(hits as f64 / trials as f64).sampled(error)
}

/// `q_R` and `A_R`.
struct Outside {
    mass: Measured,
    far: Measured,
}

impl Outside {
    /// `R q_R`.
    fn inner(&self, radius: f64) -> Measured {
        radius * self.mass
    }

    /// `A_R + R q_R`, divided by `ε`.
    fn bound(&self, radius: f64, epsilon: f64) -> Measured {
        (self.far + self.inner(radius)) / epsilon
    }
}

impl RetainedFraction {
    fn retained(&self, law: &Law, radius: f64) -> Result<Measured> {
        let mass = (self.mass)(law, BallRadius::new(radius)?).ok_or(Error::Unsupported {
            kind: law.kind_name(),
            capability: "the mass of a ball",
            remedy: "choose a law whose ball has a known mass",
        })?;
        Ok(Measured::known_to(mass, MASS * mass))
    }

    /// `q_R` by the mass of the ball and `A_R` by quadrature.
    fn outside(&self, law: &Law, radius: f64) -> Result<Outside> {
        Ok(Outside { mass: 1.0 - self.retained(law, radius)?, far: far(law, radius)? })
    }

    fn kept(&self, cloud: &Cloud, radius: f64) -> Result<usize> {
        match (self.cut)(cloud, BallRadius::new(radius)?) {
            Ok(kept) => Ok(kept.len()),
            Err(Error::NoTokenInBall { .. }) => Ok(0),
            Err(error) => Err(error),
        }
    }

    /// The mean of `N_R/N`.
    fn fraction(&self, case: &Case, law: &Law, clouds: &[Cloud]) -> Result<Row> {
        let (p, mut total) = (self.retained(law, case.narrow)?, 0);
        for cloud in clouds {
            total += self.kept(cloud, case.narrow)?;
        }
        let measured = share(total, POINTS * clouds.len(), p.value);
        let name = format!("{}, R = {}, N = {POINTS}", case.name, case.narrow);
        Ok(Row::equal(&name, "mean of N_R/N against p_R", measured, p))
    }

    /// How many samples lose nothing.
    fn loss(&self, case: &Case, law: &Law, clouds: &[Cloud]) -> Result<[Row; 2]> {
        let (p, n) = (self.retained(law, case.wide)?, POINTS as f64);
        // Powers err by N times as much as what is raised, which is at most one.
        let whole = Measured::known_to((n * p.value.ln()).exp(), n * p.numerical);
        let least = 1.0 - n * (1.0 - p);
        let mut intact = 0;
        for cloud in clouds {
            intact += usize::from(self.kept(cloud, case.wide)? == POINTS);
        }
        let name = format!("{}, R = {}, N = {POINTS}", case.name, case.wide);
        let counted = share(intact, clouds.len(), whole.value);
        Ok([
            Row::equal(&name, "share of samples that lose nothing against (1−q)^N", counted, whole),
            Row::at_least(&name, "share of samples that lose nothing against 1−Nq", counted, least),
        ])
    }

    /// W1 between samples and what is kept of them.
    fn distances(&self, case: &Case, law: &Law, clouds: &[Cloud]) -> Result<[Row; 3]> {
        let (radius, outside) = (case.narrow, self.outside(law, case.narrow)?);
        let (mut worst, mut gap, mut apart) = (0.0_f64, 0.0_f64, 0.0_f64);
        let mut values = Vec::with_capacity(clouds.len());
        for cloud in clouds {
            let w1 = distance(cloud, &(self.cut)(cloud, BallRadius::new(radius)?)?)?;
            let allowed = Moments::of_cloud(cloud, radius).empirical_bound(radius);
            if allowed.value > 0.0 {
                worst = larger(worst, w1.w1 / allowed.value);
                gap = larger(gap, (w1.bracket.width() + allowed.numerical) / allowed.value);
            }
            apart = larger(apart, w1.bracket.width());
            values.push(w1.w1);
        }
        let name = format!("{}, R = {radius}, N = {POINTS}", case.name);
        let (worst, one) = (Measured::known_to(worst, gap), Measured::exact(1.0));
        Ok([
            Row::at_most(&name, "largest W1 over its bound, sample by sample", worst, one),
            Row::at_most(
                &name,
                "mean W1 against E[|Y|; |Y| > R] + R P(|Y| > R)",
                mean(&values, apart),
                outside.bound(radius, 1.0),
            ),
            Row::at_most(&name, "R P(|Y| > R) against E[|Y|; |Y| > R]", outside.inner(radius), outside.far),
        ])
    }

    /// How often small samples are moved by more than `ε`.
    fn markov(&self, case: &Case, law: &Law, clouds: &[Cloud]) -> Result<Row> {
        let (radius, mut above) = (BallRadius::new(case.wide)?, 0);
        for cloud in clouds {
            let kept = match (self.cut)(cloud, radius) {
                Err(Error::NoTokenInBall { .. }) => continue,
                kept => kept?,
            };
            above += usize::from(kept.len() < FEW && distance(cloud, &kept)?.w1 > EPSILON);
        }
        let bound = self.outside(law, case.wide)?.bound(case.wide, EPSILON);
        let rate = above as f64 / clouds.len() as f64;
        let name = format!("{}, R = {}, N = {FEW}, ε = {EPSILON}", case.name, case.wide);
        Ok(Row::at_most(
            &name,
            "share of samples with W1 > ε, against Markov's bound",
            share(above, clouds.len(), rate),
            bound,
        ))
    }

    /// Exact probabilities of a deviation.
    fn deviations(&self, preset: Preset) -> Result<Vec<Row>> {
        let (sizes, etas): (&[u32], &[f64]) = match preset {
            Preset::Quick => (&[100, 400, 1000], &[0.02, 0.05, 0.1]),
            Preset::Full => (&[20, 100, 400, 1000, 5000], &[0.01, 0.02, 0.05, 0.1, 0.2]),
        };
        let (law, mut rows) = (Law::parse(CASES[0].law)?, Vec::new());
        let p = self.retained(&law, CASES[0].narrow)?;
        for &n in sizes {
            // Of a probability, a bound of one and more says nothing.
            for &eta in etas.iter().filter(|&&eta| hoeffding(f64::from(n), eta) < 1.0) {
                let case = format!("{}, R = {}, N = {n}, η = {eta}", CASES[0].name, CASES[0].narrow);
                let bound = Measured::exact((self.deviation)(f64::from(n), eta));
                let row = Row::at_most(
                    &case,
                    "P(|N_R/N − p| > η), exactly, against 2e^{−2Nη²}",
                    Binomial::new(n as usize).tail(p, eta),
                    bound,
                );
                rows.push(row.at(&format!("N = {n}"), eta));
            }
        }
        Ok(rows)
    }
}

/// Two points that attain the bound, and the one of them that is kept.
fn sharpest() -> Result<Row> {
    let (cloud, kept, radius) = (Cloud::new(vec![2.0, -3.0], 1)?, Cloud::new(vec![2.0], 1)?, 2.0);
    let ratio = distance(&cloud, &kept)?.w1 / Moments::of_cloud(&cloud, radius).empirical_bound(radius).value;
    let row = Row::equal(
        "points 2 and −3, R = 2",
        "W1 over its bound",
        Measured::exact(ratio),
        Measured::exact(1.0),
    );
    Ok(row.as_role(Role::Context))
}

/// A mean of independent numbers, each known to `error`, with its standard error.
fn mean(values: &[f64], error: f64) -> Measured {
    let count = values.len() as f64;
    let mean = values.iter().sum::<f64>() / count;
    let square: f64 = values.iter().map(|v| (v - mean).powi(2)).sum();
    Measured::known_to(mean, error).sampled((square / (count - 1.0) / count).sqrt())
}
