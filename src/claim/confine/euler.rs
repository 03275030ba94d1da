//! What Euler's rule does to leading order: the constant `C` of `C/L`, with its sign.
//!
//! # Formula
//! Layers of step `h = T/L` follow `ż = v − (h/2)Jv` up to `O(h²)`, `J` the Jacobian of the drift of all particles. So
//! `z_L − z(T) = h w(T) + O(h²)` with
//! ```text
//! ẇ = Jw − ½Jv,    w(0) = 0.
//! ```
//! For a Gaussian law in the mean field everything is known: a layer maps the standard deviation `σ` along an
//! eigenvector to `σ + h g(σ)`,
//! `g(σ) = −σ/(1 + βσ²)`, the flow is `σ̇ = g(σ)`, and a change of `σ` at time `t` reaches the horizon as `g(σ_T)/g(σ_t)` times itself, so
//! ```text
//! σ_L − σ(T) = −(h/2) ∫₀ᵀ (g_T/g) g'g dt + O(h²) = C/L + O(L^{−2}),    C = −(T/2) g_T ln(g_T/g_0).
//! ```
//! A network sees the mean field through weighted nodes: a trapezoid rule of spacing `c(β + 1/σ²)^{−1/2}` up to `r`
//! standard deviations. The sums that the flow sees have Gaussian summands of precision `β + 1/σ²` at most, so the rule
//! misses them by `e^{−2π²/c²}`, relatively, and as the flow draws the nodes together it resolves them better.

use crate::cloud::{Cloud, CloudView};
use crate::drift::JacobianField;
use crate::error::Result;
use crate::scale::Beta;

/// Spacing `c` and reach `r` of the nodes: what they miss is 6e-16 and 2e-16, and 4e-14 and 1e-14 for those that judge them.
pub(super) const FINE: Trapezoid = Trapezoid { spacing: 0.75, reach: 8.5 };
pub(super) const COARSE: Trapezoid = Trapezoid { spacing: 0.8, reach: 8.0 };

/// Steps of Runge and Kutta's rule for `w`, which leave less than a millionth, and half as many to judge them.
pub(super) const FINE_STEPS: usize = 64;
pub(super) const COARSE_STEPS: usize = 32;

/// `C` for a Gaussian law that goes from one standard deviation to another in a time.
pub(super) fn gaussian_constant(beta: f64, time: f64, start: f64, end: f64) -> f64 {
    let speed = |s: f64| -s / (1.0 + beta * s * s);
    let (first, last) = (speed(start), speed(end));
    -0.5 * time * last * (last / first).ln()
}

/// A rule for a Gaussian law on the line.
pub(super) struct Trapezoid {
    spacing: f64,
    reach: f64,
}

impl Trapezoid {
    /// The centred law of a variance as nodes for a kernel.
    pub(super) fn nodes(&self, variance: f64, beta: f64) -> Result<Cloud> {
        let step = self.spacing / (beta * variance + 1.0).sqrt();
        let most = (self.reach / step).floor() as i64;
        let places = || (-most..=most).map(|k| k as f64 * step);
        let total: f64 = places().map(|x| (-0.5 * x * x).exp()).sum();
        let weights = places().map(|x| (-0.5 * x * x).exp() / total).collect();
        Cloud::new(places().map(|x| x * variance.sqrt()).collect(), 1)?.with_weights(weights)
    }
}

/// Particles and what Euler's rule does to them.
struct State {
    z: Vec<f64>,
    w: Vec<f64>,
}

impl State {
    fn moved(&self, by: f64, slope: &Self) -> Self {
        let add = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a + by * b).collect();
        Self { z: add(&self.z, &slope.z), w: add(&self.w, &slope.w) }
    }
}

/// `w(T)`, by Runge and Kutta's rule of fourth order.
pub(super) fn leading_error(cloud: &Cloud, beta: Beta, time: f64, steps: usize) -> Result<Vec<f64>> {
    let h = time / steps as f64;
    let mut state = State { z: cloud.points().to_vec(), w: vec![0.0; cloud.points().len()] };
    for _ in 0..steps {
        let a = slope(&state, cloud, beta)?;
        let b = slope(&state.moved(0.5 * h, &a), cloud, beta)?;
        let c = slope(&state.moved(0.5 * h, &b), cloud, beta)?;
        let d = slope(&state.moved(h, &c), cloud, beta)?;
        for (share, slope) in [(1.0, &a), (2.0, &b), (2.0, &c), (1.0, &d)] {
            state = state.moved(share * h / 6.0, slope);
        }
    }
    Ok(state.w)
}

/// `(v, J(w − ½v))`
fn slope(state: &State, cloud: &Cloud, beta: Beta) -> Result<State> {
    let view = CloudView { points: &state.z, dimension: cloud.dimension(), weights: cloud.weights() };
    let mut field = JacobianField::default();
    field.evaluate(view, beta, &state.w)?;
    let drift = field.velocity.clone();
    let direction: Vec<f64> = state.w.iter().zip(&drift).map(|(w, v)| w - 0.5 * v).collect();
    field.evaluate(view, beta, &direction)?;
    Ok(State { z: drift, w: field.product })
}

#[cfg(test)]
mod tests {
    use super::super::path::inner;
    use super::*;

    #[test]
    fn nodes_have_the_variance_of_the_law() {
        for (rule, tolerance) in [(FINE, 1e-13), (COARSE, 1e-11)] {
            let nodes = rule.nodes(1.25, 20.0).unwrap();
            assert!((nodes.covariance()[(0, 0)] - 1.25).abs() < tolerance, "{}", nodes.len());
        }
    }

    /// Nodes of a Gaussian law move as the law does, in proportion to where they are: both constants are one.
    #[test]
    fn particles_and_laws_have_one_constant() {
        let (variance, beta, time): (f64, f64, f64) = (1.0, 4.0, 2.0);
        // σ at raw time 2, from ln σ + 2σ² = 2 − t, by bisection in Python: W(4)^{1/2}/2.
        let end = 0.548_217_081_363_998_3;
        let cloud = FINE.nodes(variance, beta).unwrap();
        let w = leading_error(&cloud, Beta::new(beta).unwrap(), time, FINE_STEPS).unwrap();
        let law = gaussian_constant(beta, time, 1.0, end);
        assert!((law - 0.054_496_815_054_854_49).abs() < 1e-15, "{law}");
        let particles = time * inner(&cloud, &w, cloud.points());
        assert!((particles - law).abs() < 1e-6, "{particles} {law}");
    }
}
