//! The tails of the standard normal law `Z`, accurate relative to themselves however far out.
//!
//! # Formula
//! With `φ` the density and `t ≥ 0`, everything is `φ(t)` times a ratio that decays like a power:
//! ```text
//! P(Z > t)       = φ(t) R_0(t)
//! E(Z − t)₊      = φ(t) R_1(t),    R_1 = 1 − t R_0
//! ½ E(Z − t)₊²   = φ(t) R_2(t),    R_2 = (R_0 − t R_1)/2
//! ```
//! Far out the right-hand sides of `R_1` and `R_2` cancel, so each ratio has a series of its own: `(1 + t)^{n+1} R_n(t)` is
//! smooth on the whole half-line in `u = (t − 5)/(t + 5)`. The coefficients are Chebyshev interpolants at 56 nodes
//! computed with 60 digits (mpmath, from `erfc`), truncated below 4e-18 and rewritten in powers of `u`.

/// Beyond this the density underflows to zero.
const UNDERFLOW: f64 = 38.7;
/// Clears the lower half of a significand, so that the square of what is left is exact.
const UPPER_HALF: u64 = 0xffff_ffff_f800_0000;

/// Power series of `(1 + t) R_0(t)` in `u`.
const RATIO: [f64; 26] = [
    1.1568486282918946,
    -0.2294875382521129,
    0.07778159886873554,
    0.025072179301611947,
    -0.0661776007789934,
    0.061505045841013566,
    -0.038026592187762366,
    0.0163482312692141,
    -0.004201290310663574,
    1.953073289303005e-05,
    0.00045704381820007954,
    -0.0001343747460125513,
    -2.48054584472145e-05,
    2.271112294988288e-05,
    -1.7723438185601556e-07,
    -3.280567012895583e-06,
    3.2197131609042185e-07,
    4.968188503341836e-07,
    -6.738323465177047e-08,
    -8.232321223515427e-08,
    1.0082895646260188e-08,
    1.4010248782442869e-08,
    -1.0846925288860795e-09,
    -2.039456977423449e-09,
    6.288377855498677e-11,
    1.7327578943235103e-10,
];

/// Power series of `(1 + t)² R_1(t)` in `u`.
const FIRST: [f64; 28] = [
    1.2945411512431624,
    -0.3687229645450182,
    -0.02803069962751519,
    0.2611670078471578,
    -0.27354820376339606,
    0.15402166231139874,
    -0.02931098245941795,
    -0.03186187271084962,
    0.034746226760707245,
    -0.016131705869213756,
    0.002328315612845713,
    0.0015767754611421246,
    -0.0008527350887620751,
    -3.581756158995099e-05,
    0.00014695214465133784,
    -1.7205556144407953e-05,
    -2.3404251451748432e-05,
    4.974648104203728e-06,
    4.0148061855887895e-06,
    -1.0023955147067653e-06,
    -7.59346786017823e-07,
    1.6940950634510059e-07,
    1.4464403282898365e-07,
    -2.311698627154946e-08,
    -2.2672476012801747e-08,
    2.1734144583145933e-09,
    1.998220033195663e-09,
    -9.540679288340339e-11,
];

/// Power series of `(1 + t)³ R_2(t)` in `u`.
const SECOND: [f64; 30] = [
    1.4051580406066677,
    -0.38877684122301165,
    -0.34243173952446293,
    0.6565626748664728,
    -0.45729977402763544,
    0.06495369887948743,
    0.1740340230714624,
    -0.1727293067151898,
    0.061492192184724605,
    0.017958774100186748,
    -0.029583798031804692,
    0.011037710738028119,
    0.0017325754034272901,
    -0.002746164117830748,
    0.00033699190221076885,
    0.00048085418847321014,
    -0.00013785832793800068,
    -8.327312145294891e-05,
    3.390625507983889e-05,
    1.6300834353630378e-05,
    -7.2032577736957674e-06,
    -3.6790643717403306e-06,
    1.3774981047990412e-06,
    8.80030073151173e-07,
    -2.250677525124273e-07,
    -1.926678823318125e-07,
    2.7468356632755594e-08,
    3.170848013015187e-08,
    -1.8237918227521972e-09,
    -2.764691080023894e-09,
];

/// A power series at `|u| ≤ 1`: four interleaved Horner chains, which a processor runs side by side.
fn series<const N: usize>(coefficients: &[f64; N], u: f64) -> f64 {
    let square = u * u;
    let fourth = square * square;
    let mut chains = [0.0; 4];
    for block in coefficients.chunks(4).rev() {
        for (chain, c) in chains.iter_mut().zip(block.iter().chain(std::iter::repeat(&0.0))) {
            *chain = *chain * fourth + c;
        }
    }
    (chains[0] + u * chains[1]) + square * (chains[2] + u * chains[3])
}

/// Where `t ≥ 0` lies on `[−1, 1]`; infinity is the right end.
fn compressed(t: f64) -> f64 {
    1.0 - 10.0 / (t + 5.0)
}

/// `R_0(t) = P(Z > t)/φ(t)` for `t ≥ 0`: Mills' ratio.
pub(crate) fn mills(t: f64) -> f64 {
    series(&RATIO, compressed(t)) / (1.0 + t)
}

/// `R_1(t) = E(Z − t)₊/φ(t)` for `t ≥ 0`.
pub(crate) fn mills_first(t: f64) -> f64 {
    series(&FIRST, compressed(t)) / (1.0 + t) / (1.0 + t)
}

/// `R_2(t) = ½E(Z − t)₊²/φ(t)` for `t ≥ 0`.
pub(crate) fn mills_second(t: f64) -> f64 {
    series(&SECOND, compressed(t)) / (1.0 + t) / (1.0 + t) / (1.0 + t)
}

/// The density `φ(t) = exp(−t²/2)/√(2π)`. The rounding error of `t²` would cost up to `t²/2` ulps, so it is put back.
pub(crate) fn density(t: f64) -> f64 {
    const NORMALISATION: f64 = 0.398_942_280_401_432_7;
    let t = t.abs();
    if t > UNDERFLOW {
        return 0.0;
    }
    let high = f64::from_bits(t.to_bits() & UPPER_HALF);
    let low = t - high;
    let square = t * t;
    let lost = ((high * high - square) + 2.0 * high * low) + low * low;
    (-0.5 * square).exp() * (NORMALISATION - 0.5 * NORMALISATION * lost)
}

/// `ln φ(t)`.
pub(crate) fn log_density(t: f64) -> f64 {
    const HALF_LOG_TAU: f64 = 0.918_938_533_204_672_8;
    -0.5 * t * t - HALF_LOG_TAU
}

/// `P(Z > t)`.
pub(crate) fn upper(t: f64) -> f64 {
    let tail = density(t) * mills(t.abs());
    if t >= 0.0 { tail } else { 1.0 - tail }
}

/// `E(Z − t)₊ = ∫_t^∞ P(Z > x) dx`.
pub(crate) fn upper_mean(t: f64) -> f64 {
    let tail = density(t) * mills_first(t.abs());
    if t >= 0.0 { tail } else { tail - t }
}

/// `½E(Z − t)₊² = ∫_t^∞ E(Z − x)₊ dx`.
pub(crate) fn upper_square(t: f64) -> f64 {
    let tail = density(t) * mills_second(t.abs());
    if t >= 0.0 { tail } else { 0.5 * (1.0 + t * t) - tail }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A few units in the last place: the series and two divisions.
    const ROUNDOFF: f64 = 2e-15;

    struct Row {
        t: f64,
        density: f64,
        upper: f64,
        upper_mean: f64,
        upper_square: f64,
    }

    /// mpmath with 60 digits: `Q = erfc(t/√2)/2`, `U = φ − tQ`, `V = (Q − tU)/2`.
    const REFERENCE: [Row; 18] = [
        Row {
            t: -30.1,
            density: 7.300259384280611e-198,
            upper: 1.0,
            upper_mean: 30.1,
            upper_square: 453.50500000000005,
        },
        Row {
            t: -8.3,
            density: 4.3816394355093325e-16,
            upper: 1.0,
            upper_mean: 8.3,
            upper_square: 34.94500000000001,
        },
        Row {
            t: -2.7,
            density: 0.01042093481442259,
            upper: 0.9965330261969594,
            upper_mean: 2.701060105546213,
            upper_square: 4.144697655585867,
        },
        Row {
            t: -0.75,
            density: 0.30113743215480443,
            upper: 0.7733726476231318,
            upper_mean: 0.8811669178721533,
            upper_square: 0.7171239180136234,
        },
        Row {
            t: -1e-09,
            density: 0.3989422804014327,
            upper: 0.5000000003989423,
            upper_mean: 0.3989422809014327,
            upper_square: 0.25000000039894227,
        },
        Row {
            t: 0.0,
            density: 0.3989422804014327,
            upper: 0.5,
            upper_mean: 0.3989422804014327,
            upper_square: 0.25,
        },
        Row {
            t: 1e-07,
            density: 0.3989422804014307,
            upper: 0.49999996010577197,
            upper_mean: 0.39894223040143467,
            upper_square: 0.24999996010577447,
        },
        Row {
            t: 0.1,
            density: 0.39695254747701175,
            upper: 0.460172162722971,
            upper_mean: 0.35093533120471465,
            upper_square: 0.21253931480124977,
        },
        Row {
            t: 0.5,
            density: 0.35206532676429947,
            upper: 0.3085375387259869,
            upper_mean: 0.19779655740130603,
            upper_square: 0.10481963001266693,
        },
        Row {
            t: 0.9,
            density: 0.2660852498987548,
            upper: 0.18406012534675947,
            upper_mean: 0.10043113708667128,
            upper_square: 0.04683605098437767,
        },
        Row {
            t: 1.7,
            density: 0.09404907737688693,
            upper: 0.04456546275854304,
            upper_mean: 0.018287790687363758,
            upper_square: 0.006738109295012328,
        },
        Row {
            t: 3.3,
            density: 0.0017225689390536812,
            upper: 0.0004834241423837775,
            upper_mean: 0.00012726926918721546,
            upper_square: 3.1717777032983246e-05,
        },
        Row {
            t: 5.0,
            density: 1.4867195147342977e-06,
            upper: 2.866515718791939e-07,
            upper_mean: 5.346165533832815e-08,
            upper_square: 9.671647593776582e-09,
        },
        Row {
            t: 7.9,
            density: 1.1187956214351804e-14,
            upper: 1.3945171466592643e-15,
            upper_mean: 1.7127075574361658e-16,
            upper_square: 2.0739088142346555e-17,
        },
        Row {
            t: 12.3,
            density: 5.60665692630384e-34,
            upper: 4.5287069561587846e-35,
            upper_mean: 3.634737022853501e-36,
            upper_square: 2.899020902448889e-37,
        },
        Row {
            t: 21.7,
            density: 2.2307236625466677e-103,
            upper: 1.0258139526968736e-104,
            upper_mean: 4.707385194452003e-106,
            upper_square: 2.1556827503945447e-107,
        },
        Row {
            t: 33.3,
            density: 6.434370239339347e-242,
            upper: 1.93050550592784e-243,
            upper_mean: 5.7869045996407974e-245,
            upper_square: 1.733137123727243e-246,
        },
        Row {
            t: 36.9,
            density: 8.532087755636343e-297,
            upper: 2.3105244811406173e-298,
            upper_mean: 6.252420227465223e-300,
            upper_square: 1.6907086029751503e-301,
        },
    ];

    #[test]
    fn tails_match_forty_digits() {
        for row in &REFERENCE {
            let close = |ours: f64, exact: f64, what| {
                assert!((ours / exact - 1.0).abs() < ROUNDOFF, "{what}({}) = {ours}, not {exact}", row.t);
            };
            close(upper(row.t), row.upper, "upper");
            close(upper_mean(row.t), row.upper_mean, "upper_mean");
            close(upper_square(row.t), row.upper_square, "upper_square");
            close(density(row.t), row.density, "density");
        }
    }

    #[test]
    fn extremes_are_finite() {
        for t in [1e3, 1e154, 1e300, f64::INFINITY] {
            assert_eq!((upper(t), upper_mean(t), density(t)), (0.0, 0.0, 0.0));
            assert_eq!(upper(-t), 1.0);
            assert_eq!(upper_mean(-t), t);
        }
        assert!((mills(1e200) * 1e200 - 1.0).abs() < ROUNDOFF);
    }

    #[test]
    fn density_never_loses_the_square() {
        assert!((log_density(30.0).exp() / density(30.0) - 1.0).abs() < 1e-12);
    }
}
