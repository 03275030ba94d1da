//! `e^{−q}` without a library call, so that loops over it vectorise.

use super::fused::Arithmetic;

/// Largest exponent; beyond it the result would be subnormal and counts as zero.
pub(super) const LARGEST: f64 = 708.0;
/// Smallest exponent that does not overflow.
const SMALLEST: f64 = -700.0;
/// Adding this rounds to an integer and leaves it in the low bits.
const ROUND: f64 = 6_755_399_441_055_744.0;
/// `ln 2` in two parts, the first with trailing zeros so that its multiples are exact.
const LN_2_HIGH: f64 = 6.931_471_803_691_238e-1;
const LN_2_LOW: f64 = 1.908_214_929_270_587_7e-10;
/// `1/k!` from the highest degree down; on `|r| ≤ ln 2/2` the first one left out is below 5e-18.
const INVERSE_FACTORIALS: [f64; 13] = [
    1.0 / 6_227_020_800.0,
    1.0 / 479_001_600.0,
    1.0 / 39_916_800.0,
    1.0 / 3_628_800.0,
    1.0 / 362_880.0,
    1.0 / 40_320.0,
    1.0 / 5_040.0,
    1.0 / 720.0,
    1.0 / 120.0,
    1.0 / 24.0,
    1.0 / 6.0,
    0.5,
    1.0,
];

/// `e^{−q}` to about one rounding; zero for `q > 708` and for what is not a number, `e^{700}` for `q < −700`.
#[inline(always)]
pub(super) fn decay<A: Arithmetic>(q: f64) -> f64 {
    let inside = if q <= LARGEST { q } else { LARGEST };
    let x = -(if inside >= SMALLEST { inside } else { SMALLEST });
    let shifted = A::mul_add(x, std::f64::consts::LOG2_E, ROUND);
    let steps = shifted - ROUND;
    let rest = A::mul_add(steps, -LN_2_LOW, A::mul_add(steps, -LN_2_HIGH, x));
    let mut sum = INVERSE_FACTORIALS[0];
    for inverse in &INVERSE_FACTORIALS[1..] {
        sum = A::mul_add(sum, rest, *inverse);
    }
    let sum = A::mul_add(sum, rest, 1.0);
    let power = f64::from_bits(shifted.to_bits().wrapping_add(1023) << 52);
    if q <= LARGEST { sum * power } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::super::fused::{Fused, Separate};
    use super::*;

    #[test]
    fn agrees_with_the_standard_library() {
        for i in -70_000..=70_800 {
            let q = f64::from(i) / 100.0 + 1e-3;
            let exact = (-q).exp();
            for computed in [decay::<Fused>(q), decay::<Separate>(q)] {
                assert!(q > LARGEST || (computed / exact - 1.0).abs() <= 4e-16, "{q}: {computed} {exact}");
            }
        }
        assert_eq!([1e3, f64::INFINITY, f64::NAN].map(decay::<Fused>), [0.0; 3]);
        assert!(decay::<Fused>(-1e300).is_finite());
        assert_eq!(decay::<Fused>(0.0), 1.0);
    }
}
