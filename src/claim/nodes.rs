//! Gauss–Legendre panels, integrals with an error bar, and laws on the line as weighted clouds of nodes.

use std::sync::LazyLock;

use crate::cloud::Cloud;
use crate::error::Result;
use crate::law::Law;
use crate::meanfield::gauss::GaussRule;
use crate::measured::Measured;

/// The rule of a panel: exact for polynomials of degree 31.
static PANEL: LazyLock<GaussRule> = LazyLock::new(|| GaussRule::new(16));

/// Weights are good to this much, relatively: the test below holds the rule to it.
const RULE: f64 = 1e-13;

/// A point and its weight.
#[derive(Debug, Clone, Copy)]
pub(super) struct Node {
    pub(super) at: f64,
    pub(super) weight: f64,
}

/// Nodes on `[a, b]`, cut into equal panels.
pub(super) fn nodes(a: f64, b: f64, panels: usize) -> Vec<Node> {
    let half = 0.5 * (b - a) / panels as f64;
    let centres = (0..panels).map(|panel| a + half * (2 * panel + 1) as f64);
    let panel = |centre: f64| {
        let pairs = PANEL.nodes.iter().zip(&PANEL.weights);
        pairs.map(move |(at, weight)| Node { at: centre + half * at, weight: half * weight })
    };
    centres.flat_map(panel).collect()
}

/// `∫_a^b f` of a function that keeps its sign. The bar adds up the bars of its values, rounding of weights and of the sum, and the change from half as many panels.
pub(super) fn integral(
    f: impl Fn(f64) -> Result<Measured>,
    a: f64,
    b: f64,
    panels: usize,
) -> Result<Measured> {
    let sum = |panels: usize| -> Result<Measured> {
        let terms = nodes(a, b, panels).into_iter().map(|Node { at, weight }| Ok(weight * f(at)?));
        let sum: Measured = terms.sum::<Result<_>>()?;
        Ok(sum.widened(RULE * sum.value.abs()))
    };
    let (coarse, fine) = (sum(panels.div_ceil(2))?, sum(panels)?);
    Ok(fine.widened((fine.value - coarse.value).abs()))
}

/// A law on the line as a cloud: its density at the nodes of panels between places where it is not smooth.
pub(super) fn cloud_of(law: &Law, breaks: &[f64], panels: usize) -> Result<Cloud> {
    let between = breaks.windows(2).flat_map(|ends| nodes(ends[0], ends[1], panels));
    let (mut points, mut weights) = (Vec::new(), Vec::new());
    for Node { at, weight } in between {
        points.push(at);
        weights.push(weight * law.density(&[at])?);
    }
    Cloud::new(points, 1)?.with_weights(weights)
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use super::*;

    #[test]
    fn the_rule_is_exact_for_polynomials_of_its_degree() {
        for degree in 0..32 {
            let ours: f64 = nodes(0.0, 2.0, 1).iter().map(|node| node.weight * node.at.powi(degree)).sum();
            let exact = 2.0_f64.powi(degree + 1) / f64::from(degree + 1);
            assert!((ours / exact - 1.0).abs() < RULE, "{degree}: {ours}");
        }
    }

    #[test]
    fn integrals_lie_within_their_bars() {
        let gaussian = integral(|x| Ok(Measured::exact((-0.5 * x * x).exp())), -40.0, 40.0, 40).unwrap();
        assert!(
            (gaussian.value - (2.0 * PI).sqrt()).abs() <= gaussian.numerical && gaussian.numerical < 1e-12
        );
        let kink = integral(|x| Ok(Measured::exact((x - 0.1).abs())), 0.0, 1.0, 3).unwrap();
        assert!((kink.value - 0.41).abs() <= kink.numerical && kink.numerical > 1e-5, "{kink:?}");
    }

    #[test]
    fn clouds_of_laws_have_their_moments() {
        let law = Law::parse("{ kind = 'laplace', mean = 0.5, scale = 0.25 }").unwrap();
        let cloud = cloud_of(&law, &[-9.5, 0.5, 10.5], 20).unwrap();
        assert!((cloud.mean()[0] - 0.5).abs() < 1e-14);
        assert!((cloud.covariance()[(0, 0)] - 0.125).abs() < 1e-14);
    }
}
