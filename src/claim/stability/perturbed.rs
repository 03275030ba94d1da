//! [`Perturbed`]: laws on the line near `N(0, λ)`, as weighted nodes, with their exact distance to it.
//!
//! # Formula
//! ```text
//! shifted          N(ε, λ)                                   W1 = ε
//! dilated          N(0, (1 + ε)²λ)                           W1 = ε √λ √(2/π)
//! far mass         (1 − ε)N(0, λ) + ε δ_p                    W1 = ε E|p − X|
//! tail atom        N(0, λ) below s, all that is above at p   W1 = E[|p − X|; X > s]
//! quantised        N atoms at the means of N quantile cells  W1 on the line, exactly
//! sampled          N points of N(0, λ)                       W1 on the line, exactly
//! ```
//! `W1` is a norm of differences, so a share `ε` moves at the price of `ε` times the distance of what it is exchanged for. A tail atom is what makes the worst of the drift:
//! where it stands the law is so thin that `N(0, λ)` alone would pull it home at the speed `p/(1 + βλ)`, but it outweighs what the kernel sees of the law.

use super::reference::{cloud_of, nodes, reach};
use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::{Gaussian, Law, generator};
use crate::measured::Measured;
use crate::metric::line;
use crate::numeric::quadrature::{Node, SIXTEEN};
use crate::numeric::tail;

/// Kernel widths per panel of sixteen nodes: of the answer, and of what judges it.
const PANELS: [f64; 2] = [1.0, 2.0];
/// Exact distances on the line are good to this, relative to the standard deviation; the tests of `metric::line` hold it to it.
const LINE: f64 = 4e-15;

/// How a law differs from `N(0, λ)`.
#[derive(Debug, Clone, Copy)]
pub(super) enum Change {
    Shifted { by: f64 },
    Dilated { by: f64 },
    FarMass { share: f64, at: f64 },
    TailAtom { above: f64, at: f64 },
    Quantised { atoms: usize },
    Sampled { points: usize, seed: u64 },
}

/// A law near `N(0, λ)`.
#[derive(Debug, Clone)]
pub(super) struct Perturbed {
    pub fine: Cloud,
    pub coarse: Cloud,
    /// `W1` to `N(0, λ)`.
    pub distance: Measured,
}

impl Perturbed {
    pub fn new(beta: f64, variance: f64, change: Change) -> Result<Self> {
        let distance = distance(variance, change)?;
        match change {
            Change::Quantised { atoms } => Self::of_cloud(quantised(variance, atoms)?, variance),
            Change::Sampled { points, seed } => {
                let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], variance.sqrt())?);
                Self::of_cloud(law.sample(points, &mut generator(seed))?, variance)
            }
            _ => {
                let [fine, coarse] = PANELS.map(|widths| cloud_of(&resolved(beta, variance, change, widths)));
                Ok(Self { fine: fine?, coarse: coarse?, distance })
            }
        }
    }

    fn of_cloud(cloud: Cloud, variance: f64) -> Result<Self> {
        let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], variance.sqrt())?).on_line()?;
        let distance = Measured::known_to(line::w1_to_law(&cloud, &law)?, LINE * variance.sqrt());
        Ok(Self { coarse: cloud.clone(), fine: cloud, distance })
    }
}

/// Nodes of a law that has a density but for one atom.
fn resolved(beta: f64, variance: f64, change: Change, widths: f64) -> Vec<Node> {
    let far = reach(beta, variance);
    match change {
        Change::Shifted { by } => {
            let moved = |node: Node| Node { at: node.at + by, ..node };
            nodes(beta, variance, [-far, far], widths).into_iter().map(moved).collect()
        }
        Change::Dilated { by } => {
            let wide = (1.0 + by).powi(2) * variance;
            let far = reach(beta, wide);
            nodes(beta, wide, [-far, far], widths)
        }
        Change::FarMass { share, at } => {
            let mut found = nodes(beta, variance, [-far, far], widths);
            found.iter_mut().for_each(|node| node.weight *= 1.0 - share);
            found.push(Node { at, weight: share });
            found
        }
        Change::TailAtom { above, at } => {
            let mut found = nodes(beta, variance, [-far, above], widths);
            found.push(Node { at, weight: tail::upper(above / variance.sqrt()) });
            found
        }
        Change::Quantised { .. } | Change::Sampled { .. } => Vec::new(),
    }
}

/// `W1` to `N(0, λ)`, but for clouds.
fn distance(variance: f64, change: Change) -> Result<Measured> {
    let std = variance.sqrt();
    let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], std)?).on_line()?;
    Ok(match change {
        Change::Shifted { by } => Measured::exact(by),
        Change::Dilated { by } => Measured::exact(by * std * std::f64::consts::FRAC_2_PI.sqrt()),
        Change::FarMass { share, at } => {
            let split = law.split(at);
            Measured::exact(share * (split.lower_mean + split.upper_mean))
        }
        Change::TailAtom { above, at } => {
            let density = |x: f64| (at - x).abs() * tail::density(x / std) / std;
            let within = SIXTEEN.halved(above, at, density);
            within + Measured::exact(law.split(at).upper_mean)
        }
        Change::Quantised { .. } | Change::Sampled { .. } => Measured::UNKNOWN,
    })
}

/// Atoms at the means of quantile cells: `E[X; a < X ≤ b] = λ(f(a) − f(b))`.
fn quantised(variance: f64, atoms: usize) -> Result<Cloud> {
    let std = variance.sqrt();
    let law = Law::Gaussian(Gaussian::isotropic(vec![0.0], std)?).on_line()?;
    let edge = |k: usize| -> Result<f64> {
        Ok(if k == 0 || k == atoms {
            0.0
        } else {
            tail::density(law.quantile(k as f64 / atoms as f64)? / std)
        })
    };
    let edges = (0..=atoms).map(edge).collect::<Result<Vec<f64>>>()?;
    Cloud::new(edges.windows(2).map(|pair| atoms as f64 * std * (pair[0] - pair[1])).collect(), 1)
}
