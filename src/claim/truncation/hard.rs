//! Hard truncation in `W1`.
//!
//! # Formula
//! On the line `W1 = ∫|F_R − F|`. Below `−R` the difference is `−F`, above `R` it is `1 − F`, and in between it
//! increases (from `−F(−R)` to `1 − F(R)`), so with
//! `x*` its zero, and `∫_a^b F = L(b) − L(a)` for `L(x) = E(x − X)₊`, four pieces of known sign add up.
//!
//! Where length and direction are independent (symmetric laws on the line, rotationally symmetric ones in space),
//! `W1 = A_R − (q_R/p_R) I_R`: shortening along rays costs that much, and `|x|` is a potential that proves it optimal.
//! The bound then exceeds `W1` by the factor
//! `(A_R + (q/p)I_R)/(A_R − (q/p)I_R)`, which tends to one as `R` grows. It is attained by `pδ_r + qδ_{−x}`, `r ≤ R < x`.
//!
//! # Paper
//! `lem:nc-hard-truncation-W1`, `eq:nc-hard-truncation-W1-bound`

use std::f64::consts::TAU;

use super::integrals::radial_distance;
use super::moments::{Moments, SPLIT};
use crate::claim::{Axes, Card, Claim, Headline, Role, Row, VerdictKind};
use crate::cloud::Cloud;
use crate::error::{Error, Result};
use crate::law::{Gaussian, Law, LineLaw, Split, generator};
use crate::measured::Measured;
use crate::metric::transport::wasserstein;
use crate::numeric::root::bisect;
use crate::preset::Preset;
use crate::scale::BallRadius;

const SEED: u64 = 1205;

static CARD: Card = Card {
    id: "hard-truncation",
    label: "lem:nc-hard-truncation-W1",
    statement: "W1(μ^[R], μ) ≤ ∫_{|x|>R}|x|dμ + (q_R/p_R)∫_{B_R}|x|dμ for every law with a first moment and mass in the ball, hence W1(μ^[R], μ) → 0 as R → ∞.",
    gist: "W1(μ^[R], μ) ≤ ∫_{|x|>R}|x|dμ + (q_R/p_R)∫_{B_R}|x|dμ.",
    ours: "",
    regime: "Gaussian, mixture, Laplace, uniform and atomic laws on the line, clouds and isotropic Gaussians in d = 2, 3; R from half a standard deviation to six",
    correction: "",
    severity: None,
    expected: VerdictKind::Holds,
    headline: Headline {
        row: "N(0, 1), R = 4: W1(μ^[R], μ) against the bound",
        says: "W1 of N(0, 1) truncated at R = 4, and its bound",
    },
    plot: Some(Axes {
        x: "radius R", y: "W1(μ^[R], μ), compared with its bound", log_x: false, log_y: true
    }),
};

/// The claim; the truncated law and the mass it is divided by can be exchanged.
pub struct HardTruncation {
    /// The truncated law on the line, cut in two at a point.
    pub on_line: fn(&LineLaw, BallRadius, f64) -> Result<Split>,
    /// Cuts a cloud to the ball and normalises what is left.
    pub of_cloud: fn(&Cloud, BallRadius) -> Result<Cloud>,
    /// `p_R`, where it is known.
    pub mass: fn(&Law, BallRadius) -> Option<f64>,
}

impl Default for HardTruncation {
    fn default() -> Self {
        Self {
            on_line: |law, radius, x| Ok(law.truncated(radius)?.split(x)),
            of_cloud: Cloud::truncated_to,
            mass: |law, radius| law.truncated(radius).mass(),
        }
    }
}

/// A law on the line.
struct Case {
    name: &'static str,
    law: &'static str,
    symmetric: bool,
    radii: &'static [f64],
}

const CASES: [Case; 6] = [
    Case {
        name: "N(0, 1)",
        law: "{ kind = 'gaussian', mean = 0, std = 1 }",
        symmetric: true,
        radii: &[0.5, 1.0, 2.0, 4.0, 6.0],
    },
    Case {
        name: "N(1, 1)",
        law: "{ kind = 'gaussian', mean = 1, std = 1 }",
        symmetric: false,
        radii: &[1.0, 3.0],
    },
    Case {
        name: "mixture",
        law: "{ kind = 'mixture', weights = [0.3, 0.7], means = [-2, 1], std = 0.5 }",
        symmetric: false,
        radii: &[1.5, 3.0],
    },
    Case {
        name: "Laplace",
        law: "{ kind = 'laplace', mean = 0, scale = 1 }",
        symmetric: true,
        radii: &[2.0, 8.0],
    },
    Case {
        name: "uniform",
        law: "{ kind = 'uniform', low = -3, high = 3 }",
        symmetric: true,
        radii: &[1.0, 2.5],
    },
    Case {
        name: "atoms on either side",
        law: "{ kind = 'atoms', points = [1, -4], weights = [0.8, 0.2] }",
        symmetric: false,
        radii: &[2.0],
    },
];

impl Claim for HardTruncation {
    fn card(&self) -> &'static Card {
        &CARD
    }

    fn gather(&self, preset: Preset) -> Result<Vec<Row>> {
        let mut rows = Vec::new();
        for case in &CASES {
            let law = Law::parse(case.law)?.on_line()?;
            for &radius in case.radii {
                rows.push(self.bounded(case, &law, radius)?);
            }
            for &radius in &case.radii[..1] {
                rows.push(self.exact(case, &law, radius)?);
            }
        }
        rows.extend(self.polar()?);
        let sizes: &[usize] = match preset {
            Preset::Quick => &[150],
            Preset::Full => &[50, 150, 400, 1000],
        };
        for &n in sizes {
            rows.extend(self.clouds(n)?);
        }
        for (d, radii) in [(2, &[1.0, 2.0, 4.0][..]), (3, &[2.0, 4.0])] {
            rows.extend(self.radii(d, radii)?);
        }
        Ok(rows)
    }
}

impl HardTruncation {
    fn bounded(&self, case: &Case, law: &LineLaw, radius: f64) -> Result<Row> {
        let (w1, bound) = (self.line_w1(law, radius)?, Moments::on_line(law, radius).bound());
        let name = format!("{}, R = {radius}", case.name);
        Ok(Row::at_most(&name, "W1(μ^[R], μ) against the bound", w1, bound).at(case.name, radius))
    }

    /// What else is known: the distance of symmetric laws; of others, that truncation leaves a probability law.
    fn exact(&self, case: &Case, law: &LineLaw, radius: f64) -> Result<Row> {
        let name = format!("{}, R = {radius}", case.name);
        if case.symmetric {
            let (w1, exact) = (self.line_w1(law, radius)?, Moments::on_line(law, radius).radial_distance());
            return Ok(Row::equal(&name, "W1(μ^[R], μ) against A − (q/p)I", w1, exact));
        }
        let end = (self.on_line)(law, BallRadius::new(radius)?, radius)?;
        Ok(Row::equal(
            &name,
            "mass of μ^[R] in the ball",
            Measured::known_to(end.below, SPLIT),
            Measured::exact(1.0),
        ))
    }

    /// `∫|F_R − F|`, cut at `±R` and where the difference changes its sign.
    fn line_w1(&self, law: &LineLaw, radius: f64) -> Result<Measured> {
        let ball = BallRadius::new(radius)?;
        let pair = |x: f64| Ok(((self.on_line)(law, ball, x)?, law.split(x)));
        let [_, sign_change] = bisect(-radius, radius, |x| {
            let (cut, whole): (Split, Split) = pair(x)?;
            Ok::<_, Error>(cut.below < whole.below)
        })?;
        let (left, zero, right) = (pair(-radius)?, pair(sign_change)?, pair(radius)?);
        let lower = |(cut, whole): &(Split, Split)| cut.lower_mean - whole.lower_mean;
        let pieces = [
            lower(&left),
            lower(&zero) - lower(&left),
            lower(&right) - lower(&zero),
            right.0.upper_mean - right.1.upper_mean,
        ];
        // Every mean is good to its last digits.
        let size = left.1.lower_mean + right.0.lower_mean + right.1.lower_mean + right.1.upper_mean;
        Ok(Measured::known_to(pieces.iter().map(|piece| piece.abs()).sum(), 4.0 * SPLIT * size))
    }

    /// Samples are laws as well: exact transport, from both sides.
    fn clouds(&self, n: usize) -> Result<Vec<Row>> {
        let settings = [
            ("N((1, 0.5), I)", "{ kind = 'gaussian', mean = [1, 0.5], std = 1 }", 2.0),
            (
                "mixture, d = 2",
                "{ kind = 'mixture', weights = [0.3, 0.7], means = [[-2, 0], [1, 1]], std = 0.5 }",
                2.0,
            ),
            ("N(0, I), d = 3", "{ kind = 'gaussian', mean = [0, 0, 0], std = 1 }", 1.5),
        ];
        let mut rows = Vec::new();
        for (name, law, radius) in settings {
            let cloud = Law::parse(law)?.sample(n, &mut generator(SEED))?;
            let (w1, bound) = (self.cloud_w1(&cloud, radius)?, Moments::of_cloud(&cloud, radius).bound());
            let case = format!("{n} points of {name}, R = {radius}");
            rows.push(Row::at_most(&case, "W1(μ^[R], μ) against the bound", w1, bound));
        }
        Ok(rows)
    }

    fn cloud_w1(&self, cloud: &Cloud, radius: f64) -> Result<Measured> {
        let transport = wasserstein(&(self.of_cloud)(cloud, BallRadius::new(radius)?)?, cloud)?;
        Ok(Measured::known_to(transport.distance, transport.gap()))
    }

    /// `N(0, I)` in space: what is moved along rays, by quadrature, against the bound, and once against its closed form.
    fn radii(&self, d: usize, radii: &[f64]) -> Result<Vec<Row>> {
        let (law, series) =
            (Law::Gaussian(Gaussian::isotropic(vec![0.0; d], 1.0)?), format!("N(0, I), d = {d}"));
        let mut rows = Vec::new();
        for &radius in radii {
            let mass = (self.mass)(&law, BallRadius::new(radius)?).unwrap_or(f64::NAN);
            let (w1, moments) = (radial_distance(&law, mass, radius)?, Moments::of_ball(d, 1.0, radius)?);
            let case = format!("{series}, R = {radius}");
            if rows.is_empty() {
                let quantity = "∫|F_R − F| of the radii against A − (q/p)I";
                rows.push(Row::equal(&case, quantity, w1, moments.radial_distance()));
            }
            let row = Row::at_most(&case, "∫|F_R − F| of the radii against the bound", w1, moments.bound());
            rows.push(row.at(&series, radius));
        }
        Ok(rows)
    }

    /// The same points on every ray: length and direction are independent, and transport confirms the closed form.
    fn polar(&self) -> Result<[Row; 2]> {
        const RAYS: usize = 6;
        const RINGS: usize = 15;
        const RADIUS: f64 = 1.45;
        let ring = |k: usize| 0.2 * (k + 1) as f64;
        let point = |i: usize| {
            let (sine, cosine) = (TAU * (i % RAYS) as f64 / RAYS as f64).sin_cos();
            [ring(i / RAYS) * cosine, ring(i / RAYS) * sine]
        };
        let cloud = Cloud::new((0..RAYS * RINGS).flat_map(point).collect(), 2)?;
        let (w1, moments) = (self.cloud_w1(&cloud, RADIUS)?, Moments::of_cloud(&cloud, RADIUS));
        let case = format!("{RINGS} rings of {RAYS} points, R = {RADIUS}");
        let share = w1.value / moments.bound().value;
        let sharpness = Row::equal(
            &case,
            "W1 over its bound",
            Measured::known_to(share, w1.numerical),
            Measured::exact(1.0),
        );
        Ok([
            Row::equal(&case, "W1(μ^[R], μ) against A − (q/p)I", w1, moments.radial_distance()),
            sharpness.as_role(Role::Context),
        ])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// mpmath, 30 digits: `∫|F_R − F|` by quadrature between its zeros.
    #[test]
    fn distances_on_the_line_match_thirty_digits() {
        let rows = [
            (1, 1.0, 0.746_923_247_069_197_9),
            (1, 3.0, 0.055_174_336_099_411_98),
            (2, 1.5, 0.708_312_815_089_776_2),
        ];
        for (case, radius, exact) in rows {
            let law = Law::parse(CASES[case].law).unwrap().on_line().unwrap();
            let w1 = HardTruncation::default().line_w1(&law, radius).unwrap();
            assert!((w1.value - exact).abs() <= w1.numerical, "{w1:?}, not {exact}");
        }
    }
}
