//! Measures for which the action estimate is sharp, in closed form.
//!
//! # Formula
//! Put a share `p` of the mass into one atom at height `L` on an axis, and spread the rest over a sphere of radius `ρ`
//! in the hyperplane across it. In many dimensions nearly all points of the sphere are `√2ρ` apart, while the atom is
//! only `(ρ² + L²)^{1/2}` away. With `L < ρ` and
//! `β` large, every point of the sphere is drawn to the atom, though hardly any mass is there: the barycentre lies `L` beyond the mean, and
//! `A/V → (ρ² + L²)/ρ²`, which comes as close to two as one likes: fix `p` and `L²/ρ² < 1`, let `βρ² → ∞`, and let the dimension grow like `(βρ²)²`, then `p → 0` and
//! `L → ρ`. Both inequalities of the paper's proof become equalities: the barycentre is one point, and that point is as far as the average one.
//!
//! With `β = 1`, `d − 1` dimensions across, `n = (d − 1)/2`, `r = ρ²`, the sphere integrals are
//! ```text
//! ∫ e^{r cosθ} dσ = ₀F₁(n; r²/4) = Z,     ∫ cosθ e^{r cosθ} dσ / Z = (r/2n) ₀F₁(n + 1; r²/4)/Z = C,
//! S = (1 − p)e^{−r}Z,   a = p e^{−(r + L²)/2},   b = (1 − p)e^{−(r + L²)/2},
//! sphere:  v = −(1 − CS/(S + a)) ξ + (aL/(S + a)) e,      atom:  v = −(bL/(p + b)) e.
//! ```
//! Elementary bounds say how fast: `₀F₁(n; x) ≤ e^{x/n}` and `C ≤ r/2n`, so with `q = a/S` and `λ = L²/r`
//! ```text
//! q ≥ (p/(1 − p)) e^{(r − L²)/2 − r²/4n},
//! A/V ≥ ((1 − C)² + λ(1 − 1/q)²)/(1 + pλ) ≥ 2 − D,     D = (1 − λ) + r/n + 2/q + 2p,
//! ```
//! and on the schedule `r = 2√n`, `L² = r − 4 ln r`, `p = 1/r`, where `q ≥ r/e`, that is `D ≤ (4 ln r + 2e + 6)/r → 0`:
//! no constant below two serves all dimensions.
//!
//! # Rounding
//! With `K` terms of `₀F₁`, all positive, `q` is known to `ε_q = (r + L² + 4K + 8)ε`, relatively. The drifts depend on
//! it through `1/(1 + q)` only, and as
//! `C ≤ ½` here, theirs is at most `1.4 ε_q/(1 + q)` and a few `ε`; action (a square) and growth rate (twice the drift of the mean, once the decay)
//! at most `4 ε_q/(1 + q) + 32ε`, as no sum has terms of two signs but that of the mean's drift, where the atom counts
//! for nothing.
//!
//! The vertices of a simplex of `n` points do the same with fewer dimensions per point, as a cloud that any drift can
//! be tried on.

use super::path::dot;
use crate::cloud::Cloud;
use crate::error::Result;
use crate::measured::Measured;

/// Terms of `₀F₁` below this share of the sum do not count.
const NEGLIGIBLE: f64 = 1e-18;

/// An atom above a sphere, at `β = 1`.
#[derive(Debug, Clone, Copy)]
pub(super) struct AtomAndSphere {
    /// Dimension `d` of the space; the sphere lies in a hyperplane.
    pub dimension: usize,
    /// Share `p` of the mass in the atom.
    pub share: f64,
    /// Squared radius of the sphere.
    pub radius_2: f64,
    /// Height `L` of the atom.
    pub height: f64,
}

/// About the best parameters there are for their dimension, found by a simplex search; others would only give smaller ratios.
pub(super) const ATOMS_AND_SPHERES: [AtomAndSphere; 5] = [
    AtomAndSphere { dimension: 30, share: 0.632, radius_2: 11.87, height: 1.506 },
    AtomAndSphere { dimension: 100, share: 0.1155, radius_2: 33.47, height: 3.483 },
    AtomAndSphere { dimension: 1000, share: 0.01151, radius_2: 136.6, height: 9.980 },
    AtomAndSphere { dimension: 10_000, share: 0.002359, radius_2: 493.8, height: 21.10 },
    AtomAndSphere { dimension: 100_000, share: 0.0006117, radius_2: 1721.7, height: 40.77 },
];

/// Dimensions in which the schedule of the derivation is followed.
pub(super) const SHARP_DIMENSIONS: [usize; 3] = [10_000, 1_000_000, 100_000_000];

/// How such a measure moves: coefficients of the drift, and the moments that follow.
struct Motion {
    /// `v·ξ/r` on the sphere.
    across: f64,
    /// `v·e` on the sphere.
    along: f64,
    /// `v·e` at the atom.
    atom: f64,
    /// `V`
    variance: f64,
    /// What rounding does to numbers that follow, relatively.
    rounding: f64,
}

impl AtomAndSphere {
    /// On the schedule of the derivation; in more than a hundred dimensions, where `L² > 0`.
    pub(super) fn scheduled(dimension: usize) -> Self {
        let radius_2 = 2.0 * half(dimension).sqrt();
        let height = (radius_2 - 4.0 * radius_2.ln()).sqrt();
        Self { dimension, share: 1.0 / radius_2, radius_2, height }
    }

    /// `D`
    pub(super) fn deficit(&self) -> f64 {
        let Self { dimension, share: p, radius_2: r, height: l } = *self;
        let n = half(dimension);
        let pull = p / (1.0 - p) * (0.5 * (r - l * l) - 0.25 * r * r / n).exp();
        1.0 - l * l / r + r / n + 2.0 / pull + 2.0 * p
    }

    fn motion(&self) -> Motion {
        let Self { share: p, radius_2: r, height: l, .. } = *self;
        let n = half(self.dimension);
        let (z, terms) = hypergeometric(n, 0.25 * r * r);
        let cosine = r / (2.0 * n) * hypergeometric(n + 1.0, 0.25 * r * r).0 / z;
        // a/S: both would underflow.
        let pull = p / (1.0 - p) * (0.5 * (r - l * l)).exp() / z;
        let b = (1.0 - p) * (-0.5 * (r + l * l)).exp();
        Motion {
            across: cosine / (1.0 + pull) - 1.0,
            along: l * pull / (1.0 + pull),
            atom: -b * l / (p + b),
            variance: (1.0 - p) * (r + p * l * l),
            rounding: (4.0 * (r + l * l + 4.0 * terms + 8.0) / (1.0 + pull) + 32.0) * f64::EPSILON,
        }
    }

    /// `A/V`
    pub(super) fn action_ratio(&self) -> Measured {
        let (Motion { across, along, atom, variance, rounding }, p) = (self.motion(), self.share);
        let ratio =
            ((1.0 - p) * (self.radius_2 * across * across + along * along) + p * atom * atom) / variance;
        Measured::known_to(ratio, rounding * ratio)
    }

    /// The rate at which the second moment grows about the origin for which it grows fastest. With `s = |ṁ|`,
    /// `a = −V̇/2` and the mean at distance `c`, it is `2(cs − a)/(V + c²)`, largest for `c = s/λ`, where it is the
    /// root `λ` of `Vλ² + 2aλ = s²`.
    pub(super) fn growth_rate(&self) -> Measured {
        let (Motion { across, along, atom, variance, rounding }, p, l) =
            (self.motion(), self.share, self.height);
        let drift = (1.0 - p) * along + p * atom;
        let decay = -((1.0 - p) * (self.radius_2 * across - p * l * along) + p * (1.0 - p) * l * atom);
        let rate = fastest_growth(drift, decay, variance);
        Measured::known_to(rate, rounding * rate)
    }
}

/// `n`
fn half(dimension: usize) -> f64 {
    0.5 * (dimension as f64 - 1.0)
}

/// The root `λ` of `Vλ² + 2aλ = s²`, without cancellation.
pub(super) fn fastest_growth(drift: f64, decay: f64, variance: f64) -> f64 {
    let square = drift * drift;
    square / (decay + (decay * decay + square * variance).sqrt())
}

/// `₀F₁(b; z) = Σ z^k / (k! (b)_k)` for `b, z > 0`, and the number of terms.
fn hypergeometric(b: f64, z: f64) -> (f64, f64) {
    let (mut term, mut sum, mut k) = (1.0, 1.0, 0.0);
    while term > NEGLIGIBLE * sum {
        term *= z / ((k + 1.0) * (b + k));
        sum += term;
        k += 1.0;
    }
    (sum, k)
}

/// An atom of mass `share` at height `L` above the centre of a simplex of `vertices` points whose distances are
/// `(2·radius_2)^{1/2}`.
pub(super) fn atom_and_simplex(vertices: usize, share: f64, radius_2: f64, height: f64) -> Result<Cloud> {
    let dimension = vertices + 1;
    let edge = radius_2.sqrt();
    let mut points = vec![0.0; (vertices + 1) * dimension];
    for vertex in 0..vertices {
        points[vertex * dimension + vertex] = edge;
    }
    let atom = &mut points[vertices * dimension..];
    atom[..vertices].fill(edge / vertices as f64);
    atom[vertices] = height;
    let mut weights = vec![(1.0 - share) / vertices as f64; vertices];
    weights.push(share);
    Cloud::new(points, dimension)?.with_weights(weights)
}

/// Two atoms of masses `p` and `1 − p` on the line at `β = 1`, placed where the second moment grows as fast as it can
/// for two atoms.
pub(super) fn growing_atoms(p: f64, distance_2: f64) -> Result<(Cloud, f64)> {
    let (q, w, r) = (1.0 - p, (-0.5 * distance_2).exp(), distance_2.sqrt());
    let velocity = [q * w * r / (p + q * w), -p * w * r / (p * w + q)];
    let (weights, centred) = ([p, q], [-q * r, p * r]);
    let drift = dot(&weights, &velocity);
    let decay = -(p * centred[0] * velocity[0] + q * centred[1] * velocity[1]);
    let rate = fastest_growth(drift, decay, p * q * distance_2);
    let cloud = Cloud::new(centred.map(|x| x + drift / rate).to_vec(), 1)?.with_weights(weights.to_vec())?;
    Ok((cloud, rate))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::claim::confine::moments::Moments;
    use crate::drift::Dense;
    use crate::scale::Beta;

    #[test]
    fn sphere_integrals_match_bessel_functions() {
        // mpmath, 30 digits: hyp0f1(b, z).
        for (b, z, expected) in REFERENCE {
            assert!((hypergeometric(b, z).0 / expected - 1.0).abs() < 1e-13);
        }
    }

    const REFERENCE: [(f64, f64, f64); 3] = [
        (14.5, 35.224_225, 9.666_527_301_307_435),
        (49.5, 280.060_225, 216.944_505_434_721_36),
        (499.5, 4_664.89, 10_447.083_785_034_16),
    ];

    /// In a plane the sphere is two points, so the closed form can be compared with a cloud.
    #[test]
    fn closed_form_is_that_of_a_cloud() {
        let measure = AtomAndSphere { dimension: 2, share: 0.3, radius_2: 1.7, height: 0.8 };
        let ring = measure.radius_2.sqrt();
        let cloud = Cloud::new(vec![ring, 0.0, -ring, 0.0, 0.0, 0.8], 2).unwrap();
        let cloud = cloud.with_weights(vec![0.35, 0.35, 0.3]).unwrap();
        let moments = Moments::of(&cloud, &Dense, Beta::new(1.0).unwrap()).unwrap();
        let measured = (moments.action / moments.variance).value;
        assert!((measured - measure.action_ratio().value).abs() < 1e-14, "{measured}");
    }

    #[test]
    fn ratios_exceed_what_is_derived_and_tend_to_two() {
        for dimension in SHARP_DIMENSIONS {
            let measure = AtomAndSphere::scheduled(dimension);
            let (ratio, deficit) = (measure.action_ratio(), measure.deficit());
            let r = measure.radius_2;
            assert!(ratio.value >= 2.0 - deficit && ratio.value < 2.0, "{ratio:?} {deficit}");
            assert!(deficit <= (4.0 * r.ln() + 2.0 * std::f64::consts::E + 6.0) / r, "{deficit}");
        }
    }

    /// mpmath with 40 digits, from the formulas above.
    #[test]
    fn closed_forms_are_as_accurate_as_they_say() {
        for (measure, (action, growth)) in ATOMS_AND_SPHERES.iter().zip(CLOSED_FORMS) {
            for (ours, exact) in [(measure.action_ratio(), action), (measure.growth_rate(), growth)] {
                assert!((ours.value - exact).abs() <= ours.numerical, "{measure:?}: {ours:?} {exact}");
                assert!(ours.numerical < 1e-12 * exact, "{ours:?}");
            }
        }
    }

    const CLOSED_FORMS: [(f64, f64); 5] = [
        (1.019_863_701_777_382_6, 0.028_734_706_032_990_35),
        (1.260_542_386_774_11, 0.135_170_951_316_715_4),
        (1.700_719_529_869_603_2, 0.305_279_391_535_964_56),
        (1.893_190_880_746_06, 0.376_051_034_423_474_26),
        (1.963_229_574_267_108_9, 0.401_162_435_077_361_55),
    ];

    #[test]
    fn simplices_match_their_closed_form() {
        // Closed form over the three kinds of pairs, in Python.
        let cloud = atom_and_simplex(512, 0.7111581057445605, 3.849834531279305, 0.9823348013400821).unwrap();
        let moments = Moments::of(&cloud, &Dense, Beta::new(1.0).unwrap()).unwrap();
        assert!(((moments.action / moments.variance).value - 1.0107302480339133).abs() < 1e-12);
    }

    #[test]
    fn growing_atoms_grow_at_their_rate() {
        let (cloud, rate) = growing_atoms(0.138_611_099_698_760_32, 3.525_494_346_068_117).unwrap();
        let moments = Moments::of(&cloud, &Dense, Beta::new(1.0).unwrap()).unwrap();
        assert!(((moments.power / moments.second).value - rate).abs() < 1e-14);
        assert!((rate - 0.017_766_952_966_368_92).abs() < 1e-14);
    }
}
